#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the slices of host data in a PROF directory against docs/format.md.

  hostcheck.py PROF_DIR [MINIMUM=NUMBER...]

Prints what is wrong, else what was seen between the first and the last sample.
MINIMUM is one of the names printed: less than that is wrong, too.
"""
import json
import os
import re
import sys

# the file's tag (behind the process's number, if it begins with '-'): the kind in the account
KINDS = {"host_cpu.data": "host_cpu", "host_mem.data": "host_mem", "host_disk.data": "host_disk",
         "ascprof.disks": "disks", "ascprof.pmus": "pmus", "ascprof.numa": "numa", "host_network.data": "host_network", "ascprof.counters": "counters",
         "host_sys_cpu.data": "sys_cpu", "host_sys_mem.data": "sys_mem", "-CpuUsage.data": "process_cpu",
         "-Memory.data": "process_mem", "host_syscall.data": "syscall", "host_pthreadcall.data": "pthread",
         "ascprof.sys_counters": "sys_counters"}
OVERLAP = {"disks", "pmus", "numa", "host_cpu", "host_mem", "host_network", "counters", "sys_counters"}
SLICE = re.compile(r"(\d*)(%s)\.slice_(\d+)" % "|".join(re.escape(tag) for tag in KINDS))
NUMBER = r"\d+"
STAT = re.compile(r"\d+ \([^\s:]*\) [A-Za-z]( -?\d+)*")
DISK = re.compile(r"\d\d:\d\d:\d\d \d+ (?:be|rt|id)/[0-7] \d+ \d+\.\d\d K/s \d+\.\d\d K/s \?unavailable\? \S.*")
MEMINFO = {"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "Shmem", "CommitLimit", "Committed_AS",
           "HugePages_Total", "HugePages_Free"}


class Wrong(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Wrong(what)


def samples_of(kind, text):
    """The samples of a slice, as lists of lines."""
    need(text.endswith("\n"), "half a line at the end")
    lines = text[:-1].split("\n")
    begins = {"host_mem": lambda line: True, "host_disk": lambda line: not line.startswith("start_time "),
              "sys_cpu": lambda line: line.startswith("TimeStamp:")}
    for other in ("sys_mem", "process_cpu", "process_mem"):
        begins[other] = begins["sys_cpu"]
    if kind == "syscall":
        need(re.fullmatch(r"\d+\.\d{6} \( 0\.000000 ms\): ascprof/\d+ anchor\(\)", lines[0]), repr(lines[0]))
        return [[line] for line in lines[1:]]
    if kind == "pthread":
        need(re.fullmatch(r"\[pid \d+\] \d+\.\d{9} ascprof->pthread_once\(\) = 0 <0\.000000000>", lines[0]), repr(lines[0]))
        return [[line] for line in lines[1:]]
    begin = begins.get(kind, lambda line: line.startswith("time "))
    if kind == "host_disk":
        need(re.fullmatch(r"start_time \d+", lines[0]), "no start_time: %r" % lines[0])
        lines = lines[1:]
    samples = []
    for line in lines:
        if begin(line):
            samples.append([])
        need(samples, "begins with %r" % line)
        samples[-1].append(line)
    return samples


def check_time(sample):
    need(re.fullmatch(r"time \d+", sample[0]), repr(sample[0]))
    return int(sample[0].split()[1])


def check_cpu(sample):
    ns = check_time(sample)
    need(re.fullmatch(r"\d+\.\d\d \d+\.\d\d", sample[1]), repr(sample[1]))
    need(len(sample) > 2, "no thread")
    ticks = 0
    for line in sample[2:]:
        need(STAT.fullmatch(line) and len(line.split()) == 39, repr(line))
        ticks += int(line.split()[13]) + int(line.split()[14])
    return ns, {"cpu_ticks": ticks}


def check_mem(sample):
    words = sample[0].split(" ")
    need(len(words) == 8 and all(word.isdigit() for word in words), repr(sample[0]))
    return int(words[0]), {"resident": int(words[2])}


def check_disk(sample):
    need(len(sample) == 1 and DISK.fullmatch(sample[0]), repr(sample))
    return None, {"written_kb": float(sample[0].split()[6])}


def disks_in_use():
    try:
        with open("/proc/diskstats", encoding="utf-8") as file:
            return [w[2] for w in map(str.split, file) if int(w[3]) + int(w[7])]
    except OSError:
        return []


def check_disks(sample):
    ns = check_time(sample)
    values = {}
    need(len(sample) > 1 or not disks_in_use(), "no disk, where there are some")
    for line in sample[1:]:
        need(re.fullmatch(r"\S+ \d+ \d+ \d+", line), repr(line))
        values["disks_written"] = values.get("disks_written", 0) + int(line.split()[2])
    return ns, values


def check_network(sample):
    ns = check_time(sample)
    values = {}
    for line in sample[1:]:
        words = line.replace(":", ": ").split()
        need(len(words) == 17 and words[0].endswith(":") and all(word.isdigit() for word in words[1:]), repr(line))
        values[words[0][:-1] + "_bytes"] = int(words[1]) + int(words[9])
    return ns, values


def check_counters(sample):
    ns = check_time(sample)
    values = {}
    for line in sample[1:]:
        need(re.fullmatch(r"[\w-]+(:u)? \d+ \d+ \d+", line), repr(line))
        name, value, enabled, running = line.split()
        need(int(running) <= int(enabled), repr(line))
        values[name] = int(value)
    need(values, "no counter")
    return ns, values


def check_numa(sample):
    ns = check_time(sample)
    need(len(sample) > 1, "no node")
    own = [line for line in sample if line.startswith("own")]
    nodes = sample[1:len(sample) - len(own)]
    for line in nodes:
        words = line.split(" ")
        need(re.fullmatch(r"node\d+( \d+){7}", line) and int(words[2]) <= int(words[1]), repr(line))
    need(all(re.fullmatch(r"own\d+ \d+", line) for line in own), repr(own))
    values = {"numa_pages": sum(int(line.split(" ")[3]) for line in nodes)}
    if own:
        values["numa_own_kb"] = sum(int(line.split(" ")[1]) for line in own)
    return ns, values


def check_pmus(sample):
    ns = check_time(sample)
    values = {}
    for line in sample[1:]:
        match = re.fullmatch(r"(\S+/\S+) (\d+) (\d+) (\d+) [1-9]\d*/[1-9]\d* \w+ [\w:.]+", line)
        need(match and int(match[4]) <= int(match[3]), repr(line))
        values[match[1]] = int(match[2])
    need(values, "no counter")
    return ns, values


def block(sample):
    """Of a block with stamp, index, length and an empty line: stamp and lines."""
    heads = [re.fullmatch(name + r":(\d+)", line) for name, line in zip(("TimeStamp", "Index", "DataLen"), sample)]
    need(len(heads) == 3 and all(heads) and sample[-1] == "", "no block: %r" % sample[:4])
    lines = sample[3:-1]
    length = len("".join(line + "\n" for line in lines).encode())
    need(length == int(heads[2][1]), "DataLen:%s, there are %d bytes" % (heads[2][1], length))
    return int(heads[0][1]), lines


def check_sys_cpu(sample):
    ns, lines = block(sample)
    need(lines[0].startswith("cpu ") and all(re.fullmatch(r"cpu\d* ( ?\d+)+", line) for line in lines), repr(lines))
    return ns, {"machine_ticks": sum(map(int, lines[0].split()[1:9]))}


def check_sys_mem(sample):
    ns, lines = block(sample)
    need({line.split(":")[0] for line in lines} == MEMINFO, repr(lines))
    return ns, {}


def check_process_cpu(sample):
    ns, lines = block(sample)
    need(len(lines) == 3 and STAT.fullmatch(lines[0]) and len(lines[0].split()) >= 44 and
         lines[1].startswith("ProcessName:") and re.fullmatch(r"cpu ( \d+){8,}", lines[2]), repr(lines))
    return ns, {"process_ticks": sum(map(int, lines[0].split()[13:15]))}


def check_process_mem(sample):
    ns, lines = block(sample)
    need(len(lines) == 2 and re.fullmatch(r"\d+( \d+){6}", lines[0]) and lines[1].startswith("ProcessName:"), repr(lines))
    return ns, {"process_resident": int(lines[0].split()[1])}


def check_call(sample):
    match = re.fullmatch(r"\d+\.\d{6} \( \d+\.\d{6} ms\): [^\s:/(]+/\d+ (\w+)\(ret: -?\d+\)", sample[0])
    need(match, repr(sample[0]))
    return None, {match[1] + "_calls": 1}


def check_pthread_call(sample):
    match = re.fullmatch(r"\[pid \d+\] \d+\.\d{9} [^\s>]+->(pthread_\w+)\(\) = -?\d+ <\d+\.\d{9}>", sample[0])
    need(match and match[1] != "pthread_once", repr(sample[0]))
    return None, {match[1] + "_calls": 1}


CHECKS = {"syscall": check_call, "pthread": check_pthread_call, "host_cpu": check_cpu, "host_mem": check_mem, "host_disk": check_disk, "disks": check_disks,
          "host_network": check_network,
          "counters": check_counters, "sys_counters": check_counters, "pmus": check_pmus, "numa": check_numa, "sys_cpu": check_sys_cpu,
          "sys_mem": check_sys_mem, "process_cpu": check_process_cpu, "process_mem": check_process_mem}


def read(folder):
    """Texts of the slices, by kind and process, and by number."""
    found = {}
    for name in os.listdir(folder):
        match = SLICE.fullmatch(name)
        if match and bool(match[1]) == match[2].startswith("-"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found.setdefault((KINDS[match[2]], match[1]), {})[int(match[3])] = file.read()
    return found


def check_slices(kind, slices, seen):
    """Samples and their stamps."""
    total, stamps, last, first = 0, [], None, {}
    for k in sorted(slices):
        samples = samples_of(kind, slices[k])
        if kind in OVERLAP and k and last is not None:
            need(samples[0] == last, "slice %d does not begin with the last sample before it" % k)
        if kind in OVERLAP and k:
            samples = samples[1:]
        for sample in samples:
            ns, values = CHECKS[kind](sample)
            if ns is not None:
                stamps.append(ns)
            for name, value in values.items():
                first.setdefault(name, value)
                if kind == "host_disk":
                    seen[name] = seen.get(name, 0) + value / 50
                elif kind in ("syscall", "pthread"):
                    seen[name] = seen.get(name, 0) + 1
                else:
                    seen[name] = max(seen.get(name, 0), value - first[name])
            last = sample
        total += len(samples)
    need(stamps == sorted(set(stamps)), "stamps do not rise")
    return total, stamps


def check_kind(kind, files, account, failed, pid, seen):
    """@files: slices by the number of the process, which is this one's where it is seen."""
    total, stamps = 0, []
    for of, slices in files.items():
        values = {}
        number, times = check_slices(kind, slices, values)
        total += number
        stamps += times
        for name, value in values.items():
            name = name if of in ("", str(pid)) else "others_" + name
            seen[name] = max(seen.get(name, 0), value)
    stamps.sort()
    if account:
        need(total == account["written"], "%d samples, the account says %d" % (total, account["written"]))
        need(not stamps or (account["first_ns"] <= stamps[0] and (stamps[-1] == account["last_ns"] or
                                                                 failed and stamps[-1] < account["last_ns"])),
             "stamps %s to %s, the account says %d to %d" % (stamps[:1], stamps[-1:], account["first_ns"],
                                                           account["last_ns"]))


def check(prof, summary, running, seen):
    """Problems as texts."""
    accounts = {} if running else {a["kind"]: a for a in summary.get("accounting", []) if a["device"] < 0}
    problems = []
    found = {}
    for (kind, process), slices in read(os.path.join(prof, "host", "data")).items():
        if running:     # one that was begun when the program was killed is empty
            slices = {k: text for k, text in slices.items() if text}
        found.setdefault(kind, {})[process] = slices
    for kind, files in sorted(found.items()):
        try:
            if not running:
                need(kind in accounts, "no accounting")
            check_kind(kind, files, accounts.get(kind), bool(summary.get("error")), summary["pid"], seen)
        except Wrong as wrong:
            problems.append("%s: %s" % (kind, wrong))
    for kind in set(CHECKS) & set(accounts) - set(found):
        if accounts[kind]["written"]:
            problems.append("%s: no file, the account says %d samples" % (kind, accounts[kind]["written"]))
    return problems


def main():
    prof, seen = sys.argv[1], {}
    with open(os.path.join(prof, "ascprof.json"), encoding="utf-8") as file:
        summary = json.load(file)
    problems = check(prof, summary, summary["state"] == "running", seen)
    for name, minimum in (pair.split("=") for pair in sys.argv[2:]):
        if seen.get(name, 0) < float(minimum):
            problems.append("%s is %s, expected %s" % (name, seen.get(name), minimum))
    for problem in problems:
        print(problem)
    print(" ".join("%s=%d" % item for item in sorted(seen.items())))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
