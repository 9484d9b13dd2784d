#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fuzzers of FUZZERS for a moment: all inputs that are kept, and some new ones. Prints TAP.
# BUILD: folder of what was built, TOP: the source tree.
set -u
. "$TOP/tests/lib/tap.sh"

kept()
{
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 timeout 120 "$BUILD/tests/fuzz/readers/$1" -runs=0 -timeout=20 -rss_limit_mb=1024 -close_fd_mask=1 \
		"$TOP/tests/fuzz/readers/corpus/$1" >"$BUILD/readers.log" 2>&1 || {
		tail -n 40 "$BUILD/readers.log"
		return 1
	}
}

some_new()
{
	cat "$new/$1.log"
	[ "$(cat "$new/$1.code")" = 0 ]
}

# two at a time, since each is one thread
new=$BUILD/readers-new
mkdir -p "$new"
rm -f "$new"/*
# shellcheck disable=SC2086,SC2016
printf '%s\n' $FUZZERS | xargs -P 2 -I '{}' sh -c 'sh "$0" "$1" 3 >"$2/$1.log" 2>&1; echo $? >"$2/$1.code"' \
	"$TOP/tests/fuzz/readers/run.sh" '{}' "$new"
for reader in $FUZZERS; do
	step "$reader: every input that is kept" kept "$reader"
	step "$reader: three seconds of new ones" some_new "$reader"
done
tap_end
