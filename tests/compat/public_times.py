# SPDX-License-Identifier: Apache-2.0
"""Annotations with times that cannot be: at zero, at the end of all numbers, before the
recording and after it, with an end before the start. All are in every format, where a viewer
finds them, and the others are as they would be without. (docs/reports.md: S-2, C-3)

usage: public_times.py ASCPROF     in an empty folder; exit 0 or 1
"""
import csv
import json
import os
import sqlite3
import subprocess
import sys

import gen_prof
import planted

ASCPROF = sys.argv[1]
MONO0 = gen_prof.MONO0
GOOD = [(0, 100, 100, 1, "good"), (2, 200, 300, 1, "range")]
ODD = [(0, 0, 0, "zero"), (0, 2 ** 63 - 1, 2 ** 63 - 1, "most"), (0, 2 ** 64 - 1, 2 ** 64 - 1, "all ones"),
       (0, MONO0 - 5 * 10 ** 8, MONO0 - 5 * 10 ** 8, "before"), (0, MONO0 + 9 * 10 ** 9, MONO0 + 9 * 10 ** 9, "after"),
       (2, MONO0 + 400000, MONO0 + 300000, "backward"), (1, 2 ** 63, 5, "pushed backward")]


def run(*arguments):
    got = subprocess.run([ASCPROF, *arguments], capture_output=True, text=True, check=False)
    assert got.returncode == 0, (arguments, got)
    return got.stdout


def main():
    prof = planted.make("in", 42, GOOD)
    path = os.path.join(prof, "host/data/aging.additional.msproftx.slice_0")
    with open(path, "ab") as f:
        for kind, start, end, name in ODD:
            f.write(gen_prof.tx_record(kind, start, end, name, tid=1, pid=42))
    with open(path + ".done", "w", encoding="ascii") as f:
        f.write("filesize:%d\n" % os.path.getsize(path))
    names = sorted(row[-1] for row in GOOD + ODD)
    for name in ("csv", "trace", "jsonl", "perfetto", "db"):
        run("export", "-q", "-f", name, "-o", "out." + name, prof)

    with open("out.csv/msprof_tx.csv", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    assert sorted(r["message"] for r in rows) == names, rows
    assert all(float(r["Start_time(us)"]) > 0 for r in rows), rows
    assert {r["message"] for r in rows[-3:]} == {"most", "all ones", "pushed backward"}, rows
    assert [r["Start_time(us)"].strip() for r in rows if r["message"] == "good"] == ["1800000000000100.000"], rows

    with open("out.jsonl", encoding="utf-8") as f:
        lines = [json.loads(line) for line in f][1:]
    assert sorted(one["name"] for one in lines) == names
    assert [one["start_ns"] for one in lines] == sorted(one["start_ns"] for one in lines)

    with open("out.trace", encoding="utf-8") as f:
        events = [e for e in json.load(f) if e["ph"] in "IXbe"]
    assert sorted(e["name"] for e in events if e["ph"] != "e") == names, events
    assert all(e["ts"] >= 0 and e.get("dur", 0) >= 0 for e in events), events

    db = sqlite3.connect("out.db")
    assert sorted(n for n, in db.execute("select s.value from MSTX_EVENTS m join STRING_IDS s on s.id = m.message")) == names
    with open("out.perfetto", "rb") as f:
        assert f.read().count(b"backward") >= 2

    report = run("report", prof)
    assert "2 annotations end before they start: taken as instants" in report, report
    assert " 100us" in report and "-" not in "".join(w for w in report.split() if w[-2:] in ("ns", "us", "ms")), report
    return 0


if __name__ == "__main__":
    sys.exit(main())
