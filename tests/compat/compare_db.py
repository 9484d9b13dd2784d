#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the public msprof parser's database with ours, row by row.

usage: compare_db.py THEIRS OURS

Tables that both have must have the same columns and rows, whatever the numbers of their texts are.
Ours must have no others. Exit 0: they agree.
"""
import sqlite3
import sys

TEXTS = {"MSTX_EVENTS": ("message", "domainId"), "LLC": ("mode",), "HBM": ("type",), "SIO": ("name",), "CANN_API": ("name",), "OSRT_API": ("name",)}
# The parser keeps wall-clock times of these as doubles, in steps of 256 ns, and ours are exact.
ROUNDED = {"LLC": 257, "HBM": 257}
# Bytes a second are sums of doubles, in another order.
CLOSE = {"HOST_NETWORK_USAGE": "speed", "HOST_DISK_USAGE": "Rate"}
# Ours are whole thousandths of MB/s.
RATES = {"SIO": 2 ** 20 / 1000}


def tables(db):
    return dict(db.execute("select name, sql from sqlite_master where type = 'table'"))


def rows(db, table):
    texts = dict(db.execute("select id, value from STRING_IDS"))
    cursor = db.execute("select * from " + table)
    names = [column[0] for column in cursor.description]
    out = []
    for row in cursor:
        values = [texts[v] if name in TEXTS.get(table, ()) else v for name, v in zip(names, row)]
        out.append(dict(zip(names, values)))
    place = [n for n in names if n in ("deviceId", "llcId", "hbmId", "accId", "type", "name", "message", "domainId", "cpuId")]
    return sorted(out, key=lambda r: (r.get("startNs", r.get("timestampNs", 0)), [str(r[n]) for n in place], str(r)))


def agree(table, name, a, b):
    if name == "connectionId" and table == "CANN_API":
        return True    # both number calls, each in an order of its own
    if name in ("startNs", "endNs") and table == "OSRT_API":
        return abs(a - b) <= 257    # likewise
    if name == "timestampNs":
        return abs(a - b) <= ROUNDED.get(table, 0)
    if table in RATES and name[:2] in ("rx", "tx"):
        return abs(a - b) <= RATES[table]
    if table in CLOSE and CLOSE[table] in name:
        return abs(a - b) <= 1e-6 * abs(a)
    return a == b


def main():
    theirs, ours = (sqlite3.connect(path) for path in sys.argv[1:])
    a, b = tables(theirs), tables(ours)
    bad = sorted(set(b) - set(a))
    compared = 0
    for table in sorted(set(a) & set(b)):
        if a[table] != b[table]:
            bad.append("%s: %s, %s" % (table, a[table], b[table]))
        if table == "STRING_IDS":
            continue
        x, y = rows(theirs, table), rows(ours, table)
        if len(x) != len(y):
            bad.append("%s: %d rows, ours %d" % (table, len(x), len(y)))
        for p, q in zip(x, y):
            compared += 1
            if not all(agree(table, name, p[name], q[name]) for name in p):
                bad.append("%s: %r, ours %r" % (table, p, q))
    for line in bad[:20]:
        print("MISMATCH " + line)
    print("database: %d tables, %d rows hold, %d do not" % (len(b), compared, len(bad)))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
