#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The clock of an NPU beside the host's, with the stand-in for the vendor's library: the
# drift that it has is measured to within the bound that is stated, and without a clock
# nothing is stated. Exit: 0 or 1.
set -u

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export ASCPROF_HAL="$BUILD/tests/hal/libascend_hal.so" ASCPROF_DEVICE=/nonexistent
failures=0

# record MODEL DEVICES: into ./result
record()
{
	HAL_MODEL=$1
	export HAL_MODEL
	rm -rf result
	if ! "$BUILD/tests/device/channels" result 300 "$2" >out 2>err || [ -s err ]; then
		echo "$1: $(cat out err)"
		failures=$((failures + 1))
	fi
}

# drifts PPM DEVICES: each device's clock has that drift, as far as can be told
drifts()
{
	record "chip=5 devices=$2 ppm=$1" "$2"
	python3 - "$@" result/PROF_* <<'END' || failures=$((failures + 1))
import json
import re
import sys

ppb, devices, prof = int(sys.argv[1]) * 1000, int(sys.argv[2]), sys.argv[3]
summary = json.load(open(prof + "/ascprof.json"))
clocks = summary["clocks"]
seconds = (summary["end"]["raw_ns"] - summary["start"]["raw_ns"]) / 1e9


def moment(device, name):
    with open(f"{prof}/device_{device}/{name}.{device}") as file:
        return {key: int(value) for key, value in re.findall(r"(\w+):\s*(\d+)", file.read())}


def wrong(c):
    """The line goes through the moment of the start files; its rate is the nominal one with the drift."""
    host, device = (moment(c["device"], name) for name in ("host_start.log", "dev_start.log"))
    info = json.load(open(f"{prof}/device_{c['device']}/info.json.{c['device']}"))
    nominal = float(info["DeviceInfo"][0]["hwts_frequency"]) * 1e12
    return (c["readings"] < 2 or c["counter"] != device["cntvct"]
            or abs(c["host_ns"] - host["clock_monotonic_raw"]) > c["error_ns"]
            or abs((c["micro_hz"] / nominal - 1) * 1e9 - c["drift_ppb"]) > 1
            # two readings 0.3 s apart tell the rate as well as each of them is known
            or abs(c["drift_ppb"] - ppb) * 0.3 > 2 * c["error_ns"] + 10 * seconds)


bad = [c for c in clocks if wrong(c)]
if bad or sorted(c["device"] for c in clocks) != list(range(devices)):
    sys.exit(f"drift of {ppb} ppb: {clocks}")
END
}

drifts 0 1
drifts 200 2
drifts -300 1
record "chip=5 nofacts" 1
grep -q '"clocks":\[\]' result/PROF_*/ascprof.json || {
	echo "a clock, though the driver tells none: $(cat result/PROF_*/ascprof.json)"
	failures=$((failures + 1))
}
[ $failures = 0 ]
