#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a filter leaves of JSON lines is what it should.

usage: check_filter.py ALL FILTERED CONDITION...

CONDITION: from=NS, to=NS (relative to the first event), pid=N, tid=N, kind=K, name=REGEX.
Conditions of one kind are alternatives. Prints how many of how many lines are left.
"""
import collections
import json
import re
import sys

COUNTERS = ("llc", "hbm", "soc_profile")


def read(path):
    return [json.loads(line, parse_float=str) for line in open(path, encoding="utf-8", newline="\n")]


def main():
    every, filtered = (read(path) for path in sys.argv[1:3])
    conditions = collections.defaultdict(list)
    for argument in sys.argv[3:]:
        key, _, value = argument.partition("=")
        conditions[key].append(value)
    first = min(e["start_ns"] for e in every if e["kind"] not in ("directory", "account"))

    def wanted(e):
        if e["kind"] in ("directory", "account"):
            return True
        kinds = {e["kind"], "counters" if e["kind"] in COUNTERS else "annotations"}
        start, end = e["start_ns"], e.get("end_ns", e["start_ns"])
        after = all(start - first >= int(v) or end - first > int(v) for v in conditions["from"])
        return (after and all(start - first < int(v) for v in conditions["to"]) and
                all(not conditions[key] or str(e.get(key)) in conditions[key] for key in ("pid", "tid")) and
                (not conditions["kind"] or kinds & set(conditions["kind"])) and
                (not conditions["name"] or any(re.search(v, e["name"], re.S) for v in conditions["name"])))

    want = [e for e in every if wanted(e)]
    if want != filtered:
        print("%d lines, %d expected; first that differ: %r" % (len(filtered), len(want), next(
            (pair for pair in zip(filtered, want) if pair[0] != pair[1]), None)))
        sys.exit(1)
    left = sum(e["kind"] not in ("directory", "account") for e in want)
    total = sum(e["kind"] not in ("directory", "account") for e in every)
    print("%d of %d" % (left, total))
    if not 0 < left < total:
        print("the filter shows nothing: it leaves all or none")
        sys.exit(1)


if __name__ == "__main__":
    main()
