#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare what the public msprof parser exports from a directory that was recorded from the
stand-in for the vendor's library with the parser's own formulas applied to what was planted.

usage: compare_channels.py CHIP PROF_DIR     (exported: summary and timeline)

Prints a row `| chip | kind | rows | equal |` for each kind; exit 0: all equal, and no
[ERROR] line that is not known.
"""
import collections
import csv
import glob
import json
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from planted import (ACC, AICORE, AICPU, DDR, DVPP, FFTS, HBM, HCCS, L2, LINK, LLC, MEM, MODULE, NIC, PCIE, POWER,  # noqa: E402
                     QOS, READS, ROCE, SIO, SOC_PMU, TASK, UB, core, count)

PERIODS = range(1, 41)
DT = 0.02                       # seconds between records
MB = float(1 << 20)
NAMES = {0: "310", 1: "910", 4: "310P", 5: "910B", 7: "310B", 15: "950"}
KHZ = {0: 19200, 1: 100000, 4: 38400, 5: 50000, 7: 48000, 15: 1000000}
# What the parser logs when there are no data of frameworks, or, on the first generation, of tasks.
KNOWN_ERRORS = [r"no such table: (ge_summary|AiCpuFromTs|TaskTime)", r"no aicpu device task get from",
                r"no device task found\.", r"get device task from hwts\.db\.HwtsTaskTime error"]


def close(have, want):
    try:
        have, want = float(have), float(want)
    except ValueError:
        return have == want
    return abs(have - want) <= 0.00051 + 1e-6 * abs(want)


class Export:
    def __init__(self, chip, prof):
        self.chip, self.rows, self.failures = chip, [], []
        self.prof = prof
        self.out = os.path.join(prof, "mindstudio_profiler_output")
        with open(os.path.join(prof, "device_0", "sample.json"), encoding="utf-8") as file:
            self.sampled = json.load(file)["ai_core_profiling_mode"] == "sample-based"
        self.events = []
        for path in sorted(glob.glob(os.path.join(self.out, "msprof_[0-9]*.json"))):
            with open(path, encoding="utf-8") as file:
                self.events += json.load(file)

    def values(self, name, key, pid=None):
        """Of a counter, or of tasks, one for each moment, in their order."""
        found = collections.OrderedDict()
        for e in self.events:
            if e["name"] == name and e["ph"] in "CX" and (pid is None or e["pid"] == pid):
                found.setdefault(float(e["ts"]), e["dur"] if key == "dur" else e["args"].get(key))
        return [value for _, value in sorted(found.items())]

    def pids(self, name):
        return sorted({e["pid"] for e in self.events if e["name"] == name and e["ph"] == "C"})

    def table(self, name):
        paths = [p for p in glob.glob(os.path.join(self.out, name + "_*.csv"))
                 if re.fullmatch(name + r"_\d{14}\.csv", os.path.basename(p))]
        if not paths:
            return []
        with open(paths[0], newline="", encoding="utf-8") as file:
            return [{key: value.strip() for key, value in row.items()} for row in csv.DictReader(file)]

    def same(self, kind, have, want):
        equal = len(have) == len(want) and all(close(a, b) for a, b in zip(have, want))
        if not equal:
            self.failures.append("%s: parser %d %r, planted %d %r" % (kind, len(have), have[:5], len(want), want[:5]))
        return len(have), equal

    def kind(self, name, *compared):
        rows = sum(n for n, _ in compared)
        equal = bool(compared) and all(ok for _, ok in compared) and rows > 0
        self.rows.append((NAMES[self.chip], name, rows, "yes" if equal else "no"))

    def counter(self, name, key, values, first_missing=0):
        return self.same(name + " " + key, self.values(name, key), list(values)[first_missing:])


def memory(x):
    if x.chip not in (5, 15):
        width = 16 if x.chip in (0, 7) else 32
        x.kind("DDR", *(x.counter("DDR/" + way, way + "(MB/s)",
                                  [sum(count(DDR, u, e, k) for u in range(2)) * width / MB / DT for k in PERIODS])
                        for e, way in enumerate(("Read", "Write"))))
    if x.chip not in (0, 7):
        x.kind("HBM", *(x.counter("HBM %d/%s" % (u, way), way + "(MB/s)",
                                  [0 if k == 1 else count(HBM, u, e, k) * 32 / MB / DT for k in PERIODS])
                        for u in range(4) for e, way in enumerate(("Read", "Write"))))
    if x.chip != 0:
        def slot(u, i, k):
            return count(LLC, u, READS[i], k)
        parts = []
        for u in range({5: 2, 7: 1}.get(x.chip, 4)):
            parts.append(x.counter("LLC %d Read/Throughput" % u, "Throughput(MB/s)",
                                   [0 if k == 1 else (slot(u, 0, k) + slot(u, 1, k)) * 4096 / MB / DT
                                    for k in PERIODS]))
            parts.append(x.counter("LLC %d Read/Hit Rate" % u, "Hit Rate(%)",
                                   [round(sum(slot(u, i, k) for i in (2, 3, 5, 7)) /
                                          (slot(u, 4, k) + slot(u, 6, k)), 3) for k in PERIODS]))
        x.kind("LLC", *parts)
    parts = []
    for e, who in enumerate(("APP", "Device")):
        ddr, hbm = ([count(MEM, e, i, k) for k in PERIODS] for i in range(2))
        parts += [x.counter(who + "/DDR", "KB", ddr), x.counter(who + "/HBM", "KB", hbm),
                  x.counter(who + "/Memory", "KB", [a + b for a, b in zip(ddr, hbm)])]
    x.kind("NPU memory", *parts)
    if x.chip in (5, 15):
        rows = x.table("npu_module_mem")
        x.kind("memory of modules", x.same("npu_module_mem", sorted(float(r["Total Reserved(KB)"]) for r in rows),
                                           sorted(count(MODULE, m, 0, k) for m in range(2) for k in PERIODS)))
    if x.chip == 5:
        x.kind("QoS", *(x.counter("QoS stream_%d" % (20 + i), "bandwidth(MB/s)", [count(QOS, 0, i, k) for k in PERIODS])
                        for i in range(10)))


def soc_profile(x):
    names = "write_bandwidth", "read_bandwidth", "write_ost", "read_ost"
    x.kind("SoC profile: accelerators", *(x.counter(name, "value", [count(ACC, 2, i, k) for k in PERIODS])
                                          for i, name in enumerate(names)))
    if x.chip == 15:
        # it shows the third of a record under the first name
        x.kind("SoC profile: QoS", *(x.counter("QoS stream_%d" % (20 + i), "die %d" % die,
                                               [count(QOS, die, i + 2, k) for k in PERIODS])
                                     for i in range(8) for die in range(2)))
    # it shows each of the two levels under the other's name
    x.kind("SoC profile: levels", x.counter("Mata Bw Level", "Mata Bw Level", PERIODS),
           x.counter("L2 Buffer Bw Level", "L2 Buffer Bw Level", [k % 8 for k in PERIODS]))
    parts = []
    for i, name in enumerate(("PCIE Write Bandwidth", "PCIE Read Bandwidth")):
        if x.chip == 15:
            parts += [x.counter(name, "U-Die%d" % die, [count(LINK, die, i, k) for k in PERIODS]) for die in range(2)]
        else:
            parts.append(x.counter(name, name, [count(LINK, 0, i, k) for k in PERIODS]))
    if x.chip != 15:
        parts += [x.counter(name, name, [count(LINK, 1, i, k) for k in PERIODS])
                  for i, name in enumerate(("PA Link Rx", "PA Link Tx"))]
    x.kind("SoC profile: between chips", *parts)
    keys = ("D-DIE0", "null") if x.chip == 15 else ("die 0", "die 1")   # a name for one die only
    parts = []
    for i, name in enumerate(w + way for way in ("_rx", "_tx") for w in ("req", "rsp", "snp", "dat")):
        # it divides microseconds by 1e9, and shows nothing for the first
        parts += [x.counter(name, key, [count(SIO, die, i, k) / MB / (DT / 1000) for k in PERIODS], 1)
                  for die, key in enumerate(keys)]
    x.kind("SoC profile: between dies", *parts)


def links(x):
    if x.chip not in (0, 7):
        parts = []
        for n, name in enumerate(("PCIe_post", "PCIe_nonpost", "PCIe_cpl")):
            parts += [x.counter(name, "Tx", [count(PCIE, 0, 3 * n + 2, k) / 1.048576 for k in PERIODS]),
                      x.counter(name, "Rx", [count(PCIE, 0, 12 + 3 * n + 2, k) / 1.048576 for k in PERIODS])]
        parts.append(x.counter("PCIe_nonpost_latency", "Tx", [count(PCIE, 0, 11, k) / 1000 for k in PERIODS]))
        x.kind("PCIe", *parts)
    if x.chip in (1, 4, 5):
        # running totals, of which the last interval is dropped
        x.kind("HCCS", *(x.counter(way, way + "(MB/s)", [count(HCCS, 0, i, 0) / 1000 / DT for _ in range(38)])
                         for i, way in enumerate(("Tx", "Rx"))))
    kinds = {0: [NIC], 7: [NIC], 1: [NIC, ROCE], 5: [NIC, ROCE]}.get(x.chip, [])
    pids = x.pids("Port 0/Tx")
    for kind, pid in zip(kinds, pids):
        parts = []
        for i, way in enumerate(("Rx", "Tx")):
            values = [count(kind, 0, i, k) for k in PERIODS]
            parts += [x.same(way, x.values("Port 0/" + way, way + " Packets", pid), [v // 100 for v in values]),
                      x.same(way, x.values("Port 0/" + way, way + " Bandwidth Efficiency", pid),
                             [round(v * 8 / (1000 * MB), 3) for v in values])]
        x.kind("NIC" if kind == NIC else "RoCE", *parts)
    if x.chip == 15:
        x.kind("UB", x.counter("UB Port000", "bandwidth_rx(MB/s)", [count(UB, 0, 0, k) for k in PERIODS]),
               x.counter("UB Port000", "bandwidth_tx(MB/s)", [count(UB, 0, 1, k) for k in PERIODS]))
    if x.chip != 4:
        # totals: the last less the first
        rows = x.table("dvpp")
        first, last = PERIODS[0], PERIODS[-1]
        x.kind("DVPP", x.same("dvpp time", [r["All Time(us)"] for r in rows],
                              [max(count(DVPP, e, 0, k) for k in PERIODS) - min(count(DVPP, e, 0, k) for k in PERIODS)
                               for e in range(5)]),
               x.same("dvpp frames", [r["All Frame"] for r in rows], [last - first] * 5))


def tasks(x):
    microseconds = [count(TASK, 0, 0, k) / KHZ[x.chip] * 1000 for k in PERIODS]
    if x.chip == 1:
        x.kind("tasks (hwts)", x.counter("Other", "dur", microseconds))
    elif x.chip == 4:
        x.kind("tasks (hwts)", x.counter("AI_CORE", "dur", microseconds))
    elif x.chip != 0:
        x.kind("tasks (stars_soc)", x.counter("AI_CORE", "dur", microseconds))
    rows = x.table("aicpu")
    ticks = [[i * count(AICPU, 0, i, k) for i in range(7)] for k in PERIODS]
    x.kind("AI CPU", x.same("compute", [r["Compute_time(us)"] for r in rows], [t[3] - t[2] for t in ticks]),
           x.same("copying", [r["Memcpy_time(us)"] for r in rows], [t[4] - t[3] for t in ticks]),
           x.same("task", [r["Task_time(us)"] for r in rows], [(t[6] - t[1]) / KHZ[x.chip] * 1000 for t in ticks]))
    rows = x.table("l2_cache")
    if x.chip in (1, 4):
        def e(i, k):
            return count(L2, 0, i, k)
        request, hit, victim = ((1,), (0,), 2) if x.chip == 1 else ((0, 1), (4,), 3)
        x.kind("L2 cache", x.same("hits", [r["Hit Rate"] for r in rows],
                                  [min(sum(e(i, k) for i in hit) / sum(e(i, k) for i in request), 1) for k in PERIODS]),
               x.same("victims", [r["Victim Rate"] for r in rows],
                      [e(victim, k) / sum(e(i, k) for i in request) for k in PERIODS]))
    if x.chip in (5, 15):
        def p(i, k):
            return count(SOC_PMU, 0, i, k)
        evens, odds = [k for k in PERIODS if k % 2 == 0], [k for k in PERIODS if k % 2]
        victims = ([p(6, k) / (p(1, k) + p(2, k)) for k in evens] if x.chip == 5 else
                   [(p(4, k) + p(5, k)) / p(0, k) for k in evens])
        x.kind("SoC PMU: cache", x.same("victims", [r["Victim Rate"] for r in rows], victims))
        rows = x.table("soc_pmu")
        x.kind("SoC PMU: addresses",
               x.same("misses", [r["TLB Miss Rate"] for r in rows], [p(0, k) / p(1, k) for k in odds]),
               x.same("hits", [r["TLB Hit Rate"] for r in rows], [(p(3, k) + p(4, k)) / p(1, k) for k in odds]))
    if x.chip == 5:
        shown, last = [], None
        for value in x.values("AI Core Freq", "MHz"):
            if value != last:
                shown.append(value)
            last = value
        want = [800 + count(POWER, 0, 0, k) % 7 * 100 for k in PERIODS]
        x.kind("core frequency", x.same("AI Core Freq", shown[-len(want) + 1:], want[1:]))


SHARES = "vec_ratio", "mac_ratio", "scalar_ratio", "mte1_ratio", "mte2_ratio", "mte3_ratio"


def cores_sampled(x, kind, table, cores):
    """Sums of a counter over those of the cycles; the 310B has no vector share."""
    n = 10 if x.chip == 15 else 8
    rows = [r for r in x.table(table) if r["Core ID"] != "Average"]
    parts = [x.same("cores", [r["Core ID"] for r in rows], ["Core%d" % unit for unit in cores])]
    for unit, row in zip(cores, rows):
        sums = [sum(core(AICORE, unit, i, k) for k in PERIODS) for i in range(n + 1)]
        shares = [sums[i] / sums[n] for i in range(len(SHARES))] + [sums[7] / sums[6]]
        have = [row[key] for key in SHARES + ("icache_miss_rate",)]
        parts.append(x.same("shares", [h for h in have if h != "N/A"],
                            [w for h, w in zip(have, shares) if h != "N/A"]))
    x.kind(kind, *parts)


def cores_by_task(x):
    """Of each task, in the parser's own database: it shows them with operators only, which nobody reported."""
    prefix = "aic_" if x.chip in (5, 15) else ""
    kind = FFTS if x.chip in (5, 7, 15) else AICORE
    cycles = 10 if x.chip == 15 else 8
    with sqlite3.connect(os.path.join(x.prof, "device_0", "sqlite", "metric_summary.db")) as db:
        rows = db.execute("select %s from MetricSummary" % ", ".join(prefix + s for s in SHARES)).fetchall()
    x.kind("AI cores, by task", *(x.same(share, [row[i] for row in rows],
                                         [core(kind, 0, i, k) / core(kind, 0, cycles, k) for k in PERIODS])
                                  for i, share in enumerate(SHARES)))


def check_log(x, prof):
    for path in glob.glob(os.path.join(prof, "mindstudio_profiler_log", "*.log")):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if "[ERROR]" in line and not any(re.search(known, line) for known in KNOWN_ERRORS):
                    x.failures.append("%s: %s" % (os.path.basename(path), line.strip()))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    chip, prof = int(sys.argv[1]), sys.argv[2]
    x = Export(chip, prof)
    if x.sampled:
        # of a 310B the second core is a vector core
        cores_sampled(x, "AI cores, sampled", "ai_core_utilization", [0] if chip == 7 else [0, 1])
        if chip in (4, 7):
            cores_sampled(x, "vector cores, sampled", "ai_vector_core_utilization", [1] if chip == 7 else [0, 1])
    else:
        memory(x)
        if chip in (5, 7, 15):
            soc_profile(x)
        links(x)
        tasks(x)
        if chip != 0:
            cores_by_task(x)
    check_log(x, prof)
    for row in x.rows:
        print("| %s | %s | %d | %s |" % row)
    for failure in x.failures[:20]:
        print("MISMATCH " + failure[:400])
    return 1 if x.failures or any(row[3] == "no" for row in x.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
