#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two sets of runs with planted durations, and what ascprof diff says of them.

usage: diff.py ASCPROF            in an empty folder; exit 0 or 1
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import planted

ASCPROF = sys.argv[1]
# us per run: steady; one that grew in all runs; one that grew less than runs differ; one that shrank
DURATIONS = {
    "a": {"steady": [100, 101, 102, 103], "grew": [200, 202, 204, 206], "noisy": [50, 90, 70, 95], "shrank": [400, 401, 402, 403], "old": [10] * 4},
    "b": {"steady": [101, 100, 103, 102], "grew": [300, 303, 306, 309], "noisy": [92, 60, 100, 80], "shrank": [300, 301, 302, 303], "new": [20] * 4},
}


def runs(side):
    made = []
    for run in range(4):
        ranges, at = [], 0
        for name, lengths in DURATIONS[side].items():
            for _ in range(10):
                ranges.append((1, at, at + lengths[run], 7, name))
                at += lengths[run] + 5
        made.append(planted.make("%s%d" % (side, run), 100 + run, ranges))
    return made


def diff(*arguments, code=0):
    done = subprocess.run([ASCPROF, "diff", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def verdicts(text):
    return {n["name"]: n["verdict"] for n in json.loads(text)["names"]}


A, B = runs("a"), runs("b")
whole = diff("--json", *A, "--", *B, code=4)
assert verdicts(whole) == {"grew": "slower", "shrank": "faster", "steady": "same", "noisy": "unsure", "new": "new", "old": "gone"}, whole
names = {n["name"]: n for n in json.loads(whole)["names"]}
assert [n["name"] for n in json.loads(whole)["names"]][:2] == ["grew", "shrank"]
assert (names["grew"]["a_ns"], names["grew"]["b_ns"], names["grew"]["change"]) == (203000, 304500, 50), names["grew"]
assert names["grew"]["confidence"] == 97.143, names["grew"]      # 1 - 2/70: no division of 4 + 4 is as uneven
assert any(line.split()[-3:] == ["+50.0%", "97.1%", "slower"] for line in diff(*A, "--", *B, code=4).splitlines()), diff(*A, "--", *B, code=4)
assert names["new"]["confidence"] is None and names["new"]["a_ns"] is None
# the order of runs and repetition change nothing
assert whole == diff("-j", *reversed(A), "--", *reversed(B), code=4) == diff("-j", *A, "--", *B, code=4)
# the other way round
assert verdicts(diff("-j", *B, "--", *A, code=4))["shrank"] == "slower"
# options
assert verdicts(diff("-j", "-t", "60", *A, "--", *B))["grew"] == "same"
assert verdicts(diff("-j", "-c", "99", *A, "--", *B))["grew"] == "unsure"
assert verdicts(diff("-j", "-m", "count", *A, "--", *B))["grew"] == "same"
assert verdicts(diff("-j", "-m", "total", *A, "--", *B, code=4))["grew"] == "slower"
# folders of runs
os.mkdir("A")
os.mkdir("B")
for side, made in (("A", A), ("B", B)):
    for i, path in enumerate(made):
        os.rename(path, os.path.join(side, "PROF_%d" % i))
assert diff("-j", "A", "B", code=4) == whole
# a single run of one side: no verdict but for names that come and go
alone = diff("A/PROF_0", "B")
assert "no confidence" in alone, alone
assert set(verdicts(diff("-j", "A/PROF_0", "B")).values()) == {"same", "unsure", "new", "gone"}
# fewer runs than the confidence needs: it says so
few = diff("A/PROF_0", "A/PROF_1", "A/PROF_2", "--", "B/PROF_0", "B/PROF_1", "B/PROF_2")
assert "at most 90 %" in few, few
assert "slower" in diff("-c", "90", "A/PROF_0", "A/PROF_1", "A/PROF_2", "--", "B/PROF_0", "B/PROF_1", "B/PROF_2", code=4)
for line in (alone + few + diff("A", "B", code=4)).splitlines():
    assert len(line) <= 80, line
# wrong use
for wrong in (["A"], ["A", "B", "A"], ["A", "--"], ["--", "B"], ["-m", "speed", "A", "B"], ["-t", "x", "A", "B"], ["-c", "100", "A", "B"]):
    diff(*wrong, code=2)
diff("A", "nowhere", code=1)
print("all hold")
