#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host data: planted files, and what ascprof must make of them.

  check_host.py plant PROF_DIR            adds counters, system and pthread calls to what gen_prof.py made
  check_host.py check TABLES TRACE DATABASE NAME...   compares; NAME: the tables that have to be there;
                                          there is no database where the command has no SQLite

The plan is gen_prof.py's for 20 samples every 20 ms, and what is below.
"""
import csv
import json
import os
import sqlite3
import sys

SAMPLES, INTERVAL = 20, 20_000    # us
OTHERS = 10     # processes beside the program
RAW, WALL = 5_000_000_000_000, 1_800_000_000_000_000    # of start_info: ns, us
CALLS = [("read", 4242, 1000, 2500), ("read", 4242, 5000, 500), ("futex", 4243, 2000, 7000),
         ("newfstatat", 4242, 9000, 100), ("epoll_pwait", 4242, 9500, 30)]    # thread, begin and duration in ns
PTHREAD_CALLS = [("pthread_mutex_lock", 4243, 3000, 4000), ("pthread_mutex_lock", 4243, 9001, 1000),
                 ("pthread_cond_wait", 4242, 12000, 2001)]
ALL = 17.031    # us of all that the table shows
TABLES = {
    "host_cpu_usage": [["2", "2", "2"]],
    "host_mem_usage": [["8000000", "4076.0", "5095.0"]],
    "host_disk_usage": [["29.0", "36.25", "39.0", "48.75"]],
    "host_network_usage": [["122070.3125", 375000 / 0.02 / 1024, 375000 / 0.02 / 1024 / 0.8]],
    "cpu_usage": [["host", "10.0", "5.0", "0.0", "0.0", "0.0", "85.0"]],
    "sys_mem": [["8000000", "3999990", "1000", "2000", "300", "4000", "500", "0", "0"]],
    "process_cpu_usage": [["4242", "probe", "1.425"]],
    "process_mem": [["4242", "probe", "50000", "1009", "100"]],
    "host_counters": [["process", "cycles", "1900", "50.0"], ["process", "page-faults:u", "19", "100.0"],
                      ["machine", "context-switches", "57", "100.0"]],
    # 19 intervals; the second counter was counted half of the time
    "host_pmus": [["DDR controller", "hisi_sccl1_ddrc0/flux_rd", "1900", "60800.0", "bytes", "100.0"],
                  ["DDR controller", "hisi_sccl1_ddrc1/flux_rd", "3800", "121600.0", "bytes", "50.0"],
                  ["PCIe root of NPU 0", "hisi_pcie0_core0/rx_mrd_time", "19000", "19000.0", "ns", "100.0"]],
    "host_numa": [["0", "8000", "3981", "190", "19", "38", "152", "38", "616"],
                  ["1", "4000", "1000", "0", "0", "0", "0", "0", "384"]],
    "host_disks": [["sda", "1900", "38", "25.0"]],
    "os_runtime_statistic": [["4242", "4243", "futex", 7 / ALL, "7.0", "1", "7.0", "7.0", "7.0"],
                             ["4242", "4243", "pthread_mutex_lock", 5 / ALL, "5.0", "2", "2.5", "4.0", "1.0"],
                             ["4242", "4242", "read", 3 / ALL, "3.0", "2", "1.5", "2.5", "0.5"],
                             ["4242", "4242", "pthread_cond_wait", 2.001 / ALL, "2.001", "1", "2.001", "2.001", "2.001"],
                             ["4242", "4242", "epoll_pwait", 0.03 / ALL, "0.03", "1", "0.03", "0.03", "0.03"]],
}
wrong = []


def need(what, got, expected):
    if isinstance(expected, float):
        if not isinstance(got, (str, int, float)) or abs(float(got) - expected) > 1e-6 * abs(expected) + 1e-9:
            wrong.append("%s: %s, expected %s" % (what, got, expected))
    elif got != expected:
        wrong.append("%s: %s, expected %s" % (what, got, expected))


def plant(prof):
    data = os.path.join(prof, "host", "data")
    own = ["time %d\ncycles %d %d %d\npage-faults:u %d %d %d\n" %
           (RAW + n * INTERVAL * 1000, 1000 + 100 * n, 20 * n, 10 * n, n, 20 * n, 20 * n) for n in range(SAMPLES)]
    machine = ["time %d\ncontext-switches %d %d %d\n" % (RAW + n * INTERVAL * 1000, 3 * n, n, n) for n in range(SAMPLES)]
    # the second slice begins with a copy of the last sample of the first
    disks = ["time %d\nsda %d %d %d\n" % (RAW + n * INTERVAL * 1000, 102400 * n, 2048 * n, 5 * n) for n in range(SAMPLES)]
    pmus = [("time %d\nhisi_sccl1_ddrc0/flux_rd %d %d %d 32/1 bytes DDR_controller\n"
             "hisi_sccl1_ddrc1/flux_rd %d %d %d 32/1 bytes DDR_controller\n"
             "hisi_pcie0_core0/rx_mrd_time %d %d %d 1/1 ns PCIe_root_of_NPU_0\n") %
            (RAW + n * INTERVAL * 1000, 7 + 100 * n, 20 * n, 20 * n, 200 * n, 20 * n, 10 * n, 1000 * n, 20 * n, 20 * n)
            for n in range(SAMPLES)]
    numa = ["time %d\nnode0 8000 %d %d %d %d %d %d\nnode1 4000 1000 5 0 0 5 0\n" %
            (RAW + n * INTERVAL * 1000, 4000 - n, 10 * n, n, 2 * n, 8 * n, 2 * n) for n in range(SAMPLES)]
    for n in range(0, SAMPLES, 4):    # what costs more is not in each
        numa[n] += "own0 %d\nown1 %d\n" % (600 + n, 400 - n)
    others = {"%d-CpuUsage.data.slice_0" % (100 + k): [
        "TimeStamp:%d\nIndex:%d\nDataLen:0\n%d (other) S 1 1%s %d 0 0 0%s\nProcessName:other\ncpu  %d 0 0 0 0 0 0 0 0 0\n\n" %
        (RAW + n * INTERVAL * 1000, n, 100 + k, " 0" * 8, (k + 1) * n, " 0" * 30, 1000 * n) for n in range(SAMPLES)]
        for k in range(OTHERS)}
    slices = {**others, "ascprof.numa.slice_0": numa[:2], "ascprof.numa.slice_1": numa[1:], "ascprof.pmus.slice_0": pmus[:9], "ascprof.pmus.slice_1": pmus[8:], "ascprof.disks.slice_0": disks[:3], "ascprof.disks.slice_1": disks[2:],
              "ascprof.counters.slice_0": own[:12], "ascprof.counters.slice_1": own[11:],
              "ascprof.sys_counters.slice_0": machine,
              "host_syscall.data.slice_0": ["%d.%06d ( 0.000000 ms): ascprof/4242 anchor()\n" % divmod(RAW, 10**6)] +
              ["%d.%06d ( %d.%06d ms): probe/%d %s(ret: -1)\n" % (divmod(RAW + begin, 10**6) + divmod(ns, 10**6) + (tid, name))
               for name, tid, begin, ns in CALLS] + ["5000000.0"]}   # and half a line of a killed program
    for n, part in enumerate((PTHREAD_CALLS[:1], PTHREAD_CALLS[1:])):    # each slice begins with the line for the clock
        slices["host_pthreadcall.data.slice_%d" % n] = [
            "[pid 4242] %d.%09d ascprof->pthread_once() = 0 <0.000000000>\n" % divmod(RAW, 10**9)] + [
            "[pid %d] %d.%09d probe->%s() = 0 <0.%09d>\n" % ((tid,) + divmod(RAW + begin, 10**9) + (name, ns))
            for name, tid, begin, ns in part]
    for name, parts in slices.items():
        with open(os.path.join(data, name), "w", encoding="utf-8") as file:
            file.write("".join(parts))


def check_tables(folder, names):
    for name in names:
        path = os.path.join(folder, name + ".csv")
        if not os.path.exists(path):
            wrong.append(name + ".csv: not there")
            continue
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        need(name + " rows", len(rows), len(TABLES[name]))
        for row, expected in zip(rows, TABLES[name]):
            need(name + " part", row[0], "host")
            need(name + " columns", len(row), len(expected) + 1)
            for n, (a, b) in enumerate(zip(row[1:], expected)):
                need("%s column %d" % (name, n + 2), a, b)


def check_series(events, origin, name, key, values, first=0):
    got = [(round((origin + e["ts"] * 1000) / 1000), e["args"][key]) for e in events
           if e["ph"] == "C" and e["name"] == name]
    need(name + " points", len(got), len(values))
    for n, ((us, value), expected) in enumerate(zip(got, values)):
        need("%s time %d" % (name, n), us, WALL + (n + first) * INTERVAL)
        need("%s value %d" % (name, n), value, float(expected))


def check_trace(path, extras):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    whole, _, part = next(e for e in events if e["name"] == "ascprof_origin")["args"]["wall_clock_us"].partition(".")
    origin = int(whole) * 1000 + int(part)
    n = SAMPLES - 1
    for name, value in (("CPU 0", 50), ("CPU 1", 100), ("CPU Avg", 75), ("Network Usage", 375000 / 0.02 / 125e6 * 100)):
        check_series(events, origin, name, "Usage(%)", [value] * n)
    check_series(events, origin, "Memory Usage", "Usage(%)", [(1000 + k) * 4 / 8e6 * 100 for k in range(1, SAMPLES)])
    check_series(events, origin, "Disk Read", "Read(KB/s)", [10 + k for k in range(SAMPLES)])
    check_series(events, origin, "Disk Write", "Write(KB/s)", [20 + k for k in range(SAMPLES)])
    check_series(events, origin, "Disk Usage", "Usage(%)", [1] * SAMPLES)
    for name, value in (("Machine User", 10), ("Machine Sys", 5), ("Machine Idle", 85)):
        check_series(events, origin, name, "Share(%)", [value] * n)
    check_series(events, origin, "Machine Memory Free", "KB", [4000000 - k for k in range(SAMPLES)])
    check_series(events, origin, "Process 4242 probe", "Share(%)", [1.5] * n)
    if not extras:
        return
    check_series(events, origin, "Process cycles", "per second", [100 / 0.02] * n)
    check_series(events, origin, "Machine context-switches", "per second", [3 / 0.02] * n)
    check_series(events, origin, "NUMA Node 0 Free", "KB", [4000 - k for k in range(n)])
    check_series(events, origin, "NUMA Node 0 Local", "pages/s", [8 / 0.02] * n)
    check_series(events, origin, "NUMA Node 0 Remote", "pages/s", [2 / 0.02] * n)
    for k in range(OTHERS):     # as many as took most, with that of the program
        check_series(events, origin, "Process %d other" % (100 + k), "Share(%)", [(k + 1) / 10] * n if k > OTHERS - 8 else [])
    own = [round(e["args"]["KB"]) for e in events if e["ph"] == "C" and e["name"] == "NUMA Node 1 Process"]
    need("NUMA Node 1 Process", own, [400, 396, 392, 388, 384])
    check_series(events, origin, "DDR controller flux_rd", "MB/s", [300 * 32 / 0.02 / 2**20] * n)
    check_series(events, origin, "PCIe root of NPU 0 rx_mrd_time", "ns/s", [1000 / 0.02] * n)
    check_series(events, origin, "Disk sda Read", "Read(KB/s)", [100 / 0.02] * n)
    check_series(events, origin, "Disk sda Write", "Write(KB/s)", [2 / 0.02] * n)
    check_series(events, origin, "Disk sda Busy", "Busy(%)", [25] * n)
    got = sorted((e["tid"], e["name"], origin + round(e["ts"] * 1000), round(e["dur"] * 1000)) for e in events
                 if e["ph"] == "X" and "event_type" not in e["args"] and "@" not in e["name"])
    need("calls", got, sorted((tid, name, WALL * 1000 + begin, ns) for name, tid, begin, ns in CALLS + PTHREAD_CALLS
                              if name != "newfstatat"))


def check_db(path, extras):
    """The same numbers, under the names of the public schema."""
    db = sqlite3.connect(path)
    stamps = [(WALL + n * INTERVAL) * 1000 for n in range(SAMPLES)]
    n = SAMPLES - 1
    disk = [(stamps[k], (10 + k) * 1024, (20 + k) * 1024, 1) for k in range(SAMPLES)]
    for table, rows in (("CPU_USAGE", [(t, cpu, share) for cpu, share in ((0, 50), (1, 100)) for t in stamps[:n]]),
                        ("HOST_MEM_USAGE", [(stamps[k - 1], (1000 + k) * 4 / 8e6 * 100) for k in range(1, SAMPLES)]),
                        ("HOST_DISK_USAGE", disk),
                        ("HOST_NETWORK_USAGE", [(t, 375000 / 0.02 / 125e6 * 100, 375000 / 0.02) for t in stamps[:n]])):
        got = list(db.execute("select * from " + table))
        need(table + " rows", len(got), len(rows))
        for row, expected in zip(got, rows):
            for a, b in zip(row, expected):
                need(table, a, b if isinstance(b, int) and b > 1e9 else float(b))
    if extras:
        calls = db.execute("select value, globalTid, startNs, endNs from OSRT_API join STRING_IDS on name = id")
        need("OSRT_API", sorted(calls), sorted((name, 4242 << 32 | tid, WALL * 1000 + begin, WALL * 1000 + begin + ns)
                                               for name, tid, begin, ns in CALLS + PTHREAD_CALLS if name != "newfstatat"))


def main():
    if sys.argv[1] == "plant":
        plant(sys.argv[2])
        return 0
    if "host_counters" in sys.argv[5:]:
        TABLES["process_cpu_usage"] += [[str(100 + k), "other", str(round((k + 1) * 0.095, 3))] for k in reversed(range(OTHERS))]
    check_tables(sys.argv[2], sys.argv[5:])
    check_trace(sys.argv[3], "host_counters" in sys.argv[5:])
    if os.path.exists(sys.argv[4]):
        check_db(sys.argv[4], "host_counters" in sys.argv[5:])
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
