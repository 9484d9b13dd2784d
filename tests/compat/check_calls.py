#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares api_statistic.csv and the calls of a trace with the slices that they were made
from, which are read here anew, and summed up as the public parser does.

usage: check_calls.py PROF_DIR TABLES TRACE DATABASE

There is no database where the command has no SQLite.
"""
import csv
import glob
import json
import os
import re
import sqlite3
import struct
import sys

ROW = struct.Struct("<HHIIIQQQ")
EVENT = 2**64 - 1
LEVELS = {30000: "pytorch_tx", 25000: "pta", 20000: "acl", 15000: "model", 10000: "node", 6000: "aicpu",
          5500: "communication", 5000: "runtime"}
LAYERS = {"acl": "AscendCL"}


def slices(prof, pattern):
    def number(path):
        return int(path.rsplit("_", 1)[1])
    paths = [p for p in glob.glob(os.path.join(prof, "host", "data", pattern)) if not p.endswith(".done")]
    for path in sorted(paths, key=lambda p: (number(p), p)):
        with open(path, "rb") as file:
            yield file.read()


def dictionary(prof, name, key):
    found = {}
    for data in slices(prof, "unaging.additional." + name + ".slice_*"):
        for line in data.decode().splitlines():
            left, _, text = line.partition(":")
            found[key(left)] = text
    return found


class Calls:
    def __init__(self, prof):
        self.texts = dictionary(prof, "hash_dic", int)
        self.types = dictionary(prof, "type_info_dic", lambda k: tuple(int(n) for n in k.split("_")))
        self.calls, self.pairs, waiting = [], [], {}
        for data in slices(prof, "*aging.api_event.data.slice_*"):
            for magic, level, type_, tid, request, start, end, item in ROW.iter_unpack(data):
                assert magic == 0x5A5A and start
                if end != EVENT:
                    self.calls.append((level, type_, tid, start, end, item))
                    continue
                key = (level, type_, tid, request, item)
                if key in waiting:
                    self.pairs.append((level, type_, tid, waiting.pop(key), start, item))
                else:
                    waiting[key] = start

    def name(self, level, type_, item):
        if LEVELS[level] in ("acl", "model", "node", "runtime"):
            return self.types.get((level, type_), str(type_))
        return self.texts.get(item, str(item))


def table_of(calls):
    groups = {}
    for level, type_, _, start, end, item in calls.calls:
        groups.setdefault((calls.name(level, type_, item).encode(), LEVELS[level]), []).append((end - start) / 1000)
    rows = []
    for (name, level), us in sorted(groups.items()):
        total = round(sum(us), 3)
        mean = round(total / len(us), 3)
        spread = round(sum(round((x - mean)**2, 3) for x in us) / len(us), 3)
        rows.append(["host", level, name.decode(), str(total), str(len(us)), str(mean), str(round(min(us), 3)),
                     str(round(max(us), 3)), str(spread)])
    return rows


def shown(calls):
    """(layer@name, tid, start, duration) in ns, relative to the first"""
    first = min(call[3] for call in calls.calls + calls.pairs)
    for level, type_, tid, start, end, item in calls.calls + calls.pairs:
        layer = LAYERS.get(LEVELS[level], LEVELS[level].capitalize())
        yield f"{layer}@{calls.name(level, type_, item)}", tid, start - first, end - start


def check_database(path, calls):
    """CANN_API has the calls and pairs, each with a number of its own."""
    db = sqlite3.connect(path)
    rows = list(db.execute("select value, type, globalTid & 4294967295, endNs - startNs, startNs from CANN_API "
                           "join STRING_IDS on name = id"))
    first = min(row[4] for row in rows)
    have = sorted((name, level, tid, start - first, ns) for name, level, tid, ns, start in rows)
    origin = min(call[3] for call in calls.calls + calls.pairs)
    want = sorted((calls.name(level, type_, item), level, tid, start - origin, end - start)
                  for level, type_, tid, start, end, item in calls.calls + calls.pairs)
    return have == want


def main():
    prof, tables, trace, database = sys.argv[1:]
    calls = Calls(prof)
    with open(os.path.join(tables, "api_statistic.csv"), newline="", encoding="utf-8") as file:
        got = list(csv.reader(file))[1:]
    wrong = [(a, b) for a, b in zip(table_of(calls), got) if a != b]
    if wrong or len(got) != len(table_of(calls)):
        print(f"api_statistic: {len(got)} rows, expected {len(table_of(calls))}; {wrong[:3]}")
        return 1
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)
    cann = {e["pid"] for e in events if e["name"] == "process_name" and e["args"]["name"] == "CANN"}
    have = sorted((e["name"], e["tid"], round(e["ts"] * 1000), round(e["dur"] * 1000))
                  for e in events if e["ph"] == "X" and e["pid"] in cann)
    want = sorted(shown(calls))
    if have != want:
        print(f"trace: {len(have)} calls, expected {len(want)}: {set(have) ^ set(want)}"[:2000])
        return 1
    named = [e for e in events if e["ph"] == "X" and e["pid"] in cann and re.match("Node@", e["name"])]
    if any(e["args"]["item"] not in calls.texts.values() for e in named):
        print("trace: a node's item is no text of the dictionary")
        return 1
    if os.path.exists(database) and not check_database(database, calls):
        print("database: CANN_API has other calls")
        return 1
    print(f"{len(got)} names, {len(calls.calls)} calls, {len(calls.pairs)} pairs of events")
    return 0


if __name__ == "__main__":
    sys.exit(main())
