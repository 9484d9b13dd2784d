#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare what ascprof exported with what gen_prof.py planted.

usage: check_export.py [--lost KIND=N]... [--parts host,device] EXPECTED TABLES TRACE

KIND=N: of tx the last N records, of llc and hbm the last N samples are not there.
Exit 0: every comparison holds.
"""
import argparse
import csv
import json
import os
import re
import sys

good = 0
failures = []


def check(what, got, want, tolerance=0.0):
    global good
    if isinstance(want, float):
        ok = got is not None and abs(float(got) - want) <= tolerance + 1e-9
    else:
        ok = got == want
    good += ok
    if not ok:
        failures.append("%s: got %r, expected %r" % (what, got, want))


def check_time(what, got_ns, want_us, tolerance_ns):
    """Planted times are whole us: as integers, which doubles of this size are not exact enough for."""
    check(what, abs(got_ns - round(want_us) * 1000) <= tolerance_ns, True)


def nanoseconds(text):
    whole, part = text.strip().split(".")
    check("decimals of a time", len(part), 3)
    return int(whole) * 1000 + int(part)


def table(folder, name):
    path = os.path.join(folder, name + ".csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    for row in rows:
        check(name + " columns", len(row), len(rows[0]))
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def check_tx(rows, planted, lost, ticks):
    tolerance = 1000 if ticks else 0
    check("msprof_tx rows", len(rows), planted["count"] - lost)
    times = [row["Start_time(us)"] for row in rows]
    check("msprof_tx order", times == sorted(times), True)
    found = {}
    for row in rows:
        found.setdefault((row["event_type"], row["message"]), row)
        check("Device_id", row["Device_id"], "host")
    for want in planted["rows"]:
        shown = "'" + want["message"] if re.match("[=+@\t\r-]", want["message"]) else want["message"]
        row = found.get((want["event_type"], shown))
        if row is None:
            failures.append("msprof_tx: no row %(event_type)s %(message)r" % want)
            continue
        what = "msprof_tx %r " % want["message"]
        check(what + "tid", row["tid"], str(want["tid"]))
        for column, key in (("Start_time(us)", "start"), ("End_time(us)", "end")):
            check(what + "tab", row[column][-1:], "\t")
            check_time(what + key, nanoseconds(row[column]), want[key], tolerance)
        if "domain" in want:
            check(what + "domain", row["domain"], want["domain"])
        else:
            check(what + "category", row["category"], str(want["category"]))
            check(what + "payload", row["payload_value"], str(want["payload"]))


def mean(values):
    return sum(values) / len(values)


def check_llc(rows, planted, lost):
    samples = max(row["n"] for row in planted["rows"]) + 1 - lost
    got = {row["Task"]: row for row in rows}
    check("llc tasks", sorted(got), sorted(["Average"] + [str(i) for i in range(planted["ids"])]))
    averages = []
    for unit in range(planted["ids"]):
        mine = [row for row in planted["rows"] if row["l3"] == unit and row["n"] < samples]
        hit = 100 * mean([round(row["hit"], 3) for row in mine])
        throughput = mean([row["throughput"] for row in mine])
        averages.append((hit, throughput))
        check("llc hit rate %d" % unit, got[str(unit)]["Hit Rate(%)"], hit, 0.002)
        check("llc throughput %d" % unit, got[str(unit)]["Throughput(MB/s)"], throughput, 0.002)
        check("llc mode", got[str(unit)]["Mode"], planted["mode"])
    check("llc hit rate", got["Average"]["Hit Rate(%)"], mean([a[0] for a in averages]), 0.002)
    check("llc throughput", got["Average"]["Throughput(MB/s)"], mean([a[1] for a in averages]), 0.002)


def check_hbm(rows, planted, lost):
    samples = max(row["n"] for row in planted["rows"]) + 1 - lost
    got = {row["Metric"]: row for row in rows}
    for name in ("read", "write"):
        averages = []
        for unit in range(4):
            mine = [row["bw"] if row["n"] else 0.0 for row in planted["rows"]
                    if row["hbm"] == unit and row["type"] == name and row["n"] < samples]
            averages.append(mean(mine))
            check("hbm %s %d" % (name, unit), got[str(unit)][name.capitalize() + "(MB/s)"], averages[-1], 0.001)
        check("hbm " + name, got["Average"][name.capitalize() + "(MB/s)"], mean(averages), 0.001)


class Trace:
    def __init__(self, path):
        with open(path, encoding="utf-8", errors="strict") as file:
            self.events = json.load(file, parse_constant=self.constant)
        check("trace is an array", isinstance(self.events, list), True)
        origin = [e for e in self.events if e["name"] == "ascprof_origin"]
        check("origins", len(origin), 1)
        self.origin = origin[0]["args"]["wall_clock_us"]
        check("earliest ts", min([e["ts"] for e in self.events if e["ph"] != "M"], default=0), 0)
        self.counters = {}
        for e in self.events:
            if e["ph"] == "C":
                self.counters.setdefault(e["name"], []).append(e)

    @staticmethod
    def constant(name):
        failures.append("trace holds " + name)

    def wall(self, event):
        return nanoseconds(self.origin) + round(event["ts"] * 1000)

    def check_counter(self, name, key, planted, tolerance=0.0, slack=0.0):
        """planted: (wall clock us, value) in order"""
        got = self.counters.get(name, [])
        check("events of " + name, len(got), len(planted))
        for event, (ts, value) in zip(got, planted):
            check_time(name + " ts", self.wall(event), ts, 0)
            check(name, event["args"][key], value, tolerance + slack * value)

    def check_nesting(self):
        """What lies on one row must nest: viewers drop what does not."""
        rows = {}
        for e in self.events:
            if e["ph"] == "X":
                rows.setdefault((e["pid"], e["tid"]), []).append((round(e["ts"] * 1000), round(e["dur"] * 1000)))
        for slices in rows.values():
            stack = []
            for start, duration in sorted(slices, key=lambda s: (s[0], -s[1])):
                while stack and stack[-1] <= start:
                    stack.pop()
                check("slices nest", not stack or stack[-1] >= start + duration, True)
                stack.append(start + duration)

    def check_names(self):
        named = {(e["name"], e["pid"], e["tid"]) for e in self.events if e["ph"] == "M"}
        for e in self.events:
            if e["ph"] in "XI":
                check("thread has a name", ("thread_name", e["pid"], e["tid"]) in named, True)
            if e["ph"] != "M":
                check("process has a name", ("process_name", e["pid"], 0) in named, True)


def check_trace_tx(trace, planted, lost, ticks):
    kinds = {"marker": "I", "marker_ex": "I", "push/pop": "X", "start/end": "X"}
    got = [e for e in trace.events if e["ph"] in "XI" and "event_type" in e["args"]]    # (others are calls)
    check("annotations", len(got), planted["count"] - lost)
    found = {}
    for e in got:
        found.setdefault((e["args"]["event_type"], e["name"]), e)
    for want in planted["rows"]:
        e = found.get((want["event_type"], want["message"]))
        if e is None:
            failures.append("trace: no event %(event_type)s %(message)r" % want)
            continue
        what = "trace %r " % want["message"]
        check(what + "ph", e["ph"], kinds[want["event_type"]])
        check_time(what + "ts", trace.wall(e), want["start"], 1000 if ticks else 0)
        check(what + "dur", float(e.get("dur", 0)), want["end"] - want["start"], 0.03 if ticks else 0.0005)
        check(what + "thread", e["args"].get("thread", e["tid"]), want["tid"])
        check(what + "category", e["args"].get("category", 0), want.get("category", 0))
        check(what + "payload", e["args"].get("payload", 0), want.get("payload", 0))
        if "domain" in want:
            check(what + "domain", e["args"]["domain"], want["domain"])


def rate_slack(planted):
    """Rates of LLC and HBM come from times in steps of 256 ns, the parser's precision."""
    times = sorted({row["ts"] for row in planted["llc"]["rows"]})
    return 0.256 / (times[1] - times[0])


def check_trace_counters(trace, planted, lost):
    slack = rate_slack(planted)
    mode = planted["llc"]["mode"].capitalize()
    samples = max(row["n"] for row in planted["llc"]["rows"]) + 1
    for unit in range(planted["llc"]["ids"]):
        mine = [row for row in planted["llc"]["rows"] if row["l3"] == unit and row["n"] < samples - lost["llc"]]
        trace.check_counter("LLC %d %s/Throughput" % (unit, mode), "Throughput(MB/s)",
                            [(row["ts"], float(row["throughput"])) for row in mine], 0.00051, slack)
        trace.check_counter("LLC %d %s/Hit Rate" % (unit, mode), "Hit Rate(%)",
                            [(row["ts"], 100 * round(row["hit"], 3)) for row in mine], 0.00051)
    for unit in range(4):
        for name in ("read", "write"):
            mine = [row for row in planted["hbm"]["rows"] if row["hbm"] == unit and row["type"] == name and
                    row["n"] < samples - lost["hbm"]]
            starts = [row["ts"] for row in planted["llc"]["rows"] if row["l3"] == 0]
            trace.check_counter("HBM %d/%s" % (unit, name.capitalize()), name.capitalize() + "(MB/s)",
                                [(ts, row["bw"] if row["n"] else 0.0) for ts, row in zip(starts, mine)], 0.00051,
                                slack)
    if planted["chip"] != "5":
        return
    for unit in range(3):
        for key, first in (("read_bandwidth", -2), ("write_bandwidth", -2), ("read_ost", -2), ("write_ost", -2)):
            trace.check_counter("Acc PMU %d/%s" % (unit, key), "value",
                                [(row["ts"], row[key] + first + unit) for row in planted["acc_pmu"]])
    trace.check_counter("Mata Bw Level", "level", [(row["ts"], row["mata"]) for row in planted["inter_soc"]])
    trace.check_counter("L2 Buffer Bw Level", "level", [(row["ts"], row["buffer"]) for row in planted["inter_soc"]])
    for i, name in enumerate(("Write Bandwidth", "Read Bandwidth")):
        trace.check_counter("PCIE 1/" + name, "value", [(row["ts"], row["pcie"][i]) for row in planted["chip_trans"]])
    for i, name in enumerate(("Rx", "Tx")):
        trace.check_counter("PA Link 2/" + name, "value", [(row["ts"], row["pa"][i]) for row in planted["chip_trans"]])
    interval = planted["sio"][1]["ts"] - planted["sio"][0]["ts"]
    for die in range(2):
        for i, name in enumerate(("req_rx", "rsp_rx", "snp_rx", "dat_rx", "req_tx", "rsp_tx", "snp_tx", "dat_tx")):
            trace.check_counter("SIO die %d/%s" % (die, name), "MB/s",
                                [(row["ts"], (die + 1) * (i + 1) * 1e6 / interval) for row in planted["sio"][1:]],
                                0.00051)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lost", action="append", default=[])
    parser.add_argument("--parts", default="host,device")
    parser.add_argument("expected")
    parser.add_argument("tables")
    parser.add_argument("trace")
    args = parser.parse_args()
    lost = {"tx": 0, "llc": 0, "hbm": 0}
    lost.update({kind: int(n) for kind, n in (item.split("=") for item in args.lost)})
    with open(args.expected, encoding="utf-8") as file:
        planted = json.load(file)
    trace = Trace(args.trace)
    tables = {name: table(args.tables, name) for name in ("msprof_tx", "llc_read_write", "hbm")}
    for name, part in (("msprof_tx", "host"), ("llc_read_write", "device"), ("hbm", "device")):
        check(name + " exists", tables[name] is not None, part in args.parts)
    if "host" in args.parts:
        check_tx(tables["msprof_tx"], planted["msproftx"], lost["tx"], planted["ticks"])
        check_trace_tx(trace, planted["msproftx"], lost["tx"], planted["ticks"])
    if "device" in args.parts:
        check_llc(tables["llc_read_write"], planted["llc"], lost["llc"])
        check_hbm(tables["hbm"], planted["hbm"], lost["hbm"])
        check_trace_counters(trace, planted, lost)
    trace.check_nesting()
    trace.check_names()
    for line in failures[:20]:
        print("MISMATCH " + line)
    print("%d comparisons hold, %d do not" % (good, len(failures)))
    return 1 if failures or not good else 0


if __name__ == "__main__":
    sys.exit(main())
