#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of what kmod_sampling printed in guests the table that docs/operator.md has.

    sampling_table.py NAME=SERIAL_LOG ...
"""
import re
import sys

LINE = re.compile(r"^# (idle|busy) +(\S.*?) +median of \d+: span x([\d.]+) \(99 %: x([\d.]+)\), cost x([\d.]+)"
                  r" of the module's; missed (\d+) %, throttled (\d+) %$")
PROGRAMS = (("program", ""), ("program, SCHED_FIFO", " with SCHED_FIFO"))
RATIOS = ("time between first and last read", "... the longest but one in a hundred", "CPU time of a sample")


def read(path):
    """(load, way) -> span, span of 99 %, cost, missed, throttled"""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = [match.groups() for match in map(LINE.match, (line.rstrip() for line in file)) if match]
    medians = {(load, way): tuple(map(float, numbers)) for load, way, *numbers in found}
    if len(medians) != 6:
        sys.exit(f"sampling_table.py: {path}: {len(medians)} medians, not 6: make bench-kmod")
    return medians


def main():
    logs = [(name, read(path)) for name, path in (word.split("=", 1) for word in sys.argv[1:])]
    columns = [(name, medians, way, of) for name, medians in logs for way, of in PROGRAMS]
    print("| | " + " | ".join(f"{name}: program{of}" for name, _, _, of in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    worse = []
    for load in ("idle", "busy"):
        for at, what in enumerate(RATIOS):
            cells = [medians[load, way][at] for _, medians, way, _ in columns]
            worse += [f"{what.removeprefix('... ')}, {load}, {name}{of}"
                      for (name, _, _, of), cell in zip(columns, cells) if cell < 1.05]
            print(f"| {what}, {load} | " + " | ".join(f"x{cell:.1f}" for cell in cells) + " |")
        own = ", ".join(f"{medians[load, 'module'][3]:.0f} %" for _, medians in logs)
        left = ", ".join(f"{medians[load, 'module'][4]:.0f} %" for _, medians in logs)
        cells = [f"{medians[load, way][3]:.0f} %" for _, medians, way, _ in columns]
        print(f"| ticks missed, {load}; the module: {own}, and {left} left out | " + " | ".join(cells) + " |")
    print("\nNo better than a program: " + ("; ".join(worse) or "nowhere") + ".")


main()
