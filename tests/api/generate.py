#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes generated.tsv: rows for rows.c, from the table states.txt and from the
limits of arguments and the keys of acl.json that the documentation names.

  generate.py            writes generated.tsv beside itself
  generate.py --check    fails when it is not what would be written, or when a
                         name stands for two rows
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ("OFF", "CMD", "READY", "RUN", "SUBSCRIBE")
ERAS = ("documented", "head")

# ---- how a mode is reached, and what shows that it is the one ----

TO = {
    "OFF": [],
    "CMD": ["aclInit('{\"profiler\":{\"switch\":\"on\",\"output\":\"%D/command\",\"msproftx\":\"on\"}}') -> 0"],
    "READY": ["Init('%D/result') -> 0"],
    "RUN": ["Init('%D/result') -> 0", "c := CreateConfig([0]) -> object", "Start(c) -> 0"],
    "SUBSCRIBE": ["Model(1, 0) -> 0", "Model(2, 0) -> 0", "Pipe(&w) -> 0",
                  "u := CreateSubscribeConfig(1, 255, &w) -> object", "ModelSubscribe(1, u) -> 0"],
}
STILL = {
    "OFF": ["Finalize() -> 100043/0"],
    "CMD": ["Init('%D/again') -> 100042", "x := CreateStamp() -> object", "Mark(x) -> 0"],
    "READY": ["Init('%D/again') -> 100002", "x := CreateStamp() -> NULL", "Finalize() -> 0"],
    "RUN": ["Init('%D/again') -> 100002", "x := CreateStamp() -> object", "Mark(x) -> 0", "Finalize() -> 0"],
    "SUBSCRIBE": ["Init('%D/again') -> 148047"],
}
# variables that a call may name
NEEDS = {
    "c": ["c := CreateConfig([0]) -> object"],
    "equal": ["equal := CreateConfig([0]) -> object"],
    "d": ["d := CreateConfig([0]) -> object"],
    "bits": ["bits := CreateConfig([0], 1, 0x81) -> object"],
    "device": ["device := CreateConfig([1]) -> object"],
    "both": ["both := CreateConfig([1], 1, 0x81) -> object"],
    "host": ["host := CreateConfig(NULL, 0, 0x80) -> object"],
    "unknown": ["unknown := CreateConfig([0], 1, 0x480) -> object"],
    "i": ["i := CreateStepInfo() -> object"],
    "r": ["r := Records(2) -> object"],
    "w": ["Pipe(&w) -> 0"],
    "u": ["Pipe(&w) -> 0", "u := CreateSubscribeConfig(1, 255, &w) -> object"],
}


def arguments(call):
    """The variables that a call names."""
    bare = re.sub(r"'(\\.|[^'\\])*'", "", call)
    return re.findall(r"\b[a-z][a-z0-9]*\b(?!\()", bare)


def prepare(call, mode):
    steps = list(TO[mode])
    made = {step.split(" :=")[0] for step in steps if ":=" in step} | ({"w"} if mode == "SUBSCRIBE" else set())
    if "ModelSubscribe" in call or "ModelUnSubscribe" in call:
        if mode != "SUBSCRIBE":
            steps = ["Model(1, 0) -> 0", "Model(2, 0) -> 0"] + steps
    for name in arguments(call):
        if name in NEEDS and name not in made:
            steps += NEEDS[name]
            made.add(name)
    if "s" in arguments(call):
        if mode in ("CMD", "RUN"):
            steps.append("s := CreateStamp() -> object")
        else:
            call = re.sub(r"\bs\b(?=[,)])", "junk", call)
    return steps, call


def of_era(text, era):
    """What DOCUMENTED/HEAD is in an era; other slashes are left alone."""
    return re.sub(r"(-> )?(\b\d+)/(\d+)", lambda m: (m[1] or "") + m[2 + ERAS.index(era)], text)


FAILS = re.compile(r"^(1\d{5}|2\d{5}|5\d{5}|NULL)$")


def cell_rows(name, call, cells, words):
    for mode, cell in zip(MODES, cells):
        if cell == "-":
            continue
        rows = {}
        for era in ERAS:
            both = re.fullmatch(r"([^/>]+)(?:>(\w+))?(?:/([^/>]+)(?:>(\w+))?)?", cell)
            first = (both[1], both[2])
            second = (both[3], both[4]) if both[3] else first
            if both[4] and not both[3]:
                raise SystemExit(f"{name}: {cell}")
            code, then = (first, second)[ERAS.index(era)]
            steps, last = prepare(call, mode)
            calls = last.split("; ")
            failed = FAILS.match(code)
            # a call that prepares another in the same cell succeeds, but where both are refused
            for step in calls[:-1]:
                steps.append(f"{step} -> {code if failed else 0}")
            said = f" {{{words}}}" if failed and words != "-" else ""
            steps.append(f"{calls[-1]} -> {code}{said}")
            then = then or mode
            if "mstx" in call and mode not in ("CMD", "RUN"):
                said = ""
            steps += [of_era(step, era) for step in STILL[then]]
            rows[era] = "; ".join(steps)
        where = f"states.txt: {name} in {mode}"
        if rows["documented"] == rows["head"]:
            yield f"{name}.{mode}", "both", rows["head"], where
        else:
            for era in ERAS:
                yield f"{name}.{mode}", era, rows[era], where


def state_rows():
    with open(os.path.join(HERE, "states.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    for line in lines:
        if not line or line.startswith(("#", "name ")):
            continue
        fields = re.split(r"  +", line.strip())
        if len(fields) != 3 + len(MODES):
            raise SystemExit(f"states.txt: {len(fields)} columns, expected {3 + len(MODES)}: {line}")
        yield from cell_rows(fields[0], fields[1], fields[2:-1], fields[-1])


# ---- values of SetConfig ----

READY = "Init('%D/result') -> 0"


def quote(text):
    out = ""
    for c in text:
        if c in "'\\":
            out += "\\" + c
        elif c == "%" or not " " <= c <= "~":
            out += "".join(f"\\x{byte:02x}" for byte in c.encode())
        else:
            out += c
    return f"'{out}'"


def number_is_good(text, most):
    """Digits only, no more of them than the maximum has, and from 1 to the maximum."""
    return text.isdecimal() and len(text) <= len(str(most)) and 1 <= int(text) <= most


NUMBERS = {3: ("SYS_HARDWARE_MEM_FREQ", 100), 5: ("SYS_IO_FREQ", 100), 6: ("SYS_INTERCONNECTION_FREQ", 50),
           7: ("DVPP_FREQ", 100), 10: ("HOST_SYS_USAGE_FREQ", 50), 11: ("LOW_POWER_FREQ", 100),
           13: ("SYS_CPU_FREQ", 50)}
SPELLINGS = ("1", "5", "05", "005", "050", "50", "51", "100", "101", "0050", "0", "00", "000", "", " 50", "50 ",
             "+50", "-1", "50.0", "0.1", "5e1", "0x10", "10000", "error_test")

# type: constant, {value: accepted}
TEXTS = {
    1: ("STORAGE_LIMIT", {
        "200MB": 1, "250MB": 1, "1000MB": 1, "4294967295MB": 1, "4294967296MB": 1, "0000000200MB": 1, "": 1,
        "199MB": 0, "100MB": 0, "0MB": 0, "4294967297MB": 0, "8294967296MB": 0, "123456789100MB": 0,
        "00000000200MB": 0, "50": 0, "MB": 0, "10MB0": 0, "A12345MB": 0, "200mb": 0, "200Mb": 0, "200": 0,
        "200 MB": 0, " 200MB": 0, "200MB ": 0, "-200MB": 0, "+200MB": 0, "200.0MB": 0, "200GB": 0}),
    4: ("LLC_MODE", {
        "read": 1, "write": 1, "capacity": 0, "bandwidth": 0, "Read": 0, "READ": 0, "read,write": 0, "": 0,
        "xxx": 0, "read ": 0}),
    8: ("HOST_SYS", {
        "cpu": 1, "mem": 1, "disk": 1, "network": 1, "osrt": 1, "numa": 1, "cpu,mem": 1, "cpu,mem,network": 1,
        "cpu,mem,disk,network,osrt": 1, "cpu,cpu": 1, "": 1, "cpu,": 0, ",mem": 0, "cpu,,mem": 0, "cpu mem": 0,
        "cpu, mem": 0, "CPU": 0, "gpu": 0, ",": 0}),
    9: ("HOST_SYS_USAGE", {
        "cpu": 1, "mem": 1, "cpu,mem": 1, "": 1, "xxx": 0, "cpu,disk": 0, "network": 0, "cpu,": 0, ",": 0}),
    12: ("SYS_MEM_SERVICEFLOW", {"aaa,bbb": 1, "flow": 1, "x" * 256: 1, "": 0}),
    14: ("OPTYPE", {
        "MatMul": 1, "MatMul,Index": 1, "MatMul,Index,MatMul": 1, "x" * 256: 1, "": 0, "MatMul,,Index": 0,
        ",MatMul": 0, "MatMul,": 0}),
    15: ("NTS_METRICS", {
        "PipeUtilization": 1, "Custom:0x301": 1, "Custom:0": 1, "Custom:65535,010": 1,
        "Custom:" + ",".join("123456789a"[:10].replace("a", "0")): 1, "TaskTime": 0, "": 0, "Custom:": 0,
        "Custom:65536": 0, "Custom:1,": 0, "Custom:" + ",".join("12345678901"): 0, "custom:1": 0,
        "pipeutilization": 0}),
}


def set_row(number, name, text, good, where):
    # of the types only NTS_METRICS calls a refused value a wrong argument
    code = 0 if good else 100000 if number == 15 else 100010
    said = "" if good else f" {{aclprofSetConfig ACL_PROF_{name} expected}}"
    short = text if len(text) <= 40 else f"{text[:8]}... of {len(text)}"
    return (f"set {name} '{short}'", "both",
            f"{READY}; SetConfig(ACL_PROF_{name}, {quote(text)}) -> {code}{said}", where)


def value_rows():
    for number, (name, most) in NUMBERS.items():
        for text in SPELLINGS:
            yield set_row(number, name, text, number_is_good(text, most), "grammar of numbers; vectors 44, 52 to 56, 66")
    for number, (name, values) in TEXTS.items():
        for text, good in values.items():
            yield set_row(number, name, text, good, "grammar of config types; vectors 43 to 75; storage limit: ours")
    for number in (-1, 0, 17, 18, 2147483647):
        yield (f"set type {number}", "both",
               f"{READY}; SetConfig({number}, '50') -> 100000 {{aclprofSetConfig configType}}", "vector 38")
    yield "set type 2", "both", f"{READY}; SetConfig(2, '50') -> 100010 {{aclprofSetConfig}}", "vector 43"
    for length in (256, 257, 266):
        code = "100010" if length <= 256 else "100000 {aclprofSetConfig configLength}"
        yield f"set {length} characters", "both", f"{READY}; SetConfig(3, '5'*{length}) -> {code}", "vectors 40, 41"


# ---- characters of paths ----

REFUSED = "\n\f\r\b\t\v\x7f\"'\\%><|&$;`"
ALLOWED = " ()*?#!~=+@:,.-_[]{}^é字\x01"


def path_rows():
    for c in REFUSED:
        name = f"path with 0x{ord(c):02x}"
        text = quote("/a" + c + "b")
        yield (f"init {name}", "both", f"Init('%D'+{text}) -> 100003 {{aclprofInit character}}; Finalize() -> 100043/0",
               "path characters; vector 30")
        yield (f"set {name}", "both",
               f"{READY}; SetConfig(ACL_PROF_PATH, '%D'+{text}) -> 100010 {{aclprofSetConfig character}}",
               "path characters; vector 78")
    for c in ALLOWED:
        yield (f"init path with 0x{ord(c):02x}", "both", f"Init('%D'+{quote('/a' + c + 'b')}) -> 0; Finalize() -> 0",
               "path characters")


# ---- devices, bits, metrics, messages ----

KNOWN = 0x4000000C0100FBFF


def bounds_rows():
    for device in (0, 1, 31, 32, 62, 63, 64, 65, 2**31, 2**32 - 1):
        good = device < 64
        yield (f"device {device}", "both", f"CreateConfig([{device}]) -> " +
               ("object" if good else "NULL {aclprofCreateConfig deviceIdList}"),
               "devices; without an inventory 0 to 63 are accepted")
    for count in (1, 2, 63, 64, 65):
        good = count <= 64
        yield (f"{count} devices", "both", f"CreateConfig([{','.join(map(str, range(count)))}]) -> " +
               ("object" if good else "NULL {aclprofCreateConfig deviceNums}"), "devices; vectors 6, 7")
    for bit in range(64):
        good = KNOWN >> bit & 1
        code = "0" if good else "200007 {aclprofStart dataTypeConfig}"
        # Statistics replace all other bits.
        yield (f"bit {bit}", "both",
               f"{READY}; c := CreateConfig([0], 1, {1 << bit:#x}) -> object; Start(c) -> {code}",
               "bits that Start accepts; vectors 84, 85")
    for metric in list(range(10)) + [99, 254, 255, 256]:
        good = metric <= 8 or metric == 255
        code = "0" if good else "100000 {aclprofStart aicoreMetrics}"
        yield (f"metric {metric}", "both",
               f"{READY}; c := CreateConfig([0], 1, 0x4, {metric}) -> object; Start(c) -> {code}",
               "metrics; chips that lack one are not told apart without an inventory; vector 101")
        yield (f"metric {metric} without its bit", "both",
               f"{READY}; c := CreateConfig([0], 1, 0x1, {metric}) -> object; Start(c) -> 0", "vector 101")
    run = "; ".join(TO["RUN"])
    for length in (0, 1, 14, 126, 127, 128, 129, 155, 156, 4096):
        good = length <= 127
        code = "0" if good else "100000 {aclprofSetStampTraceMessage msgLen}"
        yield (f"message of {length}", "both",
               f"{run}; s := CreateStamp() -> object; SetStampTraceMessage(s, 'm'*{length}) -> {code}; "
               f"Mark(s) -> 0; Stop(c) -> 0; Message('%D/result', 0) -> '" + ("m" * length if good else "") + "'",
               "messages: ours, 127; vector 114")
    for length in (0, 1, 127, 128, 154, 155, 156, 4096):
        code = "200006 {aclprofMarkEx}" if 1 <= length <= 155 else "100000 {aclprofMarkEx msgLen}"
        yield (f"mark_ex of {length}", "both", f"{run}; MarkEx('m'*{length}, junk) -> {code}",
               "messages: ours, 155; vectors 127, 128")
    for length in (1, 255, 4095, 4096, 5000):
        code = "100000 {aclprofInit length}" if length > 4095 else "100003 {aclprofInit}" if length > 255 else "0"
        yield f"path of {length}", "documented", f"Init('a'*{length}) -> {code}", "vectors 23, 24"


# ---- keys of acl.json ----

FIRST_METRICS = ("ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0", "ResourceConflictRatio", "MemoryUB",
                 "L2Cache", "PipelineExecuteUtilization", "MemoryAccess")
ON_OFF = ({"on", "off"}, {"", "On", "yes", 1, True, None})

# key: values that are accepted, values that are refused
JSON = {
    "storage_limit": ({"200MB", "4294967296MB"}, {"199MB", "200", 200}),
    "aic_metrics": ({*FIRST_METRICS, "", "Custom:0x49,0x4a", "Custom:1,2,3,4,5,6,7,8"},
                    {"pipeUtilization", "Custom:", "Custom:1,2,3,4,5,6,7,8,9", "x" * 71, 1}),
    "task_time": ({"on", "off", "l0", "l1", "l2", "l3"}, {"l4", "L0", "", 1}),
    "ge_api": ({"off", "l0", "l1"}, {"on", "L1", "", 1}),
    "instr_profiling_freq": ({300, 1000, 30000}, {299, 30001, "300", -1, 300.5}),
    "llc_profiling": ({"read", "write"}, {"capacity", "bandwidth", "READ", "", 1}),
    "host_sys": ({"cpu", "cpu,mem", "cpu,mem,disk,network,osrt"}, {"cpu,", "xxx", 1}),
    "host_sys_usage": ({"cpu", "cpu,mem"}, {"disk", "cpu,", 1}),
    "sys_mem_serviceflow": ({"aaa,bbb"}, {"", 1}),
    "optype": ({"MatMul", "MatMul,Index"}, {"", "MatMul,", 1}),
}
for _key in ("ascendcl", "runtime_api", "aicpu", "l2", "hccl", "msproftx", "task_memory", "task_tsfw",
             "instr_profiling"):
    JSON[_key] = ON_OFF
for _key, _most in (("sys_hardware_mem_freq", 100), ("sys_io_sampling_freq", 100), ("sys_interconnection_freq", 50),
                    ("dvpp_freq", 100), ("host_sys_usage_freq", 50), ("sys_lp_freq", 100), ("sys_cpu_freq", 50)):
    JSON[_key] = ({1, _most}, {0, _most + 1, -1, str(_most), 1.5, None})
for _key in ("task_trace", "training_trace", "fp_point", "bp_point", "Switch", "unknown"):
    JSON[_key] = (set(), {"on"})


def json_rows():
    for key, (good, bad) in JSON.items():
        for value in sorted(good, key=json.dumps) + sorted(bad, key=json.dumps):
            text = json.dumps({"profiler": {"switch": "on", "output": "%D/o", key: value}})
            shown = json.dumps(value) if len(str(value)) < 40 else f"{len(value)} characters"
            if value in good and not (value is True):
                calls = f"aclInit('{text}') -> 0; Init('%D/r') -> 100042; aclFinalize() -> 0; Results('%D/o') -> 1"
            else:
                calls = f"aclInit('{text}') -> 100000 {{aclInit {key}}}; Init('%D/r') -> 0; Exists('%D/o') -> 0"
            yield f"json {key} {shown}", "both", calls, "keys of acl.json; vectors 148 to 150"
    for value in ("1", "null", "[]", '"on"'):
        yield (f"json profiler {value}", "both",
               f"aclInit('{{\"profiler\":{value}}}') -> 100000 {{aclInit profiler}}", "acl.json: wrong types")
    for value in ("1", "null", "true", "[]"):
        yield (f"json switch {value}", "both",
               f"aclInit('{{\"profiler\":{{\"switch\":{value}}}}}') -> 100000 {{aclInit switch}}", "acl.json: wrong types")


def all_rows():
    yield from state_rows()
    yield from json_rows()
    yield from value_rows()
    yield from path_rows()
    yield from bounds_rows()


def text():
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# Made by generate.py; do not edit."]
    for row in all_rows():
        era = row[1]
        for one in ERAS if era == "both" and of_era(row[2], "documented") != of_era(row[2], "head") else (era,):
            calls = row[2] if one == "both" else of_era(row[2], one)
            lines.append("\t".join((row[0], one, calls, row[3])))
    return "\n".join(lines) + "\n"


def names(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, era = line.split("\t")[:2]
                for one in ERAS if era == "both" else (era,):
                    yield name, one


def main():
    path = os.path.join(HERE, "generated.tsv")
    made = text()
    if "--check" not in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(path, encoding="utf-8") as file:
        if file.read() != made:
            print("generated.tsv is not what generate.py makes")
            return 1
    seen = set()
    for table in ("generated.tsv", "vectors.tsv"):
        for name in names(os.path.join(HERE, table)):
            if name in seen:
                print(f"{table}: a second row {name[0]} ({name[1]})")
                return 1
            seen.add(name)
    print(f"{len(seen)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
