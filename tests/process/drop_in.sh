#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that was built against the vendor's libraries, and knows nothing of this one,
# runs with this one when LD_LIBRARY_PATH names its folder, and only then.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
unset LD_LIBRARY_PATH

# ---- the vendor's libraries, as far as a linker looks: names, and code that is never to run ----

vendor()
{
	library=$1
	shift
	for function in "$@"; do
		echo "void $function(void) { __builtin_trap(); }"
	done >"$work/stub.c"
	$cc -w -shared -fPIC -Wl,-soname,"$library" -o "$work/vendor/$library" "$work/stub.c"
}
mkdir "$work/vendor" "$work/ascendcl"
vendor libmsprofiler.so aclprofInit aclprofFinalize aclprofSetConfig aclprofCreateConfig aclprofDestroyConfig \
	aclprofStart aclprofStop aclprofCreateStamp aclprofDestroyStamp aclprofSetStampTraceMessage aclprofMark \
	aclprofPush aclprofPop aclprofRangeStart aclprofRangeStop
vendor libms_tools_ext.so mstxMarkA mstxRangeStartA mstxRangeEnd mstxGetToolId
# This one is not replaced: its aclInit is the one that a program gets.
cat >"$work/ascendcl.c" <<'END'
int aclInit(const char *path) { (void)path; return 11; }
int aclFinalize(void) { return 12; }
END
$cc -shared -fPIC -Wl,-soname,libascendcl.so -o "$work/ascendcl/libascendcl.so" "$work/ascendcl.c"

# built PROGRAM SOURCE LIBRARY...: linked with all of them, in this order
built()
{
	program=$1
	source=$2
	shift 2
	# shellcheck disable=SC2086
	$cc ${CFLAGS:-} -I"$top/runtime/include" -o "$work/$program" $source -L"$work/vendor" -L"$work/ascendcl" \
		-Wl,--no-as-needed "$@"
}

# ---- the three loops ----

for example in mark push_pop range; do
	built "$example" "$top/examples/$example.c $top/examples/loop.c" -lmsprofiler
	LD_LIBRARY_PATH="$build/ascprof" "$work/$example" "$work/out-$example" || fail "$example: exit $?"
	result "$example" "$example 200000" "$work/out-$example"
done
if command -v readelf >/dev/null; then
	readelf -d "$work/mark" | grep -q 'NEEDED.*\[libmsprofiler\.so\]' || fail "the program needs another name"
	! readelf -d "$work/mark" | grep -q ascprof || fail "the program knows of ascprof"
fi
# the other way round, the same program meets the vendor's library
code=0
LD_LIBRARY_PATH="$work/vendor" "$work/mark" "$work/none" >/dev/null 2>&1 || code=$?
[ "$code" -gt 128 ] || fail "without our folder: exit $code, expected the end by the stub"

# ---- both libraries at once, and one more look at each by name ----

cat >"$work/both.c" <<'END'
#define MSTX_NO_IMPL
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>
int main(int argc, char **argv)
{
	uint64_t tool = 0;
	aclprofConfig *config = aclprofCreateConfig(0, 0, ACL_AICORE_NONE, 0, ACL_PROF_MSPROFTX);
	void *again = dlopen("libmsprofiler.so", RTLD_LAZY), *other = dlopen("libms_tools_ext.so", RTLD_LAZY);
	if (argc < 2 || aclprofInit(argv[1], strlen(argv[1])) || aclprofStart(config))
		return 1;
	mstxMarkA("through the other library", 0);
	mstxGetToolId(&tool);
	if (!again || !other || dlsym(again, "aclprofMark") != dlsym(other, "aclprofMark"))
		return printf("two copies of the library\n");
	return aclprofStop(config) || aclprofDestroyConfig(config) || aclprofFinalize() || tool != MSTX_TOOL_MSPROF_ID;
}
END
built both "$work/both.c" -lmsprofiler -lms_tools_ext -ldl
LD_LIBRARY_PATH="$build/ascprof" "$work/both" "$work/out-both" || fail "both: exit $?"
result "both" "mstx_mark 1" "$work/out-both"

# ---- beside AscendCL, whichever of the two comes first ----

cat >"$work/init.c" <<'END'
#include <string.h>
#include <acl/acl.h>
#include <acl/acl_prof.h>
int main(int argc, char **argv)
{
	aclprofConfig *config = aclprofCreateConfig(0, 0, ACL_AICORE_NONE, 0, ACL_PROF_MSPROFTX);
	if (argc < 2 || aclInit(0) != 11 || aclprofInit(argv[1], strlen(argv[1])) || aclprofStart(config))
		return 1;
	return aclprofStop(config) || aclprofDestroyConfig(config) || aclprofFinalize() || aclFinalize() != 12;
}
END
built init_1 "$work/init.c" -lmsprofiler -lascendcl
built init_2 "$work/init.c" -lascendcl -lmsprofiler
for program in init_1 init_2; do
	LD_LIBRARY_PATH="$build/ascprof:$work/ascendcl" "$work/$program" "$work/out-$program" ||
		fail "$program: exit $?"
	result "$program" "" "$work/out-$program"
done

# ---- linked with our own file of that name: what it needs then is found in the same folder ----

$cc -I"$top/runtime/include" -o "$work/ours" "$top/examples/mark.c" "$top/examples/loop.c" -L"$build/ascprof" -lmsprofiler
LD_LIBRARY_PATH="$build/ascprof" "$work/ours" "$work/out-ours" || fail "linked with ours: exit $?"
result "ours" "mark 200000" "$work/out-ours"
exit $failed
