#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library exports what its public headers declare, and nothing else.
set -eu
top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
lib=${BUILD:-$top/build}/libascprof.so.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v nm >/dev/null; then
	echo "skipped: no nm"
	exit 77
fi
nm -D --defined-only "$lib" | awk '$2 ~ /[TDBRWV]/ { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
sed -E 's://.*::' "$top"/runtime/include/acl/*.h "$top"/runtime/include/ascprof/*.h \
	"$top"/runtime/include/mstx/ms_tools_ext*.h |
	awk '/ASCPROF_PUBLIC|MSTX_DECLSPEC|visibility\("default"\)/ && !/define/ { on = 1 }
		on { print } /;/ { on = 0 }' |
	grep -oE '\b(aclprof|aclInit|aclFinalize|aclGetRecentErrMsg|ascprof_|Msprof|mstx)[A-Za-z0-9_]* *\(' | tr -d ' (' >"$work/names"
echo InitInjectionMstx >>"$work/names" # of every tool; programs look it up by name
printf '%s\n' ascprof_injected_again ascprof_injected_end ascprof_pthread_begin ascprof_pthread_end \
	>>"$work/names" # for libascprof_preload.so and libascprof_pthread.so alone
sort -u "$work/names" >"$work/declared"
[ "$(wc -l <"$work/declared")" -ge 15 ] || { echo "found only:"; cat "$work/declared"; exit 1; }
diff "$work/declared" "$work/exported" || { echo "<: declared only, >: exported only"; exit 1; }
