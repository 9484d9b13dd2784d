#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof record --pid: who was begun so that it can be asked is recorded while it runs, as often as
# wanted; nobody else is, or is heard; a program that never asked has no thread and no socket.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
ascprof=$build/bin/ascprof
unset LD_LIBRARY_PATH LD_PRELOAD ASCPROF_LOG ASCPROF_ATTACH PROFILING_MODE ASCPROF_RECORD
cd "$work"
pids=
trap 'kill -9 $pids 2>/dev/null || :; rm -rf "$work"' EXIT

cat >loop.c <<'END'
/*
 * loop FILE [fork|daemon]: marks, while word 4 is not 0. Words of FILE: what aclprofInit returned last, rounds, whether to
 * keep its own session, marks that succeeded, the process that marks. A session of its own goes to ./own.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <acl/acl_prof.h>
static volatile unsigned long *word;
static void mark(void)
{
	void *stamp = aclprofCreateStamp();
	if (!stamp)
		return;
	aclprofSetStampTraceMessage(stamp, "work", 4);
	word[3] += !aclprofMark(stamp);
	aclprofDestroyStamp(stamp);
}
static void own_session(void)
{
	aclprofConfig *config = aclprofCreateConfig(0, 0, ACL_AICORE_NONE, 0, ACL_PROF_MSPROFTX);
	word[0] = aclprofInit("own", 3);
	if (word[0])
		goto out;
	aclprofStart(config);
	while (word[2]) {
		word[1]++;
		mark();
		usleep(1000);
	}
	aclprofStop(config);
	aclprofFinalize();
out:
	aclprofDestroyConfig(config);
}
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096))
		return 9;
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (argc > 2 && !strcmp(argv[2], "fork") && fork())
		return wait(NULL) < 0;
	if (argc > 2 && !strcmp(argv[2], "daemon"))
		for (fd = 3; fd < 256; fd++)
			close(fd);
	if (getenv("ASCPROF_COMPAT"))
		aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "300MB", 5);
	for (word[4] = getpid(); word[4];) {
		word[1]++;
		if (word[2])
			own_session();
		mark();
		usleep(1000);
	}
	return 0;
}
END
$cc -I"$top/runtime/include" -o loop loop.c -L"$build" -lascprof -Wl,-rpath,"$build"

cat >words.py <<'END'
# words.py FILE get N | set N VALUE
import mmap, struct, sys
with open(sys.argv[1], "r+b") as f:
    m = mmap.mmap(f.fileno(), 4096)
    if sys.argv[2] == "set":
        m[8 * int(sys.argv[3]):8 * int(sys.argv[3]) + 8] = struct.pack("<Q", int(sys.argv[4]))
    print(struct.unpack_from("<Q", m, 8 * int(sys.argv[3]))[0])
END
get() { python3 words.py "$1" get "$2"; }
put() { python3 words.py "$1" set "$2" "$3" >/dev/null; }
# more FILE N: word N has grown by some, or is no longer 0; as long as it takes
more()
{
	before=$(get "$1" "$2")
	while [ "$(get "$1" "$2")" -lt $((before + 3)) ]; do sleep 0.02; done
}
# begun FILE [HOW] in the background, as $pid: of what marks
begun()
{
	rm -f "$1"
	ASCPROF_LOG=off ./loop "$@" &
	pids="$pids $!"
	while [ ! -s "$1" ] || [ "$(get "$1" 4)" = 0 ]; do sleep 0.02; done
	pid=$(get "$1" 4)
	pids="$pids $pid"
}
# in the background, as $client, when it records
attaching()
{
	number=$((number + 1))
	out=out$number
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$ascprof" record -o "$out" "$@" 2>"$out.err" &
	client=$!
	pids="$pids $client"
	while [ "$(find "$out" -name ascprof.json 2>/dev/null | wc -l)" = 0 ]; do sleep 0.02; done
}
# marked: the directory in $out is whole, and has some marks
marked()
{
	python3 "$top/tests/process/profdir.py" "$@" "$out" >log || { cat log; fail "$out: not whole"; }
	[ "$(awk '$1 == "kind" && $2 == "mark" { print $4 }' log)" -gt 0 ] || fail "$out: no marks in it"
}
ended() # as $client
{
	code=0
	wait "$client" 2>/dev/null || code=$?
	[ $code = "$1" ] || fail "$out: exit $code, expected $1: $(cat "$out.err")"
}

# once FILE ARGUMENTS...: some marks of $pid, until the command is interrupted
once()
{
	file=$1
	shift
	attaching --pid "$pid" "$@"
	more "$file" 3
	kill -INT "$client"
	ended 0
	marked
}

# ---- who did not ask for it ----

begun plain
[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || fail "a thread in a program that never asked"
recorded 1 --pid "$pid"
said "process $pid cannot be asked: it was begun without ASCPROF_ATTACH=1"
recorded 1 --pid $$
said "process $$ has no libascprof loaded, .*begin it by ascprof record .*tail --pid=$$"
# somebody else answers at its name
python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind("\0ascprof/%d/%s" % (os.stat("/proc/self/ns/pid").st_ino, sys.argv[1]))
s.listen()
open("squats", "w").close()
while True:
    s.accept()[0].shutdown(socket.SHUT_WR)' "$pid" &
pids="$pids $!"
while [ ! -e squats ]; do sleep 0.02; done
recorded 1 --pid "$pid" --duration 1h
said "process $pid cannot be asked"
sleep 1h & # a number that is going to be free
gone=$!
kill $gone
wait $gone 2>/dev/null || :
recorded 1 --pid $gone
said "there is no process $gone"
[ "$(get plain 3)" = 0 ] || fail "it was recorded"

# ---- again and again, and its own sessions between ----

ASCPROF_ATTACH=1 ASCPROF_COMPAT=head begun words
for round in 1 2; do
	once words -s 250MB
	said "^ascprof record: $out/PROF_[^ ]*: [0-9.]+ s, [0-9]+ records, [0-9.]+ MB, 0 dropped\$"
	grep -q '"storageLimit":"250MB"' "$out"/PROF_*/host/sample.json || fail "round $round: its options"
	grep -q '"state":"stopped"' "$out"/PROF_*/ascprof.json || fail "round $round: not ended cleanly"
done
attaching --pid "$pid"
put words 2 1
while [ "$(get words 0)" != 100042 ]; do sleep 0.02; done # its own is refused meanwhile
recorded 1 --pid "$pid"
said "process $pid: ascprof record is at it already"
put words 2 0
out=out$((number - 1))
more words 3
kill -INT "$client"
ended 0
said 'records, .* 0 dropped$'
marked
more words 1
put words 2 1
more words 3
recorded 1 --pid "$pid"
said "process $pid: the program profiles itself already"
put words 2 0
more words 1
out=own
marked
grep -q '"storageLimit":"300MB"' own/PROF_*/host/sample.json || fail "the program's own settings are not as they were"
recorded 0 --pid "$pid" --delay 1ms --duration 1s --fail-on-loss -q
grep -q '"state":"stopped"' "$out"/PROF_*/ascprof.json || fail "a duration: not ended cleanly"
[ ! -s "$out.err" ] || fail "-q: $(cat "$out.err")"

# ---- a command that is killed leaves nothing running ----

attaching --pid "$pid"
more words 3
kill -9 "$client"
ended 137
while ! grep -q '"state":"stopped"' "$out"/PROF_*/ascprof.json; do sleep 0.02; done
marked

# ---- who may not ask, or says nonsense ----

cat >hostile.py <<'END'
import os, socket, sys
name = "\0ascprof/%d/%s" % (os.stat("/proc/self/ns/pid").st_ino, sys.argv[1])
other = sys.argv[2:] == ["other"]
if other:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
good = b'{"id":"0123456789abcdef","devices":0,"profiler":{"switch":"on","output":"%s"}}' % os.getcwd().encode()
packets = [b"", b"{", b"[]", b"{}", b"\0" * 65536, b"x" * 100000, good.replace(b"cdef", b"c" * 100), good.replace(b"on", b"off"),
           good.replace(b'"switch"', b'"swith"'), good.replace(os.getcwd().encode(), b"/proc/nowhere")]
for packet in [good] if other else packets:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    s.connect(name)
    try:
        s.send(packet)
        s.shutdown(socket.SHUT_WR)
        got = s.recv(2000)
    except (BrokenPipeError, ConnectionResetError):
        got = b""
    s.close()
    assert not got.startswith(b"+") and (not other or not got), (packet[:80], got)
for _ in range(50):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(name)
    s.close()
END
python3 hostile.py "$pid" || fail "nonsense"
if [ "$(id -u)" = 0 ]; then
	marks=$(get words 3)
	python3 hostile.py "$pid" other || fail "another user was heard"
	[ "$(get words 3)" = "$marks" ] || fail "another user had it recorded"
fi
once words

# ---- the program ends ----

attaching --pid "$pid"
# as far as it has accounted for some
while ! grep -q '"kind":"mark","device":-1,"produced":[1-9]' "$out"/PROF_*/ascprof.json; do sleep 0.02; done
kill -9 "$pid"
ended 0
marked --state repaired

# ---- children, daemons, the vendor's word for it ----

ASCPROF_ATTACH=1 begun child fork
once child
PROFILING_MODE=dynamic begun vendor
once vendor
put vendor 4 0 # it ends by itself
wait "$pid" || fail "a program that had been recorded ended with $?"
ASCPROF_ATTACH=1 begun daemon daemon
recorded 1 --pid "$pid"
said "process $pid cannot be asked: .* has closed its socket"

# ---- wrong use ----

recorded 2 --pid 1 true
said 'argument PROGRAM: none was expected with --pid'
recorded 2 --pid 1 --no-follow
said 'option --no-follow: goes with a program, not with --pid'
recorded 2 --pid 0
said 'option --pid: a number from 1 to 4194304 was expected'

exit $failed
