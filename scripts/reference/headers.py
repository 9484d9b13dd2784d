# SPDX-License-Identifier: Apache-2.0
"""What the installed headers say: chapters, and pages of functions.

A comment that begins a chapter:

    /**
     * DOC: Title
     *
     * Paragraphs.
     *
     * Threads: what holds for the functions below
     * Source: likewise
     */

One of a function, or of several whose prototypes follow without a blank line:

    /**
     * name, name - purpose
     * @argument: text, with tabs before further lines
     *
     * Paragraphs, and lists of lines "- term: text" after a tab.
     *
     * Example:
     *	lines of C, without blank ones
     *
     * Threads: / Source: instead of the chapter's
     * Return: what; 100000 when; 100043 when
     */

A comment before a block of #define that names a function puts the block on its page, and
types are on the pages that name them. What lacks an argument or a section is an error.
"""
import re

HEADERS = ("acl/acl_prof.h", "acl/acl_prof_optional.h", "acl/acl.h", "mstx/ms_tools_ext.h",
           "mstx/ms_tools_ext_mem.h", "ascprof/report.h", "ascprof/models.h", "ascprof/ascprof.h")
CODE = re.compile(r"(\d{6}|MSPROF_ERROR\w* \(\d\)) (.+)", re.S)


class Page:
    """Functions that are described together."""

    def __init__(self, header, chapter):
        self.header, self.chapter = header, chapter
        self.names, self.purpose = [], ""
        self.functions = []  # (result, name, [parameter])
        self.args, self.body = [], []  # (name, text); ("text", text) or ("list", [(term, text)])
        self.result, self.errors, self.note = "", [], ""
        self.threads = self.source = self.example = ""
        self.constants, self.types = [], []  # (comment, [(name, value, text)]); texts


class Chapter:
    def __init__(self, title):
        self.title, self.body, self.pages = title, [], []


def fail(where, what):
    raise SystemExit(f"reference: {where}: {what}")


def comment_lines(text):
    return [re.sub(r"^ ?\* ?", "", line.strip("\n").rstrip()) for line in text.strip("\n").split("\n")]


def blocks(lines):
    """Paragraphs and lists of lines, and the sections that have a label."""
    body, sections, text, items = [], {}, [], []

    def flush():
        if items:
            body.append(("list", [tuple(" ".join(item).split(": ", 1)) for item in items]))
        if text:
            joined = " ".join(text)
            label = re.match(r"(Threads|Source|Return): (.*)", joined, re.S)
            if label:
                sections[label[1]] = label[2]
            else:
                body.append(("text", joined))
        text.clear()
        items.clear()

    for line in lines:
        stripped = line.strip()
        if not stripped:
            flush()
        elif stripped.startswith("- "):
            if text:
                flush()
            items.append([stripped[2:]])
        elif items:
            items[-1].append(stripped)
        else:
            if re.match(r"(Threads|Source|Return): ", stripped):
                flush()
            text.append(stripped)
    flush()
    return body, sections


def take_example(lines):
    """The code of an example, which is taken out of the lines; or nothing."""
    if "Example:" not in lines:
        return ""
    begin = lines.index("Example:")
    end = next((i for i in range(begin + 1, len(lines)) if not lines[i].startswith("\t")), len(lines))
    code = "".join(line[1:] + "\n" for line in lines[begin + 1:end])
    del lines[begin:end]
    return code


def returns(page, text):
    """What a function returns, and with which codes it fails."""
    done = []
    for item in re.split(r";\s+", text.rstrip(".")):
        code = CODE.fullmatch(item)
        if code:
            page.errors.append((code[1], code[2]))
        else:
            done.append(item)
    if page.errors:
        last = re.fullmatch(r"(.*?)\. ([A-Z].*)", page.errors[-1][1], re.S)
        if last:
            page.errors[-1] = (page.errors[-1][0], last[1])
            page.note = last[2] + "."
    page.result = "; ".join(done)


def prototypes(text):
    text = re.sub(r"\b(ASCPROF_PUBLIC|MSTX_DECLSPEC)\b|__attribute__\(\(visibility\(\"default\"\)\)\)", "", text)
    for part in text.split(";"):
        part = " ".join(part.split())
        match = re.fullmatch(r"(.*?[ *])(\w+)\((.*)\)", part)
        if match:
            parameters = [] if match[3] == "void" else [p.strip() for p in match[3].split(",")]
            yield match[1].strip(), match[2], parameters


def function_page(comment, after, header, chapter, defaults):
    page = Page(header, chapter)
    lines = comment_lines(comment)
    head = re.fullmatch(r"([\w, ]+?) - (.*)", lines[0])
    if not head:
        fail(header, f'a comment that begins with neither DOC nor "name - purpose": {lines[0]}')
    page.names, page.purpose = head[1].split(", "), head[2]
    at = 1
    while at < len(lines) and lines[at].startswith(("@", "\t")):
        argument = re.match(r"@(\w+): (.*)", lines[at])
        if argument:
            page.args.append([argument[1], argument[2]])
        else:
            page.args[-1][1] += " " + lines[at].strip()
        at += 1
    lines = lines[at:]
    page.example = take_example(lines)
    page.body, sections = blocks(lines)
    page.functions = list(prototypes(after))
    returns(page, sections.get("Return", ""))
    page.threads = sections.get("Threads", defaults.get("Threads"))
    page.source = sections.get("Source", defaults.get("Source"))
    check(page)
    return page


def parameter_name(parameter):
    return re.search(r"(\w+)$", parameter)[1]


def check(page):
    where = f"{page.header}: {page.names[0]}"
    if [f[1] for f in page.functions] != page.names:
        fail(where, f"the comment is of {page.names}, and the prototypes are of {[f[1] for f in page.functions]}")
    wanted = {parameter_name(p) for f in page.functions for p in f[2]}
    told = [name for name, _ in page.args]
    if set(told) != wanted or len(told) != len(wanted):
        fail(where, f"arguments are {sorted(wanted)}, and described are {sorted(told)}")
    if not page.threads or not page.source:
        fail(where, "neither it nor its chapter tells Threads: and Source:")
    if any(f[0] != "void" for f in page.functions) != bool(page.result or page.errors):
        fail(where, "Return: is there, or lacking, without reason")


def definitions(text):
    """Types by name, each with the comment before it, as C sees them."""
    text = re.sub(r"#ifdef __cplusplus\n[^#]*#else\n([^#]*)#endif\n", r"\1", text)
    pattern = re.compile(r"^(?:/\*(?!\*)(?:(?!\*/)[\s\S])*\*/\n)?"
                         r"(?:(?:typedef )?(?:struct|enum) ?(\w*) \{(?:[^}\n]*\} ?|\n[\s\S]*?\n\} ?)(\w*);"
                         r"|typedef [^;{}]*\(\*(\w+)\)[^;]*;)", re.M)
    for match in pattern.finditer(text):
        yield (match[2] or match[1] or match[3]), match[0]


def constants(text):
    pattern = re.compile(r"/\*(?!\*)((?:(?!\*/)[\s\S])*)\*/\n((?:#define \w+ [^\n]*\n)+)")
    for match in pattern.finditer(text):
        rows = re.findall(r"#define (\w+) (\S+)(?: /\* (.*?) \*/)?\n", match[2])
        yield " ".join(" ".join(comment_lines(match[1])).split()), rows


def add_types(page, types, macros, text):
    """Those that the page's text names, and those which they name; with lengths of arrays."""
    found, words = {}, text
    while True:
        more = {name: body for name, body in types.items()
                if name not in found and re.search(rf"\b{name}\b", words)}
        if not more:
            break
        found.update(more)
        words = " ".join(more.values())
    bodies = [body for name, body in types.items() if name in found]
    used = [line for name, line in macros if any(re.search(rf"\b{name}\b", body) for body in bodies)]
    page.types = ["\n".join(used)] * bool(used) + bodies


def read_header(header, text, chapters):
    """Its pages, which are put into chapters as well."""
    chapter, defaults, pages = None, {}, []
    for comment, after in re.findall(r"/\*\*\n((?: \*.*\n)*?) \*/\n((?:.+\n)*)", text):
        title = re.match(r" \* DOC: (.*)\n", comment)
        if title:
            body, defaults = blocks(comment_lines(comment)[1:])
            chapter = chapters.setdefault(title[1], Chapter(title[1]))
            chapter.body += body
        elif chapter:
            pages.append((function_page(comment, after, header, chapter, defaults), comment + after))
            chapter.pages.append(pages[-1][0])
        else:
            fail(header, "a function before the first chapter")
    return pages


def read(folder):
    """Chapters in their order, and the error codes: (name, value, meaning)."""
    texts, chapters, pages = {}, {}, []
    for header in (*HEADERS, "acl/acl_base.h"):
        with open(f"{folder}/{header}", encoding="utf-8") as file:
            texts[header] = file.read()
    types = {name: body for text in texts.values() for name, body in definitions(text)}
    macros = [(name, line) for text in texts.values() for line, name in
              re.findall(r"^(#define (\w+) \(?\d+\)?)$", text, re.M)]
    for header in HEADERS:
        for page, text in read_header(header, texts[header], chapters):
            add_types(page, types, macros, text)
            pages.append(page)
    for comment, rows in (block for text in texts.values() for block in constants(text)):
        for page in pages:
            if any(re.search(rf"\b{name}\b", comment) for name in page.names):
                page.constants.append((comment, rows))
                for name, _, text in rows:
                    if not text:
                        fail(page.header, f"{name} has no meaning")
    codes = next(rows for comment, rows in constants(texts["acl/acl_base.h"]) if comment == "What functions return.")
    return list(chapters.values()), [row for row in codes if row[2]]
