#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The binary interface: our headers against the description of the public one, in C and
# C++, and what the library exports. Prints TAP.
# TOP: the source tree; BUILD: folder of the library
# ACL_HEADER_DIR: the folder that holds the public acl/acl_prof.h, to derive it anew
set -u
. "$TOP/tests/lib/tap.sh"
cd "$TOP" || exit 1
work=$BUILD/abi-check
describe=tests/abi/describe.py
public=tests/abi/public.txt
headers=runtime/include
lib=$BUILD/libascprof.so.1
rm -rf "$work"
mkdir -p "$work"

# What both say of constants, layouts and prototypes; of the codes we have those that we return.
same_description()
{
	grep -v '^#' "$public" >"$work/public"
	python3 "$describe" "$headers" | grep -v '^#' >"$work/ours"
	[ "$(grep -c '^function ' "$work/public")" -ge 38 ] || { echo "$public has too few functions"; return 1; }
	grep '^code ' "$work/ours" | grep -vxFf "$work/public" && { echo "codes that are not the public ones"; return 1; }
	sed '/^code /d' "$work/public" >"$work/public.rest"
	sed '/^code /d' "$work/ours" | diff "$work/public.rest" -
}

# compiles FOLDER COMPILER...: the assertions, against the headers of a folder
compiles()
{
	folder=$1
	shift
	command -v "$1" >/dev/null || { echo "there is no $1"; exit 77; }
	python3 "$describe" --assert "$public" >"$work/assert.c"
	"$@" -Wall -Wextra -Werror -fsyntax-only -I"$folder" "$work/assert.c"
}

# Each header alone, in the oldest language that it may meet.
each_header()
{
	command -v "$1" >/dev/null || { echo "there is no $1"; exit 77; }
	(cd "$headers" && find acl ascprof mstx -name '*.h' ! -name 'mstx_*.h') | while read -r header; do
		echo "#include \"$header\"" >"$work/one.c"
		"$@" -pedantic -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -I"$headers" "$work/one.c" || exit 1
	done
}

# change WHERE FROM TO: a copy of our headers in which one thing is other is refused
change()
{
	rm -rf "$work/changed"
	cp -r "$headers" "$work/changed"
	sed -i "s/$2/$3/" "$work/changed/$1"
	! cmp -s "$headers/$1" "$work/changed/$1" || { echo "$1 has no $2"; return 1; }
	if compiles "$work/changed" gcc -x c 2>"$work/said" || compiles "$work/changed" g++ -x c++ 2>>"$work/said"; then
		echo "not noticed: $2 became $3"
		return 1
	fi
	grep -q 'static assertion failed' "$work/said" || { cat "$work/said"; return 1; }
}

sees_changes()
{
	change acl/acl_prof.h 'ACL_AICORE_NONE = 0xFF' 'ACL_AICORE_NONE = 0xFE'
	change acl/acl_prof.h 'ACL_PROF_MSPROFTX 0x0080ULL' 'ACL_PROF_MSPROFTX 0x0080U'
	change acl/acl_prof.h 'uint32_t kernelType;' 'uint64_t kernelType;'
	change acl/acl_prof.h 'uint32_t resv;' 'int32_t resv;'
	change acl/acl_prof.h 'aclprofRangeStop(uint32_t rangeId)' 'aclprofRangeStop(uint64_t rangeId)'
	change acl/acl_prof.h 'const char \*profilerResultPath' 'char *profilerResultPath'
	change acl/acl_prof.h 'ASCPROF_PUBLIC uint64_t aclprofStr2Id' 'ASCPROF_PUBLIC size_t *aclprofStr2Id'
	change acl/acl_base.h 'ACL_ERROR_PROF_NOT_RUN 100043' 'ACL_ERROR_PROF_NOT_RUN 100044'
}

symbols()
{
	grep -v '^#' tests/abi/symbols.txt | LC_ALL=C sort -u >"$work/listed"
	nm -D --defined-only "$lib" | awk '$2 ~ /[TDBRWVi]/ { print $3 }' >"$work/versioned"
	if grep -v '@@ASCPROF_1$' "$work/versioned"; then
		echo "not of the version that the map gives"
		return 1
	fi
	sed 's/@.*//' "$work/versioned" | LC_ALL=C sort -u >"$work/exported"
	diff "$work/listed" "$work/exported" || { echo "<: listed only, >: exported only"; return 1; }
	sed -n 's/^function .*\(aclprof[A-Za-z0-9]*\)(.*/\1/p' "$public" >"$work/functions"
	LC_ALL=C sort "$work/functions" | LC_ALL=C comm -23 - "$work/exported" >"$work/missing"
	[ ! -s "$work/missing" ] || { echo "public functions that are not exported:"; cat "$work/missing"; return 1; }
}

names()
{
	readelf -d "$lib" | grep -q 'SONAME.*\[libascprof.so.1\]' || { echo "another soname"; return 1; }
	for link in libascprof.so ascprof/libmsprofiler.so ascprof/libprofapi.so; do
		[ "$(realpath "$BUILD/$link")" = "$(realpath "$lib")" ] || { echo "$link is not the library"; return 1; }
	done
}

derive()
{
	[ -f "${ACL_HEADER_DIR:-/nonexistent}/acl/acl_prof.h" ] || {
		echo "ACL_HEADER_DIR names no folder with acl/acl_prof.h"
		exit 77
	}
	python3 "$describe" "$ACL_HEADER_DIR" | diff "$public" -
}

# The interface of the kernel module, of which every header has to do alone, for 32-bit programs too.
module_header()
{
	command -v "$1" >/dev/null || { echo "there is no $1"; exit 77; }
	for header in uapi/*.h; do
		echo "#include \"$header\"" >"$work/module.c"
		"$@" -Wall -Wextra -Werror -fsyntax-only -I. -idirafter /usr/include/x86_64-linux-gnu "$work/module.c" ||
			return 1
	done
}

# A word more in front of any member of any structure does not compile: size and offset of all are asserted.
module_members()
{
	header=uapi/ascprof.h
	members=$(grep -nE '^	(struct [a-z_]+|__[a-z0-9_]+|char) [a-z_]+(\[.*\])?;' "$header" | cut -d: -f1)
	count=0
	for line in $members; do
		sed "${line}s/^/	__aligned_u64 wrong;/" "$header" >"$work/module.h"
		! gcc -x c -fsyntax-only "$work/module.h" 2>"$work/said" || { echo "line $line: not noticed"; return 1; }
		grep -q __ascprof_layout "$work/said" || { cat "$work/said"; return 1; }
		count=$((count + 1))
	done
	[ "$count" -gt 100 ] || { echo "only $count members"; return 1; }
}

step "our header has the public description" same_description
for standard in c11 gnu17; do
	step "gcc -std=$standard" compiles "$headers" gcc -x c -std=$standard
	step "clang -std=$standard" compiles "$headers" clang -x c -std=$standard
done
for standard in c++11 c++20; do
	step "g++ -std=$standard" compiles "$headers" g++ -x c++ -std=$standard
	step "clang++ -std=$standard" compiles "$headers" clang++ -x c++ -std=$standard
done
step "each header alone, gcc -std=c11" each_header gcc -x c -std=c11
step "each header alone, clang -std=c11" each_header clang -x c -std=c11
step "each header alone, g++ -std=c++11" each_header g++ -x c++ -std=c++11
step "each header alone, clang++ -std=c++11" each_header clang++ -x c++ -std=c++11
step "a changed header is noticed" sees_changes
step "the module's headers alone, gcc -std=gnu99" module_header gcc -x c -std=gnu99
step "the module's headers alone, gcc -m32" module_header gcc -m32 -x c
step "the module's headers alone, clang" module_header clang -x c
step "the module's headers alone, g++ -std=c++11" module_header g++ -x c++ -std=c++11
step "the module's headers alone, g++ -std=c++98" module_header g++ -x c++ -std=c++98
step "the module's headers alone, clang++" module_header clang++ -x c++
step "a changed structure of the module is noticed" module_members
step "exported symbols" symbols
step "names of the library" names
step "the public header gives the same description" derive
tap_end
