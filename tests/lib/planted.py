#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the device files of a result directory that was recorded from the stand-in
for the vendor's library (tests/hal): every record of every kind, decoded by the tables
of the format, must hold what the stand-in planted, without gaps.

  planted.py [--lossy] [--listing] PROF_DIRECTORY...

Prints a line for each kind: tag, records, bytes. --lossy: records may lack (whole ones).
--listing: a digest of the bytes as well, and what the control files say of the chip.
The accounts have to agree with the files. Exit 1 on a problem.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import struct
import sys

(HBM, DDR, LLC, ACC, AICORE, PCIE, NIC, ROCE, HCCS, DVPP, MEM, MODULE, QOS, LINK, SIO, TASK, L2, SOC_PMU,
 AICPU, FFTS, POWER, UB) = range(1, 23)
MAGIC = 0x6BD3
READS = (0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36)
WRITES = (0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37)
ANY = object()      # a field whose value depends on time
WRAP32 = 1 << 32


def count(kind, unit, event, k):
    return kind * 100000 + unit * 1000 + event * 10 + k % 7


def core(kind, unit, i, k):
    return count(kind, unit, i, k) * (i + 1)


class Context:
    def __init__(self, folder):
        self.folder = folder
        with open(glob.glob(os.path.join(folder, "info.json.*[0-9]"))[0], encoding="utf-8") as file:
            self.info = json.load(file)
        with open(os.path.join(folder, "sample.json"), encoding="utf-8") as file:
            self.sample = json.load(file)
        self.chip = int(self.info["platform_version"])
        self.sampled = self.sample["ai_core_profiling_mode"] == "sample-based"


class Kind:
    """Records of one file: their layout, and what those of period k hold (ANY where it is a time)."""

    def __init__(self, fmt, stamp, records, stamp_bits=64):
        self.struct = struct.Struct("<" + fmt)
        self.stamp, self.records, self.stamp_bits = stamp, records, stamp_bits

    def check(self, data, context, lossy):
        size, problems = self.struct.size, []
        if len(data) % size:
            problems.append("%d bytes are no whole records of %d" % (len(data), size))
        rows = [self.struct.unpack_from(data, at) for at in range(0, len(data) - size + 1, size)]
        at, k, stamps = 0, 1, []
        while at < len(rows):
            expected = self.records(context, k)
            found = 0
            for row in expected:
                if at < len(rows) and all(want is ANY or want == have for want, have in zip(row, rows[at])):
                    stamps.append((k, rows[at][self.stamp])) if self.stamp is not None else None
                    at += 1
                    found += 1
                elif not lossy:
                    problems.append("record %d of period %d is %r, expected %r" %
                                    (at, k, rows[at] if at < len(rows) else None, row))
                    return rows, problems
            k += 1
            if k > 10 * len(rows) + 1000:
                problems.append("record %d is none of those that were planted: %r" % (at, rows[at]))
                break
        if not lossy:
            problems += self.check_stamps(stamps)
        return rows, problems

    def check_stamps(self, stamps):
        """Of one period, the same; from one to the next, the same distance."""
        first = {}
        for k, stamp in stamps:
            first.setdefault(k, stamp)
        ks = sorted(first)
        if len(ks) < 3:
            return []
        whole = 1 << self.stamp_bits
        period = ((first[ks[-1]] - first[ks[0]]) % whole) / (ks[-1] - ks[0])
        for k in ks[1:]:
            if abs((first[k] - first[ks[0]]) % whole - (k - ks[0]) * period) > 2 + 0.0005 * period:
                return ["stamp of period %d is %d, expected %d + %d periods of %.1f" %
                        (k, first[k], first[ks[0]], k - ks[0], period)]
        return []


def hbm(_, k):
    return [(ANY, count(HBM, unit, event, k), event, unit) for unit in range(4) for event in range(2)]


def ddr(_, k):
    return [(ANY, count(DDR, unit, event, k), event, unit, 0xFFFFFFFF) for unit in range(2) for event in range(2)]


def llc(context, k):
    events = WRITES if context.sample["llc_profiling"] == "write" else READS
    units = {5: 2, 7: 1}.get(context.chip, 4)
    return [(ANY, count(LLC, unit, event, k), event, unit) for unit in range(units) for event in events]


def memory(event):
    return lambda _, k: [(ANY, event, 0, 1024 * count(MEM, event, 0, k), 1024 * count(MEM, event, 1, k))]


def modules(_, k):
    return [(module, 0, ANY, 1024 * count(MODULE, module, 0, k)) for module in range(2)]


def qos(_, k):
    return [(0, 0, 0, ANY) + tuple(count(QOS, 0, i, k) for i in range(10))]


def pcie(_, k):
    return [(ANY, 0) + tuple(count(PCIE, 0, i, k) for i in range(21))]


def unified_bus(_, k):
    return [(0, 0, 0, 0, ANY) + tuple(count(UB, 0, i, k) for i in range(14))]


def soc_profile(context, k):
    """64 bytes: u16 head, u16 magic, u32, u64 counter, and 48 bytes by the kind of record."""
    late = context.chip in (15, 16)
    rows = []

    def row(head, body):
        rows.append((head, MAGIC, 0, ANY, body))
    for unit in range(3):
        row(0x1A, struct.pack("<HH3I4Q", 0, unit, 0, 0, 0, *(count(ACC, unit, i, k) for i in range(4))))
    row(0x1C, struct.pack("<4IHH7I", 0, 0, 0, 0, (k % 8) | (k % 256) << 3, 0, *[0] * 7))
    for die in range(2 if late else 0):
        row(0x18 | die << 10, struct.pack("<Q10I", 0, *(count(QOS, die, i, k) for i in range(10))))
    for i in range(2 if context.links else 0):
        values = count(LINK, i, 0, k), count(LINK, i, 1, k)
        if late:
            row(0x1B | i << 10, struct.pack("<2Q8I", *values, *[0] * 8))
        else:
            row(0x1B | (0x22, 0x3F)[i] << 10, struct.pack("<2H3I2Q4I", 0, 0, 0, 0, 0, *values, *[0] * 4))
    for die in range(2 if context.links else 0):
        values = [count(SIO, die, i, k) for i in range(8)]
        if late:
            row(0x19 | die << 10, struct.pack("<QI4II4I", 0, 0, *values[:4], 0, *values[4:]))
        else:
            row(0x19, struct.pack("<HH11I", 0, die, 0, 0, 0, *values))
    return rows


def sampled_core(counters):
    return lambda _, k: [(1, 0, 0, 0, 0) + tuple(core(AICORE, unit, i, k) for i in range(counters + 1)) +
                         (ANY, counters, unit) + (0,) * 6 for unit in range(2)]


def task_core(_, k):
    return [((k & 15) << 4, 0, 0, k & 0xFFFF, 0, 0, 0, core(AICORE, 0, 8, k), 0) +
            tuple(core(AICORE, 0, i, k) for i in range(8)) + (0,) * 8]


def logged_core(_, k):
    return [(0, 4, 112, 0, 1, k & 0xFFFF, 0, 0, ANY) + tuple(core(AICORE, 0, i, k) for i in range(9)) +
            (ANY, 0, 0, 0, 0)]


def ffts_task(_, k):
    return [(0x28, MAGIC, 1, k & 0xFFFF, ANY, 0, 0, 0, 0, 0, core(FFTS, 0, 8, k), 0) +
            tuple(core(FFTS, 0, i, k) for i in range(8)) + (ANY, ANY)]


def ffts_task_950(_, k):
    return [(0x2A, MAGIC, 1, k & 0xFFFF, core(FFTS, 0, 10, k), 0, 1) + (0,) * 7 +
            tuple(core(FFTS, 0, i, k) for i in range(10)) + (ANY, ANY)]


def hwts(_, k):
    return [(end | (2 * k + end & 15) << 4, 0, 0, k & 0xFFFF, 0, ANY, 1) + (0,) * 11 for end in range(2)]


def soc_log(rest):
    return lambda _, k: [(end | (2 * k + end & 15) << 6, MAGIC, 1, k & 0xFFFF, ANY) + (0,) * rest
                         for end in range(2)]


def flips(context, k):
    if context.chip == 0:
        return [(1, 11, 40, 0, ANY, 1, k & 0xFFFF, k % 2, 0, bytes(16))]
    return [(1, 14, 40, 0, ANY, 1, k & 0xFFFF, 65535, 0, bytes(16))]


def l2_cache(_, k):
    return [(0, 1, k & 0xFFFF, 0) + tuple(count(L2, 0, i, k) for i in range(8))]


def soc_pmu_950(_, k):
    return [(0,) * 6 + (1 + k % 2, 0, 1, k) + tuple(count(SOC_PMU, 0, i, k) for i in range(8))]


def soc_pmu(_, k):
    return [(0,) * 8 + (0, 1, k & 0xFFFF, 1 + k % 2) + tuple(count(SOC_PMU, 0, i, k) for i in range(8))]


def aicpu(_, k):
    return [(0x5A5A, 6000, 0, 0, 232, ANY, 1, k & 0xFFFF, 0) + (ANY,) * 7 + (0,) * 21]


def power(_, k):
    return [(1, 0, ANY, 800 + count(POWER, 0, 0, k) % 7 * 100, bytes(868))]


class Lines:
    """A header, then lines with a stamp `seconds:nanoseconds`."""

    def __init__(self, records):
        self.records = records

    def check(self, data, context, lossy):
        problems, lines = [], data.decode("ascii").splitlines(True)
        if lines and not lines[-1].endswith("\n"):
            problems.append("the last line is not whole: %r" % lines[-1])
        rows = [line.split() for line in lines]
        if not lossy and (not rows or re.match(r"\d", rows[0][0])):
            problems.append("no header: %r" % (lines[:1],))
        rows = [row for row in rows if re.match(r"\d", row[0])]
        at, k = 0, 1
        while at < len(rows) and not problems:
            for want in self.records(context, k):
                have = rows[at] if at < len(rows) else [""]
                if re.fullmatch(r"\d+:\d{9}", have[0]) and have[1:] == want:
                    at += 1
                elif not lossy:
                    problems.append("line %d is %r, expected %r" % (at, have, want))
                    break
            k += 1
            if k > 10 * len(rows) + 1000:
                problems.append("line %d is none of those that were planted: %r" % (at, rows[at]))
        return rows, problems


def hccs(_, k):
    return [[str(k * 1048576 * count(HCCS, 0, way, 0) // 1000) for way in range(2)]]


def network(kind):
    def records(_, k):
        words = ["1000"]
        for way in range(2):
            n = count(kind, 0, way, k)
            words += [str(n // 100), str(n), str(k * n // 100), str(k * n), "0", "0"]
        return [words + ["0"]]
    return records


def dvpp(context, k):
    first = ["0"] if context.chip not in (0, 2, 4) else []
    return [first + [str(engine), "0", str(count(DVPP, engine, 0, k)), str(k), "%d%%" % (10 + k % 7),
                     "10", "1", "5%", "10", "1"] for engine in range(5)]


def kind_of(tag, context):
    """What the chip's files hold: the tables of the format."""
    late = context.chip in (15, 16)
    if tag == "ffts_profile.data" and context.sampled:
        n = 10 if late else 8
        return Kind("BBHHH%dQQQBB6B" % n, 5 + n + 1, sampled_core(n))
    return {
        "hbm.data": Kind("QQII", 0, hbm),
        "ddr.data": Kind("5I", 0, ddr, 32),
        "llc.data": Kind("QQII", 0, llc),
        "npu_mem.app": Kind("IIQQQ", 0, memory(0), 32),
        "npu_mem.data": Kind("IIQQQ", 0, memory(1), 32),
        "npu_module_mem.data": Kind("IIQQ", 2, modules),
        "qos.data": Kind("2I2Q10I", 3, qos),
        "pcie.data": Kind("Q22I", 0, pcie),
        "ub.data": Kind("4H15Q", 4, unified_bus),
        "stars_soc_profile.data": Kind("HHIQ48s", 3, soc_profile),
        "aicore.data": (Kind("BBHHH8QQQBB6B", 14, sampled_core(8)) if context.sampled else
                        Kind("BBHIHHHHQ8QQQHHHH", 8, logged_core) if context.chip == 0 else
                        Kind("BBHHHII10Q8I", None, task_core)),
        "aiVectorCore.data": (Kind("BBHHH8QQQBB6B", 14, sampled_core(8)) if context.sampled else
                              Kind("BBHHHII10Q8I", None, task_core)),
        "ffts_profile.data": (Kind("4HQ2BH2B3HI12Q", 24, ffts_task_950) if late else
                              Kind("4HQ4HQ12Q", 4, ffts_task)),
        "hwts.data": Kind("BBHHHQ12I", None, hwts),
        "stars_soc.data": Kind("4HQ" + ("HH3I" if late else "HH11I"), None, soc_log(5 if late else 13)),
        "ts_track.data": Kind("BBHIQHHHH16s", 4, flips),
        "l2_cache.data": Kind("4H8Q", None, l2_cache),
        "socpmu.data": Kind("6B3HI8Q", None, soc_pmu_950) if late else Kind("8B4H8Q", None, soc_pmu),
        "aicpu.data": Kind("HHIIIQHHI28Q", 5, aicpu),
        "lpmFreqConv.data": Kind("IIQI868s", 2, power),
        "hccs.data": Lines(hccs), "nic.data": Lines(network(NIC)), "roce.data": Lines(network(ROCE)),
        "dvpp.data": Lines(dvpp), "dvpp.venc": Lines(dvpp), "dvpp.vdec": Lines(dvpp), "dvpp.vpc": Lines(dvpp),
    }.get(tag)


# Which account is of which file, where the name does not tell.
ACCOUNTS = {"app_mem": "npu_mem.app", "npu_mem": "npu_mem.data", "module_mem": "npu_module_mem.data",
            "soc_profile": "stars_soc_profile.data", "low_power": "lpmFreqConv.data", "soc_log": "stars_soc.data",
            "ffts_task": "ffts_profile.data", "ffts_sample": "ffts_profile.data", "soc_pmu": "socpmu.data",
            "aiv": "aiVectorCore.data", "cus_aicpu": "aicpu.data"}


def check_accounts(prof, sizes):
    """produced = written + dropped; what is written is in the files, and nothing else."""
    problems = []
    with open(os.path.join(prof, "ascprof.json"), encoding="utf-8") as file:
        accounts = [a for a in json.load(file)["accounting"] if a.get("unit") == "bytes"]
    for account in accounts:
        kind, dropped = account["kind"], account["dropped"]
        tag = ACCOUNTS.get(kind) or (kind.replace("_", ".") if kind.startswith("dvpp_") else kind + ".data")
        size = sizes.pop((account["device"], tag), 0)
        lost = {reason: n for reason, n in dropped.items() if n}
        if lost:
            print("lost %s device %d of %d: %s" % (kind, account["device"], account["produced"], lost))
        if account["produced"] != account["written"] + sum(dropped.values()):
            problems.append("account of %s: %r does not add up" % (kind, account))
        if account["written"] != size:
            problems.append("account of %s: %d bytes written, the file has %d" % (kind, account["written"], size))
    return problems + ["%s of device %d has no account" % (tag, device) for device, tag in sizes]


def files_of(folder):
    """Bytes of each tag, of all its slices in order."""
    found = {}
    for path in glob.glob(os.path.join(folder, "data", "*.slice_*")):
        match = re.fullmatch(r"(\w+\.\w+)\.\d+\.slice_(\d+)", os.path.basename(path))
        if match:
            found.setdefault(match[1], []).append((int(match[2]), path))
    for tag, slices in sorted(found.items()):
        data = b""
        for _, path in sorted(slices):
            with open(path, "rb") as file:
                data += file.read()
        yield tag, data


def listing(context):
    device = context.info["DeviceInfo"][0]
    yield "chip %d, counter %s MHz, cores %s of %s MHz" % (context.chip, device["hwts_frequency"],
                                                          device["ai_core_num"], device["aic_frequency"])
    yield "cores: %s %s %s, LLC %s, QoS %s" % tuple(context.sample[key] for key in (
        "ai_core_profiling_mode", "ai_core_metrics", "ai_core_profiling_events", "llc_profiling", "qosEvents"))


def check(folder, options, sizes):
    context = Context(folder)
    context.links = context.sample["interconnection_sampling_interval"] != 0
    bad = 0
    for line in listing(context) if options.listing else ():
        print(line)
    for tag, data in files_of(folder):
        sizes[int(context.info["devices"]), tag] = len(data)
        kind = kind_of(tag, context)
        if not kind:
            print("BAD %s/%s: a kind that nobody knows" % (folder, tag))
            bad += 1
            continue
        rows, problems = kind.check(data, context, options.lossy)
        digest = " " + hashlib.sha256(data).hexdigest()[:16] if options.listing else ""
        print("%s %d %d%s" % (tag, len(rows), len(data), digest))
        for problem in problems:
            print("BAD %s/%s: %s" % (folder, tag, problem[:500]))
        bad += len(problems)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--lossy", action="store_true")
    parser.add_argument("--listing", action="store_true")
    options = parser.parse_args()
    bad = 0
    for prof in options.folder:
        sizes = {}
        for folder in sorted(glob.glob(os.path.join(prof, "device_*"))):
            bad += check(folder, options, sizes)
        for problem in check_accounts(prof, sizes):
            print("BAD %s: %s" % (prof, problem))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
