# SPDX-License-Identifier: Apache-2.0
"""Manual pages in mdoc(7)."""
import re
import textwrap

ENVIRONMENT = re.compile(r"ASCPROF_(COMPAT|ON_FULL|ON_LOSS)|PROFILING_MODE|MSTX_INJECTION_PATH")
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|NULL|UINT64_MAX")
TOKEN = re.compile(r"([(\"']*)(.*?)([)\"'.,;:!?]*)")
MADE = '.\\" Made by scripts/reference from comments of the headers.\n'


def escape(text):
    text = text.replace("\\", "\\e").replace("^", "\\(ha").replace("~", "\\(ti")
    text = text.replace("`", "\\(ga").replace("'", "\\(aq")
    text = re.sub(r"(?<!\w)-(?=\w)", r"\\-", text)
    return "\\&" + text if text.startswith(".") else text


class Writer:
    """Text with its words told apart: functions that have pages, constants, arguments."""

    def __init__(self, date, pages, codes):
        self.date, self.codes = date, codes
        self.where = {name: page for page in pages for name in page.names}

    def macro(self, word, own, args):
        """A macro line's words for one word of a text, or None."""
        name = word[:-2] if word.endswith("()") else word
        if name in own:
            return f"Fn {name}"
        if name in self.where:
            return f"Xr {name} 3"
        page = re.fullmatch(r"([a-z][\w-]*)\((\d)\)", word)
        if page:
            return f"Xr {page[1]} {page[2]}"
        variable, _, value = word.partition("=")
        if ENVIRONMENT.fullmatch(variable):
            return f"Ev {variable}" + (f" Ns = Ns Cm {value}" if value else "")
        if CONSTANT.fullmatch(word):
            return f"Dv {word}"
        if word in args and not word.islower():
            return f"Fa {word}"
        return None

    def text(self, text, own=(), args=()):
        """One sentence a line, one macro a line."""
        lines, line = [], []

        def flush():
            if line:
                lines.extend(escape(each) for each in textwrap.wrap(" ".join(line), 76, break_long_words=False,
                                                                     break_on_hyphens=False))
            line.clear()

        text = re.sub(r"`ascprof (\w+)`", r"ascprof-\1(1)", text)
        words = text.split()
        for i, word in enumerate(words):
            before, core, after = TOKEN.fullmatch(word).groups()
            if core.endswith("(") and after.startswith(")"):
                core, after = core + ")", after[1:]
            if re.fullmatch(r"[a-z][\w-]*\(\d", core) and after.startswith(")"):
                core, after = core + ")", after[1:]
            macro = self.macro(core, own, args)
            enclosed = before == "(" and after.startswith(")")
            if macro and (enclosed or not before):
                flush()
                lines.append(f".Pq {macro} {' '.join(after[1:])}" if enclosed else f".{macro} {' '.join(after)}")
                lines[-1] = lines[-1].rstrip()
            else:
                line.append(word)
            following = words[i + 1] if i + 1 < len(words) else ""
            if after.endswith(".") and (re.match(r'[A-Z0-9"]', following) or following == "libascprof"):
                flush()
        flush()
        return "".join(f"{each}\n" for each in lines)

    def body(self, body, own=(), args=()):
        out = []
        for kind, content in body:
            if kind == "text":
                out.append(".Pp\n" + self.text(content, own, args))
                continue
            out.append(".Bl -tag -width Ds\n")
            for term, text in content:
                terms = [("Dv " if CONSTANT.fullmatch(each) else "") + each for each in term.split(", ")]
                out.append(f".It {' , '.join(terms)}\n")
                out.append(self.text(sentence(text), own, args))
            out.append(".El\n")
        return "".join(out)

    def begin(self, names, section, purpose):
        out = ['.\\" SPDX-License-Identifier: Apache-2.0\n', MADE, f".Dd {self.date}\n",
               f".Dt {names[0].upper()} {section}\n", ".Os\n.Sh NAME\n"]
        out += [f".Nm {name} ,\n" for name in names[:-1]]
        quotes = escape(purpose).replace('"', "\\(dq")
        out.append(f".Nm {names[-1]}\n.Nd {quotes}\n")
        return "".join(out)

    def synopsis(self, page):
        out = [f".Sh SYNOPSIS\n.In {page.header}\n"]
        for result, name, parameters in page.functions:
            out.append(f".Ft {quoted(result)}\n")
            if not parameters:
                out.append(f".Fn {name} void\n")
                continue
            out.append(f".Fo {name}\n")
            out += [f".Fa {quoted(parameter)}\n" for parameter in parameters]
            out.append(".Fc\n")
        return "".join(out)

    def values(self, page):
        """Constants and types."""
        out = []
        for comment, rows in page.constants:
            out.append(f".Ss Values\n{self.text(sentence(comment), page.names, arguments(page))}"
                       ".Bl -tag -width Ds\n")
            out += [f".It Dv {name} Pq {escape(value)}\n{self.text(sentence(text))}" for name, value, text in rows]
            out.append(".El\n")
        if page.types:
            text = re.sub(r"\n\s*\n", "\n", re.sub(r"@(?=\w)", "", "\n".join(page.types)))
            out.append(f".Ss Types\n.Bd -literal\n{literal(text)}\n.Ed\n")
        return "".join(out)

    def results(self, page):
        if not page.result and not page.errors:
            return ""
        result = page.result
        if page.errors:
            result = "An error code; see below." if result.startswith("never") else f"{result}, or an error code."
        out = [".Sh RETURN VALUES\n", self.text(sentence(result), page.names, arguments(page))]
        if page.note:
            out.append(self.text(page.note, page.names, arguments(page)))
        return "".join(out)

    def errors(self, page):
        out = []
        if page.errors:
            out.append(".Sh ERRORS\n.Bl -tag -width Ds\n")
            for code, text in page.errors:
                value = re.fullmatch(r"(\w+) \((\d+)\)", code)
                name = next((each[0] for each in self.codes if each[1] == code), None)
                head = f"Dv {value[1]} Pq {value[2]}" if value else f"{code} Pq Dv {name}"
                out.append(f".It {head}\n{self.text(sentence(text), page.names, arguments(page))}")
            out.append(".El\n")
        return "".join(out)

    def function(self, page):
        out = [self.begin(page.names, 3, page.purpose)]
        if page.header.startswith("mstx/"):
            out.append(".Sh LIBRARY\nNone, or any that records mstx; see\n.Xr libascprof 3 .\n")
        else:
            out.append(".Sh LIBRARY\nlibascprof\n.Pq \\-lascprof\n")
        out.append(self.synopsis(page))
        out.append(".Sh DESCRIPTION\n")
        if page.args:
            out.append(".Bl -tag -width Ds\n")
            for name, text in page.args:
                out.append(f".It Fa {name}\n{self.text(sentence(text), page.names, arguments(page))}")
            out.append(".El\n")
        body = self.body(page.body, page.names, arguments(page))
        out.append(body if page.args else body.removeprefix(".Pp\n"))
        out.append(self.values(page))
        if page.chapter.body:
            title = f".Ss {page.chapter.title}\n" if page.args or page.body else ""
            out.append(title + self.body(page.chapter.body, page.names).removeprefix(".Pp\n"))
        out.append(self.results(page))
        if page.example:
            out.append(f".Sh EXAMPLES\n.Bd -literal -offset indent\n{literal(page.example)}.Ed\n")
        out.append(self.errors(page))
        out.append(f".Sh THREADS\n{self.text(page.threads, page.names)}")
        out.append(".Sh SEE ALSO\n")
        others = [name for other in page.chapter.pages if other is not page for name in other.names[:1]]
        out += [f".Xr {name} 3 ,\n" for name in sorted(others + ["libascprof"], key=str.lower)]
        out.append(".Xr ascprof 7\n")
        out.append(f".Sh STANDARDS\n{self.text(page.source, page.names)}")
        return "".join(out)

    def overview(self, template, chapters):
        """libascprof(3): what its part says, with the lists in their places."""
        lists = []
        for chapter in chapters:
            lists.append(f".Ss {chapter.title}\n.Bl -tag -width Ds -compact\n")
            for page in chapter.pages:
                names = " , ".join(f"Xr {name} 3" for name in page.names)
                lists.append(f".It {names}\n{self.text(page.purpose)}")
            lists.append(".El\n")
        errors = [f".It {value} Pq Dv {name}\n{self.text(sentence(text))}"
                  for name, value, text in self.codes]
        template = template.replace(".Sh NAME", f"{MADE}.Dd {self.date}\n.Dt LIBASCPROF 3\n.Os\n.Sh NAME", 1)
        return template.replace("@FUNCTIONS@\n", "".join(lists)).replace("@ERRORS@\n", "".join(errors))


def quoted(text):
    return f'"{text}"' if " " in text else text


def arguments(page):
    return {name for name, _ in page.args}


def literal(text):
    return text.replace("\\", "\\e").replace("'", "\\(aq").replace("-", "\\-").replace("^", "\\(ha")


def sentence(text):
    """With a full stop, and an upper case letter unless it begins with a name of C."""
    first = text.split()[0]
    if re.fullmatch(r"[a-z]+[,;:.]?", first):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ".:" else text + "."
