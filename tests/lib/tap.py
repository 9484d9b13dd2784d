# SPDX-License-Identifier: Apache-2.0
"""Reads TAP and KTAP. Nested results are told apart by their indentation."""
import re

from results import Case, FAIL, PASS, SKIP

RESULT = re.compile(r"^(?P<indent> *)(?P<not>not )?ok\b *(?P<number>\d+)?(?: *- *| +|$)(?P<rest>.*)$")
PLAN = re.compile(r"^(?P<indent> *)1\.\.(?P<count>\d+)\s*(?:#\s*(?:SKIP|skip)\s*(?P<reason>.*))?$")
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(?P<word>SKIP|skip|Skip|TODO|todo)\b:?\s*(?P<reason>.*)$")
BAIL = re.compile(r"^ *Bail out!\s*(.*)$")


class Node:
    def __init__(self, name, passed, skipped, reason):
        self.name, self.passed, self.skipped, self.reason = name, passed, skipped, reason
        self.children = []
        self.output = []

    def case(self, prefix):
        status = SKIP if self.skipped and self.passed else PASS if self.passed else FAIL
        return Case(prefix + self.name, status, self.reason, "\n".join(self.output))


class Document:
    """Top-level results, with what was said before each, and all that is wrong with the whole."""

    def __init__(self, lines):
        self.nodes = []
        self.errors = []
        self.skip_reason = None
        self.planned = False
        self._pending = {}      # indent -> nodes that wait for their parent
        self._plans = {}        # indent -> number announced
        output = []
        for line in lines:
            output = self._line(line.rstrip("\n"), output)
        self.nodes = self._take(0)
        for indent in sorted(self._pending):
            if self._pending[indent]:
                self.errors.append(f"{len(self._pending[indent])} results belong to no finished test")
        if self.planned and not self.nodes and self.skip_reason is None:
            self.errors.append("no result follows the plan")

    def _line(self, line, output):
        match = PLAN.match(line)
        if match:
            indent, count = len(match["indent"]), int(match["count"])
            if indent in self._plans:
                self.errors.append("two plans on one level")
            self._plans[indent] = count
            self.planned = True
            if indent == 0 and count == 0:
                self.skip_reason = match["reason"] or ""
            return output
        match = BAIL.match(line)
        if match:
            self.errors.append("bailed out: " + match[1])
            return output
        match = RESULT.match(line)
        if not match:
            return output + [line]
        indent, rest = len(match["indent"]), match["rest"].strip()
        directive = DIRECTIVE.search(rest)
        reason = ""
        if directive:
            rest, reason = rest[:directive.start()].strip(), directive["reason"].strip()
        skipped = bool(directive) and directive["word"].lower() == "skip"
        node = Node(rest or f"test {match['number']}", not match["not"], skipped, reason)
        deeper = [i for i in self._pending if i > indent and self._pending[i]]
        if deeper:
            node.children = self._take(min(deeper))
        node.output = output
        self._pending.setdefault(indent, []).append(node)
        return []

    def _take(self, indent):
        nodes = self._pending.pop(indent, [])
        plan = self._plans.pop(indent, None)
        if plan is not None and plan != len(nodes):
            self.errors.append(f"{plan} tests were planned, {len(nodes)} results came")
        return nodes

    def cases(self, prefix):
        for node in self.nodes:
            yield from _flatten(node, prefix)


def _flatten(node, prefix):
    """The innermost results; an outer one only counts when it fails on its own."""
    if not node.children:
        yield node.case(prefix)
        return
    inner = [case for child in node.children for case in _flatten(child, prefix + node.name + "/")]
    yield from inner
    if not node.passed and all(case.status != FAIL for case in inner):
        yield node.case(prefix)


def looks_like_tap(lines):
    return any(PLAN.match(line) or RESULT.match(line) for line in lines)
