#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library against the interface that it had: abidiff on descriptions (dump.sh). Prints TAP.
# TOP: the source tree; BUILD: folder of the library, built with debugging information
set -u
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/lib/tree.sh"
cd "$TOP" || exit 1
work=$BUILD/abi-diff
kept=tests/abi/libascprof.abi
unset MAKEFLAGS MFLAGS MAKELEVEL
rm -rf "$work"
mkdir -p "$work"

# differs OLD NEW: says how; true when they do
differs()
{
	code=0
	abidiff "$1" "$2" || code=$?
	[ $((code & 3)) = 0 ] || { echo "abidiff could not do it"; exit 1; }
	[ "$code" != 0 ]
}

# breaks OLD NEW: the same, for what programs linked with the old one would notice
breaks()
{
	code=0
	abidiff --no-added-syms "$1" "$2" || code=$?
	[ $((code & 3)) = 0 ] || { echo "abidiff could not do it"; exit 1; }
	[ "$code" != 0 ]
}

as_described()
{
	command -v abidw >/dev/null || { echo "there is no abidw"; exit 77; }
	sh tests/abi/dump.sh "$BUILD/libascprof.so.1" runtime/include >"$work/now.abi"
	[ "$(grep -c '<function-decl' "$work/now.abi")" -ge 60 ]
	! differs "$kept" "$work/now.abi" || { echo "not as $kept says; if that is meant: make abi-dump"; return 1; }
}

since_tag()
{
	[ -s "$work/now.abi" ] || { echo "there is no description"; exit 77; }
	tag=$(git describe --tags --abbrev=0 2>/dev/null) || { echo "no tag yet; the description in the tree stands for it"; exit 77; }
	git show "$tag:$kept" >"$work/tag.abi"
	! breaks "$work/tag.abi" "$work/now.abi"
}

# changed NAME FILE SED: the library with one change, described
changed()
{
	[ -s "$work/now.abi" ] || { echo "there is no description"; exit 77; }
	tree=$work/tree
	cp -p "$2" "$tree/$2"
	sed -i "$3" "$tree/$2"
	! cmp -s "$2" "$tree/$2" || { echo "$2 is as before"; return 1; }
	make -j2 -C "$tree" O=build build/libascprof.so.1
	sh tests/abi/dump.sh "$tree/build/libascprof.so.1" "$tree/runtime/include" >"$work/$1.abi"
	cp "$2" "$tree/$2" # (with a new time, so that it is built anew)
}

removed_symbol()
{
	copy_tree "$work/tree"
	mkdir "$work/tree/build"
	cp -rp "$BUILD/config.mk" "$BUILD/config.h" "$BUILD/syscall_names.h" "$BUILD/runtime" "$work/tree/build"
	changed removed runtime/libascprof.map '/local:/a\		aclprofPush;'
	breaks "$work/now.abi" "$work/removed.abi" | tee "$work/said"
	grep -q 'aclprofPush' "$work/said"
}

changed_struct()
{
	changed struct runtime/include/ascprof/report.h 's/uint64_t beginTime;/uint32_t beginTime;/'
	breaks "$work/now.abi" "$work/struct.abi" | tee "$work/said"
	grep -q "type of 'uint64_t beginTime' changed" "$work/said"
}

added_symbol()
{
	changed added runtime/api/acl_init.c '$a ASCPROF_PUBLIC int ascprof_more(void);\nint ascprof_more(void) { return 0; }'
	if breaks "$work/now.abi" "$work/added.abi"; then return 1; fi
	differs "$work/now.abi" "$work/added.abi" | tee "$work/said"
	grep -q 'ascprof_more' "$work/said"
}

step "the interface is the one that is kept" as_described
step "nothing was taken away since the last tag" since_tag
step "a symbol that is gone is noticed" removed_symbol
step "a structure that has changed is noticed" changed_struct
step "a symbol that was added breaks nothing, and is noticed" added_symbol
rm -rf "$work"
tap_end
