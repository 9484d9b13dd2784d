#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many records a second on each of 20 channels: nothing is lost; prints the share of the
# processor's time. What comes by default fits into the buffers, whatever else the machine
# does; 10,000 a second need one that keeps up. Then with a disk that stands still: what is lost is counted in bytes,
# by channel, and what is written are whole records.
#
#   channels_rate.sh [seconds [milliseconds that the disk stands still [records a second]]]
#
# Exit: 0 or 1.
set -u

seconds=${1:-1}
stall=${2:-1000}
rate=${3:-1000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset ASCPROF_AICORE HAL_LOG
export ASCPROF_HAL="$BUILD/tests/hal/libascend_hal.so" ASCPROF_DEVICE=/nonexistent
planted="$TOP/tests/lib/planted.py"
failures=0

bad()
{
	echo "$*"
	failures=$((failures + 1))
}

HAL_MODEL="chip=5 rate=$rate" "$BUILD/tests/device/channels" result $((seconds * 1000)) >out || bad "$(cat out)"
python3 "$planted" result/PROF_* >listing || bad "$(grep -v '^[a-z]' listing)"
grep '^lost' listing && bad "lost at $rate records a second"
awk -v least=$((seconds * rate)) '
	/^[a-z]/ && $1 != "lost" { channels++; if ($2 < 0.9 * least || !least) print "only " $0; records += $2; bytes += $3 }
	END { if (channels < 20) print "only " channels " channels"
	      print channels " channels, " records " records, " bytes " bytes" >"sums" }
' listing >few
[ -s few ] && bad "fewer records than planned: $(cat few)"
[ "$failures" = 0 ] && lost="nothing lost" || lost="see above"
echo "$(cat sums), in $seconds s; $lost; with the stand-in for the driver, $(cat out)"

rm -rf result
export HAL_MODEL="chip=1 rate=400000" STALL_MS="$stall" STALL_AT=5 ASCPROF_IO=pwritev ASCPROF_DIRECT=off
LD_PRELOAD="$BUILD/tests/device/stalled_disk.so" "$BUILD/tests/device/channels" result $((stall + 1000)) 1 1 memory >out ||
	bad "$(cat out)"
python3 "$planted" --lossy result/PROF_* >listing || bad "$(grep -v '^[a-z]' listing)"
echo "a disk that stood still for $stall ms:"
grep '^lost' listing
grep -q "^lost llc device 0 of [0-9]*: {'ring_full': [0-9]*}" listing || bad "nothing of llc was lost: $(cat listing)"

[ "$failures" = 0 ]
