#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the public msprof parser keeps of a framework's reports with the rows of the files.

  compare_reports.py PROF_DIR     of clients/framework.c, after the parser's export

Dictionaries of texts and types, calls, events, compact and additional rows: each is decoded here, by the tables of
docs/format.md, and looked up in the parser's own databases. Prints what differs, else how many rows there were.
"""
import glob
import os
import sqlite3
import struct
import sys

LEVELS = {30000: "pytorch", 25000: "pta", 20000: "acl", 15000: "model", 10000: "node", 6000: "aicpu", 5500: "communication",
          5000: "runtime", 20500: "msproftx"}
API, COMPACT, ADDITIONAL = struct.Struct("<HHIIIQQQ"), struct.Struct("<HHIIIQQIQII12x"), struct.Struct("<HHIIIQQI220s")
EVENT = (1 << 64) - 1
TASKS = {0: "AI_CORE"}


def data(prof, pattern):
    out = b""
    for path in sorted(glob.glob(os.path.join(prof, "host/data", pattern + ".slice_*[0-9]")),
                       key=lambda path: int(path.rsplit("_", 1)[1])):
        with open(path, "rb") as file:
            out += file.read()
    return out


def lines(prof, pattern):
    return [line.split(":", 1) for line in data(prof, pattern).decode().splitlines()]


def table(prof, db, query):
    with sqlite3.connect(os.path.join(prof, "host/sqlite", db)) as base:
        return sorted(base.execute(query), key=repr)


def main():
    prof, bad, rows = sys.argv[1], 0, 0
    texts = dict(lines(prof, "*aging.additional.hash_dic"))
    types = {}
    for key, name in lines(prof, "*aging.additional.type_info_dic"):
        level, number = key.split("_")
        types[LEVELS.get(int(level)), int(number)] = name

    def text(number):
        return texts.get(str(number), str(number))

    def named(level, number):
        return types.get((LEVELS[level], number), str(number))

    calls, events = [], []
    for _, level, number, tid, request, begin, end, item in API.iter_unpack(data(prof, "*aging.api_event.data")):
        if end == EVENT:
            events.append((named(level, number), LEVELS[level], tid, str(request), item, begin))
        else:
            calls.append((LEVELS[level], number, tid, text(item), begin, end))
    nodes = [(LEVELS[level], named(level, number), tid, stamp, text(op), TASKS[task], text(kind), blocks)
             for _, level, number, tid, _, stamp, op, task, kind, blocks, _ in
             COMPACT.iter_unpack(data(prof, "*aging.compact.node_basic_info"))]
    parts = [(LEVELS[level], named(level, number), tid, stamp, text(op), n,
              ",".join(map(str, struct.unpack_from("<%dI" % n, numbers))))
             for _, level, number, tid, _, stamp, op, n, numbers in
             ADDITIONAL.iter_unpack(data(prof, "*aging.additional.context_id_info"))]
    wanted = [
        ("texts", texts.items(), ("ge_hash.db", "SELECT hash_key, hash_value FROM GeHashInfo")),
        ("types", [(str(number), name, level) for (level, number), name in types.items() if level],
         ("ge_hash.db", "SELECT hash_key, hash_value, level FROM TypeHashInfo")),
        ("calls", [(level, tid, begin, end) for level, _, tid, _, begin, end in calls],
         ("api_event.db", "SELECT level, thread_id, start, end FROM ApiData")),
        ("texts of calls", [(begin, item) for level, _, _, item, begin, _ in calls if item != "0"],
         ("api_event.db", "SELECT start, item_id FROM ApiData WHERE item_id != '0'")),
        ("events", [(name, level, tid, request, stamp) for name, level, tid, request, _, stamp in events],
         ("api_event.db", "SELECT struct_type, level, thread_id, CAST(request_id AS TEXT), timestamp FROM EventData")),
        ("compact", nodes, ("node_basic_info.db", "SELECT level, struct_type, thread_id, timestamp, op_name, task_type, op_type, "
                            "block_num FROM NodeBasicInfo")),
        ("additional", parts, ("ctx_id.db", "SELECT level, struct_type, thread_id, timestamp, op_name, ctx_id_num, ctx_id FROM CtxId")),
    ]
    for name, ours, theirs in wanted:
        ours, theirs = sorted(map(tuple, ours), key=repr), table(prof, *theirs)
        rows += len(ours)
        if not ours or ours != theirs:
            bad = 1
            print("%s: %d rows, and %d of the parser; first: %s" % (
                name, len(ours), len(theirs), next((pair for pair in zip(ours, theirs) if pair[0] != pair[1]), "")))
    if not bad:
        print("%d rows of %d kinds are those of the parser" % (rows, len(wanted)))
    return bad


if __name__ == "__main__":
    sys.exit(main())
