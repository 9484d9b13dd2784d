#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The client side of mstx: the headers by themselves, in C11 and C++11; programs
# without a tool (test vector 153), with one, with one that refuses; our library
# in each of the ways that a program can meet it.
# Exit: 0, 1, or 77 where there is no compiler.
set -u

CC=${CC:-cc}
CXX=${CXX:-c++}
include=$TOP/runtime/include
command -v "$CC" >/dev/null || { echo "skipped: no C compiler $CC"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0

bad()
{
	echo "$*"
	failures=$((failures + 1))
}

# run EXPECTED COMMAND...: its output, and status 0, within ten seconds
run()
{
	expected=$1
	shift
	got=$(timeout 10 env "$@" 2>&1)
	status=$?
	if [ "$status" != 0 ] || [ "$got" != "$expected" ]; then
		bad "$*: status $status, '$got', expected '$expected'"
	fi
}

# ---- the headers by themselves ----

strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Werror'
for header in ms_tools_ext ms_tools_ext_mem; do
	cat >one.c <<-END
	#include <mstx/$header.h>
	#include <mstx/ms_tools_ext_mem.h>
	#include <mstx/ms_tools_ext.h>
	int use(mstxDomainHandle_t d, mstxMemHeapDesc_t *h, mstxMemRegionsRegisterBatch_t *r,
		mstxMemRegionsUnregisterBatch_t *u);
	int use(mstxDomainHandle_t d, mstxMemHeapDesc_t *h, mstxMemRegionsRegisterBatch_t *r,
		mstxMemRegionsUnregisterBatch_t *u)
	{
		uint64_t id = 0;
		mstxMarkA("m", NULL);
		mstxRangeEnd(mstxRangeStartA("r", NULL));
		d = mstxDomainCreateA("d");
		mstxDomainMarkA(d, "m", NULL);
		mstxDomainRangeEnd(d, mstxDomainRangeStartA(d, "r", NULL));
		mstxDomainDestroy(d);
		mstxMemHeapUnregister(globalDomain, mstxMemHeapRegister(d, h));
		mstxMemRegionsRegister(d, r);
		mstxMemRegionsUnregister(d, u);
		mstxGetToolId(&id);
		return id == MSTX_TOOL_INVALID_ID;
	}
	END
	echo "#include <mstx/$header.h>" >unused.c
	cp one.c one.cc
	cp unused.c unused.cc
	for mode in '' -DMSTX_NO_IMPL -DMSTX_DISABLE; do
		for options in -O0 '-O2 -D_GNU_SOURCE'; do
			# shellcheck disable=SC2086
			"$CC" -std=c11 $strict $mode $options -I"$include" -c one.c unused.c ||
				bad "$CC -std=c11 $mode $options: $header.h"
			command -v "$CXX" >/dev/null || continue
			# shellcheck disable=SC2086
			"$CXX" -std=c++11 $strict $mode $options -I"$include" -c one.cc unused.cc ||
				bad "$CXX -std=c++11 $mode $options: $header.h"
		done
		# how much of the client is in the object
		names=$(nm one.o | grep -c 'dlopen\|client\|mstxMarkA')
		case $mode in
		'') [ "$names" -gt 2 ] || bad "no client in a plain object" ;;
		-DMSTX_NO_IMPL) [ "$names" = 1 ] || bad "MSTX_NO_IMPL: $(nm one.o)" ;;
		*) [ "$names" = 0 ] || bad "MSTX_DISABLE: $(nm one.o)" ;;
		esac
	done
done

# ---- a program of two files, and tools for it ----

cat >main.c <<'END'
#include <stdio.h>
#include <mstx/ms_tools_ext.h>
void other(void);
void called_back(void);
void called_back(void) { mstxMarkA("while the tool is loaded", NULL); }
int main(void)
{
	uint64_t tool = 7;
	mstxRangeId range;
	mstxMarkA("one", NULL);
	other();
	range = mstxRangeStartA("range", NULL);
	mstxRangeEnd(range);
	mstxGetToolId(&tool);
	mstxGetToolId(NULL);
	printf("range %llu domain %d heap %d tool 0x%llx\n", (unsigned long long)range,
	       mstxDomainCreateA("d") != NULL, mstxMemHeapRegister(globalDomain, NULL) != NULL,
	       (unsigned long long)tool);
	return 0;
}
END
cat >other.c <<'END'
#include <mstx/ms_tools_ext.h>
#ifdef __cplusplus
extern "C"
#endif
void other(void);
void other(void) { mstxMarkA("two", NULL); }
END
cp other.c other.cc
linker=$CC
if command -v "$CXX" >/dev/null; then
	"$CXX" -std=c++11 -I"$include" -c other.cc -o other.o || bad "other.cc"
	linker=$CXX
else
	"$CC" -std=c11 -I"$include" -c other.c -o other.o || bad "other.c"
fi
"$CC" -std=c11 -I"$include" -c main.c -o main.o || bad "main.c"
"$linker" -o program main.o other.o -rdynamic -ldl || bad "linking the program"

# A tool that says what it is told. TOOL: 0, or what it answers to a program that
# it has filled all tables of; LOUD: it calls back while it is being loaded.
cat >tool.c <<'END'
#define MSTX_NO_IMPL
#include <stdio.h>
#include <mstx/ms_tools_ext.h>
extern void called_back(void) __attribute__((weak));
static void mark(const char *message, aclrtStream stream) { (void)stream; printf("mark %s\n", message); }
static mstxRangeId start(const char *message, aclrtStream stream) { (void)stream; (void)message; return 42; }
static void end(mstxRangeId id) { printf("end %llu\n", (unsigned long long)id); }
static mstxMemHeapHandle_t heap(mstxDomainHandle_t d, mstxMemHeapDesc_t const *desc)
{
	(void)d;
	(void)desc;
	return (mstxMemHeapHandle_t)&heap;
}
int InitInjectionMstx(mstxGetModuleFuncTableFunc get);
int InitInjectionMstx(mstxGetModuleFuncTableFunc get)
{
	mstxFuncTable table;
	unsigned int size = 0;

	printf("asked");
	for (int m = MSTX_API_MODULE_CORE; m < MSTX_API_MODULE_SIZE; m++) {
		if (get((mstxFuncModule)m, &table, &size) || table[0] || table[size])
			printf(" bad table %d", m);
		printf(" %u", size);
		for (unsigned int i = 1; i < size; i++)
			if (!table[i] || *table[i])
				printf(" bad slot %u", i);
	}
	printf("%s\n", get(MSTX_API_MODULE_INVALID, &table, &size) == 1 && get((mstxFuncModule)4, &table, &size) == 1 &&
		get(MSTX_API_MODULE_CORE, NULL, &size) == 1 && get(MSTX_API_MODULE_CORE, &table, NULL) == 1 ?
		"" : " bad arguments taken");
	get(MSTX_API_MODULE_CORE, &table, &size);
	*table[MSTX_API_CORE_MARK_A] = (mstxFuncPointer)mark;
	*table[MSTX_API_CORE_RANGE_START_A] = (mstxFuncPointer)start;
	*table[MSTX_API_CORE_RANGE_END] = (mstxFuncPointer)end;
	get(MSTX_API_MODULE_CORE_MEM, &table, &size);
	*table[MSTX_API_CORE_MEMHEAP_REGISTER] = (mstxFuncPointer)heap;
	return TOOL;
}
#ifdef LOUD
__attribute__((constructor)) static void loaded(void) { called_back(); }
#endif
END
"$CC" -I"$include" -DTOOL=0 -shared -fPIC -o tool.so tool.c || bad "tool.so"
"$CC" -I"$include" -DTOOL=1 -shared -fPIC -o refuses.so tool.c || bad "refuses.so"
"$CC" -I"$include" -DTOOL=0 -DLOUD -shared -fPIC -o loud.so tool.c || bad "loud.so"
echo 'int nothing;' >empty.c
"$CC" -shared -fPIC -o empty.so empty.c || bad "empty.so"

none='range 0 domain 0 heap 0 tool 0x0'
with_tool='asked 5 6 5
mark one
mark two
end 42
range 42 domain 0 heap 1 tool 0x0'
run "$none" ./program
run "$none" MSTX_INJECTION_PATH="$dir/missing.so" ./program
run "$none" MSTX_INJECTION_PATH="$dir/empty.so" ./program
run "$with_tool" MSTX_INJECTION_PATH="$dir/tool.so" ./program
run "$with_tool" LD_PRELOAD="$dir/tool.so" ./program
run "$with_tool" LD_PRELOAD="$dir/tool.so" MSTX_INJECTION_PATH="$dir/missing.so" ./program
run "asked 5 6 5
$none" MSTX_INJECTION_PATH="$dir/refuses.so" ./program
run "$with_tool" MSTX_INJECTION_PATH="$dir/loud.so" ./program

# ---- a program that runs with more rights than its user ----

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp program privileged
	chmod 755 "$dir"
	chmod 4755 privileged
	as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
	# shellcheck disable=SC2086
	if $as_nobody sh -c 'LD_SHOW_AUXV=1 ./privileged | grep -q AT_SECURE' >/dev/null 2>&1; then
		echo 'set-user-id has no effect here: not tried'
	else
		# shellcheck disable=SC2086
		run "$none" MSTX_INJECTION_PATH="$dir/tool.so" $as_nobody ./privileged
	fi
fi

# ---- our library ----

ours='range 0 domain 1 heap 0 tool 0x1000'
run "$ours" MSTX_INJECTION_PATH="$BUILD/libascprof.so.1" ./program
run "$ours" LD_PRELOAD="$BUILD/libascprof.so.1" ./program
"$CC" -std=c11 -DMSTX_NO_IMPL -I"$include" -o linked main.c other.c -L"$BUILD/ascprof" -lms_tools_ext \
	-Wl,-rpath,"$BUILD" || bad "linking with libms_tools_ext.so"
run "$ours" ./linked
if command -v python3 >/dev/null; then
	run "0 None 4096" LD_LIBRARY_PATH="$BUILD/ascprof" python3 -c '
import ctypes
lib = ctypes.CDLL("libms_tools_ext.so")
lib.mstxRangeStartA.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
lib.mstxRangeStartA.restype = ctypes.c_uint64
lib.mstxRangeEnd.argtypes = [ctypes.c_uint64]
lib.mstxRangeEnd.restype = None
tool = ctypes.c_uint64(7)
lib.mstxGetToolId(ctypes.byref(tool))
print(lib.mstxRangeStartA(b"hi", None), lib.mstxRangeEnd(0), tool.value)'
fi

[ "$failures" = 0 ] || echo "$failures failed checks"
[ "$failures" = 0 ]
