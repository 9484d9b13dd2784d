# SPDX-License-Identifier: Apache-2.0
"""ascprof export and the public parser on the same directory, in one run.

usage: export_parser.py MSPROF_DIR ASCPROF WORK RECORDS
"""
import os
import shutil
import subprocess
import sys

ROUNDS = 5


def run(command):
    """(wall s, CPU s, peak MiB of the largest process)"""
    measure = "import resource, subprocess, sys, time\n" \
              "begin = time.monotonic()\n" \
              "code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)\n" \
              "wall = time.monotonic() - begin\n" \
              "u = resource.getrusage(resource.RUSAGE_CHILDREN)\n" \
              "print(wall, u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)\n" \
              "sys.exit(code)"
    out = subprocess.run([sys.executable, "-c", measure] + command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return tuple(map(float, out.split()[-3:]))


def export(command, out):
    """Into a place where nothing is, as for the parser: what is replaced has to be given up by the file system."""
    if os.path.isdir(out):
        shutil.rmtree(out)
    elif os.path.exists(out):
        os.remove(out)
    return run(command + ["-o", out])


def main():
    msprof, ascprof, work, records = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    compat = os.path.join(here, "..", "compat")
    prof = subprocess.run([sys.executable, os.path.join(compat, "gen_prof.py"), os.path.join(work, "planted"),
                           "--no-host-usage", "--events", str(int(records) // 3), "--split-all", "2097152"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    copy = os.path.join(work, "copy")
    shutil.copytree(prof, copy)
    parser = os.path.join(msprof, "analysis", "msprof", "msprof.py")
    for ours, theirs, out, must, aim in (("csv", "summary", "tables", 80, 150), ("trace", "timeline", "trace.json", 200, 400)):
        a = run([sys.executable, parser, "export", theirs, "-dir", copy])
        rounds = [export([ascprof, "export", "-q", "-f", ours, prof], os.path.join(work, out)) for _ in range(ROUNDS)]
        b = [min(r[i] for r in rounds) for i in range(3)]
        print("%-5s %s records: parser %6.2f s, CPU %6.2f s, %5.0f MiB; ascprof %6.3f s, CPU %6.3f s, %4.0f MiB" %
              (ours, records, *a, *b))
        print("      wall %.0f x, CPU %.0f x (must %d, aim %d); memory 1/%.0f (must 1/10)" %
              (a[0] / b[0], a[1] / b[1], must, aim, a[2] / b[2]))
        sys.stdout.flush()
    sys.exit(subprocess.call([sys.executable, os.path.join(compat, "compare_parser.py"), copy,
                              os.path.join(work, "tables"), os.path.join(work, "trace.json")]))


if __name__ == "__main__":
    main()
