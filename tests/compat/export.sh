#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports directories with planted values and checks every one of them. Needs no
# parser and no device. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# generate NAME options...: a planted directory, its path in $prof
generate()
{
	name=$1
	shift
	prof=$(python3 "$here/gen_prof.py" "$name" --no-host-usage "$@")
}

# verify options of check_export.py...: exports $prof, checks it against $name's plan
verify()
{
	rm -rf csv trace.json
	"$ascprof" export -q --format csv -o csv "$prof" || fail "$name: csv: exit $?"
	"$ascprof" export -q --format trace -o trace.json "$prof" || fail "$name: trace: exit $?"
	"$ascprof" report "$prof" >report.txt || fail "$name: report: exit $?"
	python3 "$here/check_export.py" "$@" "$name/expected.json" csv trace.json >log || {
		cat log
		fail "$name: $*"
	}
	echo "$name: $(tail -n 1 log)"
}

# chop FILE BYTES: takes bytes off its end
chop()
{
	truncate -s "-$2" "$1"
}

# resplit PATTERN BYTES: cuts the bytes of one file into slices of any size
resplit()
{
	python3 - "$@" <<'END'
import sys
path, size = sys.argv[1], int(sys.argv[2])
data = open(path + "0", "rb").read()
for k in range(0, len(data), size):
    open(path + str(k // size), "wb").write(data[k:k + size])
END
}

# chips and collection versions, whole
for chip in 5 1; do
	for version in 1.0 2.0; do
		generate "chip $chip version $version" --chip $chip --version $version
		verify
	done
done
generate "write mode, odd clocks" --chip 5 --llc write --interval-us 12347
verify
generate "ticks" --chip 5 --host-mhz 38.4
verify
generate "odd messages" --chip 5 --odd-messages
verify

# slices
generate "whole rows in many slices" --chip 5 --split-all 3840 --events 200 --samples 60
verify
generate "gaps, two names, rows across slices" --chip 5 --split 256 --samples 60
(
	cd "$prof/host/data"
	for k in 40 30 10; do
		mv aging.additional.msproftx.slice_$k aging.additional.msproftx.slice_9$k
	done
	for k in 0 7 9; do
		mv aging.additional.msproftx.slice_$k unaging.additional.msproftx.slice_$k
	done
	cd ../../device_0/data
	rm llc.data.0.slice_*
)
generate "again" --chip 5 --samples 60
cp "$prof/device_0/data/llc.data.0.slice_0" "$name/one"
prof=$(echo "gaps, two names, rows across slices"/PROF*)
name="gaps, two names, rows across slices"
cp again/one "$prof/device_0/data/llc.data.0.slice_0"
resplit "$prof/device_0/data/llc.data.0.slice_" 1001
resplit "$prof/device_0/data/hbm.data.0.slice_" 333
resplit "$prof/device_0/data/stars_soc_profile.data.0.slice_" 65
verify

# the end is missing: of the last event only its first rows are left
generate "cut" --chip 5
chop "$prof/host/data/aging.additional.msproftx.slice_0" 1
"$ascprof" report "$prof" >report.txt
grep -q 'left out' report.txt || fail "cut rows are not told"
rm -rf csv trace.json
"$ascprof" export -q -f csv -o csv "$prof"
[ "$(wc -l <csv/msprof_tx.csv)" -eq 62 ] || fail "cut: $(wc -l <csv/msprof_tx.csv) lines of 62"

# of a sample of 2 x 8 LLC rows and of 4 x 2 HBM rows nothing but a piece is left
generate "counters cut" --chip 5
chop "$prof/device_0/data/llc.data.0.slice_0" $((16 * 24 - 7))
chop "$prof/device_0/data/hbm.data.0.slice_0" $((8 * 24 - 3))
verify --lost llc=1 --lost hbm=1

# parts
generate "host only" --chip 5 --no-device
verify --parts host
generate "device only" --chip 5
rm -r "$prof/host"
verify --parts device
generate "killed" --chip 5
rm "$prof"/*/end_info*
rm -f "$prof"/*/*.done
printf '{"format":1,"state":"running","pid":1,"comm":"x","accounting":[]}' >"$prof/ascprof.json"
verify
grep -q 'not stopped: counted from the files' report.txt || fail "killed: the report does not say so"

# ranges that nobody ended, and a category with a name: what only ascprof.json tells
generate "open ranges" --chip 5 --no-device
cat >"$prof/ascprof.json" <<'EOF'
{"format":1,"state":"stopped","pid":1,"comm":"x","categories":[{"category":3,"name":"for\"ward"}],
 "accounting":[{"kind":"tensor_info","device":-1,"open":3}]}
EOF
"$ascprof" report "$prof" >report.txt || [ $? -eq 3 ] || fail "open ranges: report"
grep -q 'still open at the end: 3' report.txt || fail "open ranges are not in the report"
"$ascprof" export -q -f trace -o trace.json "$prof"
grep -q '"category":3,.*"category_name":"for\\"ward"' trace.json || fail "the category's name is not in the trace"
[ "$(grep -c '"category":3,' trace.json)" = "$(grep -c category_name trace.json)" ] || fail "another category has it"

# several directories on one timeline, and in a folder each
mkdir many
python3 "$here/gen_prof.py" many/a --chip 5 --seed 2 --pid 100 >paths
python3 "$here/gen_prof.py" many/b --chip 5 --seed 3 --pid 200 --mono 6000000000000 \
	--wall 1800000001000000 >>paths
mkdir folder
while read -r path; do mv "$path" folder/; done <paths
mkdir folder/unrelated
"$ascprof" export -q -f csv -o csvs folder
[ "$(find csvs -name msprof_tx.csv | wc -l)" -eq 2 ] || fail "two directories, but no two tables"
"$ascprof" export -q -o merged.json folder
"$ascprof" export -q -o twice.json folder folder/PROF*
cmp merged.json twice.json || fail "a directory named twice is counted twice"
python3 - merged.json <<'END' || fail "merged timeline"
import json
import sys
events = json.load(open(sys.argv[1]))
first = {e["pid"]: e["ts"] for e in reversed(events) if e["name"] == "marker-0"}
assert first == {100: 10000, 200: 1010000}, first
assert len([e for e in events if e["name"] == "HBM 0/Read"]) == 40
assert len({e["pid"] for e in events if e["name"] == "HBM 0/Read"}) == 1
END

# the same bytes from the same input, whatever the locale
for locale in C de_DE.UTF-8 tr_TR.UTF-8; do
	LC_ALL=$locale LANG=$locale "$ascprof" export -q -o - folder >"$locale.json"
	cmp merged.json "$locale.json" || fail "locale $locale"
done

# outputs
"$ascprof" export -q -o /dev/stdout folder | cmp - merged.json || fail "/dev/stdout"
"$ascprof" export -q -o odd.json.gz folder
cmp odd.json.gz merged.json || fail "any file name"
mkdir into
"$ascprof" export -q -o into folder
cmp into/trace.json merged.json || fail "a folder as output"
ln -s real.json link.json
: >real.json
"$ascprof" export -q -o link.json folder
[ -L link.json ] || fail "a link as output is replaced"
cmp real.json merged.json || fail "a link as output"
if "$ascprof" export -q -o /dev/full folder 2>log; then fail "a full disk is not noticed"; fi
grep -q '/dev/full: cannot be written' log || fail "a full disk is not told"
mkdir -p empty/PROF_1/host/data
cp folder/PROF_000002*/host/*info* folder/PROF_000002*/host/sample.json empty/PROF_1/host/
"$ascprof" export -q -o empty.json empty
python3 -c 'import json; assert len(json.load(open("empty.json"))) == 1' || fail "an empty trace"
# a table that has no data any more goes
"$ascprof" export -q -f csv -o csv folder/PROF_000002*
"$ascprof" export -q -f csv -o csv empty/PROF_1
[ -z "$(ls csv)" ] || fail "tables of another directory are left"

# wrong use: exit 2 and one line that names the argument
refuse()
{
	want=$1
	words=$2
	shift 2
	code=0
	"$ascprof" "$@" >out 2>log || code=$?
	[ "$code" -eq "$want" ] || fail "$*: exit $code, expected $want"
	[ "$(wc -l <log)" -eq 1 ] || fail "$*: no single line: $(cat log)"
	grep -q -e "$words" log || fail "$*: \"$words\" was expected: $(cat log)"
	[ ! -s out ] || fail "$*: writes to standard output"
}
refuse 2 'command was expected'
refuse 2 'command "exprot" is not known' exprot
refuse 2 'argument DIR' export
refuse 2 'argument DIR' report
refuse 2 'option --format: trace, perfetto, csv, db or jsonl was expected, not "xml"' export --format xml folder
refuse 2 'option --format needs an argument: FORMAT' export folder --format
refuse 2 'option --wrong is not known' export --wrong folder
refuse 2 'option -z is not known' report -z folder
refuse 2 'option --quiet takes no argument' export --quiet=1 folder
refuse 2 'option --output' export -f csv -o - folder
refuse 2 'option --output' export -o '' folder
refuse 2 'option --top: a number' report --top 1e3 folder
refuse 2 'option --top: a number' report --top -1 folder
refuse 1 'nowhere: No such file' report nowhere
refuse 1 'paths: Not a directory' export paths
refuse 1 'into: no result directory' export -o x.json into
refuse 1 'nowhere/x.json: cannot be written' export -o nowhere/x.json folder
refuse 1 'paths: a folder was expected' export -f csv -o paths folder
[ ! -e x.json ] || fail "a file is left after an error"
for words in --help 'help export' 'export --help' 'report -h' --version; do
	# shellcheck disable=SC2086
	"$ascprof" $words >out 2>log || fail "$words: exit $?"
	[ -s out ] || fail "$words: no output"
	[ ! -s log ] || fail "$words: $(cat log)"
done
if "$ascprof" --help >/dev/full 2>log; then fail "--help to a full disk"; fi

# accounting that does not hold
prof=$(echo folder/PROF_000002*)
printf '%s' '{"format":1,"state":"stopped","pid":100,"comm":"x","accounting":[
{"kind":"mark","device":-1,"produced":20,"written":20,"dropped":{}},
{"kind":"push_pop","device":-1,"produced":23,"written":20,"dropped":{"ring_full":1,"no_memory":2}},
{"kind":"range","device":-1,"produced":20,"written":20,"dropped":{"ring_full":0}},
{"kind":"mstx_range","device":-1,"produced":1,"written":1,"dropped":{"ring_full":0}},
{"kind":"api","device":-1,"produced":1,"written":1,"dropped":{}},
{"kind":"llc","device":0,"produced":320,"written":320,"dropped":{}},
{"kind":"hbm","device":0,"produced":160,"written":160,"dropped":{}},
{"kind":"soc_profile","device":0,"produced":200,"written":200,"dropped":{}}' >"$prof/ascprof.json"
for kind in host_cpu host_mem host_disk host_network sys_cpu sys_mem process_cpu process_mem; do
	printf ',{"kind":"%s","device":-1,"produced":20,"written":20,"dropped":{}}' $kind >>"$prof/ascprof.json"
done
echo ']}' >>"$prof/ascprof.json"
"$ascprof" report "$prof" >report.txt || fail "accounting that holds: exit $?"
grep -q 'checked: written' report.txt || fail "accounting that holds is not told"
sed -i 's/"written":320/"written":321/' "$prof/ascprof.json"
code=0
"$ascprof" report "$prof" >report.txt || code=$?
[ $code -eq 3 ] || fail "accounting that does not hold: exit $code"
grep -q '^MISMATCH .*llc of device 0' report.txt || fail "the mismatch is not told"
awk '!/^MISMATCH/ && length($0) > 100 { print; wide = 1 } END { exit wide }' report.txt ||
	fail "the report is too wide"
echo "all hold"
