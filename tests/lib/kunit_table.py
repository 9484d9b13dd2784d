#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The results of the KUnit suites on several kernels, one column each: kunit_table.py FOLDER"""
import collections
import glob
import os
import sys

sys.dont_write_bytecode = True

import results    # noqa: E402


def suite_of(case):
    """"6.1 ascprof_kunit: ascprof_ring/wraps" belongs to ascprof_ring; what is no case has no suite."""
    name = case.name.rpartition(": ")[2]
    return name.partition("/")[0] if "/" in name else "(guest and its log)"


def main():
    files = sorted(glob.glob(os.path.join(sys.argv[1], "kunit-*.json")))
    table = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    kernels, failed = [], 0
    for file in files:
        kernel = os.path.basename(file)[len("kunit-"):-len(".json")]
        kernels.append(kernel)
        for case in results.load(file):
            table[suite_of(case)][kernel][case.status] += 1
            failed += case.status == results.FAIL
    if not kernels:
        sys.exit("kunit: there are no results in " + sys.argv[1])
    print(f"{'suite':28}" + "".join(f" {kernel:>12}" for kernel in kernels))
    for suite in sorted(table):
        row = [table[suite][kernel] for kernel in kernels]
        print(f"{suite:28}" + "".join(
            f" {str(seen[results.PASS]) + (' FAIL ' + str(seen[results.FAIL]) if seen[results.FAIL] else ''):>12}"
            for seen in row))
    total = [sum(table[suite][kernel][results.PASS] for suite in table) for kernel in kernels]
    print(f"{'passed':28}" + "".join(f" {n:>12}" for n in total))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
