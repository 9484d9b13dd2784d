#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What commands of other profilers have been reported to do: wait for ever for what a program
# left behind, begin again while the program ends, find out last that the result cannot be
# written, leave half a file, give away what is secret. (docs/reports.md)
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
ascprof=$build/bin/ascprof
unset LD_LIBRARY_PATH LD_PRELOAD ASCPROF_LOG ASCPROF_LAYOUT
cd "$work"

# T-9: a child that lives on, with our descriptors, is not waited for
before=$(date +%s)
code=0
"$ascprof" record -o left sh -c 'sleep 300 & echo $! >sleeper; exit 3' >out 2>err || code=$?
after=$(date +%s)
kill "$(cat sleeper)"
[ $code = 3 ] || fail "a child that lives on: exit $code, expected 3"
[ $((after - before)) -lt 100 ] || fail "a child that lives on: waited for $((after - before)) s"

# L-9: a program that begins sessions while it ends, by a signal and by exit
cat >late.c <<'END'
#include <acl/acl.h>
#include <acl/acl_prof.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void begin(void)
{
	unsigned int device = 0;
	aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	for (int i = 0; i < 50; i++) {
		aclprofInit("again", 5);
		aclprofStart(config);
		aclInit("acl.json");
	}
}
static void handler(int number)
{
	begin();
	signal(number, SIG_DFL);
	raise(number);
}
int main(int argc, char **argv)
{
	(void)argv;
	atexit(begin);
	signal(SIGINT, handler);
	if (argc > 1)
		return 0;
	raise(SIGINT);
	return 9;
}
END
echo '{"profiler":{"switch":"on","output":"again"}}' >acl.json
$cc -I"$top/runtime/include" -o late late.c -L"$build" -lascprof -Wl,-rpath,"$build"
for end in signal exit; do
	code=0
	if [ $end = exit ]; then set -- ./late exit; else set -- ./late; fi
	"$ascprof" record -q -o "late-$end" "$@" >out 2>err || code=$?
	[ $end = exit ] || [ $code = 130 ] || fail "sessions at the end by $end: exit $code"
	[ "$(find "late-$end" -name 'PROF_*' | wc -l)" = 1 ] || fail "sessions at the end by $end: $(ls "late-$end")"
	[ ! -e again ] || fail "sessions at the end by $end: a second folder"
done

# P-4: from another folder, with a relative path: what is printed is there
mkdir -p other/folder
(cd other/folder && "$ascprof" record --own-sessions ignore -o ../here "$build/examples/mstx" own >/dev/null 2>printed) || fail "a relative path: $(cat other/folder/printed)"
path=$(sed -n 's/^ascprof record: \(.*PROF_[^:]*\): .*/\1/p' other/folder/printed)
if [ -z "$path" ] || ! (cd other/folder && [ -f "$path/ascprof.json" ]); then
	fail "'$path' is printed: $(cat other/folder/printed)"
fi

# P-9: what cannot be written is known before the program starts
: >file
for folder in file file/below no/such/folder /proc/ascprof; do
	code=0
	"$ascprof" record -o $folder -- touch started 2>err || code=$?
	[ $code = 1 ] && grep -q "$folder: " err || fail "$folder: exit $code: $(cat err)"
done
[ ! -e started ] || fail "the program was started although nothing can be recorded"

# what is in the environment and on the command line stays out of files, logs and exports
SECRET=a-token-of-the-user "$ascprof" record --own-sessions ignore -o secret --host-sys cpu,mem \
	"$build/examples/mstx" own --password=another-secret >out 2>err || fail "a secret: $(cat err)"
"$ascprof" export -q -o secret.json secret
"$ascprof" report secret >report.txt || :
if grep -rEl 'a-token-of-the-user|another-secret' secret secret.json report.txt out err >found; then fail "secrets are in: $(cat found)"; fi

# ---- exports ----

"$build/examples/mark" marks

# L-10: any name
for name in trace trace.json.gz 'a name' trace.txt; do
	"$ascprof" export -q -o "$name" marks || fail "export to '$name'"
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$name" || fail "export to '$name'"
done

# R-1: killed half way, the directory is as it was, and the next run completes
find marks -type f -exec cksum {} + | sort >before
for format in trace perfetto csv jsonl db; do
	for delay in 0.01 0.03 0.08 0.2; do
		timeout -s KILL $delay "$ascprof" export -q -f $format -o "killed.$format" marks 2>/dev/null || :
		[ $format = csv ] || [ ! -e "killed.$format" ] || cp "killed.$format" "whole.$format"
	done
	"$ascprof" export -q -f $format -o "killed.$format" marks || fail "$format: after it was killed: exit $?"
	# what has the name is whole
	[ ! -e "whole.$format" ] || cmp "whole.$format" "killed.$format" || fail "$format: half of it had the name"
done
find marks -type f -exec cksum {} + | sort | cmp before - || fail "exports change the directory"

# R-3: each write of an export fails once: no file, or a whole one
cat >fail.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
static int left = -1;
ssize_t write(int fd, const void *data, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	if (left < 0)
		left = atoi(getenv("FAIL_AT"));
	if (fd > 2 && left && !--left) {
		errno = ENOSPC;
		return -1;
	}
	return real(fd, data, size);
}
END
$cc -shared -fPIC -o fail.so fail.c -ldl
preload=$PWD/fail.so
case $(ldd "$ascprof") in *libasan*) preload= ;; esac
mkdir one
"$build/examples/mstx" one/result
for format in trace perfetto jsonl; do
	n=1
	while [ -n "$preload" ] && [ $n -lt 50 ]; do
		rm -rf out-fail
		code=0
		FAIL_AT=$n LD_PRELOAD=$preload "$ascprof" export -q -f $format -o out-fail one/result 2>err || code=$?
		[ $code != 0 ] || break
		[ ! -e out-fail ] || fail "$format: write $n failed, and a file is there"
		grep -q 'out-fail: cannot be written: No space left' err || fail "$format: write $n: $(cat err)"
		n=$((n + 1))
	done
	[ -z "$preload" ] || { [ $n -gt 1 ] && [ $n -lt 50 ]; } || fail "$format: $n writes"
	[ -z "$(find . -maxdepth 1 -name '.out-fail*')" ] || fail "$format: hidden files are left"
done

# X-5: nothing that lies in a result directory is run
prof=$(echo one/result/PROF_*)
for name in export report msprof python3 ascprof sitecustomize.py; do
	printf '#!/bin/sh\ntouch %s/executed\n' "$work" >"$prof/$name"
	chmod +x "$prof/$name"
done
(cd "$prof" && PATH=.:$PATH && export PATH && for command in report verify "export -o $work/x.json" "repair" ; do
	# shellcheck disable=SC2086
	"$ascprof" $command . >/dev/null 2>&1 || :
done)
[ ! -e executed ] || fail "a file of the result directory was executed"

exit $failed
