# SPDX-License-Identifier: Apache-2.0
"""Links, and names of things: each must lead somewhere, or be something that this tree has."""
import glob
import os
import re
import subprocess

from pages import Fault, Page

SOURCES = ("runtime", "tools", "kmod", "uapi", "packaging", "scripts", "examples", "tests", "debian")
TEXT = (".c", ".h", ".mk", ".py", ".sh", ".txt", ".map", ".in", ".rules", ".yml", ".conf", ".service", ".tsv")
OURS = re.compile(r"\b(?:aclprof[A-Z]\w+|acl[A-Z]\w+|aclrt[A-Z]\w+|mstx[A-Z]\w+|Msprof[A-Z]\w+|ascprof_\w+"
                  r"|ASCPROF_\w+|MSTX_\w+|ACL_\w+)\b(?!\*)")
PLACE = re.compile(r"^(?:runtime|tools|kmod|uapi|tests|packaging|docs|examples|scripts|debian)/[\w./*{},-]+$")
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][a-z-]*")
COMMAND_BEGIN = r"(?:^|[;&|(])\s*(?:[A-Z_]+=\S+ )*"
PROGRAM = re.compile(r"^(?:--$|\./|/|python3|sh$)")
COMMAND_IN_TEXT = re.compile(r"^ {0,4}(?:\$ |# (?=make|ascprof)|ascprof [a-z]+(?: |$)|make |cc |apt |sudo |modprobe "
                             r"|python3 )")


def git_files(top, *patterns):
    listed = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard", "--", *patterns],
                            capture_output=True, text=True, check=True).stdout
    return sorted(name for name in listed.split("\n") if name and os.path.isfile(os.path.join(top, name)))


class Known:
    """What there is: words of the sources, targets, commands with their options, and names that are others'."""

    def __init__(self, top, words, targets, options, foreign):
        self.top, self.words, self.targets, self.options, self.foreign = top, words, targets, options, foreign
        self.anchors = {}

    @classmethod
    def of(cls, top, build):
        words = set()
        for name in git_files(top, *SOURCES, "Makefile", "*.mk"):
            if (name.endswith(TEXT) or name == "Makefile") and not name.startswith("tests/docs/"):
                with open(os.path.join(top, name), encoding="utf-8", errors="replace") as file:
                    words.update(re.findall(r"\w+", file.read()))
        return cls(top, words, make_targets(top, build), command_options(build + "/bin/ascprof"),
                   foreign_names(top + "/tests/docs/foreign.txt"))


def make_targets(top, build):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = subprocess.run(["make", "-C", top, "-pnq", "O=" + build], capture_output=True, text=True, check=False,
                             env=environment).stdout
    return set(re.findall(r"^([\w.-]+)::?(?:\s|$)", printed, re.M))


def command_options(command):
    """{"export": {"-f", "--format", ...}, ...}"""
    def printed(*arguments):
        return subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout

    summary = printed("--help")
    names = re.findall(r"^  ([a-z]+) {2,}", summary.split("Commands:")[1].split("Options:")[0], re.M)
    found = {name: set(OPTION.findall(printed(name, "--help").split("Options:")[1])) for name in names}
    found[""] = set(OPTION.findall(summary.split("Options:")[1]))
    return found


def foreign_names(path):
    with open(path, encoding="utf-8") as file:
        return {line.split()[0] for line in file if line.strip() and not line.startswith("#")}


def links(page, known):
    """Faults of links inside of the tree."""
    for line, target in page.links:
        if re.match(r"[a-z]+:", target):
            continue
        path, anchor = place_of(page, target)
        if not os.path.exists(os.path.join(known.top, path)):
            yield Fault(page.path, line, f"the link {target} leads to no file")
        elif anchor and anchor not in anchors_of(known, path):
            yield Fault(page.path, line, f"the link {target} leads to no heading of {path}")


def place_of(page, target):
    """(path, anchor) of a link inside of the tree."""
    path, _, anchor = target.partition("#")
    return os.path.normpath(os.path.join(os.path.dirname(page.path), path)) if path else page.path, anchor


def unreachable(pages, first):
    """Faults of pages to which no links lead from the first one."""
    by_path = {page.path: page for page in pages}
    found, todo = {first}, [first]
    while todo:
        page = by_path[todo.pop()]
        for path in (place_of(page, target)[0] for _, target in page.links):
            if path in by_path and path not in found:
                found.add(path)
                todo.append(path)
    return [Fault(path, 1, f"no link leads here from {first}") for path in sorted(set(by_path) - found)]


def anchors_of(known, path):
    if path not in known.anchors:
        known.anchors[path] = Page(known.top, path).anchors()
    return known.anchors[path]


def braces(pattern):
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    before, after = pattern[:match.start()], pattern[match.end():]
    return [name for part in match[1].split(",") for name in braces(before + part + after)]


def names(page, known):
    """Faults of what inline code and blocks name."""
    for line, text in page.code:
        yield from words(page.path, line, text, known)
        yield from ascprof_lines(page.path, line, text, known)
        if text.startswith("--"):
            option = OPTION.match(text)[0]
            if not any(option in options for options in known.options.values()) and option not in known.foreign:
                yield Fault(page.path, line, f"no command of ours has the option {option}")
    for line, text in page.indented:
        if COMMAND_IN_TEXT.match(text.strip()):
            yield Fault(page.path, line, "looks like a command: blocks of commands are ```sh, and run")
    for block in page.blocks:
        for offset, text in enumerate(block.text):
            if block.language == "sh":
                yield from ascprof_lines(block.path, block.line + offset, text.split(" # ")[0], known)
            if block.language in ("sh", "c", "cpp"):
                yield from words(block.path, block.line + offset, text, known)
            if block.language == "text" and COMMAND_IN_TEXT.match(text):
                yield block.fault("looks like a command: blocks of commands are ```sh, and run", offset)


def words(path, line, text, known):
    for name in OURS.findall(text):
        if name not in known.words and name not in known.foreign and not name.endswith("_"):
            yield Fault(path, line, f"nothing here has the name {name}")
    for token in re.split(r"[\s,;:()]+(?![^{]*\})", text):
        if PLACE.match(token.strip("`'\"")):
            for name in braces(token.strip("`'\"").rstrip(".")):
                if not glob.glob(os.path.join(known.top, name)) and name not in known.foreign:
                    yield Fault(path, line, f"there is no {name}")


def ascprof_lines(path, line, text, known):
    """`ascprof COMMAND --option` and `make target` in code."""
    for match in re.finditer(COMMAND_BEGIN + r"ascprof ([a-z-]+)([^|;&>()]*)", text):
        command, rest = match[1], match[2]
        if command.startswith("-"):
            continue
        if command not in known.options:
            yield Fault(path, line, f"there is no command ascprof {command}")
            continue
        for token in rest.split():
            if PROGRAM.match(token):
                break
            option = OPTION.match(token)
            if option and option[0] not in known.options[command]:
                yield Fault(path, line, f"ascprof {command} has no option {option[0]}")
    for match in re.finditer(COMMAND_BEGIN + r"make (?:[A-Z_]+=\S+ )*([a-z][\w-]*)", text):
        if match[1] not in known.targets and match[1] not in known.foreign:
            yield Fault(path, line, f"there is no target {match[1]}")


def pieces_of(source):
    """What stands between the conversions of a source's texts, where that is enough to know a text by."""
    pieces = set()
    for text in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source):
        text = re.sub(r'"\s*"', "", text)[1:-1].replace('\\"', '"')
        pieces.update(re.split(r"%[-+ #0-9.*]*(?:l|ll|z)?[a-zA-Z]|\\n", text))
    return {piece for piece in pieces if len(piece.strip()) >= 12 and " " in piece.strip()}


def printed_pieces(top):
    pieces = set()
    for name in git_files(top, "runtime/*.[ch]", "tools/*.[ch]", "kmod/*.[ch]"):
        with open(os.path.join(top, name), encoding="utf-8") as file:
            pieces |= pieces_of(file.read())
    return pieces


def messages(page, pieces):
    """Faults of quoted messages: each line of text must have a piece of something that is printed."""
    for block in page.blocks:
        for offset, line in enumerate(block.text):
            if block.language == "text" and not any(piece in line for piece in pieces):
                yield block.fault("nothing here prints such a line", offset)


def variables(known, guide):
    """Variables that library and command read, and that the guide does not name."""
    with open(os.path.join(known.top, guide), encoding="utf-8") as file:
        told = set(re.findall(r"\w+", file.read()))
    for name in git_files(known.top, "runtime/*.[ch]", "tools/*.c"):
        with open(os.path.join(known.top, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for variable in re.findall(r'"(ASCPROF_[A-Z_]+[A-Z])(?:"|=)', line):
                    if variable not in told:
                        yield Fault(name, number, f"reads {variable}, of which {guide} says nothing")
