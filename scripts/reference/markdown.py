# SPDX-License-Identifier: Apache-2.0
"""docs/api-c.md and docs/api-python.md."""
import re
import textwrap

import mdoc

HEAD = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<!-- Made by scripts/reference; texts are {}. -->\n"
C_HEAD = HEAD.format("comments of runtime/include") + """# C reference

Everything that the installed headers declare, and what it does. The same is in manual pages: libascprof(3) lists them,
and `man aclprofInit` shows one. How the functions are used together: [guide.md](guide.md). What words mean: ascprof(7).

"""
PYTHON_HEAD = HEAD.format("docstrings of tools/python") + """# Python reference

Functions of `acl` and `acl.prof`. Conventions of arguments, threads and differences from pyACL: [python.md](python.md).
Limits and error codes are those of the C functions, which are linked.

"""


def escape(text):
    return re.sub(r"([\\*_<>|\[\]`])", r"\\\1", text)


def slug(heading):
    """The anchor that a heading has."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def wrap(text, first="", rest=""):
    return textwrap.fill(text, 120, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False) + "\n"


class Writer:
    def __init__(self, pages):
        self.where = {name: slug(", ".join(page.names)) for page in pages for name in page.names}

    def word(self, word, own):
        before, core, after = mdoc.TOKEN.fullmatch(word).groups()
        if core.endswith("(") and after.startswith(")"):
            core, after = core[:-1], after[1:]
        if core in own:
            core = f"`{core}`"
        elif core in self.where:
            core = f"[{core}](#{self.where[core]})"
        elif mdoc.CONSTANT.fullmatch(core) or re.fullmatch(r"\w+=\w+", core):
            core = f"`{core}`"
        else:
            return escape(word)
        return f"{escape(before)}{core}{escape(after)}"

    def text(self, text, own=()):
        parts = re.split(r"(`[^`]+`)", text)
        return "".join(part if i % 2 else re.sub(r"\S+", lambda m: self.word(m[0], own), part)
                       for i, part in enumerate(parts))

    def body(self, body, own=()):
        out = []
        for kind, content in body:
            if kind == "text":
                out.append(wrap(self.text(content, own)))
            else:
                out.append("".join(wrap(f"{self.text(term)}: {self.text(text, own)}", "* ", "  ")
                                   for term, text in content))
        return "".join(f"{each}\n" for each in out)

    def page(self, page, threads, source):
        own = page.names
        out = [f"### {', '.join(own)}\n\n", wrap(self.text(mdoc.sentence(page.purpose))), "\n```text\n"]
        for result, name, parameters in page.functions:
            space = "" if result.endswith("*") else " "
            line = f"{result}{space}{name}({', '.join(parameters) or 'void'});"
            out.append(textwrap.fill(line, 100, subsequent_indent="        ") + "\n")
        out.append("```\n\n")
        out += [wrap(f"`{name}`: {self.text(text, own)}", "* ", "  ") for name, text in page.args]
        out.append("\n" if page.args else "")
        out.append(self.body(page.body, own))
        for comment, rows in page.constants:
            out.append(wrap(self.text(mdoc.sentence(comment), own)))
            out.append("\n| constant | value | |\n| --- | --- | --- |\n")
            out += [f"| `{name}` | {value} | {self.text(text)} |\n" for name, value, text in rows]
            out.append("\n")
        if page.types:
            out.append("```text\n" + re.sub(r"@(?=\w)", "", "\n".join(page.types)) + "\n```\n\n")
        out.append(self.results(page))
        if page.example:
            out.append(f"```c\n{page.example}```\n\n")
        if page.threads != threads:
            out.append(wrap("Threads: " + self.text(page.threads, own)) + "\n")
        if page.source != source:
            out.append(wrap("Source: " + self.text(page.source, own)) + "\n")
        return "".join(out)

    def results(self, page):
        if not page.result and not page.errors:
            return ""
        out = [wrap("Returns " + self.text(page.result + (", or" if page.errors else "."), page.names)), "\n"]
        if page.errors:
            out += [wrap(f"{self.text(code)}: {self.text(text, page.names)}", "* ", "  ") for code, text in page.errors]
            out.append("\n")
        if page.note:
            out.append(wrap(self.text(page.note, page.names)) + "\n")
        return "".join(out)

    def c(self, chapters, codes):
        out = [C_HEAD]
        for chapter in chapters:
            out.append(f"* [{chapter.title}](#{slug(chapter.title)})\n")
        out.append("* [Error codes](#error-codes)\n\n")
        for chapter in chapters:
            # what holds for most is told once
            threads, source = most(p.threads for p in chapter.pages), most(p.source for p in chapter.pages)
            out.append(f"## {chapter.title}\n\n{self.body(chapter.body)}")
            out.append(wrap("Threads: " + self.text(threads)) + "\n")
            out.append(wrap("Source: " + self.text(source)) + "\n")
            out.append(f"Header: {', '.join(dict.fromkeys(f'`{page.header}`' for page in chapter.pages))}\n\n")
            out += [self.page(page, threads, source) for page in chapter.pages]
        out.append("## Error codes\n\n| code | name | meaning |\n| --- | --- | --- |\n")
        out += [f"| {value} | `{name}` | {self.text(text)} |\n" for name, value, text in codes]
        return "".join(out)


def most(values):
    values = list(values)
    return max(dict.fromkeys(values), key=values.count)


def named(text):
    """Text in which names with an underscore are told apart."""
    return "".join(f"`{part}`" if i % 2 else escape(part)
                   for i, part in enumerate(re.split(r"\b([A-Za-z]\w*_\w*(?:\.h)?\b)", text)))


def docstring(text):
    """Paragraphs, and lists of arguments: lines "name: text", with two blanks before further lines."""
    out, items = [], []

    def flush():
        if items:
            out.append("".join(wrap(item, "* ", "  ") for item in items))
        items.clear()

    for line in text.split("\n"):
        argument = re.match(r"([a-z_]+): (.*)", line)
        if argument:
            items.append(f"`{argument[1]}`: {named(argument[2])}")
        elif line.startswith("  ") and items:
            items[-1] += " " + named(line.strip())
        elif not line or not out or items or re.match(r"Returns|Raises|Calls|Lets", line) or out[-1] == "":
            flush()
            out.append(named(line))
        else:
            out[-1] += " " + named(line)
    flush()
    return "\n".join(part if part.startswith("* ") else wrap(part) for part in out if part)


def python(modules, where):
    """@modules: (name, docstring, [(name, signature, docstring)])."""
    out = [PYTHON_HEAD]
    for name, text, functions in modules:
        out.append(f"## {name}\n\n{docstring(text)}\n")
        for function, signature, told in functions:
            described = docstring(told)
            described = re.sub(r"\bCalls ((?:acl|rt)\w+)", lambda m: "Calls " + (
                f"[{m[1]}](api-c.md#{where[m[1]]})" if m[1] in where else m[1]), described)
            out.append(f"### {name}.{function}\n\n`{name}.{function}{signature}`\n\n{described}\n")
    return "".join(out)
