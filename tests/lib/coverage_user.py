#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of library and command that tests have run, out of what gcovr has gathered.

usage: coverage_user.py JSON [--lines FILE]     prints a table by folder, and the files with most
                                                lines that nothing runs; --lines: those lines
Exit 1 when fewer than MINIMUM (90) percent of the lines of runtime/ were run.
"""
import collections
import json
import os
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        files = json.load(f)["files"]
    if "--lines" in sys.argv:
        wanted = sys.argv[sys.argv.index("--lines") + 1]
        for one in files:
            if one["file"] == wanted:
                print("\n".join(str(l["line_number"]) for l in one["lines"] if not l["count"] and not l.get("gcovr/noncode")))
        return 0
    total, run, left = collections.Counter(), collections.Counter(), []
    for one in files:
        lines = [l for l in one["lines"] if not l.get("gcovr/noncode")]
        hit = sum(1 for l in lines if l["count"])
        folder = os.path.dirname(one["file"])
        for key in (folder, folder.split("/")[0] + "/ (all)"):
            total[key] += len(lines)
            run[key] += hit
        left.append((len(lines) - hit, one["file"]))
    print("| folder | lines | run | percent |\n| --- | --- | --- | --- |")
    for key in sorted(total):
        print("| %s | %d | %d | %.1f |" % (key, total[key], run[key], 100 * run[key] / max(total[key], 1)))
    print("\nmost lines that nothing runs: " + ", ".join("%s %d" % (name, n) for n, name in sorted(left, reverse=True)[:12]))
    key = "runtime/ (all)"
    percent = 100 * run[key] / max(total[key], 1)
    minimum = float(os.environ.get("MINIMUM", "90"))
    print("coverage: %.1f %% of runtime, at least %g expected" % (percent, minimum))
    return 0 if percent >= minimum else 1


if __name__ == "__main__":
    sys.exit(main())
