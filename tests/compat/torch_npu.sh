#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The call sequences of PyTorch's NPU back end (clients/torch_npu.c), in both eras, with
# the library found by LD_LIBRARY_PATH and preloaded.
# TOP, BUILD: the source and build folders
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$top/build}
build=$(cd "$build" && pwd)
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# shellcheck disable=SC2086
$cc -O1 -Wall -Wextra -Werror ${CFLAGS:-} -I"$top/runtime/include" -o "$work/client" "$here/clients/torch_npu.c" -ldl

# What a preloaded library must win against: every call of it is the program's end.
mkdir "$work/decoy"
for function in Init Start Stop Finalize CreateConfig SetConfig CreateStamp Mark; do
	echo "void aclprof$function(void) { __builtin_trap(); }"
done >"$work/decoy.c"
$cc -w -shared -fPIC -o "$work/decoy/libmsprofiler.so" "$work/decoy.c"

# kinds DIRECTORY...: what they hold, as "kind written" of every kind that has rows
kinds()
{
	python3 "$top/tests/process/profdir.py" "$@" >"$work/log" || { cat "$work/log"; return 1; }
	awk '$1 == "kind" && $4 { printf "%s%s %s", sep, $2, $4; sep = ", " }' "$work/log"
}

# scenario NAME DIRECTORIES KINDS
scenario()
{
	for era in documented head; do
		for way in path preload; do
			out=$work/$1-$era-$way
			case $way in
			path)    preload='' path=$build/ascprof ;;
			preload) preload=$build/ascprof/libmsprofiler.so path=$work/decoy ;;
			esac
			env ASCPROF_LOG=off ASCPROF_COMPAT="$era" LD_LIBRARY_PATH="$path" \
				${preload:+LD_PRELOAD="$preload"} "$work/client" "$1" "$out" ||
				fail "$1, $era, $way: exit $?"
			count=$(find "$out" -maxdepth 1 -name 'PROF_*' 2>/dev/null | wc -l)
			if [ "$count" != "$2" ]; then
				fail "$1, $era, $way: $count directories, expected $2"
			elif [ "$count" != 0 ]; then
				got=$(kinds "$out") || fail "$1, $era, $way"
				[ "$got" = "$3" ] || fail "$1, $era, $way: '$got', expected '$3'"
			fi
		done
	done
}

scenario names 0 ''
scenario nothing 1 ''
scenario levels 36 ''
scenario warmup 3 'mark 3'
scenario no_config 1 ''
scenario operators 1 'mark 1000, range 1000'
scenario steps 1 ''
scenario tools 1 'mstx_mark 2, mstx_range 2'
exit $failed
