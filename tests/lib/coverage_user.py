#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of library and command that tests have run, out of what gcovr has gathered.

usage: coverage_user.py JSON [--lines FILE]     prints a table by folder, the reasons of blocks that nothing
                                                runs, and those that have none; --lines: lines of one file
Reasons are in uncovered.txt beside this. Exit 1 when fewer than MINIMUM (90) percent of the lines of runtime/ were
run, or when a reason is for a function that there is not.
"""
import collections
import json
import os
import re
import sys


class Reason:
    """A line of the list: FILE FUNCTION REASON (FUNCTION *: all of FILE), or /PATTERN/ REASON for small blocks."""

    SMALL = 4

    def __init__(self, line):
        self.line, self.used, self.known = line, 0, False
        if line.startswith("/"):
            pattern, self.text = line[1:].split("/ ", 1)
            self.file, self.pattern = None, re.compile(pattern)
        else:
            self.file, self.function, self.text = line.split(None, 2)

    def fits(self, block):
        if self.file:
            return self.file == block.file and self.function in ("*", block.function)
        return len(block.numbers) <= self.SMALL and any(self.pattern.search(line) for line in block.text)


class Block:
    """Lines that nothing runs, with no line between them that something does. The line before is why."""

    def __init__(self, file, function, numbers, source):
        self.file, self.function, self.numbers = file, function, numbers
        self.text = source[max(numbers[0] - 2, 0):numbers[-1]]


def reasons(path):
    with open(path, encoding="utf-8") as f:
        found = [Reason(line.strip()) for line in f if line.strip() and not line.startswith("#")]
    return sorted(found, key=lambda r: not r.file)  # those of a function come before patterns


def code(one):
    return [l for l in one["lines"] if not l.get("gcovr/noncode")]


def function_at(one, number):
    before = [f for f in one["functions"] if f["lineno"] <= number]
    return max(before, key=lambda f: f["lineno"])["name"] if before else "-"


def blocks(one):
    """The blocks of one file; one that goes on into the next function is two."""
    found, numbers, name = [], [], None
    with open(one["file"], encoding="utf-8") as f:
        source = f.read().split("\n")
    for l in code(one):
        here = function_at(one, l["line_number"])
        if numbers and (l["count"] or here != name):
            found.append(Block(one["file"], name, numbers, source))
            numbers = []
        if not l["count"]:
            numbers, name = numbers + [l["line_number"]], here
    return found + ([Block(one["file"], name, numbers, source)] if numbers else [])


def print_folders(files):
    """Return: percent of the library"""
    total, run = collections.Counter(), collections.Counter()
    for one in files:
        folder = os.path.dirname(one["file"])
        for key in (folder, folder.split("/")[0] + "/ (all)"):
            total[key] += len(code(one))
            run[key] += sum(1 for l in code(one) if l["count"])
    print("| folder | lines | run | percent |\n| --- | --- | --- | --- |")
    for key in sorted(total):
        print("| %s | %d | %d | %.1f |" % (key, total[key], run[key], 100 * run[key] / max(total[key], 1)))
    return 100 * run["runtime/ (all)"] / max(total["runtime/ (all)"], 1)


def print_blocks(files, why):
    """Return: whether each reason is for what there is"""
    lines, number, bare = collections.Counter(), collections.Counter(), []
    for one in files:
        names = {f["name"] for f in one["functions"]}
        for r in why:
            r.known |= not r.file or (r.file == one["file"] and r.function in names | {"*"})
        for block in blocks(one):
            reason = next((r for r in why if r.fits(block)), None)
            if not reason:
                bare.append(block)
                continue
            reason.used += 1
            kind = reason.text.split(":")[0]
            number[kind] += 1
            lines[kind] += len(block.numbers)
    print("\n| what nothing runs | blocks | lines |\n| --- | --- | --- |")
    for kind in sorted(number, key=lambda k: -lines[k]):
        print("| %s | %d | %d |" % (kind, number[kind], lines[kind]))
    print("| not looked at | %d | %d |\n" % (len(bare), sum(len(b.numbers) for b in bare)))
    for b in bare:
        print("not looked at: %s:%d-%d %s" % (b.file, b.numbers[0], b.numbers[-1], b.function))
    for r in why:
        if not r.known:
            print("uncovered.txt: there is no such function: " + r.line)
        elif not r.used:
            print("uncovered.txt: something runs all of it now: " + r.line)
    return all(r.known for r in why)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        files = json.load(f)["files"]
    if "--lines" in sys.argv:
        wanted = sys.argv[sys.argv.index("--lines") + 1]
        for one in files:
            if one["file"] == wanted:
                print("\n".join(str(l["line_number"]) for l in code(one) if not l["count"]))
        return 0
    percent = print_folders(files)
    good = print_blocks(files, reasons(os.path.join(os.path.dirname(os.path.abspath(__file__)), "uncovered.txt")))
    minimum = float(os.environ.get("MINIMUM", "90"))
    print("coverage: %.1f %% of runtime, at least %g expected" % (percent, minimum))
    return 0 if good and percent >= minimum else 1


if __name__ == "__main__":
    sys.exit(main())
