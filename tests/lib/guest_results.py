#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what the examples recorded in a guest. Prints TAP.

DISK/result has complete results of mark, push_pop, range and two_models with simulated
devices, DISK/killed (if there) those of killed programs, DISK/bare (if there) that of
mark without a module, DISK/stat.json, stat.csv, top.txt and recorded (if there) what the
command counted and recorded, DISK/pmus a recording beside made-up PMUs. BUILD has the command for this machine.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ITERATIONS = 200000
LOOPS = ("mark", "push_pop", "range")
DISK = os.environ["DISK"]
COMMAND = os.path.join(os.environ["BUILD"], "bin", "ascprof")
PROFDIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "process", "profdir.py")


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    expect(done.returncode == 0,
           f"'{' '.join(command)}' ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def control(directory):
    with open(os.path.join(directory, "ascprof.json"), encoding="utf-8") as file:
        return json.load(file)


def prof_dirs(folder, program):
    # a program killed in its first moments leaves a directory without control files
    found = [d for d in sorted(glob.glob(os.path.join(DISK, folder, "PROF_*")))
             if os.path.exists(os.path.join(d, "ascprof.json")) and control(d)["comm"] == program]
    expect(found, f"no PROF directory of {program} in {folder}")
    return found


def accounting(directory):
    return {(entry["kind"], entry["device"]): entry for entry in control(directory)["accounting"]}


def check_loop(top, kind):
    """One directory, every record of the loop written, every produced one accounted for."""
    directories = prof_dirs(top, kind)
    expect(len(directories) == 1, f"{len(directories)} directories, expected 1")
    sys.stdout.write("".join("# " + line + "\n" for line in
                             run(sys.executable, PROFDIR, directories[0]).splitlines()))
    entries = accounting(directories[0])
    entry = entries[kind, -1]
    expect(entry["produced"] == ITERATIONS, f"produced {entry['produced']}, expected {ITERATIONS}")
    for (name, device), entry in entries.items():
        dropped = sum(entry["dropped"].values())
        expect(dropped == 0, f"{name} of device {device}: {entry['dropped']}")
        expect(entry["produced"] == entry["written"],
               f"{name} of device {device}: {entry['produced']} produced, {entry['written']} written")


def check_devices(kind):
    """The device part has rows of the simulated counters, and says that they are simulated."""
    directory = prof_dirs("result", kind)[0]
    entries = accounting(directory)
    for name in ("llc", "hbm", "soc_profile"):
        expect(entries.get((name, 0), {}).get("written", 0) > 0, f"no {name} rows of device 0")
    with open(os.path.join(directory, "device_0", "info.json.0"), encoding="utf-8") as file:
        source = json.load(file)["ascprofSource"]
    expect("simulated" in source, f"ascprofSource is '{source}'")


def check_two_models():
    directories = prof_dirs("result", "two_models")
    expect(len(directories) == 2, f"{len(directories)} directories, expected 2")
    found = [sorted(os.path.basename(p) for p in glob.glob(d + "/device_*")) for d in directories]
    expect(found == [["device_0", "device_1"], ["device_1", "device_2"]], f"devices: {found}")
    run(sys.executable, PROFDIR, *directories)


def check_report(kind):
    text = run(COMMAND, "report", prof_dirs("result", kind)[0])
    line = [line.split() for line in text.splitlines() if line.split()[:1] == [kind]]
    expect(line and str(ITERATIONS) in line[0], f"no line for {kind} with {ITERATIONS}:\n{text}")


def check_csv(kind):
    with tempfile.TemporaryDirectory() as out:
        run(COMMAND, "export", prof_dirs("result", kind)[0], "--format", "csv", "-o", out)
        tables = glob.glob(out + "/**/msprof_tx*.csv", recursive=True)
        expect(tables, f"no msprof_tx table among {os.listdir(out)}")
        rows = 0
        for table in tables:
            with open(table, newline="", encoding="utf-8") as file:
                rows += sum(1 for _ in csv.reader(file)) - 1
        expect(rows == ITERATIONS, f"{rows} rows, expected {ITERATIONS}")


def check_trace(directory, minimum):
    with tempfile.TemporaryDirectory() as out:
        target = os.path.join(out, "trace.json")
        run(COMMAND, "export", directory, "--format", "trace", "-o", target)
        events = 0
        expect(os.path.exists(target), "no trace was written")
        for path in glob.glob(target) + glob.glob(target + "/*.json"):
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
            events += len(trace["traceEvents"] if isinstance(trace, dict) else trace)
        expect(events >= minimum, f"{events} events, expected at least {minimum}")


def check_killed():
    """What was written before the kill is read. On a fast machine some runs end before it."""
    directories = prof_dirs("killed", "range")
    states = [control(directory)["state"] for directory in directories]
    expect("running" in states, f"none was killed while running: {states}")
    for directory in directories:
        check_trace(directory, 0)


def check_stat():
    """Every simulated NPU has its metrics, from the module, within the limits of the simulation."""
    with open(os.path.join(DISK, "stat.json"), encoding="utf-8") as file:
        whole = json.load(file)
    groups = {}
    for one in whole["metrics"]:
        groups.setdefault(one["group"], {})[one["metric"]] = one
    npus = [name for name in groups if name.startswith("npu ")]
    expect(len(npus) == 4, f"groups: {list(groups)}")
    for npu in npus:
        expect("simulated" in npu, f"{npu} is not called simulated")
        for name in ("llc-read-hit", "llc-write-hit", "llc-throughput", "memory-read", "memory-write", "sio-rx",
                     "sio-tx", "pcie-read", "pcie-write", "link-rx", "link-tx"):
            one = groups[npu].get(name)
            expect(one and one["by"] == "module" and not one["not_counted"], f"{npu} {name}: {one}")
            expect(one["counted"] == one["counters"] and one["counted_percent"] == 100, f"{npu} {name}: {one}")
            expect(0 < one["minimum"] <= one["average"] * 1.001 and one["average"] <= one["maximum"] * 1.001,
                   f"{npu} {name}: {one}")
            expect(one["kind"] == "share" and one["maximum"] < 100 or one["kind"] == "rate" and one["unit"] == "bytes",
                   f"{npu} {name}: {one}")


def check_stat_program():
    with open(os.path.join(DISK, "stat.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expect({row["metric"].split(":")[0] for row in rows} == {"memory-read", "page-faults"},
           f"metrics: {({row['metric'] for row in rows})}")
    expect(all(row["not_counted"] == "" and row["by"] in ("module", "perf_event_open") for row in rows), f"{rows}")
    values = [float(row["value"]) for row in rows if row["metric"] == "memory-read" and row["value"]]
    expect(values and min(values) > 0, f"memory-read: {values}")


def check_top():
    with open(os.path.join(DISK, "top.txt"), encoding="utf-8") as file:
        frames = file.read().split("ascprof top - ")[1:]
    expect(len(frames) == 3, f"{len(frames)} frames")
    lines = frames[2].splitlines()
    expect(len([line for line in lines if line.startswith("npu ") and "simulated" in line]) == 4, frames[2])
    bars = [line for line in lines if line.startswith("  memory-read ") and "[|" in line and " MB/s " in line]
    expect(len(bars) == 4, frames[2])


def check_record():
    """Annotations and counters of a program whose own session was ignored."""
    check_loop("recorded", "mark")
    entries = accounting(prof_dirs("recorded", "mark")[0])
    expect(not os.path.exists(os.path.join(DISK, "none")), "its own session has a directory")
    for device in range(4):
        for name in ("llc", "hbm", "soc_profile"):
            expect(entries.get((name, device), {}).get("written", 0) > 0, f"no {name} rows of device {device}")


def check_pmus():
    """Every read of these PMUs adds one step, which follows from the event: so each sample has one more."""
    directory = prof_dirs("pmus", "mark")[0]
    sys.stdout.write("".join("# " + line + "\n" for line in run(sys.executable, PROFDIR, directory).splitlines()))
    entry = accounting(directory)["pmus", -1]
    expect(entry["written"] > 2 and entry["produced"] == entry["written"], f"{entry}")
    expect(any(source["source"] == "perf" for source in control(directory)["sources"]), "it was not the module")
    with tempfile.TemporaryDirectory() as out:
        run(COMMAND, "export", directory, "--format", "csv", "-o", out)
        with open(glob.glob(out + "/**/host_pmus.csv", recursive=True)[0], newline="", encoding="utf-8") as file:
            rows = {row["Counter"]: row for row in csv.DictReader(file)}
    steps = entry["written"] - 1
    with open(os.path.join(DISK, "npu"), encoding="utf-8") as file:
        address = file.read().strip()
    bus, device, function = (int(part, 16) for part in re.split("[:.]", address)[1:])
    npu = 1000 * (bus << 8 | device << 3 | function)   # the filter that arrived is part of the step
    expect(npu, "the device has no address that could be seen")
    for counter, of, step, unit, size in (
            ("hisi_sccl1_ddrc0/flux_wr", "DDR controller", 1, "bytes", 32),
            ("hisi_sccl1_ddrc0/flux_rd", "DDR controller", 2, "bytes", 32),
            ("hisi_sccl3_ddrc1/flux_rd", "DDR controller", 2, "bytes", 32),
            ("hisi_pcie0_core0/rx_mrd_flux", "PCIe root of NPU " + address, 1 + 0x804 + npu, "bytes", 4),
            ("hisi_pcie0_core0/tx_mrd_flux", "PCIe root of NPU " + address, 1 + 0x405 + npu, "bytes", 4),
            ("hisi_pcie0_core0/tx_mrd_time", "PCIe root of NPU " + address, 1 + 0x10405 + npu, "ns", 1),
            ("smmuv3_pmcg_148020/transaction", "SMMU of NPU " + address, 1 + 1 + npu, "requests", 1)):
        row = rows[counter]
        expect((row["Of"], row["Unit"], row["Counted(%)"]) == (of, unit, "100.0"), f"{row}")
        expect(int(row["Count"]) == step * steps and float(row["Amount"]) == size * step * steps, f"{steps} steps: {row}")


def tests():
    for kind in LOOPS:
        yield f"{kind}: every record written", lambda kind=kind: check_loop("result", kind)
        yield f"{kind}: device counters", lambda kind=kind: check_devices(kind)
        yield f"{kind}: report", lambda kind=kind: check_report(kind)
        yield f"{kind}: csv", lambda kind=kind: check_csv(kind)
        yield f"{kind}: trace", lambda kind=kind: check_trace(prof_dirs("result", kind)[0], ITERATIONS)
    yield "two_models", check_two_models
    if os.path.exists(os.path.join(DISK, "stat.json")):
        yield "stat", check_stat
        yield "stat: a program", check_stat_program
        yield "top", check_top
        yield "record", check_record
    if os.path.isdir(os.path.join(DISK, "pmus")):
        yield "record: PMUs of the host", check_pmus
    if os.path.isdir(os.path.join(DISK, "bare")):
        yield "without a module", lambda: check_loop("bare", "mark")
    if os.path.isdir(os.path.join(DISK, "killed")):
        yield "killed: exports", check_killed


def main():
    failed = 0
    count = 0
    for count, (name, test) in enumerate(tests(), 1):
        try:
            test()
            print(f"ok {count} - {name}")
        except (Failure, OSError, ValueError, KeyError) as error:
            failed += 1
            for line in f"{type(error).__name__}: {error}".splitlines():
                print("# " + line)
            print(f"not ok {count} - {name}")
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
