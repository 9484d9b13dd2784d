#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof stat: counts what the kernel counts for a program, in text, CSV and JSON alike,
# says what is not counted and why, and leaves the program's exit status as it is.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
ascprof=$build/bin/ascprof
unset ASCPROF_DEVICE
cd "$work"

# exits STATUS COMMAND...: its output in out, its errors in err
exits()
{
	expected=$1
	shift
	code=0
	"$@" >out 2>err || code=$?
	[ $code = "$expected" ] || fail "$*: exit $code, expected $expected: $(cat err)"
}

# touches 5000 pages, so that there are at least as many faults
cat >pages.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	size_t size = 5000 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, size, MADV_NOHUGEPAGE);
	memset(p, 1, size);
	return 7;
}
END
$cc -o pages pages.c

exits 7 "$ascprof" stat -j -o json -- ./pages
[ ! -s out ] && [ ! -s err ] || fail "-o FILE, and something is printed: $(cat out err)"
if grep -q '"metric":"page-faults[^}]*"not_counted":"[^"]' json; then
	echo "skipped: $(sed -n 's/.*"metric":"page-faults[^}]*"not_counted":"\([^"]*\)".*/\1/p' json)"
	exit 77
fi
python3 - json <<'END' || fail "JSON: $(cat json)"
import json, sys
lines = open(sys.argv[1]).read().splitlines()
whole = json.loads(lines[-1])
m = {one["metric"].split(":")[0]: one for one in whole["metrics"]}
faults, clock = m["page-faults"], m["task-clock"]
assert len(lines) == 1 and whole["format"] == 1 and whole["seconds"] > 0
assert 5000 <= faults["total"] < 6000, faults
assert 0 < clock["total"] and clock["unit"] == "ms" and clock["group"] == "program", clock
for one in whole["metrics"]:
    # counted, with numbers, or not, with a reason and none
    assert bool(one["not_counted"]) != ("average" in one), one
    if "average" in one:
        assert one["counted_percent"] <= 100 and one["by"] in ("module", "perf_event_open"), one
END

# the same in text: what is not counted has its reason
exits 7 "$ascprof" stat ./pages
[ ! -s out ] || fail "with a program something is on standard output"
total=$(awk '$1 == "page-faults" || $1 == "page-faults:u" { print int($2) }' err)
[ "$total" -ge 5000 ] || fail "text: page-faults '$total'"
grep -qE '^NPUs: not counted: .+' err || [ -e /dev/ascprof ] || fail "nothing is said of NPUs"
grep -qE '^[0-9.]+ s, in intervals of 100 ms$' err || fail "text: $(cat err)"

# CSV: as many fields in each line, and a name for each
exits 7 "$ascprof" stat -x , -o csv ./pages
awk -F , 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 3 || n != 11 }' csv || fail "CSV: $(cat csv)"
exits 0 "$ascprof" stat -x ';' -I 20 -e 'page-*' -o csv sleep 0.2
awk -F ';' 'NR == 1 { n = NF } NF != n || (NR > 1 && $3 !~ /^page-faults/) { bad = 1 } END { exit bad || NR < 3 || n != 8 }' csv ||
	fail "CSV of intervals: $(cat csv)"
awk -F ';' 'NR > 1 && $1 <= last { bad = 1 } NR > 1 { last = $1 } END { exit bad }' csv || fail "times: $(cat csv)"
exits 0 "$ascprof" stat -j -I 20 -e task-clock -o json sleep 0.1
python3 -c 'import json, sys; assert all(json.loads(l) for l in open("json")) and sum(1 for l in open("json")) >= 2' ||
	fail "JSON of intervals: $(cat json)"

# children are counted, as perf does
exits 0 "$ascprof" stat -j -e page-faults -o json sh -c './pages; ./pages; exit 0'
python3 -c 'import json; assert json.load(open("json"))["metrics"][0]["total"] >= 10000' || fail "children: $(cat json)"

# without a program: until the time is over, or a signal
exits 0 "$ascprof" stat --duration 50ms
grep -q '^0\.[0-9]* s, in intervals' out || fail "without a program: $(cat out err)"
"$ascprof" stat --duration 1h -o ended >out 2>&1 &
pid=$!
until [ -e ended ]; do sleep 0.02; done
kill -TERM $pid
code=0
wait $pid || code=$?
[ $code = 0 ] || fail "ended by a signal: exit $code"
grep -q ' s, in intervals' ended || fail "ended by a signal: $(cat ended)"

# exit status, and what is wrong
exits 143 "$ascprof" stat sh -c 'kill -TERM $$'
exits 127 "$ascprof" stat ./no-such
exits 126 "$ascprof" stat ./pages.c
exits 0 "$ascprof" stat --list
grep -q '^page-faults ' out || fail "--list: $(cat out)"
exits 2 "$ascprof" stat -e no-such-counter true
grep -q 'option --events: nothing is called "no-such-counter"' err || fail "$(cat err)"
exits 2 "$ascprof" stat -I 5 true
grep -q 'option --interval: a number from 10 to 3600000 ms was expected, not "5"' err || fail "$(cat err)"
exits 2 "$ascprof" stat -x , -j true
exits 2 "$ascprof" stat -x '' true
exits 1 "$ascprof" stat -o no/such/file true
exits 1 "$ascprof" stat -o /dev/full true

exit $failed
