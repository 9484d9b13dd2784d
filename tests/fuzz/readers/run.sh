#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one fuzzer: run.sh READER SECONDS. BUILD: folder of what was built. Starts with the
# corpus in the tree and what earlier runs found, which stays in BUILD/corpus/READER;
# findings are left in BUILD/findings. Exit 0: nothing was found, 1: something was.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
reader=$1
seconds=$2
mkdir -p "$BUILD/corpus/$reader" "$BUILD/findings"
code=0
# what is undefined is a finding, too
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Everything that is printed is for people who use the command, so both descriptors go.
"$BUILD/tests/fuzz/readers/$reader" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=1024 \
	-malloc_limit_mb=512 -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$BUILD/findings/$reader-" \
	"$BUILD/corpus/$reader" "$here/corpus/$reader" >"$BUILD/findings/$reader.log" 2>&1 || code=$?
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$BUILD/findings/$reader.log")
[ $code -eq 0 ] || {
	tail -n 60 "$BUILD/findings/$reader.log"
	echo "$reader: a finding, exit $code: $BUILD/findings"
	exit 1
}
echo "$reader: ${runs:-0} inputs in $seconds s, $(find "$BUILD/corpus/$reader" "$here/corpus/$reader" -type f | wc -l) kept, nothing found"
