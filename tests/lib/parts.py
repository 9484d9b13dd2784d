# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of `make check` one after the other and sums them up.

A part is the make target part-NAME. It leaves its results as OUT/NAME/*.json; one that
fails to build, or leaves none, counts as one failed test.
"""
import os
import shlex
import shutil
import subprocess
import time

import program
import results
from results import Case, FAIL

LOG_LINES = 60


def run(args):
    everything = []
    first = _start_first(args)
    try:
        for part in args.part:
            cases = []
            if first and part == args.before:
                cases = _finish_first(first, args)
                first = None
            cases = cases or _run_part(part, args)
            everything += cases
            results.show_failures(cases)
    finally:
        if first:
            first[0].terminate()
            first[0].wait()
    results.show_skips(everything)
    booted = sorted({case.booted for case in everything if case.booted})
    if booted:
        print("booted: " + ", ".join(booted))
    if not everything:
        everything = [Case("check", FAIL, "nothing ran")]
        results.show_failures(everything)
    print(results.closing_line(everything), flush=True)
    return 1 if results.count(everything, FAIL) else 0


def _run_part(part, args):
    folder = os.path.join(args.out, part)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    log = os.path.join(folder, "log")
    start = time.monotonic()
    with open(log, "wb") as output:
        code = subprocess.call(shlex.split(args.make) + ["-k", "--no-print-directory", "part-" + part],
                               stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                               env=program.ENVIRONMENT)
    cases = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            cases += results.load(os.path.join(folder, name))
    if not cases:
        cases.append(Case(part, FAIL, f"no test ran (make ended with {code})", _tail(log)))
    elif code and not results.count(cases, FAIL):
        cases.append(Case(part, FAIL, f"make ended with {code}", _tail(log)))
    print(f"{part + ':':10} {results.closing_line(cases)} ({time.monotonic() - start:.0f} s)", flush=True)
    return cases


def _tail(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-LOG_LINES:])


def _start_first(args):
    """Starts the long thing that one part waits for, at low priority beside the others."""
    if not args.first or args.before not in args.part:
        return None
    os.makedirs(args.out, exist_ok=True)
    log = os.path.join(args.out, "first.log")
    with open(log, "wb") as output:
        process = subprocess.Popen(["sh", "-c", args.first], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, env=program.ENVIRONMENT)
    return process, log


def _finish_first(first, args):
    process, log = first
    code = process.wait()
    if code == 0:
        return []
    return [Case(args.before, FAIL, f"'{args.first}' ended with {code}", _tail(log))]
