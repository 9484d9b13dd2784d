#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""First inputs for a fuzzer of directories.

usage: seed.py FUZZER.c PROF_DIR OUT

Writes into the folder OUT one input with the control files of PROF_DIR, and one per slice that
the fuzzer knows, cut to a few rows. Which files there are, and their order, is in FUZZER.c.
"""
import os
import re
import struct
import sys

CUT = 1536  # a multiple of every row's size


def main():
    source, prof, out = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    data = re.search(r'^#define DATA "(.*)"', text, re.M)
    names = [(data.group(1) if prefix else "") + name for prefix, name in re.findall(r'^\t\{ (DATA )?"([^"]+)"', text, re.M)]
    os.makedirs(out, exist_ok=True)
    control = b""
    for number, name in enumerate(names):
        folder, name = os.path.split(os.path.join(prof, name.split("/", 1)[1]))
        found = [f for f in sorted(os.listdir(folder)) if re.sub(r"^\d+-", "-", f) == re.sub(r"^\d+-", "-", name)] \
            if os.path.isdir(folder) else []
        if not found:
            continue
        with open(os.path.join(folder, found[0]), "rb") as file:
            data = file.read(CUT)
        chunk = struct.pack("<BH", number, len(data)) + data
        if "/data" in folder:
            with open(os.path.join(out, re.sub(r"[.-]", "_", name)), "wb") as file:
                file.write(chunk)
        else:
            control += chunk
    with open(os.path.join(out, "control"), "wb") as file:
        file.write(control)


if __name__ == "__main__":
    main()
