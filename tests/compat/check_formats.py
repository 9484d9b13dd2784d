#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All formats of one export say the same.

usage: check_formats.py TRACE PERFETTO JSONL DB TABLES

TRACE is what check_export.py has compared with planted values, so the others are compared with
it. TABLES: a folder, or several below one. Exit 0: all hold.
"""
import collections
import csv
import glob
import json
import os
import sqlite3
import sys

from perfetto import Trace

EVENT_TYPES = {"mark": "marker", "mstx_mark": "marker", "push_pop": "push/pop", "range": "start/end",
               "mstx_range": "start/end", "mark_ex": "marker_ex"}
CALLS = ("api", "event", "syscall")
HOST = "host"
compared = 0


def device(place):
    return place.split(",")[0] if place.startswith("NPU") else HOST


def same(what, got, want):
    global compared
    a, b = collections.Counter(got), collections.Counter(want)
    if a != b:
        print("%s: not in the trace: %.500r; only in it: %.500r" % (what, list((a - b).elements())[:3],
                                                                  list((b - a).elements())[:3]))
        sys.exit(1)
    compared += len(list(a.elements()))


def nanoseconds(text):
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def number(v):
    return round(float(v), 3)


def read_trace(path):
    events = json.load(open(path, encoding="utf-8"), parse_float=str)
    origin = nanoseconds(events[0]["args"]["wall_clock_us"])
    marks, counters, calls, pairs = [], [], [], {}
    labels = {e["pid"]: e["args"]["labels"] for e in events if e["name"] == "process_labels"}
    for e in events:
        if e["ph"] in "XI":
            start = origin + nanoseconds(e["ts"])
            end = start + nanoseconds(e.get("dur", "0.0"))
        elif e["ph"] == "b":
            pairs[e["id"]] = origin + nanoseconds(e["ts"])
            continue
        elif e["ph"] == "e":
            start, end = pairs.pop(e["id"]), origin + nanoseconds(e["ts"])
        elif e["ph"] == "C":
            (key, value), = e["args"].items()
            of = labels[e["pid"]]
            counters.append((of if of.startswith("NPU") else HOST, e["name"], key, origin + nanoseconds(e["ts"]),
                             number(value)))
            continue
        else:
            assert e["ph"] == "M", e
            continue
        args = dict(e["args"])
        if "event_type" not in args:
            calls.append((e["tid"], start, end, e["name"].split("@")[-1]))
            continue
        tid = args.pop("thread", e["tid"])
        payload = (args.pop("payload_type", 0), int(args.pop("payload", 0)))
        marks.append((e["pid"], tid, args.pop("event_type"), e["name"], start, end,
                      int(args.pop("mark_id", -1)), args.pop("domain", ""), args.pop("category", 0),
                      args.pop("category_name", ""), payload, args.pop("message_type", 0)))
        assert not args, args
    return marks, counters, calls


def read_lines(path):
    marks, counters, calls = [], [], []
    for line in open(path, encoding="utf-8", newline="\n"):
        e = json.loads(line, parse_float=str)
        if "value" in e:
            counters.append(("NPU %d" % e["device"] if e["device"] >= 0 else HOST, e["name"], e["key"], e["start_ns"], number(e["value"])))
        elif e["kind"] in EVENT_TYPES:
            marks.append((e["pid"], e["tid"], EVENT_TYPES[e["kind"]], e["name"], e["start_ns"],
                          max(e["start_ns"], e.get("end_ns", 0)), e.get("mark_id", -1), e.get("domain", "")[:4096],
                          e.get("category", 0), e.get("category_name", ""),
                          (e.get("payload_type", 0), e.get("payload", 0)), e.get("message_type", 0)))
        elif e["kind"] in CALLS:
            calls.append((e["tid"], e["start_ns"], e["end_ns"], e["name"]))
    return marks, counters, calls


def check_perfetto(path, marks, counters, calls):
    t = Trace(path)
    got, other = [], []
    for name, start, end, track, d in t.slices:
        place = t.place(track)
        if d["kind"] in CALLS:
            other.append((int(place[-1].split()[1]), start, end, name.split("@")[-1]))
            continue
        tid = d["thread"] if "thread" in d else int(place[-1].split()[1])
        if "thread" in d:
            assert "anges " in place[-1], place
        got.append((int(place[0]), tid, EVENT_TYPES[d["kind"]], name, start, end, d.get("mark_id", -1),
                    d.get("domain", ""), d.get("category", 0), d.get("category_name", "")))
    same("perfetto: annotations", got, [m[:10] for m in marks])
    same("perfetto: calls", other, calls)
    got = [(device(t.place(track)[0]), name, unit, time, number(value))
           for name, unit, time, value, track in t.counters]
    same("perfetto: counters", got, [(c[0], c[1], c[2].split("(")[-1].strip(")"), c[3], c[4]) for c in counters])


def check_db(path, marks, counters):
    db = sqlite3.connect(path)
    tables = {name for name, in db.execute("select name from sqlite_master where type = 'table'")}
    texts = dict(db.execute("select id, value from STRING_IDS")) if "STRING_IDS" in tables else {}
    types = dict(db.execute("select id, name from ENUM_MSTX_EVENT_TYPE"))
    assert len(set(texts.values())) == len(texts), "a text has two numbers"
    got = []
    rows = db.execute("select * from MSTX_EVENTS") if "MSTX_EVENTS" in tables else []
    for start, end, kind, _, category, message, thread, other, domain, connection in rows:
        assert thread == other
        mark_id = connection - 4000000001
        got.append((thread >> 32, thread & 0xffffffff, types[kind], texts[message], start, max(start, end), mark_id,
                    texts[domain][:4096], 0 if mark_id >= 0 else category))
    same("db: annotations", got, [m[:9] for m in marks])
    got = []
    for device, unit, time, hit, rate, mode in db.execute("select * from LLC") if "LLC" in tables else []:
        name = "LLC %d %s/" % (unit, "Read" if texts[mode] == "read" else "Write")
        got.append(("NPU %d" % device, name + "Hit Rate", "Hit Rate(%)", time, number(hit)))
    same("db: LLC", got, [c for c in counters if c[1].startswith("LLC") and c[1].endswith("Hit Rate")])
    rows = db.execute("select deviceId, hbmId, type, timestampNs from HBM") if "HBM" in tables else []
    got = [("NPU %d" % row[0], "HBM %d/%s" % (row[1], texts[row[2]].capitalize()), row[3]) for row in rows]
    same("db: HBM", got, [(c[0], c[1], c[3]) for c in counters if c[1].startswith("HBM")])
    # whole samples are rows here
    for table, prefix in (("ACC_PMU", "Acc PMU"), ("SIO", "SIO"), ("SOC_BANDWIDTH_LEVEL", "Mata")):
        rows = db.execute("select distinct timestampNs from " + table) if table in tables else []
        same("db: " + table, [t for t, in rows], {c[3] for c in counters if c[1].startswith(prefix)})


def defused(text):
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") and text else text


def check_tables(folder, marks):
    got = []
    for path in glob.glob(os.path.join(folder, "**", "msprof_tx.csv"), recursive=True):
        for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
            got.append((int(row["pid"]), int(row["tid"]), row["event_type"], row["message"],
                        nanoseconds(row["Start_time(us)"].strip())))
    want = [(m[0], m[1], m[2], defused(m[3]), m[4]) for m in marks]
    same("csv: annotations", [row[:4] for row in got], [row[:4] for row in want])
    # the parser's clock, which the table shows, has steps of 250 ns
    off = [a[4] - b[4] for a, b in zip(sorted(got), sorted(want))]
    same("csv: times", [v for v in off if abs(v) > 1000], [])


def main():
    trace, perfetto, lines, db, tables = sys.argv[1:]
    marks, counters, calls = read_trace(trace)
    line_marks, line_counters, line_calls = read_lines(lines)
    same("jsonl: annotations", line_marks, marks)
    same("jsonl: counters", line_counters, counters)
    same("jsonl: calls", line_calls, calls)
    check_perfetto(perfetto, marks, counters, calls)
    check_db(db, marks, counters)
    check_tables(tables, marks)
    print("%d annotations, %d samples: %d comparisons hold" % (len(marks), len(counters), compared))


if __name__ == "__main__":
    main()
