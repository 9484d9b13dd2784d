#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports a directory that is larger than the memory that they may use, in every format.
# O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
prof=$(python3 "$here/gen_prof.py" out --no-host-usage --no-device --events 120000 --split-all 2097152)
python3 - "$ascprof" "$prof" <<'END'
import os
import resource
import sys

ascprof, prof = sys.argv[1:]
data = os.path.join(prof, "host", "data")
size = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data)) >> 20
assert size > 85, size
# MiB: of its own; with what it maps of files, which is GUARD_RESIDENT and a step. The database
# keeps every different text, of which there are 360,000 here.
limits = {"db": (64, 64)}
if "__asan_init" in open(ascprof, "rb").read().decode("latin-1"):
    print("skipped: a sanitizer needs more than the limits")
    sys.exit(0)
for kind in ("csv", "trace", "perfetto", "db", "jsonl"):
    limit, most = limits.get(kind, (32, 40))
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_DATA, (limit << 20, limit << 20))
        os.execv(ascprof, [ascprof, "export", "-q", "-f", kind, "-o", kind, prof])
    _, status, usage = os.wait4(child, 0)
    print("%s: %d MiB of a directory of %d MiB, exit %d" % (kind, usage.ru_maxrss >> 10, size, status >> 8))
    if status or usage.ru_maxrss > most << 10:
        sys.exit("FAIL: at most %d MiB were expected" % most)
END
