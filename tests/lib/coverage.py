#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines of kmod/ were run: coverage.py COUNTS LISTING MINIMUM

COUNTS holds .gcda files under the path of the objects that they belong to, beside which the
compiler left the .gcno files. A source that was built twice, into the module and into its
suites, counts once. Lines never run go to LISTING. Fails below MINIMUM percent.
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile


def run_gcov(counts, objects):
    """The counts of one object file, as gcov's JSON."""
    with tempfile.TemporaryDirectory() as folder:
        notes = objects[:-len(".gcda")] + ".gcno"
        shutil.copy(notes, folder)
        shutil.copy(counts, folder)
        said = subprocess.run(["gcov", "--json-format", "--stdout", os.path.basename(counts)],
                              cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(said.stdout)


def collect(root):
    lines = collections.defaultdict(dict)
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".gcda"):
                continue
            counts = os.path.join(folder, name)
            for file in run_gcov(counts, "/" + os.path.relpath(counts, root))["files"]:
                at = file["file"].rfind("kmod/")
                if at < 0:
                    continue
                source = lines[file["file"][at:]]
                for line in file["lines"]:
                    number = line["line_number"]
                    source[number] = source.get(number, 0) + line["count"]
    return lines


def percent(run, of):
    return 100 * run / of if of else 100.0


def main():
    root, listing, minimum = sys.argv[1], sys.argv[2], float(sys.argv[3])
    lines = collect(root)
    if not lines:
        sys.exit("coverage: there are no counts in " + root)
    print(f"{'file':32} {'lines':>6} {'run':>6} {'percent':>8}")
    total = ran = 0
    with open(listing, "w", encoding="utf-8") as file:
        for source in sorted(lines):
            here = sum(count > 0 for count in lines[source].values())
            print(f"{source:32} {len(lines[source]):6} {here:6} {percent(here, len(lines[source])):8.1f}")
            total += len(lines[source])
            ran += here
            file.writelines(f"{source}:{number}\n" for number, count in sorted(lines[source].items()) if not count)
    print(f"{'total':32} {total:6} {ran:6} {percent(ran, total):8.1f}")
    if percent(ran, total) < minimum:
        sys.exit(f"coverage: less than {minimum:g} percent; the lines never run are in {listing}")


if __name__ == "__main__":
    main()
