# SPDX-License-Identifier: Apache-2.0
"""What a Markdown page consists of: fenced blocks with what is noted above them, headings, links, inline code."""
import os
import re

FENCE = re.compile(r"^(`{3,})\s*([\w+-]*)\s*$")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"(`+)(.+?)\1")
NOTE = re.compile(r"<!--(.*?)-->", re.S)
NOT_RUN = re.compile(r"^not run: (?P<reason>.+?); instead: (?P<instead>\S.*)$", re.S)
INTERRUPTED = "each until it has told something, then Ctrl-C"


class Fault(Exception):
    """Something wrong, with its place."""

    def __init__(self, path, line, text):
        super().__init__(f"{path}:{line}: {text}")


class Block:
    """A fenced block; `line` is that of its first line of text."""

    def __init__(self, path, line, language, text, note):
        self.path, self.line, self.language, self.text = path, line, language, text
        self.interrupted = note == INTERRUPTED
        self.not_run = NOT_RUN.match(note) if note else None
        self.note = note

    def fault(self, text, offset=0):
        return Fault(self.path, self.line + offset, text)


def slug(heading, taken):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    name = re.sub(r"[^\w\- ]", "", text.lower(), flags=re.U).replace(" ", "-")
    count = taken.get(name, 0)
    taken[name] = count + 1
    return f"{name}-{count}" if count else name


class Page:
    """path is relative to the top of the tree."""

    def __init__(self, top, path):
        self.path = path
        self.blocks, self.headings, self.links, self.code = [], [], [], []
        self.tables = []            # (line, rows)
        self.indented = []          # (line, text) of what is code by its indentation
        with open(os.path.join(top, path), encoding="utf-8") as file:
            self._read(file.read().split("\n"))

    def _read(self, lines):
        taken, note, fence = {}, [], None
        prose = []
        for number, line in enumerate(lines, 1):
            match = FENCE.match(line)
            if fence:
                if match and match[1] == fence[0] and not match[2]:
                    first = fence[2]
                    self.blocks.append(Block(self.path, first, fence[1], lines[first - 1:number - 1], fence[3]))
                    fence = None
                prose.append("")
            elif match:
                noted = NOTE.fullmatch("\n".join(note).strip())
                fence = (match[1], match[2], number + 1, re.sub(r"\s+", " ", noted[1]).strip() if noted else None)
                prose.append("")
            else:
                prose.append(line)
                # a note is what begins with <!-- and ends with -->, directly above the fence
                if line.startswith("<!--"):
                    note = []
                note = note + [line] if line.startswith("<!--") or (note and "-->" not in note[-1]) else []
                heading = HEADING.match(line)
                if heading:
                    self.headings.append((number, len(heading[1]), slug(heading[2], taken)))
        if fence:
            raise Fault(self.path, fence[2] - 1, "this block has no end")
        self._inline(prose)
        self._tables(prose)
        self.indented = [(number, line) for number, line in enumerate(prose, 1) if line.startswith(("    ", "\t"))]

    def _inline(self, prose):
        text = "\n".join(prose)
        text = NOTE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        starts = [m.start() for m in re.finditer(r"^", text, re.M)]

        def line_of(position):
            low, high = 0, len(starts)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if starts[middle] <= position else (low, middle)
            return low + 1

        for match in CODE.finditer(text):
            if "\n\n" not in match[2]:
                self.code.append((line_of(match.start()), match[2].replace("\n", " ").strip()))
        text = CODE.sub(lambda m: m[0] if "](" in m[0] else re.sub(r"[^\n]", "x", m[0]), text)
        for match in LINK.finditer(text):
            self.links.append((line_of(match.start()), match[1]))

    def _tables(self, prose):
        rows = 0
        for number, line in enumerate(prose + [""], 1):
            if line.startswith("|"):
                rows += 1
            elif rows:
                self.tables.append((number - rows, rows))
                rows = 0

    def anchors(self):
        return {anchor for _, _, anchor in self.headings}
