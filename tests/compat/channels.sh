#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what the public msprof parser exports from directories of NPU channels, made with
# the stand-in for the vendor's library, with its formulas applied to what was planted.
#
#   MSPROF_DIR=checkout of the parser  O=folder of the build  channels.sh
#
# Prints a table. Exit 0: all equal, 1: not, 77: no parser.
set -eu
if [ -z "${MSPROF_DIR:-}" ]; then
	echo "MSPROF_DIR is not set: no checkout of the public parser to compare with"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-${O:-$here/../../build}}
O=$(cd "$O" && pwd)
export PYTHONDONTWRITEBYTECODE=1 ASCPROF_HAL="$O/tests/hal/libascend_hal.so" ASCPROF_LOG=error
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# compare CHIP: its directory with all kinds, or, with ASCPROF_AICORE, of sampled cores
compare()
{
	rm -rf "$tmp/prof"
	HAL_MODEL="chip=$1 periods=40" "$O/tests/device/channels" "$tmp/prof" >/dev/null
	for kind in summary timeline; do
		python3 "$MSPROF_DIR/analysis/msprof/msprof.py" export $kind -dir "$tmp"/prof/PROF_* >"$tmp/log" 2>&1 || {
			cat "$tmp/log"
			echo "FAIL chip $1: the parser's export $kind"
			failed=1
			return
		}
	done
	python3 "$here/compare_channels.py" "$1" "$tmp"/prof/PROF_* || failed=1
}

echo "| chip | kind | rows | equal |"
echo "| --- | --- | --- | --- |"
for chip in 0 1 4 5 7 15; do
	compare $chip
done
export ASCPROF_AICORE=sample:20
for chip in 1 4 5 7 15; do
	compare $chip
done
exit $failed
