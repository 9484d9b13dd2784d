#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library as frameworks load it: libmsprofiler.so by dlopen from Python. The
# interpreter ends while daemon threads still annotate.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$top/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/program.py" <<'END'
import ctypes
import os
import sys
import threading
import time

lib = ctypes.CDLL("libmsprofiler.so", mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
lib.aclprofCreateConfig.restype = lib.aclprofCreateStamp.restype = ctypes.c_void_p
lib.aclprofCreateConfig.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64]
lib.aclprofInit.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
lib.aclprofSetStampTraceMessage.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
for call in (lib.aclprofStart, lib.aclprofStop, lib.aclprofDestroyConfig, lib.aclprofMark, lib.aclprofPush,
             lib.aclprofDestroyStamp):
    call.argtypes = [ctypes.c_void_p]


def ok(code):
    if code:
        sys.exit(f"code {code}")


def annotate(loops):
    while loops:
        stamp = lib.aclprofCreateStamp()
        text = "Stufe \u6570\u636e".encode()
        ok(lib.aclprofSetStampTraceMessage(stamp, text, len(text)))
        ok(lib.aclprofMark(stamp))
        ok(lib.aclprofPush(stamp))
        ok(lib.aclprofPop())
        lib.aclprofDestroyStamp(stamp)
        loops -= 1


path = sys.argv[1].encode()
ok(lib.aclprofInit(path, len(path)))
config = lib.aclprofCreateConfig((ctypes.c_uint32 * 1)(0), 1, 0, None, 0x81)
ok(lib.aclprofStart(config))
annotate(2000)
if sys.argv[2] == "stop":
    ok(lib.aclprofStop(config))
    ok(lib.aclprofDestroyConfig(config))
    ok(lib.aclprofFinalize())
else:
    for _ in range(4):
        threading.Thread(target=annotate, args=(-1,), daemon=True).start()
    time.sleep(0.05)
END
export LD_LIBRARY_PATH="$build/ascprof${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
python3 "$work/program.py" "$work/stopped" stop
python3 "$here/profdir.py" "$work/stopped"
for round in 1 2 3 4 5 6 7 8 9 10; do
	# the missing Stop is warned of, a refused annotation is not ours to judge here
	python3 "$work/program.py" "$work/exit$round" exit 2>"$work/err" || {
		echo "round $round ended with $?"
		cat "$work/err"
		exit 1
	}
	python3 "$here/profdir.py" --state exit --dropped "$work/exit$round" >"$work/out" || {
		cat "$work/out"
		exit 1
	}
done
