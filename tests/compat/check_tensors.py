#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the tensors that the public msprof parser read with those that were recorded.

usage: check_tensors.py PROF_DIR EXPECTED

PROF_DIR: a directory that the parser has exported; EXPECTED: lines `NAME NUMBER INPUTS OUTPUTS`, in any
order. Exit 0: the same.
"""
import os
import sqlite3
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, expected = sys.argv[1:]
    with open(expected, encoding="utf-8") as file:
        want = sorted(tuple(line.rstrip("\n").split(" ")) for line in file)
    with sqlite3.connect(os.path.join(folder, "host", "sqlite", "tensor_info.db")) as base:
        columns = [row[1] for row in base.execute("pragma table_info(TensorInfoV2)")]
        rows = [dict(zip(columns, row)) for row in base.execute("select * from TensorInfoV2")]

    def shapes(text):
        return "" if text == "N/A" else text.strip('"')

    got = sorted((row["op_name"], str(row["tensor_num"]),
                  shapes(row["input_shapes"]), shapes(row["output_shapes"])) for row in rows)
    bad = [row for row in rows if row["tensor_num"] and not
           all(part in ("ND", "N/A") for key in ("input_formats", "output_formats") for part in row[key].split(";"))]
    for a, b in zip(want, got):
        if a != b:
            print(f"MISMATCH recorded {a}, parser {b}")
    if bad:
        print(f"MISMATCH formats of {bad[0]}")
    print(f"{len(got)} operators of {len(want)}")
    return 0 if want == got and want and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
