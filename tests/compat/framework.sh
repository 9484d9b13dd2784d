#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A framework that was linked with the public runtime's libprofapi.so (clients/framework.c)
# finds this library under that name; what it reports is in the directory, and in the export.
# TOP, BUILD: the source and build folders; PROFILING_HEADER_DIR: the folder of the public
# runtime's aprof_pub.h, to compile the client with that one in place of ours
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"

# What the linker finds is another library, which does nothing: only its names count.
mkdir "$work/theirs" "$work/result"
functions='MsprofReportApi MsprofReportEvent MsprofReportCompactInfo MsprofReportAdditionalInfo MsprofRegTypeInfo MsprofGetHashId
	MsprofSysCycleTime MsprofRegisterCallback aclprofInit aclprofFinalize aclprofCreateConfig
	aclprofDestroyConfig aclprofStart aclprofStop'
for function in $functions; do
	echo "int $function(void) { return -1; }"
done >"$work/theirs.c"
$cc -w -shared -fPIC -Wl,-soname,libprofapi.so -o "$work/theirs/libprofapi.so" "$work/theirs.c"

# client [OPTION...]: compiles, runs and checks
client()
{
	# shellcheck disable=SC2086
	$cc -O1 -Wall -Wextra -Werror ${CFLAGS:-} "$@" -I"$top/runtime/include" -o "$work/client" \
		"$here/clients/framework.c" -L"$work/theirs" -lprofapi
	rm -rf "$work/result" "$work/csv"
	mkdir "$work/result"
	LD_LIBRARY_PATH=$build/ascprof${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/client" "$work/result" || {
		fail "the client says $?"
		return
	}
	result "framework" "api 2800, event 801, compact 400, additional 40" "$work/result"
	prof=$(echo "$work/result"/PROF_*)
	"$build/bin/ascprof" export -q -f csv -o "$work/csv" "$prof"
	"$build/bin/ascprof" export -q -f trace -o "$work/trace.json" "$prof"
	"$build/bin/ascprof" export -q -f db -o "$work/calls.db" "$prof" 2>"$work/log" || grep -q libsqlite3 "$work/log" || fail "its database"
	"$build/bin/ascprof" export -q -f jsonl -o "$work/lines" "$prof"
	[ "$(grep -c '"kind":"api"' "$work/lines") $(grep -c '"kind":"event"' "$work/lines")" = "2800 400" ] || fail "its lines"
	"$build/bin/ascprof" export -q -f perfetto -o "$work/perfetto" "$prof"
	grep -aq 'AscendCL@aclrtMemcpy' "$work/perfetto" || fail "its Perfetto trace"
	python3 "$here/check_calls.py" "$prof" "$work/csv" "$work/trace.json" "$work/calls.db" || fail "its export"
	rm -rf "$work/killed"
	cp -r "$prof" "$work/killed"
	python3 "$top/tests/lib/killed.py" leave "$work/killed"
	"$build/bin/ascprof" repair "$work/killed" >"$work/log" || fail "repair: $(cat "$work/log")"
	python3 "$top/tests/lib/killed.py" account "$prof" "$work/killed" || fail "the account after repair"
}

client
if [ -e "${PROFILING_HEADER_DIR:-/nonexistent}/aprof_pub.h" ]; then
	client -include stdbool.h -include "$PROFILING_HEADER_DIR/aprof_pub.h"
else
	echo "PROFILING_HEADER_DIR names no folder with aprof_pub.h: not compiled with the public header"
fi
exit $failed
