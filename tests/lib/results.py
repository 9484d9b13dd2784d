# SPDX-License-Identifier: Apache-2.0
"""Outcomes of single tests: kept, counted, shown."""
import dataclasses
import json
import os

PASS, FAIL, SKIP = "pass", "fail", "skip"
OUTPUT_LINES = 60


@dataclasses.dataclass
class Case:
    name: str
    status: str
    reason: str = ""
    output: str = ""
    seconds: float = 0.0
    booted: str = ""    # the kernel that the case tells about


def save(path, cases):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump([dataclasses.asdict(case) for case in cases], file, indent=0)
    os.replace(path + ".new", path)


def load(path):
    with open(path, encoding="utf-8") as file:
        return [Case(**entry) for entry in json.load(file)]


def count(cases, status):
    return sum(case.status == status for case in cases)


def closing_line(cases):
    line = f"{count(cases, PASS)} passed, {count(cases, FAIL)} failed"
    skipped = count(cases, SKIP)
    return line + (f", {skipped} skipped" if skipped else "")


def show_failures(cases):
    for case in cases:
        if case.status != FAIL:
            continue
        print(f"FAILED {case.name}" + (f": {case.reason}" if case.reason else ""))
        lines = case.output.splitlines()
        if len(lines) > OUTPUT_LINES:
            print(f"    ... {len(lines) - OUTPUT_LINES} lines before")
        for line in lines[-OUTPUT_LINES:]:
            print("    " + line)


def show_skips(cases):
    for case in cases:
        if case.status == SKIP:
            print(f"SKIPPED {case.name}: {case.reason or 'no reason given'}")


def show(cases, quiet=False):
    show_failures(cases)
    if not quiet:
        show_skips(cases)
        print(closing_line(cases))
