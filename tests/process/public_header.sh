#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples, compiled against the public acl headers, run with our library;
# and every constant that both headers have is equal.
# ACL_HEADER_DIR: the folder that holds the public acl/acl_prof.h
# TOP, BUILD: the source and build folders
set -eu

if [ ! -f "${ACL_HEADER_DIR:-/nonexistent}/acl/acl_prof.h" ]; then
	echo "skipped: ACL_HEADER_DIR names no folder with acl/acl_prof.h"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
source=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$source/build}
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "$*"
	failed=1
}

# 1. constants: names of ours, each compared by the compiler
grep -hoE '\b(ACL_PROF_[A-Z0-9_]+|ACL_AICORE_[A-Z0-9_]+|ACL_ERROR_[A-Z_]+|ACL_SUCCESS)\b' \
	"$source/runtime/include/acl/acl_prof.h" "$source/runtime/include/acl/acl_base.h" | sort -u |
	grep -v '_$\|_DEFINED$' >"$work/names"
value()
{
	printf '#include <stdio.h>\n#include "acl/acl_prof.h"\n#include "acl/acl_base.h"\nint main(void)\n{\n'
	while read -r name; do
		printf '\tprintf("%s %%llx\\n", (unsigned long long)(%s));\n' "$name" "$name"
	done
	printf '\treturn 0;\n}\n'
}
value <"$work/names" >"$work/values.c"
$cc -w -I"$source/runtime/include" -o "$work/ours" "$work/values.c"
$cc -w -I"$ACL_HEADER_DIR" -o "$work/public" "$work/values.c" || fail "a name of ours is not public"
if [ -x "$work/public" ]; then
	"$work/ours" >"$work/ours.txt"
	"$work/public" >"$work/public.txt"
	diff "$work/ours.txt" "$work/public.txt" || fail "constants differ (<: ours)"
fi

# 2. prototypes: both headers in one unit must agree
cat >"$work/both.c" <<'END'
#include "acl/acl_prof.h"
END
sed -n 's/^ASCPROF_PUBLIC \(.*\)/\1/p' "$source/runtime/include/acl/acl_prof.h" | grep -c . >"$work/count"
awk '/^ASCPROF_PUBLIC/ { sub(/^ASCPROF_PUBLIC /, ""); on = 1 } on { print } /;/ { on = 0 }' \
	"$source/runtime/include/acl/acl_prof.h" >>"$work/both.c"
$cc -w -I"$ACL_HEADER_DIR" -c -o "$work/both.o" "$work/both.c" || fail "a prototype of ours differs"
[ "$(cat "$work/count")" -gt 10 ] || fail "found only $(cat "$work/count") prototypes"

# 3. the examples, compiled against the public header
for example in "$source"/examples/*.c; do
	name=$(basename "$example" .c)
	case $name in
	loop) continue ;; # what the others share
	subscribe) continue ;; # uses ascprof/models.h, and makes no result
	from_file | rank) continue ;; # take other arguments: tests/compat/examples.sh
	esac
	# mstx has headers of its own, ours
	if ! $cc -w -I"$ACL_HEADER_DIR" -idirafter "$source/runtime/include" -o "$work/$name" "$example" \
		"$source/examples/loop.c" -L"$build" -Wl,-rpath,"$build" -lascprof; then
		fail "$name does not compile against the public header"
		continue
	fi
	"$work/$name" "$work/result-$name" || fail "$name failed"
	python3 "$here/profdir.py" "$work/result-$name" || fail "$name: wrong result"
done
exit $failed
