#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All formats of ascprof export say the same, filtered or not. export.sh compares one of
# them with planted values. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

generate()
{
	python3 "$here/gen_prof.py" "$@" >>"$tmp/generated"
}

# every FOLDER options of export...: all formats into FOLDER, compared with each other
every()
{
	out=$1
	shift
	rm -rf "$out"
	mkdir "$out"
	for format in trace perfetto jsonl db csv; do
		"$ascprof" export --format $format -o "$out/$format" "$@" 2>told ||
			fail "$format $*: exit $?: $(cat told)"
		sed -n 's/.*: \([0-9]* events\).*/\1/p' told >"$out/$format.events"
	done
	if ! [ -s "$out/trace.events" ] || ! cmp "$out/trace.events" "$out/perfetto.events"; then
		fail "$*: two timelines tell of different numbers of events"
	fi
	python3 "$here/check_formats.py" "$out/trace" "$out/perfetto" "$out/jsonl" "$out/db" "$out/csv" >log || {
		cat log
		fail "$*"
	}
	if command -v protoc >/dev/null; then
		protoc --decode_raw <"$out/perfetto" >decoded || fail "$*: protoc"
		[ "$(grep -c '^1 {' decoded)" -gt 2 ] || fail "$*: protoc sees no packets"
	fi
}

# refuse CODE WORDS options of export...
refuse()
{
	want=$1
	words=$2
	shift 2
	code=0
	"$ascprof" export "$@" >out 2>log || code=$?
	[ $code -eq "$want" ] || fail "$*: exit $code"
	[ "$(wc -l <log)" -eq 1 ] || fail "$*: no single line: $(cat log)"
	grep -q -e "$words" log || fail "$*: \"$words\" was expected: $(cat log)"
}

generate plain --chip 5 --no-host-usage
every plain.out plain/PROF*
echo "plain: $(cat log)"
generate odd --chip 5 --no-host-usage --odd-messages --wall 1798712345678913 --mono 5432109876543
printf '{"format":1,"state":"stopped","pid":1,"comm":"x","categories":[{"category":3,"name":"for\\"ward"}]}' \
	>"$(echo odd/PROF*)/ascprof.json"
every odd.out odd/PROF*
echo "odd messages: $(cat log)"
generate ticks --chip 1 --version 2.0 --no-host-usage --host-mhz 38.4
every ticks.out ticks/PROF*
echo "ticks: $(cat log)"

# messages without an end, with bytes that are no text; links that lead elsewhere; files that are cut
generate hostile --chip 5 --no-host-usage --split-all 3840
prof=$(echo hostile/PROF*)
python3 - "$prof/host/data/aging.additional.msproftx.slice_0" <<'END'
import sys
rows = [b"A" * 156, b"\xff\xfe\x00", b"\xc3(\xe2\x82", b'","x\r\n"', b"\x01\x1b[2J\x7f", b"=cmd|'/C calc'!A0", b"\xed\xa0\x80\xf5"]
with open(sys.argv[1], "r+b") as file:
    for n, message in enumerate(rows):
        file.seek(256 * n + 100)
        file.write(message.ljust(156, b"\0"))
END
every hostile.out "$prof"
echo "hostile messages: $(cat log)"
echo "SECRET outside" >secret
ln -s "$PWD/secret" "$prof/host/data/unaging.additional.hash_dic.slice_7"
if "$ascprof" export -f jsonl -o links "$prof" 2>log; then fail "a link instead of a slice is followed"; fi
if grep -q SECRET log links 2>/dev/null; then fail "what a link leads to is shown"; fi
rm "$prof/host/data/unaging.additional.hash_dic.slice_7"
mv "$prof/device_0" elsewhere
ln -s "$PWD/elsewhere" "$prof/device_0"
"$ascprof" export -q -f jsonl -o links "$prof" 2>log || fail "a link instead of a part: $(cat log)"
if grep -q '"device":0,"start_ns"' links; then fail "a link instead of a part is followed"; fi
rm "$prof/device_0"
mv elsewhere "$prof/device_0"
mkfifo "$prof/host/data/aging.additional.msproftx.slice_99"
if timeout 10 "$ascprof" export -q -f jsonl -o fifos "$prof" 2>log; then fail "a pipe instead of a slice is read"; fi
[ $? -ne 124 ] || fail "a pipe instead of a slice is waited for"
rm "$prof/host/data/aging.additional.msproftx.slice_99"
for size in 1 255 257 3839; do
	truncate -s $size "$prof/host/data/aging.additional.msproftx.slice_2"
	truncate -s $size "$prof/device_0/data/stars_soc_profile.data.0.slice_1"
	every cut.out "$prof"
done
truncate -s 4G "$prof/host/data/aging.additional.msproftx.slice_2" # zeros, which are no rows
"$ascprof" export -q -f jsonl -o huge "$prof" 2>log || fail "a huge file: $(cat log)"
grep -q 'annotation rows are damaged' log || fail "damaged rows are not told"
echo "hostile files: all read, or refused"

# several ranks, whose clocks began at different times, on one timeline
mkdir many
generate many/a --chip 5 --no-host-usage --seed 2 --pid 100
generate many/b --chip 5 --no-host-usage --seed 3 --pid 200 --mono 6000000000000 --wall 1800000001000000
mkdir folder
mv many/a/PROF* many/b/PROF* folder/
every folder.out folder
echo "several directories: $(cat log)"
python3 - folder.out/jsonl <<'END' || fail "clocks of several directories"
import json
import sys
first = {}
for line in open(sys.argv[1], encoding="utf-8"):
    e = json.loads(line)
    if e.get("name") == "marker-0":
        first.setdefault(e["pid"], e["start_ns"])
assert first == {100: 1800000000010000000, 200: 1800000001010000000}, first
END

# system calls and pthread calls
generate called --chip 5 --no-device
python3 "$here/check_host.py" plant called/PROF* >plain.log
"$ascprof" export -q -f perfetto -o called.perfetto called/PROF*
python3 - "$here" <<'END' || fail "calls of the system and of threads"
import collections
import sys
sys.path.insert(0, sys.argv[1])
from check_host import PTHREAD_CALLS
from perfetto import Trace
kinds = collections.Counter(details["kind"] for *_, details in Trace("called.perfetto").slices)
assert kinds["pthread"] == len(PTHREAD_CALLS) and kinds["syscall"], kinds
END

# threads whose numbers meet in the cache of tracks
python3 - "$here" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import planted
planted.make("met", 400, [(0, 1, 1, 16, "sixteen"), (0, 2, 2, 0, "none"), (0, 3, 3, 16, "sixteen"), (0, 4, 4, 32, "more")])
END
"$ascprof" export -q -f trace -o met.json met
python3 - <<'END' || fail "threads"
import json
with open("met.json", encoding="utf-8") as f:
    got = [(e["name"], e["tid"]) for e in json.load(f) if e["ph"] not in "MC"]
assert got == [("sixteen", 16), ("none", 0), ("sixteen", 16), ("more", 32)], got
END

# the same bytes again, whatever the locale; a database differs in nothing but its name
for format in perfetto jsonl; do
	LC_ALL=tr_TR.UTF-8 "$ascprof" export -q -f $format -o - folder | cmp - folder.out/$format || fail "$format: other bytes"
done
"$ascprof" export -q -f db -o again.db folder
cmp again.db folder.out/db || fail "db: other bytes"
mkdir into
for format in trace perfetto jsonl db; do "$ascprof" export -q -f $format -o into plain/PROF*; done
[ "$(cd into && echo ./*)" = "./events.jsonl ./msprof_20270115080000.db ./trace.json ./trace.pftrace" ] ||
	fail "names in a folder: $(ls into)"
mkfifo fifo
refuse 1 'fifo: a regular file was expected' -f db -o fifo plain/PROF*
python3 "$here/viewers.py" into >log || fail "viewers: $(cat log)"
echo "viewers: $(cat log)"
for format in perfetto jsonl; do
	if "$ascprof" export -q -f $format -o /dev/full plain/PROF* 2>log; then fail "$format: a full disk is not noticed"; fi
	[ "$(wc -l <log)" -eq 1 ] || fail "$format: a full disk: $(cat log)"
done
if [ -n "$(find . -name '.*.??????')" ]; then fail "hidden files are left: $(find . -name '.*.??????')"; fi

# filter NAME conditions of check_filter.py... -- options of export...
filter()
{
	conditions=
	while [ "$1" != -- ]; do
		conditions="$conditions $1"
		shift
	done
	shift
	every filtered "$@" folder
	# shellcheck disable=SC2086
	python3 "$here/check_filter.py" folder.out/jsonl filtered/jsonl $conditions >log || {
		cat log
		fail "filter $*"
	}
	echo "filter $*: $(cat log)"
}

filter from=200000000 -- --from 200ms
filter to=200000000 -- --to 0.2
filter from=50000000 to=1020000000 -- --from 50000us --to 1.02s
filter from=500000000 -- --from @1800000000.5
filter from=1000000000 -- --from 2027-01-15T08:00:01Z
filter pid=100 -- --pid 100
filter tid=100 tid=102 -- --tid 100,102
filter kind=mark kind=push_pop -- --kind mark,push_pop
filter kind=mstx_range -- -k mstx_range
filter kind=counters -- --kind counters
filter kind=annotations -- --kind annotations
filter kind=llc kind=hbm -- --kind llc --kind hbm
filter 'name=^marker-1.$' -- --name 'marker-1?'
filter 'name=^marker-1' 'name=end' -- --name 'marker-1*' --name '/end/'
filter 'name=^HBM.[01]/(Read|Write)$' -- --name 'HBM 0/*' --name '/^HBM 1/'
filter 'name=^(push_pop-[0-5]|HBM.*)$' from=100000000 pid=200 kind=annotations -- \
	--name '/^(push_pop-[0-5]|HBM.*)$/' --from 100ms --pid 200 --kind annotations

# averages of tables are those of what is left
"$ascprof" export -q -f csv -o averages --from 0.2 --to 0.3 -k hbm plain/PROF*
[ "$(ls averages)" = hbm.csv ] || fail "tables that were not wanted: $(ls averages)"
python3 - plain.out/jsonl averages/hbm.csv <<'END' || fail "averages of a window"
import csv
import json
import sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
values = [e["value"] for e in lines if e.get("name") == "HBM 0/Read" and
          200000000 <= e["start_ns"] - 1800000000000000000 < 300000000]
assert len(values) == 5, values
row = [r for r in csv.DictReader(open(sys.argv[2])) if r["Metric"] == "0"][0]
assert abs(float(row["Read(MB/s)"]) - sum(values) / len(values)) < 0.01, (row, values)
END

refuse 2 'option --format: trace, perfetto, csv, db or jsonl was expected, not "xml"' --format xml folder
refuse 2 'option --output: db needs a file' --format db -o - folder
for time in '' 1x 1.5.2 -1 @ @1x 2027-01-15 2027-13-15T08:00:00Z 99999999999999999999; do
	refuse 2 'option --from: a time was expected' --from "$time" folder
done
refuse 2 'option --pid: a number was expected' --pid 1, folder
refuse 2 'option --tid: a number was expected' --tid 4294967296 folder
refuse 2 'option --kind: .* expected, not "nothing"' --kind nothing folder
refuse 2 'option --name: a regular expression was expected' --name '/(/' folder
echo "all hold"
