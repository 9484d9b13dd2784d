#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The call sequences of PyTorch's NPU back end (clients/torch_npu.c), in both eras, with
# the library found by LD_LIBRARY_PATH and preloaded.
# TOP, BUILD: the source and build folders
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"

# shellcheck disable=SC2086
$cc -O1 -Wall -Wextra -Werror ${CFLAGS:-} -I"$top/runtime/include" -o "$work/client" "$here/clients/torch_npu.c" -ldl

# What a preloaded library must win against: every call of it is the program's end.
mkdir "$work/decoy"
for function in Init Start Stop Finalize CreateConfig SetConfig CreateStamp Mark; do
	echo "void aclprof$function(void) { __builtin_trap(); }"
done >"$work/decoy.c"
$cc -w -shared -fPIC -o "$work/decoy/libmsprofiler.so" "$work/decoy.c"

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
				result "$1, $era, $way" "$3" "$out"
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
