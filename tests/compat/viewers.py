#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What viewers ask of exports under their default names, before they show anything.

  viewers.py FOLDER     with trace.json and msprof_<time>.db in it

MindStudio Insight: names of files, one array, the phases and rows that it draws, a database whose numbers all have
their texts. Trace events, as Perfetto and Chrome load them: fields of each phase, rows with names, counters of numbers.
Prints what is wrong, else how many events of each phase there are.
"""
import glob
import json
import os
import re
import sqlite3
import sys

TIMELINE = re.compile(r"(trace_view|trace|msprof(_slice)?(_\d{1,15}){1,4})\.json")
DATABASE = re.compile(r"msprof_\d{14}\.db")
ROWS = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index", "thread_name": "name",
        "thread_sort_index": "sort_index"}
NEEDED = {"M": {"name", "pid", "tid", "args"}, "X": {"name", "pid", "tid", "ts", "dur", "args"}, "I": {"name", "pid", "tid", "ts"},
          "C": {"name", "pid", "ts", "args"}}
DRAWN = "MXIC"      # and s, t, f, which there are none of
NUMBERS = (int, float)
wrong = []


def need(condition, what):
    if not condition and len(wrong) < 20:
        wrong.append(what)


def event(e):
    ph = e.get("ph")
    need(ph in DRAWN, "a phase that is not drawn: %r" % e)
    need(NEEDED.get(ph, set()) <= e.keys(), "lacks a field: %r" % e)
    need(all(type(e.get(key, 0)) is int for key in ("pid", "tid")), "pid or tid is no number: %r" % e)
    need(all(isinstance(e.get(key, 0), NUMBERS) and e.get(key, 0) >= 0 for key in ("ts", "dur")), "a time that is none: %r" % e)
    need(isinstance(e.get("name"), str) and e["name"], "no name: %r" % e)
    need(isinstance(e.get("args", {}), dict), "args: %r" % e)
    if ph == "M" and e["name"] != "ascprof_origin":     # which others pass over
        need(ROWS.get(e["name"]) in e["args"], "a row that is not known, or without its value: %r" % e)
    if ph == "I":
        need(e.get("s", "t") in ("t", "p", "g"), "scope: %r" % e)
    if ph == "C":
        need(e["args"] and all(isinstance(value, NUMBERS) for value in e["args"].values()), "a counter of no numbers: %r" % e)


def timeline(path):
    need(TIMELINE.fullmatch(os.path.basename(path)), "%s: is not loaded by its name" % path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    need(text.startswith("[") and text.rstrip().endswith("]"), "no array")
    events = json.loads(text)
    phases = {}
    for e in events:
        event(e)
        phases[e.get("ph")] = phases.get(e.get("ph"), 0) + 1
    named = {(e["name"], e["pid"], e["tid"]) for e in events if e["ph"] == "M"}
    for e in events:
        need(e["ph"] == "M" or ("process_name", e["pid"], 0) in named, "a process without a name: %r" % e)
        need(e["ph"] not in "XI" or ("thread_name", e["pid"], e["tid"]) in named, "a thread without a name: %r" % e)
    return phases


def database(path):
    need(DATABASE.fullmatch(os.path.basename(path)), "%s: is not loaded by its name" % path)
    with sqlite3.connect(path) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        need({"META_DATA", "SESSION_TIME_INFO", "STRING_IDS", "HOST_INFO", "NPU_INFO", "RANK_DEVICE_MAP"} <= tables, "tables: %s" % tables)
        version = dict(db.execute("SELECT name, value FROM META_DATA")).get("SCHEMA_VERSION", "")
        need(re.fullmatch(r"\d+\.\d+\.\d+", version), "version %r" % version)
        [(start, end)] = db.execute("SELECT startTimeNs, endTimeNs FROM SESSION_TIME_INFO").fetchall()
        need(0 < start < end, "session from %d to %d" % (start, end))
        for table, column, texts, key in (("MSTX_EVENTS", "message", "STRING_IDS", "id"), ("MSTX_EVENTS", "domainId", "STRING_IDS", "id"),
                                          ("MSTX_EVENTS", "eventType", "ENUM_MSTX_EVENT_TYPE", "id"), ("CANN_API", "name", "STRING_IDS", "id"),
                                          ("CANN_API", "type", "ENUM_API_TYPE", "id")):
            if table in tables:
                [(lost,)] = db.execute("SELECT count(*) FROM %s WHERE %s != 65535 AND %s NOT IN (SELECT %s FROM %s)" % (
                    table, column, column, key, texts))
                need(not lost, "%s.%s: %d numbers without a text" % (table, column, lost))
        [(rows,)] = db.execute("SELECT count(*) FROM MSTX_EVENTS WHERE endNs < startNs OR startNs < ? OR endNs > ?", (start, end))
        need(not rows, "%d annotations outside of the session" % rows)


def main():
    phases = timeline(os.path.join(sys.argv[1], "trace.json"))
    [path] = glob.glob(os.path.join(sys.argv[1], "*.db"))
    database(path)
    need({"M", "X", "I", "C"} <= phases.keys(), "phases: %s" % phases)
    print("\n".join(wrong) or " ".join("%s %d" % item for item in sorted(phases.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
