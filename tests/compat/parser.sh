#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what ascprof exports with what the public msprof parser exports from the
# same directories: tables cell by cell, and the timeline.
#
#   MSPROF_DIR=checkout of the parser  O=folder of the build  parser.sh [PROF_DIR...]
#
# MSPROF_LIB_DIR: another one, in which analysis/lib64/msprof_analysis.so was built, for its database.
# Without arguments it makes directories: planted ones for several chips, clocks and
# slice sizes, those of the examples, and one of what needs a device runtime. Exit 0: the same, 1: not, 77: no parser.
set -eu
if [ -z "${MSPROF_DIR:-}" ]; then
	echo "MSPROF_DIR is not set: no checkout of the public parser to compare with"
	exit 77
fi
msprof=$MSPROF_DIR/analysis/msprof/msprof.py
if [ ! -e "$msprof" ]; then
	echo "MSPROF_DIR=$MSPROF_DIR: no analysis/msprof/msprof.py in it"
	exit 1
fi
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-${O:-$here/../../build}}
O=$(cd "$O" && pwd)
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# compare NAME PROF_DIR; the parser writes into what it reads, so it gets a copy
compare()
{
	rm -rf "$tmp/copy" "$tmp/csv" "$tmp/trace.json"
	cp -r "$2" "$tmp/copy"
	for kind in summary timeline; do
		python3 "$msprof" export $kind -dir "$tmp/copy" >"$tmp/log" 2>&1 || {
			cat "$tmp/log"
			echo "FAIL $1: the parser's export $kind"
			failed=1
			return
		}
	done
	if "$O/bin/ascprof" export -q -f csv -o "$tmp/csv" "$2" &&
		"$O/bin/ascprof" export -q -f trace -o "$tmp/trace.json" "$2" &&
		python3 "$here/compare_parser.py" "$tmp/copy" "$tmp/csv" "$tmp/trace.json" >"$tmp/log"; then
		echo "$1: $(cat "$tmp/log")"
	else
		cat "$tmp/log"
		echo "FAIL $1"
		failed=1
	fi
}

# database NAME PROF_DIR: the parser's C++ library makes one, below a folder PROF_*
database()
{
	rm -rf "$tmp/PROF_db" "$tmp/ours.db"
	cp -r "$2" "$tmp/PROF_db"
	chmod -R go-w,o-rwx "$tmp/PROF_db"
	python3 "$MSPROF_LIB_DIR/analysis/msprof/msprof.py" export db -dir "$tmp/PROF_db" >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		echo "FAIL $1: the parser's export db"
		failed=1
		return
	}
	if "$O/bin/ascprof" export -q -f db -o "$tmp/ours.db" "$2" &&
		python3 "$here/compare_db.py" "$tmp/PROF_db"/msprof_*.db "$tmp/ours.db" >"$tmp/log"; then
		echo "$1: $(cat "$tmp/log")"
	else
		cat "$tmp/log"
		echo "FAIL $1"
		failed=1
	fi
}

# planted NAME options...: clocks that are no round numbers
planted()
{
	name=$1
	shift
	rm -rf "$tmp/planted"
	compare "$name" "$(python3 "$here/gen_prof.py" "$tmp/planted" \
		--wall 1798712345678913 --mono 5432109876543 "$@")"
}

if [ $# -gt 0 ]; then
	for prof in "$@"; do
		compare "$prof" "$prof"
	done
	exit $failed
fi

planted "chip 5" --chip 5 --interval-us 19997
planted "chip 1, write" --chip 1 --interval-us 10007 --llc write
planted "chip 7, a month up" --chip 7 --interval-us 12347 --mono 25432109876543211
planted "chip 5, version 2.0" --chip 5 --version 2.0
planted "chip 1, version 2.0" --chip 1 --version 2.0 --samples 57
planted "ticks" --chip 5 --host-mhz 38.4
planted "one sample" --no-host-usage --chip 5 --samples 1
planted "many slices" --no-host-usage --chip 5 --split-all 3840 --events 1000 --samples 300
planted "host only" --chip 5 --no-device --events 3000
calls=$(python3 "$here/gen_prof.py" "$tmp/calls" --chip 5 --no-device)
python3 "$here/check_host.py" plant "$calls"
compare "system and pthread calls" "$calls"

if [ -n "${MSPROF_LIB_DIR:-}" ]; then
	database "chip 5, database" "$(python3 "$here/gen_prof.py" "$tmp/db5" --no-host-usage)"
	database "odd clocks, database" "$(python3 "$here/gen_prof.py" "$tmp/db1" --no-host-usage --chip 1 --version 2.0 \
		--wall 1798712345678913 --mono 5432109876543 --interval-us 19997 --odd-messages)"
	database "host data and calls, database" "$calls"
	database "many slices, database" "$(python3 "$here/gen_prof.py" "$tmp/dbs" --no-host-usage --split-all 3840 \
		--events 1000 --samples 300)"
else
	echo "MSPROF_LIB_DIR is not set: no database to compare with"
fi

if [ -e "$O/tests/process/host" ]; then
	LD_PRELOAD=$O/ascprof/libascprof_pthread.so "$O/tests/process/host" record "$tmp/host" && compare "host data" "$(echo "$tmp/host"/PROF_*)"
fi
if [ -e "$O/tests/device/recorder" ]; then
	if "$O/tests/device/recorder" "$tmp/device" "$O/tests/device/libruntime.so" >"$tmp/operators"; then
		compare "devices and details" "$(echo "$tmp/device"/PROF_*)"
		python3 "$here/check_tensors.py" "$tmp/copy" "$tmp/operators" || failed=1
	else
		echo "FAIL recorder"
		failed=1
	fi
fi
if "${CC:-cc}" -I"$here/../../runtime/include" -o "$tmp/framework" "$here/clients/framework.c" \
	-L"$O" -lascprof -Wl,-rpath,"$O" && mkdir "$tmp/reports" && "$tmp/framework" "$tmp/reports"; then
	compare "reports of a framework" "$(echo "$tmp/reports"/PROF_*)"
	python3 "$here/compare_reports.py" "$tmp/copy" >"$tmp/log" || failed=1
	echo "reports of a framework, as the parser keeps them: $(cat "$tmp/log")"
	[ -z "${MSPROF_LIB_DIR:-}" ] || database "reports of a framework, database" "$(echo "$tmp/reports"/PROF_*)"
else
	echo "FAIL framework"
	failed=1
fi
if [ -e "$O/examples/two_models" ]; then
	for example in mark push_pop range two_models mstx; do
		ASCPROF_LOG=error "$O/examples/$example" "$tmp/examples"
	done
	for prof in "$tmp/examples"/PROF_*; do
		compare "examples, ${prof##*/}" "$prof"
	done
fi
exit $failed
