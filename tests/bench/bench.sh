#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the benchmarks and prints their table. O: folder of what was built.
# With lttng in the path, the program runs inside an LTTng session of its own,
# whose daemon and files are below O and go afterwards.
set -eu

work=$O/tests/bench/work
rm -rf "$work"
mkdir -p "$work/result" "$work/lttng"
daemon=

stop()
{
	[ -z "$daemon" ] || { lttng destroy ascprof-bench >"$work/log" 2>&1 || true; kill "$daemon" 2>"$work/log" || true; }
	rm -rf "$work"
}
trap stop EXIT

if command -v lttng >"$work/log" 2>&1 && command -v lttng-sessiond >"$work/log" 2>&1; then
	LTTNG_HOME=$(cd "$work/lttng" && pwd)
	export LTTNG_HOME
	lttng-sessiond --no-kernel >"$work/lttng/log" 2>&1 &
	daemon=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		lttng list >"$work/log" 2>&1 && break
		sleep 0.3
	done
	if lttng create ascprof-bench --output="$work/lttng/trace" >"$work/log" 2>&1 &&
		lttng enable-channel --userspace --subbuf-size=4M --num-subbuf=4 marks >>"$work/log" 2>&1 &&
		lttng enable-event --userspace --channel=marks 'ascprof_bench:*' >>"$work/log" 2>&1 &&
		lttng add-context --userspace --channel=marks --type=vtid >>"$work/log" 2>&1 &&
		lttng start >>"$work/log" 2>&1; then
		export BENCH_LTTNG=1
	else
		echo "no LTTng session:"
		cat "$work/log"
	fi
else
	echo "no row for LTTng: it is not installed"
fi
"$O/tests/bench/annotate" "$work/result"
echo
"$O/tests/bench/table" "$work/table"
