#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every entry of docs/reports.md is there once, and every test that it names exists.

usage: reports.py DOCUMENT     in the source folder; exit 0 or 1

`FILE:WORD` names a file, and a word in it; `FILE` alone has to be there.
"""
import os
import re
import sys

GROUPS = {"L": 12, "T": 12, "P": 9, "S": 11, "A": 6, "N": 6, "R": 7, "C": 6, "D": 6, "X": 5}


def main():
    bad = []
    with open(sys.argv[1], encoding="utf-8") as f:
        rows = [line.split("|") for line in f if re.match(r"\| [A-Z]-\d+ \|", line)]
    expected = ["%s-%d" % (group, n) for group, most in GROUPS.items() for n in range(1, most + 1)]
    found = [row[1].strip() for row in rows]
    if found != expected:
        bad.append("entries: %s are missing, %s are too many or out of order"
                   % (sorted(set(expected) - set(found)), [f for f in found if f not in expected or found.count(f) > 1]))
    for row in rows:
        text = "|".join(row[4:])
        names = re.findall(r"`((?:tests|runtime|kmod|tools|docs)/[^`:]+)(?::([^`]+))?`", text)
        if not names and "make " not in text:
            bad.append("%s: names no test" % row[1].strip())
        for path, word in names:
            if not os.path.exists(path):
                bad.append("%s: there is no %s" % (row[1].strip(), path))
            elif word:
                with open(path, encoding="utf-8") as f:
                    if not re.search(r"(?<![A-Za-z0-9_])%s(?![A-Za-z0-9_])" % re.escape(word), f.read()):
                        bad.append("%s: there is no %s in %s" % (row[1].strip(), word, path))
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
