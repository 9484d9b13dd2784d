#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the public msprof parser's output with ours, cell by cell.

usage: compare_parser.py PROF_DIR TABLES TRACE

PROF_DIR: a directory that the parser has exported (summary and timeline), TABLES and TRACE: what
ascprof exported from it. Exit 0: the same numbers, and no [ERROR] line that is not known.
"""
import collections
import csv
import glob
import json
import os
import re
import sys

# What the parser logs when a kind of data is not there, or not of this chip.
KNOWN_ERRORS = [
    r"The db doesn't exist\.",
    r"Failed to connect hccs\.db\.",
    r"Failed to connect pcie database\.",
    r"Failed to connect \{(nic|roce)receivesend_table\.db\}\.",
]
TABLES = ("msprof_tx", "llc_read_write", "hbm", "host_cpu_usage", "host_mem_usage", "host_disk_usage",
          "host_network_usage", "cpu_usage", "sys_mem", "process_cpu_usage", "process_mem")
HOST_NS = 300        # its wall clock of host stamps has steps of 250 ns, shown with one decimal of us
COUNTER_NS = 257     # and that of counters steps of 256 ns

good = 0
failures = []


def check(what, ok, *values):
    global good
    good += bool(ok)
    if not ok:
        failures.append(what + ": parser %r, ascprof %r" % values)


def newest(folder, pattern):
    files = glob.glob(os.path.join(folder, "mindstudio_profiler_output", pattern))
    stamps = [re.search(r"_(\d{14})\.\w+$", path).group(1) for path in files]
    return sorted(path for path, stamp in zip(files, stamps) if stamp == max(stamps))


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def compare_table(folder, tables, name):
    theirs = [path for path in newest(folder, name + "_*2*.csv")
              if re.fullmatch(name + r"(_slice_\d+)?_\d{14}\.csv", os.path.basename(path))]
    ours = os.path.join(tables, name + ".csv")
    check(name + " exists", bool(theirs) == os.path.exists(ours), theirs, os.path.exists(ours))
    if not theirs or not os.path.exists(ours):
        return 0
    want = read_rows(theirs[0])
    for path in theirs[1:]:
        want += read_rows(path)[1:]
    got = read_rows(ours)
    check(name + " rows", len(want) == len(got), len(want), len(got))
    for n, (a, b) in enumerate(zip(want, got)):
        check("%s line %d" % (name, n + 1), a == b, a, b)
    return len(want) - 1


def compare_calls(folder, tables):
    """Sums of floating point numbers, in another order: cells to 9 digits, rows by thread and call."""
    theirs = newest(folder, "os_runtime_statistic_*.csv")
    ours = os.path.join(tables, "os_runtime_statistic.csv")
    check("os_runtime_statistic exists", bool(theirs) == os.path.exists(ours), theirs, os.path.exists(ours))
    if not theirs or not os.path.exists(ours):
        return 0
    want, got = [{tuple(row[:4]): row[4:] for row in read_rows(path)} for path in (theirs[0], ours)]
    check("os_runtime_statistic rows", set(want) == set(got), sorted(set(want) - set(got)), sorted(set(got) - set(want)))
    for key in set(want) & set(got):
        same = want[key] == got[key] or all(abs(float(a) - float(b)) <= 1e-9 * abs(float(a)) + 1e-12
                                            for a, b in zip(want[key], got[key]))
        check("os_runtime_statistic %s" % (key,), same, want[key], got[key])
    return len(want) - 1


def nanoseconds(text):
    whole, _, part = str(text).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


class Events:
    """Events of a trace with wall-clock times in ns, by row name."""

    def __init__(self, events, origin=0):
        self.origin = origin
        self.labels = {e["pid"]: e["args"]["labels"] for e in events
                       if e["ph"] == "M" and e["name"] == "process_labels"}
        self.processes = {e["pid"]: e["args"]["name"] for e in events
                          if e["ph"] == "M" and e["name"] == "process_name"}
        self.counters = collections.defaultdict(list)
        self.annotations = []
        self.calls = []
        for e in events:
            if e["ph"] == "C":
                self.counters[self.labels.get(e["pid"], ""), e["name"]].append(e)
            elif e["ph"] in "Xi" and "event_type" in e.get("args", {}):
                self.annotations.append((self.ns(e), e["name"], e["args"]["event_type"],
                                         round(float(e.get("dur", 0)) * 1000)))
            elif e["ph"] == "X" and self.processes.get(e["pid"]) == "OS Runtime API":
                self.calls.append((e["tid"], self.ns(e), e["name"], round(float(e["dur"]) * 1000)))
        self.calls.sort()
        self.annotations.sort(key=lambda a: (a[1], a[0], a[2], a[3]))

    def ns(self, event):
        return nanoseconds(event["ts"]) if not self.origin else self.origin + round(event["ts"] * 1000)


def compare_counter(theirs, ours, device, name, their_key, our_name, our_key, scale, tolerance):
    want = theirs.counters.get((device, name), [])
    got = ours.counters.get((device, our_name), [])
    check("%s %s events" % (device, name), len(want) == len(got), len(want), len(got))
    for a, b in zip(want, got):
        check(name + " ts", abs(theirs.ns(a) - ours.ns(b)) <= COUNTER_NS, a["ts"], ours.ns(b))
        check(name, abs(float(a["args"][their_key]) * scale - float(b["args"][our_key])) <= tolerance,
              a["args"], b["args"])
    return len(want)


def compare_host(theirs, ours):
    """Host data. What is lost between slices may come in any order from the parser."""
    compared = 0
    names = {name for label, name in theirs.counters if label == "CPU" and
             (name in ("Memory Usage", "Network Usage", "Disk Usage") or re.fullmatch(r"CPU (\d+|Avg)", name))}
    for name in sorted(names):
        want = sorted(theirs.counters["CPU", name], key=theirs.ns)
        got = sorted(ours.counters.get(("CPU", name), []), key=ours.ns)
        if name == "Disk Usage" and not got:   # not known; the parser shows 0 for that
            check(name, all(float(e["args"]["Usage(%)"]) == 0 for e in want), want[:3], [])
            want = [dict(e, args=None) for e in want]
            got = sorted(ours.counters.get(("CPU", "Disk Read"), []), key=ours.ns)
        check(name + " events", len(want) == len(got), len(want), len(got))
        for a, b in zip(want, got):
            check(name + " ts", abs(theirs.ns(a) - ours.ns(b)) <= HOST_NS, a["ts"], b["ts"])
            if a["args"]:
                check(name, abs(float(a["args"]["Usage(%)"]) - float(b["args"]["Usage(%)"])) <= 0.00051,
                      a["args"], b["args"])
        compared += len(want)
    return compared


def compare_accelerators(theirs, ours, device, key):
    """The parser shows the highest accelerator of each moment."""
    want = theirs.counters.get((device, key), [])
    highest = {}
    for (label, name), events in ours.counters.items():
        if label == device and name.startswith("Acc PMU ") and name.endswith("/" + key):
            for e in events:
                highest[ours.ns(e)] = max(highest.get(ours.ns(e), 0), int(e["args"]["value"]))
    check("Acc PMU %s events" % key, len(want) == len(highest), len(want), len(highest))
    for a, (ns, value) in zip(want, sorted(highest.items())):
        check("Acc PMU %s ts" % key, abs(theirs.ns(a) - ns) <= COUNTER_NS, a["ts"], ns)
        check("Acc PMU " + key, a["args"]["value"] == value, a["args"], value)
    return len(want)


def compare_dies(theirs, ours, device, key):
    """Its rates are 1000 times too high: it divides microseconds by 1e9."""
    compared = 0
    for die in range(2):
        name = "die %d" % die
        want = [e for e in theirs.counters.get((device, key), []) if name in e["args"]]
        got = ours.counters.get((device, "SIO %s/%s" % (name, key)), [])
        check("SIO %s events" % key, len(want) == len(got), len(want), len(got))
        for a, b in zip(want, got):
            value = a["args"][name] / 1000
            check("SIO " + key, abs(value - b["args"]["MB/s"]) <= 0.001 + 1e-4 * value, value, b["args"])
        compared += len(want)
    return compared


def compare_timeline(folder, trace):
    files = newest(folder, "msprof_[!t]*.json")   # msprof_tx_* may be of the next second
    check("timeline exists", bool(files), files, trace)
    events = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            events += json.load(file)
    with open(trace, encoding="utf-8") as file:
        own = json.load(file)
    origin = next(e for e in own if e["name"] == "ascprof_origin")
    theirs, ours = Events(events), Events(own, nanoseconds(origin["args"]["wall_clock_us"]))

    check("annotations", len(theirs.annotations) == len(ours.annotations),
          len(theirs.annotations), len(ours.annotations))
    for a, b in zip(theirs.annotations, ours.annotations):
        check("annotation", a[1:3] == b[1:3] and abs(a[0] - b[0]) <= HOST_NS and abs(a[3] - b[3]) <= 1, a, b)

    check("calls", len(theirs.calls) == len(ours.calls), len(theirs.calls), len(ours.calls))
    for a, b in zip(theirs.calls, ours.calls):
        check("call", (a[0], a[2]) == (b[0], b[2]) and abs(a[1] - b[1]) <= HOST_NS and abs(a[3] - b[3]) <= 1, a, b)
    compared = compare_host(theirs, ours)
    devices = sorted({label for label, _ in theirs.counters if label.startswith("NPU")})
    for device in devices:
        names = [name for label, name in theirs.counters if label == device]
        for name in names:
            kind, _, what = name.rpartition("/")
            if name.startswith("LLC "):
                key = {"Throughput": "Throughput(MB/s)", "Hit Rate": "Hit Rate(%)"}[what]
                # it shows hit rates as fractions under the name of percent
                compared += compare_counter(theirs, ours, device, name, key, name, key,
                                            100 if what == "Hit Rate" else 1, 0.0005)
            elif name.startswith("HBM "):
                compared += compare_counter(theirs, ours, device, name, what + "(MB/s)", name, what + "(MB/s)", 1,
                                            0.00051)
            elif name in ("read_bandwidth", "write_bandwidth", "read_ost", "write_ost"):
                compared += compare_accelerators(theirs, ours, device, name)
            elif re.fullmatch(r"(req|rsp|snp|dat)_[rt]x", name):
                compared += compare_dies(theirs, ours, device, name)
        # it shows each of the two levels under the other's name
        for name, other in (("Mata Bw Level", "L2 Buffer Bw Level"), ("L2 Buffer Bw Level", "Mata Bw Level")):
            compared += compare_counter(theirs, ours, device, name, name, other, "level", 1, 0)
        for name, key, our in (("PCIE Write Bandwidth", "PCIE", "Write Bandwidth"),
                               ("PCIE Read Bandwidth", "PCIE", "Read Bandwidth"),
                               ("PA Link Rx", "PA Link", "Rx"), ("PA Link Tx", "PA Link", "Tx")):
            units = sorted({e["args"][key + " ID"] for e in theirs.counters.get((device, name), [])
                            if key + " ID" in e["args"]})
            for unit in units:
                one = Events([])
                one.counters[device, name] = [e for e in theirs.counters[device, name]
                                              if e["args"][key + " ID"] == unit]
                compared += compare_counter(one, ours, device, name, name, "%s %d/%s" % (key, unit, our), "value",
                                            1, 0)
    return len(ours.annotations), compared


def check_log(folder):
    for path in glob.glob(os.path.join(folder, "mindstudio_profiler_log", "*.log")):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if "[ERROR]" in line and not any(re.search(known, line) for known in KNOWN_ERRORS):
                    failures.append("%s: %s" % (os.path.basename(path), line.strip()))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, tables, trace = sys.argv[1:]
    rows = {name: compare_table(folder, tables, name) for name in TABLES}
    rows["os_runtime_statistic"] = compare_calls(folder, tables)
    annotations, counters = compare_timeline(folder, trace)
    check_log(folder)
    for line in failures[:20]:
        print("MISMATCH " + line[:400])
    print("%s rows; timeline: %d annotations, %d counter values; %d comparisons hold, %d do not" %
          (", ".join("%s %d" % item for item in rows.items() if item[1]), annotations, counters, good, len(failures)))
    return 1 if failures or not good else 0


if __name__ == "__main__":
    sys.exit(main())
