#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""First inputs for the fuzzer of directories.

usage: seed.py PROF_DIR OUT

Writes into the folder OUT one input with the control files of PROF_DIR, and one per slice that
the fuzzer knows, cut to a few rows. The order of the files is that of directory.c.
"""
import os
import struct
import sys

FILES = ["host/info.json", "host/sample.json", "host/start_info", "host/end_info", "host/host_start.log", "ascprof.json",
         "host/data/aging.additional.msproftx.slice_0", None, "host/data/unaging.additional.hash_dic.slice_0",
         "host/data/aging.additional.tensor_info.slice_0", "device_0/info.json.0", "device_0/sample.json",
         "device_0/start_info.0", "device_0/host_start.log.0", "device_0/dev_start.log.0",
         "device_0/data/llc.data.0.slice_0", None, "device_0/data/hbm.data.0.slice_0",
         "device_0/data/stars_soc_profile.data.0.slice_0"]
CUT = 1536  # a multiple of every row's size


def main():
    prof, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    control = b""
    for number, name in enumerate(FILES):
        path = os.path.join(prof, name or "-")
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            data = file.read(CUT)
        chunk = struct.pack("<BH", number, len(data)) + data
        if "/data/" in name:
            with open(os.path.join(out, name.split("/")[-1].replace(".", "_")), "wb") as file:
                file.write(chunk)
        else:
            control += chunk
    with open(os.path.join(out, "control"), "wb") as file:
        file.write(control)


if __name__ == "__main__":
    main()
