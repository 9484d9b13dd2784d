#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A new user's path, timed: the README's program, and from there to a picture of its ranges in three
# commands; and of a program that starts no session in two. What it took is printed, and not judged.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
unset LD_LIBRARY_PATH LD_PRELOAD ASCPROF_LOG
cd "$work"
PATH=$build/bin:$PATH

# shown PAGE NAME: the page has that range in its timeline
shown()
{
	python3 -c 'import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r"<script type=.application/json. id=.data.>(.*?)</script>", page, re.S).group(1))
assert [sys.argv[2], "push_pop"] in [name[:2] for name in data["names"]] and data["spans"], data["names"]' "$1" "$2" ||
		fail "$1: no range \"$2\" in it"
}
now() { date +%s%N; }
took()
{
	echo "$1: $((($(now) - $2) / 1000000)) ms"
}

sed -n '/^```c$/,/^```$/p' "$top/README.md" | sed '1d;$d' >first.c
grep -q aclprofPush first.c || fail "README.md has no program any more"
begun=$(now)
$cc first.c -o first -I"$top/runtime/include" -L"$build" -lascprof -Wl,-rpath,"$build"
./first
ascprof report -q --html result
took "three commands, from a source to a picture" "$begun"
shown ascprof_report.html "load data"

# what main returns without that is 0
sed '/aclprof\(Init\|Start\|Stop\|Finalize\|CreateConfig\|DestroyConfig\)/d' first.c >second.c
$cc second.c -o second -I"$top/runtime/include" -L"$build" -lascprof -Wl,-rpath,"$build"
begun=$(now)
ascprof record -q -o recorded ./second
ascprof report -q --html -o recorded.html recorded
took "two commands, from a program to a picture" "$begun"
shown recorded.html "load data"

exit $failed
