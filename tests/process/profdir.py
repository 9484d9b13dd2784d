#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks PROF directories against docs/format.md: names, modes, control files,
slices, rows, and the accounting equation.

  profdir.py [options] DIR...   each DIR is a PROF directory, or holds some

Prints every problem, the number of directories, and the sums of each kind of
annotation as `kind NAME produced written dropped open`. Exit 1 on a problem.
"""
import argparse
import json
import os
import re
import stat
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import hostcheck    # noqa: E402
import profdir_reports as reports    # noqa: E402

PROF = re.compile(r"PROF_\d{6}_\d{17}_(\d{8})[A-R]{8}")
PART = re.compile(r"host|device_(0|[1-9]\d?)")
# Files of a device, and bytes that divide their records; those of channels that the driver
# gives, whose content tests/lib/planted.py looks at, among them. Lines are in one slice.
DEVICE_BYTES = {"llc.data": 24, "hbm.data": 24, "stars_soc_profile.data": 64, "ddr.data": 20, "npu_mem.app": 32,
                "npu_mem.data": 32, "npu_module_mem.data": 24, "qos.data": 64, "pcie.data": 96, "ub.data": 128,
                "lpmFreqConv.data": 888, "ts_track.data": 8, "hwts.data": 64, "stars_soc.data": 32,
                "aicore.data": 16, "aiVectorCore.data": 16, "ffts_profile.data": 16, "aicpu.data": 256,
                "l2_cache.data": 72, "socpmu.data": 80}
DEVICE_LINES = ("nic.data", "roce.data", "hccs.data", "dvpp.data", "dvpp.venc", "dvpp.jpege", "dvpp.vdec",
                "dvpp.jpegd", "dvpp.vpc", "dvpp.png", "dvpp.scd")
SLICE = re.compile(r"(?P<tag>(?:un)?aging\.additional\.(?:msproftx|hash_dic)|"
                   r"(?:un)?aging\.(?:api_event\.data|compact\.[\w.-]+|additional\.[\w.-]+)|"
                   r"host_(?:cpu|mem|disk|network|sys_cpu|sys_mem|syscall|pthreadcall)\.data|\d+-(?:CpuUsage|Memory)\.data|"
                   r"ascprof\.(?:(?:sys_)?counters|disks|pmus|numa)|"
                   r"(?:%s)\.(?P<device>\d+))\.slice_(?P<k>0|[1-9]\d*)" %
                   "|".join(map(re.escape, (*DEVICE_BYTES, *DEVICE_LINES))))
SLICE_MAX = 2 << 20
HOST_LINES = ("CpuUsage", "Memory", "host_cpu", "host_mem", "host_disk", "host_network", "host_sys_cpu", "host_sys_mem",
              "host_syscall", "host_pthreadcall", "ascprof.counters", "ascprof.sys_counters", "ascprof.disks", "ascprof.pmus", "ascprof.numa")
ROW_BYTES = {"msproftx": 256, "hash_dic": 1, **DEVICE_BYTES, **dict.fromkeys(DEVICE_LINES + HOST_LINES, 1)}
KINDS = ("mark", "push_pop", "range", "mstx_mark", "mstx_range", "mark_ex", "tensor_info") + reports.KINDS
MSTX = {0: "mstx_mark", 2: "mstx_range", 3: "mark_ex"}
HOST_REASONS = {"late", "unread", "write_error"}
REASONS = {"ring_full", "no_memory", "write_error", "reentrant"}
DEVICE_REASONS = {"ring_full", "write_error"}
TX = struct.Struct("<HHIIIQHHIHHIIIIi5Qi156s")
TENSORS = struct.Struct("<HHIIIQQI55I")
assert TX.size == TENSORS.size == 256

INFO = {"version": str, "OS": str, "hostname": str, "hwtype": str, "devices": str, "platform_version": str,
        "pid": str, "pid_name": str, "upTime": str, "memoryTotal": int, "cpuNums": int, "sysClockFreq": int,
        "cpuCores": int, "netCardNums": int,
        "rank_id": int, "CPU": list, "DeviceInfo": list, "netCard": list, "ascprofSource": str}
DEVICE = {"hwts_frequency": str, "aic_frequency": str, "aiv_frequency": str, "ai_core_num": int, "aiv_num": int}
SAMPLE = {"devices": str, "llc_profiling": str, "ai_core_profiling_mode": str, "msproftx": str,
          "ai_core_profiling": str, "ai_core_metrics": str, "ai_core_profiling_events": str,
          "aicore_sampling_interval": int, "aiv_profiling": str, "aiv_metrics": str,
          "aiv_profiling_events": str, "aiv_profiling_mode": str, "aiv_sampling_interval": int}
COLLECTION = {"collectionDateBegin": str, "collectionDateEnd": str, "collectionTimeBegin": str,
              "collectionTimeEnd": str, "clockMonotonicRaw": str}
SUMMARY = {"format": int, "version": str, "state": str, "pid": int, "comm": str, "error": str, "writer": dict,
           "clock": dict, "start": dict, "end": dict, "sources": list, "clocks": list, "accounting": list,
           "threads": list, "other_threads": int, "refused": int}
TEMPORARY = re.compile(r"\..*\.tmp")
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")


class Directory:
    def __init__(self, path, options):
        self.path, self.options = path, options
        self.problems = []
        self.rows = {kind: 0 for kind in KINDS}
        self.begin, self.end = 2**63, 0
        self.mark_ids, self.domains, self.dictionary = set(), set(), {}
        self.event = None   # the event of mstx whose rows are being read
        self.reports = reports.Reports(self.bad, self.rows)
        self.machine = ""
        self.summary = {}
        self.running = options.state == "running"

    def bad(self, where, what):
        self.problems.append(f"{self.path}/{where}: {what}".replace("/:", ":"))

    def mode(self, name, wanted):
        mode = stat.S_IMODE(os.lstat(os.path.join(self.path, name)).st_mode)
        if mode != wanted:
            self.bad(name, f"mode {mode:04o}, expected {wanted:04o}")

    def names(self, folder):
        """Regular files of a folder; modes are checked on the way, sub-folders returned apart."""
        files, folders = [], []
        for entry in sorted(os.scandir(os.path.join(self.path, folder)), key=lambda e: e.name):
            if self.running and TEMPORARY.fullmatch(entry.name):
                continue    # about to be renamed, or for ever when the program was killed
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
                self.mode(os.path.join(folder, entry.name), 0o750)
            elif entry.is_file(follow_symlinks=False):
                files.append(entry.name)
                self.mode(os.path.join(folder, entry.name), 0o640)
            else:
                self.bad(os.path.join(folder, entry.name), "neither file nor folder")
        return files, folders

    def text(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def json(self, name, keys):
        try:
            text = self.text(name).decode("utf-8")
            value = json.loads(text)
        except (OSError, ValueError) as error:
            self.bad(name, f"no JSON: {error}")
            return {}
        if "\n" in text.rstrip("\n") or text.count("\n") > 1:
            self.bad(name, "JSON of more than one line")
        self.keys(name, value, keys)
        return value

    def keys(self, name, value, keys):
        for key, kind in keys.items():
            if key not in value:
                self.bad(name, f"lacks the key {key}")
            elif not isinstance(value[key], kind) or isinstance(value[key], bool):
                self.bad(name, f"{key} is {value[key]!r}, expected {kind.__name__}")

    def check(self):
        match = PROF.fullmatch(os.path.basename(self.path))
        if not match:
            self.bad("", "name of no result directory")
        self.mode("", 0o750)
        files, folders = self.names("")
        for name in set(files) - {"ascprof.json"}:
            self.bad(name, "foreign file")
        self.check_summary(int(match[1]) if match else 0)
        for name in folders:
            if PART.fullmatch(name):
                self.check_part(name)
            else:
                self.bad(name, "foreign folder: fatal to the public parser")
        if "host" not in folders:
            self.bad("host", "missing")
        for source in self.summary.get("sources", []):
            self.keys("ascprof.json", source, {"device": int, "source": str, "note": str})
            if source["source"] != "none" and source["device"] >= 0 and f"device_{source['device']}" not in folders:
                self.bad(f"device_{source['device']}", "missing, though ascprof.json names its source")
            if source["source"] == "none" and not source["note"]:
                self.bad("ascprof.json", f"device {source['device']}: no word why it has no source")
        self.check_accounting()
        if "host" in folders and self.summary:
            for problem in hostcheck.check(self.path, self.summary, self.running, {}):
                self.bad("host/data", problem)
        if "threads" in self.summary:
            self.check_threads()

    def check_summary(self, pid):
        threads = {"threads", "other_threads"} if self.options.state == "repaired" else set()
        keys = {key: kind for key, kind in SUMMARY.items() if key not in threads}
        summary = self.summary = self.json("ascprof.json", keys)
        if not summary:
            return
        where = "ascprof.json"
        if summary["format"] != 1:
            self.bad(where, "format is not 1")
        if summary["state"] != self.options.state:
            self.bad(where, f"state {summary['state']}, expected {self.options.state}")
        if summary["pid"] != pid:
            self.bad(where, f"pid {summary['pid']}, in the name it is {pid}")
        if summary["writer"].get("backend") not in ("io_uring", "pwritev"):
            self.bad(where, f"writer {summary['writer']}")
        if not isinstance(summary["writer"].get("direct"), bool):
            self.bad(where, f"writer {summary['writer']}: direct is neither true nor false")
        if not (summary["writer"]["direct"] or summary["writer"]["reason"]):
            self.bad(where, f"writer {summary['writer']}: no word why not direct")
        if summary["clock"].get("source") not in ("tsc", "cntvct", "clock_monotonic_raw"):
            self.bad(where, f"clock {summary['clock']}")
        self.check_clocks(summary["clock"])
        if not 0 < summary["start"]["raw_ns"] < summary["start"]["real_ns"]:
            self.bad(where, f"start {summary['start']}")
        if not self.running and not summary["start"]["raw_ns"] < summary["end"]["raw_ns"]:
            self.bad(where, f"end {summary['end']} is not after start {summary['start']}")
        if bool(summary["error"]) != self.options.error:
            self.bad(where, f"error is {summary['error']!r}")

    def check_part(self, part):
        device = None if part == "host" else int(part.split("_")[1])
        end = "" if device is None else f".{device}"
        files, folders = self.names(part)
        if folders != ["data"]:
            self.bad(part, f"folders {folders}, expected data alone")
        control = [name for name in files if not name.endswith(".done")]
        wanted = {"info.json" + end, "sample.json", "start_info" + end, "host_start.log" + end}
        if device is not None:
            wanted.add("dev_start.log" + end)
        if not self.running:
            wanted.add("end_info" + end)
        for name in sorted(wanted - set(control)):
            self.bad(f"{part}/{name}", "missing")
        for name in sorted(set(control) - wanted):
            self.bad(f"{part}/{name}", "foreign file")
        for name in set(files) - set(control):
            size = os.path.getsize(os.path.join(self.path, part, name[:-5]))
            if not self.text(f"{part}/{name}").startswith(b"filesize:%d\n" % size):
                self.bad(f"{part}/{name}", "does not state the size")
        self.check_info(part, end, device)
        self.check_times(part, end, device)
        if "data" in folders:
            self.check_data(part, device)

    def check_info(self, part, end, device):
        name = f"{part}/info.json{end}"
        info = self.json(name, INFO)
        if info:
            if not info["platform_version"].isdigit():
                self.bad(name, f"platform_version {info['platform_version']!r}")
            if not info["CPU"] or "Frequency" not in info["CPU"][-1]:
                self.bad(name, "CPU without Frequency")
            if len(info["CPU"]) != info["cpuCores"] or len(info["netCard"]) != info["netCardNums"]:
                self.bad(name, f"{info['cpuCores']} sockets and {info['netCardNums']} cards, but {info['CPU']}, {info['netCard']}")
            if not (info["memoryTotal"] > 0 and info["cpuNums"] > 0 and re.match(r"\d+\.\d\d", info["upTime"])):
                self.bad(name, f"memory {info['memoryTotal']}, processors {info['cpuNums']}, up {info['upTime']!r}")
            if info["devices"] != ("" if device is None else str(device)):
                self.bad(name, f"devices {info['devices']!r}")
            if len(info["DeviceInfo"]) != (device is not None):
                self.bad(name, f"{len(info['DeviceInfo'])} entries of DeviceInfo")
            for entry in info["DeviceInfo"]:
                self.keys(name, entry, DEVICE)
            self.machine = info["hwtype"]
            if info["pid"] != str(self.summary.get("pid")):
                self.bad(name, f"pid {info['pid']!r}")
            if device is None and info["ascprofSource"] != "host":
                self.bad(name, f"ascprofSource {info['ascprofSource']!r}")
        sample = self.json(f"{part}/sample.json", SAMPLE)
        if sample:
            if sample["devices"] != ("64" if device is None else str(device)):
                self.bad(f"{part}/sample.json", f"devices {sample['devices']!r}")
            if sample["llc_profiling"] not in ("read", "write"):
                self.bad(f"{part}/sample.json", f"llc_profiling {sample['llc_profiling']!r}")

    def check_times(self, part, end, device):
        for name, date, time in (("start_info", "collectionDateBegin", "collectionTimeBegin"),
                                 ("end_info", "collectionDateEnd", "collectionTimeEnd")):
            name = f"{part}/{name}{end}"
            if not os.path.exists(os.path.join(self.path, name)):
                continue
            value = self.json(name, COLLECTION)
            if value and not (DATE.fullmatch(value[date]) and value[time].isdigit()
                              and value["clockMonotonicRaw"].isdigit()):
                self.bad(name, f"{value}")
        logs = [("host_start.log", "[Host]" if device is None else f"[Device{device}]")]
        if device is not None:
            logs.append(("dev_start.log", None))
        for name, section in logs:
            name = f"{part}/{name}{end}"
            try:
                lines = self.text(name).decode().splitlines()
            except OSError:
                continue    # reported as missing
            if section and lines[:1] != [section]:
                self.bad(name, f"begins with {lines[:1]}, expected {section}")
            for key in ("clock_monotonic_raw", "cntvct"):
                if not any(re.fullmatch(key + r":\s*\d+", line) for line in lines):
                    self.bad(name, f"has no {key}")

    def check_data(self, part, device):
        files, folders = self.names(f"{part}/data")
        if folders:
            self.bad(f"{part}/data", f"folders {folders}")
        numbers = {}
        for name in files:
            base = name[:-5] if name.endswith(".done") else name
            match = SLICE.fullmatch(base)
            if not match or (match["device"] or str(device)) != str(device) or (not match["device"]) != (device is None):
                self.bad(f"{part}/data/{name}", "foreign file")
            elif base != name and base not in files:
                self.bad(f"{part}/data/{name}", "without its slice")
            elif base == name:
                numbers.setdefault(match["tag"], []).append(int(match["k"]))
        for tag, ks in numbers.items():
            ks.sort()
            if ks != list(range(ks[0], ks[0] + len(ks))) or (ks[0] and not self.options.aged):
                self.bad(f"{part}/data/{tag}", f"slices {ks}")
            for k in ks:
                self.check_slice(f"{part}/data/{tag}.slice_{k}", tag, files)

    def check_slice(self, path, tag, files):
        size = os.path.getsize(os.path.join(self.path, path))
        row = next((n for word, n in ROW_BYTES.items() if re.search(r"(^|[.-])%s(\.|$)" % re.escape(word), tag)), 0)
        kind = None if row else reports.kind_of(tag)
        row = row or self.reports.row_bytes(kind)
        if size > SLICE_MAX or size % row:
            self.bad(path, f"{size} bytes: not whole rows of {row}, at most {SLICE_MAX}")
        if os.path.basename(path) + ".done" in files:
            if not re.fullmatch(rb"filesize:%d\nstarttime:\d+\nendtime  :\d+\n" % size, self.text(path + ".done")):
                self.bad(path + ".done", f"{self.text(path + '.done')!r}, the slice has {size} bytes")
        elif not self.running:
            self.bad(path + ".done", "missing")
        if kind:
            self.reports.check(path, tag, kind, self.text(path))
        if "hash_dic" in tag:
            self.check_names(path)
        if "tensor_info" in tag:
            for number, fields in enumerate(TENSORS.iter_unpack(self.text(path)[:size // 256 * 256])):
                what = self.check_tensors(fields)
                if what:
                    self.bad(path, f"row {number}: {what}: {fields}")
                    break
        if "msproftx" in tag:
            self.event = None   # rows of one event are in one slice
            for number, fields in enumerate(TX.iter_unpack(self.text(path)[:size // 256 * 256])):
                what = self.check_row(fields)
                if what:
                    self.bad(path, f"row {number}: {what}: {fields}")
                    break

    def check_row(self, fields):
        (magic, level, type_, _, length, stamp, info, segment, zero, magic2, tag, pid, tid, category, event,
         payload_type, payload, start, end, mark_id, domain, message_type, message) = fields
        if (magic, level, type_, length, magic2, tag) != (0x5A5A, 20500, 0, 232, 0x5A5A, 120):
            return "head"
        if any((zero, message_type)) or (info and any((category, payload_type, payload))) or (not info and any((segment, mark_id, domain))):
            return "a field that must be 0"
        if info and (info > 1 or event not in MSTX or not mark_id or not domain):
            return "no row of mstx"
        if payload >= 2**63 or not 0 <= payload_type <= 6 or (payload and not payload_type):
            return "payload"
        if event > (3 if info else 2) or pid != self.summary.get("pid") or not tid:
            return "event, pid or tid"
        if not 0 < start <= end < 2**63 or (event in (0, 3) and start != end) or not start <= stamp <= end:
            return "times"
        text, zero, rest = message.partition(b"\0")
        if not zero or rest.strip(b"\0"):
            return "message is not one text and zeros"
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return "message is not UTF-8"
        self.begin, self.end = min(self.begin, start), max(self.end, end)
        if info and segment:
            same = (mark_id, domain, event, start, end, tid)
            if not self.event or self.event != (segment, same):
                return f"continues no row before it ({self.event})"
            self.event = (segment + 1, same)
            return None
        self.event = (1, (mark_id, domain, event, start, end, tid)) if info else None
        if info and mark_id in self.mark_ids:
            return "a mark id twice"
        if info:
            self.mark_ids.add(mark_id)
            self.domains.add(domain)
        self.rows[MSTX[event] if info else KINDS[event]] += 1
        return None

    def check_tensors(self, fields):
        magic, level, type_, tid, length, stamp, name, number = fields[:8]
        tensors = [fields[at:at + 11] for at in range(8, 63, 11)]
        if (magic, level, type_, length) != (0x5A5A, 10000, 1, 12 + 44 * number) or number > 5 or not tid:
            return "head"
        if not 0 < stamp < 2**63:
            return "time"
        if any(any(tensor) for tensor in tensors[number:]):
            return "a tensor beyond the last"
        return None

    def check_names(self, path):
        try:
            lines = self.text(path).decode("utf-8").split("\n")
        except UnicodeDecodeError:
            self.bad(path, "not UTF-8")
            return
        for line in lines[:-1]:
            match = re.fullmatch(r"([1-9]\d*):(.+)", line)
            if not match or int(match[1]) >= 2**64 or int(match[1]) in self.dictionary:
                self.bad(path, f"line {line!r}")
            else:
                self.dictionary[int(match[1])] = match[2]
        if lines[-1]:
            self.bad(path, "half a line")

    def check_clocks(self, clock):
        """All clocks at both ends: the error is of a few readings, and the clocks have gone on together."""
        where = "ascprof.json"
        ends = [clock.get(key, {}) for key in ("start", "end")]
        for end in ends:
            self.keys(where, end, {"ticks": int, "raw_ns": int, "real_ns": int, "error_ns": int})
        start, end = ends
        for key, moment in (("start", start), ("end", end)):
            coarse = self.summary[key]
            if moment["raw_ns"] and not 0 <= moment["raw_ns"] - coarse["raw_ns"] < 1000:
                self.bad(where, f"clock.{key} is not the moment of {key}: {moment}, {coarse}")
            if moment["raw_ns"] and not 0 < moment["error_ns"] < 10**9:
                self.bad(where, f"clock.{key}: error {moment['error_ns']}")
        if end["raw_ns"]:
            error = start["error_ns"] + end["error_ns"]
            elapsed = end["raw_ns"] - start["raw_ns"]
            if not (elapsed > -error and end["ticks"] > start["ticks"]):
                self.bad(where, f"clock goes back: {clock}")
            if clock["source"] == "clock_monotonic_raw" and abs(end["ticks"] - start["ticks"] - elapsed) > error:
                self.bad(where, f"clock: ticks are off by more than {error}: {clock}")

    def check_threads(self):
        """What the threads did, one by one, adds up to what the kinds say."""
        kinds = {entry["kind"]: entry for entry in self.summary["accounting"]
                 if entry["device"] < 0 and entry["kind"] not in hostcheck.CHECKS}
        sums = {kind: [0, {}] for kind in kinds}
        for entry in self.summary.get("threads", []):
            self.keys("ascprof.json", entry, {"tid": int, "kind": str, "produced": int, "taken": int, "dropped": dict})
            if not self.running and entry["produced"] != entry["taken"] + sum(entry["dropped"].values()):
                self.bad("ascprof.json", f"thread {entry['tid']}: produced is not taken + dropped: {entry}")
            if entry["kind"] not in sums:
                self.bad("ascprof.json", f"thread {entry['tid']}: {entry['kind']} is not accounted for")
                continue
            total = sums[entry["kind"]]
            total[0] += entry["produced"]
            for reason, n in entry["dropped"].items():
                total[1][reason] = total[1].get(reason, 0) + n
        for kind, (produced, dropped) in sums.items():
            of_kind = {reason: kinds[kind]["dropped"][reason] for reason in dropped}
            if produced != kinds[kind]["produced"] or dropped != of_kind:
                self.bad("ascprof.json", f"{kind}: threads have {produced}, {dropped}; all {kinds[kind]}")

    def check_accounting(self):
        seen = set()
        for entry in self.summary.get("accounting", []):
            self.keys("ascprof.json", entry, {"kind": str, "device": int, "produced": int, "written": int,
                                              "dropped": dict, "open": int, "first_ns": int, "last_ns": int})
            name = f"{entry['kind']} of device {entry['device']}"
            dropped = sum(entry["dropped"].values())
            reasons = REASONS if entry["device"] < 0 else DEVICE_REASONS
            if entry["kind"] in hostcheck.CHECKS:   # a busy machine is late, and that is no loss
                reasons = HOST_REASONS
                dropped -= entry["dropped"].get("late", 0)
            if entry["kind"] in ("process_cpu", "process_mem"):   # nor are more processes than are sampled
                dropped -= entry["dropped"].get("ring_full", 0)
            if name in seen or reasons - set(entry["dropped"]):
                self.bad("ascprof.json", f"{name}: twice, or reasons missing: {entry}")
            seen.add(name)
            if not self.running and entry["produced"] != entry["written"] + sum(entry["dropped"].values()):
                self.bad("ascprof.json", f"{name}: produced is not written + dropped: {entry}")
            # of what was dropped nothing need be known
            known = entry["first_ns"] > 0
            if entry["first_ns"] > entry["last_ns"] or known < (entry["written"] > 0) or known > (entry["produced"] > 0):
                self.bad("ascprof.json", f"{name}: first and last: {entry}")
            if dropped and not self.options.dropped:
                self.bad("ascprof.json", f"{name}: dropped: {entry}")
            if entry["kind"] in self.rows and (self.rows[entry["kind"]] < entry["written"] if self.running
                                               else self.rows[entry["kind"]] != entry["written"]):
                self.bad("ascprof.json", f"{name}: {self.rows[entry['kind']]} rows: {entry}")
        self.reports.finish(self.dictionary, self.machine, self.running)
        if self.domains - set(self.dictionary):
            self.bad("host/data", f"domains without a name: {self.domains - set(self.dictionary)}")
        for kind in KINDS:
            if self.rows[kind] and f"{kind} of device -1" not in seen:
                self.bad("ascprof.json", f"{self.rows[kind]} rows but no accounting of {kind}")


def find(path, deep):
    if os.path.basename(path).startswith("PROF_"):
        return [path]
    names = sorted(os.path.join(path, name) for name in os.listdir(path))
    if deep:
        return [found for name in names for found in find(name, False)]
    return [name for name in names if os.path.basename(name).startswith("PROF_")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--state", default="stopped")
    parser.add_argument("--dropped", action="store_true", help="losses are allowed")
    parser.add_argument("--aged", action="store_true", help="the first slices may be gone")
    parser.add_argument("--error", action="store_true", help="ascprof.json must hold an error")
    parser.add_argument("--deep", action="store_true", help="each DIR holds folders that hold some")
    parser.add_argument("path", nargs="+")
    options = parser.parse_args()
    directories = [Directory(path, options) for top in options.path for path in find(top, options.deep)]
    sums = {kind: [0, 0, 0, 0] for kind in KINDS}
    for directory in directories:
        directory.check()
        for entry in directory.summary.get("accounting", []):
            if entry["kind"] in sums:
                values = (entry["produced"], entry["written"], sum(entry["dropped"].values()), entry["open"])
                sums[entry["kind"]] = [a + b for a, b in zip(sums[entry["kind"]], values)]
    problems = [problem for directory in directories for problem in directory.problems]
    for problem in problems[:20]:
        print(problem)
    if len(problems) > 20:
        print(f"and {len(problems) - 20} more problems")
    print("dirs", len(directories))
    for kind, values in sums.items():
        print("kind", kind, *values)
    for writer in {json.dumps(d.summary["writer"]) for d in directories if d.summary}:
        print("backend", json.loads(writer)["backend"], json.loads(writer)["reason"])
    return 1 if problems or not directories else 0


if __name__ == "__main__":
    sys.exit(main())
