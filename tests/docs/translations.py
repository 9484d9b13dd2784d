# SPDX-License-Identifier: Apache-2.0
"""A translation has the same headings, tables and code as the page that it translates."""
import re

from pages import Fault

COMMENTS = {
    "sh": re.compile(r"(?:^|\s)#.*$", re.M),
    "c": re.compile(r"/\*.*?\*/", re.S),
    "cpp": re.compile(r"/\*.*?\*/|//.*$", re.S | re.M),
    "python": re.compile(r"(?:^|\s)#.*$", re.M),
}


def bare(block):
    """What of a block must be equal: all but comments and white space; of text only that it is there."""
    if block.language == "text":
        return ""
    text = "\n".join(block.text)
    if block.language in COMMENTS:
        text = COMMENTS[block.language].sub(" ", text)
    return " ".join(text.split())


def pairwise(kind, page, ours, original, theirs):
    """Faults of two lists of (line, what must be equal)."""
    for (line, mine), (other, its) in zip(ours, theirs):
        if mine != its:
            yield Fault(page.path, line, f"{kind} is not that of {original.path}:{other}: {mine!r}, expected {its!r}")
            return
    if len(ours) != len(theirs):
        rest = theirs[len(ours):] or ours[len(theirs):]
        yield Fault(page.path, ours[-1][0] if ours else 1,
                    f"{len(ours)} of the kind '{kind}', and {original.path} has {len(theirs)}: see line {rest[0][0]}")


def compare(page, original):
    """Faults of a translation."""
    yield from pairwise("level of heading", page, [(h[0], h[1]) for h in page.headings],
                        original, [(h[0], h[1]) for h in original.headings])
    yield from pairwise("rows of table", page, page.tables, original, original.tables)
    yield from pairwise("code", page, [(b.line, (b.language, bare(b), b.note)) for b in page.blocks],
                        original, [(b.line, (b.language, bare(b), b.note)) for b in original.blocks])
