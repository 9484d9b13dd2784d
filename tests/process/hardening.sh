#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the binaries that are installed are made with: no text that can be written, no stack that
# can be executed, addresses that cannot be known, all symbols bound at the start, no search
# path, canaries, and checks of the C library where the build has them. Exit: 0, 1, 77.
# BUILD: the build folder
set -eu

command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
if readelf -sW "$BUILD/libascprof.so.1" | grep -q __gcov; then
	echo "skipped: built to be counted, not to be installed"
	exit 77
fi
failed=0
fail()
{
	echo "FAIL: $*"
	failed=1
}

python=$(find "$BUILD/python" -name '*.so' 2>/dev/null || :)
# shellcheck disable=SC2086
for file in "$BUILD/bin/ascprof" "$BUILD/libascprof.so.1" "$BUILD/ascprof/libascprof_preload.so" $python; do
	readelf -hldW --dyn-syms "$file" >"$BUILD/elf"
	has() { grep -qE "$1" "$BUILD/elf"; }
	has 'GNU_RELRO' || fail "$file: no RELRO"
	has 'BIND_NOW|FLAGS.*NOW' || fail "$file: symbols are bound late"
	has 'GNU_STACK .* RW +0' || fail "$file: the stack can be executed"
	has 'Type: +DYN' || fail "$file: at a fixed address"
	! has 'TEXTREL' || fail "$file: its text is written to"
	# beside itself is no path that somebody else decides
	! grep -E '\((RPATH|RUNPATH)\)' "$BUILD/elf" | grep -vE '\[\$ORIGIN[/.]*\]' || fail "$file: has a search path"
	! has 'LOAD .* RWE ' || fail "$file: a segment that can be written and executed"
done
# (the others have no arrays to guard)
for file in "$BUILD/bin/ascprof" "$BUILD/libascprof.so.1"; do
	readelf --dyn-syms -W "$file" >"$BUILD/elf"
	grep -q '__stack_chk_fail' "$BUILD/elf" || fail "$file: no canaries"
	grep -qE '__(asan|tsan|msan)_' "$BUILD/elf" || grep -qE '__[a-z]+_chk@' "$BUILD/elf" || fail "$file: no checks of the C library"
	if grep -E ' UND +(gets|strcat|sprintf|vsprintf|tmpnam|mktemp|tempnam|system|popen)(@|$)' "$BUILD/elf"; then
		fail "$file: calls what writes any length, or a shell"
	fi
done
rm -f "$BUILD/elf"
exit $failed
