#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""aclInit with the acl.json files of other people's programs.

  acl_json.py LIBRARY CHECKOUT...

Every file *.json below a checkout whose name has "acl" in it, or that has a
profiler object, is given to aclInit, in a process of its own. What is to be
expected is what this program reads in it: a result directory where the profiler
is an object with "switch":"on", none otherwise, and success in both cases.
Prints the files with a profiler, and the number of all.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

PROFDIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "process", "profdir.py")


def profiler(path):
    """The profiler object of a file; None where there is none."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return None
    found = content.get("profiler") if isinstance(content, dict) else None
    return found if isinstance(found, dict) else None


def files(checkout):
    for folder, _, names in os.walk(checkout):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".json") and ("acl" in name.lower() or profiler(path) is not None):
                yield path


def use(library, path):
    """In the child: the life of a program that has this acl.json."""
    lib = ctypes.CDLL(library)
    codes = [lib.aclInit(os.fsencode(path)), lib.aclFinalize()]
    print(*codes)


def check(library, path):
    wanted = profiler(path)
    on = wanted is not None and wanted.get("switch") == "on"
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, ASCEND_WORK_PATH=work, ASCPROF_LOG="warn")
        child = subprocess.run([sys.executable, __file__, "--use", library, path], env=env, cwd=work,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        output = os.path.join(work, "profiling_data")
        found = os.listdir(output) if os.path.isdir(output) else []
        problems = []
        if child.stdout != "0 0\n":
            problems.append(f"aclInit and aclFinalize: {child.stdout!r}, exit {child.returncode}: {child.stderr}")
        if len(found) != on:
            problems.append(f"{len(found)} result directories, expected {int(on)}: {child.stderr}")
        if found:
            done = subprocess.run([sys.executable, PROFDIR, "--state", "finalized", output],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
            if done.returncode:
                problems.append(done.stdout)
    return wanted, problems


def main():
    if sys.argv[1] == "--use":
        return use(*sys.argv[2:])
    failed = count = 0
    library = os.path.abspath(sys.argv[1])
    for checkout in sys.argv[2:]:
        for path in sorted(files(checkout)):
            name = os.path.relpath(path, checkout)
            wanted, problems = check(library, path)
            count += 1
            failed += bool(problems)
            if wanted is not None:
                print(f"{name}: {json.dumps(wanted)}")
            for problem in problems:
                print(f"FAIL {name}: {problem}")
    print(f"{count} files")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
