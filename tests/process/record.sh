#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof record: programs that were not built for it are recorded, whole, with the exit
# status that they have without; what cannot be recorded is told.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
ascprof=$build/bin/ascprof
unset LD_LIBRARY_PATH LD_PRELOAD ASCPROF_LOG
cd "$work"

directories()
{
	n=$(find "$out" -maxdepth 1 -name 'PROF_*' | wc -l)
	[ "$n" = "$1" ] || fail "$out: $n directories, expected $1"
}

# ---- programs ----

cat >mstx.c <<'END'
#include <mstx/ms_tools_ext.h>
int main(void)
{
	for (int i = 0; i < 1000; i++)
		mstxMarkA("from the header alone", 0);
	return 7;
}
END
$cc -I"$top/runtime/include" -o mstx mstx.c -ldl

# as a program of the vendor's: linked with that name, never with ours
mkdir vendor
echo 'void aclprofCreateStamp(void){} void aclprofMark(void){}
void aclprofDestroyStamp(void){} void aclprofSetStampTraceMessage(void){}' >stub.c
$cc -w -shared -fPIC -Wl,-soname,libmsprofiler.so -o vendor/libmsprofiler.so stub.c
cat >marks.c <<'END'
/* marks FILE [fork|until-end|when-begun|forever|ignore]: marks as it may; how many succeeded is in FILE */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <acl/acl_prof.h>
static volatile unsigned long *done;
static volatile sig_atomic_t interrupts;
static void count(int number) { (void)number; interrupts++; }
static int mark(void)
{
	void *stamp = aclprofCreateStamp();
	int ret;
	if (!stamp)
		return 0;
	aclprofSetStampTraceMessage(stamp, "work", 4);
	ret = !aclprofMark(stamp);
	done[0] += ret;
	aclprofDestroyStamp(stamp);
	return ret;
}
static int handled(int number)
{
	struct sigaction now;
	sigaction(number, NULL, &now);
	return now.sa_handler != SIG_DFL;
}
int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, 4096))
		return 9;
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!strcmp(how, "ignore"))
		signal(SIGINT, count);
	if (!strcmp(how, "fork")) {
		mark();
		if (!fork()) {
			while (!mark())
				usleep(1000);
			return 0;
		}
		wait(NULL);
		return 0;
	}
	if (!strcmp(how, "until-end")) {
		if (!mark())
			return 3;
		while (mark())
			usleep(100);
		return 0;
	}
	if (!strcmp(how, "when-begun")) {
		if (mark())
			return 4;
		while (!mark())
			usleep(1000);
		return 0;
	}
	if (!strcmp(how, "forever") || !strcmp(how, "ignore")) {
		for (;;) {
			mark();
			if (handled(SIGTERM))
				done[1] = 1 + interrupts;
			usleep(100);
		}
	}
	for (int i = 0; i < 1000; i++)
		mark();
	return 0;
}
END
$cc -I"$top/runtime/include" -o marks marks.c -Lvendor -lmsprofiler

# word FILE N: the N-th number in it, 0 if there is none yet
word()
{
	python3 -c 'import struct, sys
try: print(struct.unpack_from("<Q", open(sys.argv[1], "rb").read(), 8 * int(sys.argv[2]))[0])
except (OSError, struct.error): print(0)' "$1" "$2"
}
# until FILE N VALUE: as long as it takes; the runner ends what takes for ever
until_word()
{
	while [ "$(word "$1" "$2")" -lt "$3" ]; do sleep 0.02; done
}

# ---- what is recorded, and the exit status ----

recorded 7 ./mstx
result "mstx" "mstx_mark 1000" "$out"
said "^ascprof record: $out/PROF_[^ ]*: [0-9.]+ s, 1000 records, [0-9.]+ MB, 0 dropped\$"
[ ! -s "$out.out" ] || fail "something is on standard output: $(cat "$out.out")"

recorded 0 -- ./marks count
result "vendor's name" "mark 1000" "$out"
recorded 0 -q ./marks count
[ ! -s "$out.err" ] || fail "-q: $(cat "$out.err")"

recorded 0 true
result "nothing called" "" "$out"
directories 1
recorded 5 sh -c 'exit 5'
recorded 143 sh -c 'kill -TERM $$'
recorded 127 ./no-such-program
said '^ascprof record: ./no-such-program: No such file or directory$'
recorded 126 ./mstx.c
recorded 0 --msproftx off ./marks count
result "without annotations" "" "$out"

# ---- its own sessions ----

recorded 1 "$build/examples/mark" own
said 'aclprofInit: ascprof record profiles this program until it ends'
directories 1
[ ! -e own ] || fail "its own session has a directory"
recorded 0 --own-sessions ignore "$build/examples/mark" own
result "own sessions ignored" "mark 200000" "$out"
[ ! -e own ] || fail "its own session has a directory"
cat >init.c <<'END'
#include <acl/acl.h>
#include <acl/acl_prof.h>
int main(void)
{
	int ret = aclInit("acl.json");
	void *stamp = aclprofCreateStamp();
	if (ret || aclFinalize() || aclprofSetStampTraceMessage(stamp, "a", 1))
		return 1;
	return aclprofMark(stamp); /* recording is not ended by that */
}
END
echo '{"profiler":{"switch":"on","output":"own"}}' >acl.json
$cc -I"$top/runtime/include" -o init init.c -L"$build" -lascprof -Wl,-rpath,"$build"
recorded 0 ./init
result "aclInit and aclFinalize" "mark 1" "$out"

# ---- children ----

recorded 0 sh -c './marks count; ./mstx; env true; exit 0'
result "children" "mark 1000, mstx_mark 1000" "$out"
directories 3 # the shell's, and theirs; that of true was empty
recorded 0 --no-follow sh -c './marks count; exit 0'
result "no children" "" "$out"
recorded 0 ./marks count fork
result "a forked child" "mark 2" "$out"
directories 2
recorded 0 --no-follow ./init fork
directories 1

# ---- times ----

# A machine that is slow to start a program gets more time.
for time in 100ms 1s 10s; do
	rm -rf count out-time
	code=0
	"$ascprof" record -q -o out-time --duration "$time" ./marks count until-end || code=$?
	[ $code = 3 ] || break
done
[ $code = 0 ] || fail "--duration: exit $code"
result "a duration" "mark $(word count 0)" out-time
rm -f count
recorded 0 --delay 50ms ./marks count when-begun
result "a delay" "mark 1" "$out"
recorded 0 --delay 1h ./marks none
said 'nothing was recorded'
directories 0

# ---- options are in the result ----

recorded 0 -f 50 -l write -s 0.3GB --sys-io-sampling-freq 20 --host-sys cpu,mem true
grep -q '"llc_profiling":"write"' "$out"/PROF_*/host/sample.json || fail "-l"
grep -q '"llc_interval":20,' "$out"/PROF_*/host/sample.json || fail "-f"
grep -q '"storageLimit":"300MB"' "$out"/PROF_*/host/sample.json || fail "-s"
grep -q '"io_sampling_interval":50,' "$out"/PROF_*/host/sample.json || fail "--sys-io-sampling-freq"

# ---- losses ----

cat >many.c <<'END'
#include <signal.h>
#include <mstx/ms_tools_ext.h>
int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 20000; i++)
		mstxMarkA("many", 0);
	return 0;
}
END
$cc -I"$top/runtime/include" -o many many.c -ldl
recorded 0 sh -c 'ulimit -f 2000; exec ./many'
said ' [1-9][0-9]* dropped, '
recorded 3 --fail-on-loss sh -c 'ulimit -f 2000; exec ./many'
said 'File too large'
"$ascprof" export -q -f csv -o tables "$out"/PROF_* || fail "export of what a disk without room holds"
recorded 0 --fail-on-loss ./many

# ---- signals ----

# begun PROGRAM...: in the background, as $pid
begun()
{
	number=$((number + 1))
	out=out$number
	rm -f count
	# a shell without job control has SIGINT ignored in what it starts in the background
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$ascprof" record -o "$out" "$@" >"$out.out" 2>"$out.err" &
	pid=$!
}
ended()
{
	code=0
	wait "$pid" 2>/dev/null || code=$?
	[ $code = "$1" ] || fail "$out: exit $code, expected $1"
}
for name in INT TERM HUP; do
	begun ./marks count forever
	until_word count 1 1
	kill -"$name" "$pid"
	ended $((128 + $(kill -l "$name" 2>/dev/null || case $name in INT) echo 2;; TERM) echo 15;; *) echo 1;; esac)))
	python3 "$top/tests/process/profdir.py" "$out" >log || { cat log; fail "SIG$name: not whole"; }
	marks=$(awk '$1 == "kind" && $2 == "mark" { print $4 }' log)
	marked=$(word count 0)
	# the one that was under way may be in it
	[ "$marks" = "$marked" ] || [ "$marks" = $((marked + 1)) ] || fail "SIG$name: $marks of $marked are in the result"
	said ', 0 dropped$'
	grep -q '"state":"stopped"' "$out"/PROF_*/ascprof.json || fail "SIG$name: not ended cleanly"
done

# the first is the program's, which goes on; the second ends it at once
begun ./marks count ignore
until_word count 1 1
kill -INT "$pid"
until_word count 1 2
kill -INT "$pid"
ended 137
said 'records, '
python3 "$top/tests/process/profdir.py" --state repaired "$out" >log || { cat log; fail "killed: not completed"; }

# ---- what cannot be recorded ----

echo 'int main(void) { return 3; }' >static.c
if $cc -static -o static static.c 2>/dev/null; then
	recorded 3 ./static
	said 'static is not recorded: it is linked statically'
	said 'nothing was recorded'
fi
recorded 2
said 'argument PROGRAM'
recorded 2 -f 101 true
said 'option --sys-hardware-mem-freq: a number from 1 to 100 Hz was expected, not "101"'
recorded 2 --duration 5 true
said 'option --duration: a time from 1ms to 2400h was expected, not "5"'
code=0
"$ascprof" record -o no/such/folder true 2>err || code=$?
[ $code = 1 ] || fail "a folder that cannot be made: exit $code"
grep -q 'option --output: no/such/folder: No such file' err || fail "$(cat err)"
[ ! -e 'a;b' ] || fail "left over"
code=0
"$ascprof" record -o 'a;b' true 2>err || code=$?
[ $code = 1 ] || fail "a folder with a semicolon: exit $code"

exit $failed
