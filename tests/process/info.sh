#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof info: of the machine it says what doctor found, of directories whose they are
# and what is in them, as text and as JSON.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "${BUILD:-$top/build}" && pwd)
ascprof=$build/bin/ascprof
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset ASCPROF_DEVICE

fail()
{
	echo "$*"
	exit 1
}

"$ascprof" info >text
"$ascprof" doctor >doctor 2>/dev/null || true
# the same findings, each in a line, without state and command
sed -n -E 's/^(ok|note|problem) +(kernel|io_uring|clock|module|device|pmus|npu) +//p' doctor | sed 's/; mend: .*//' >expected
while read -r line; do
	grep -qF -- "$line" text || fail "info does not tell: $line"
done <expected
[ -s expected ] || fail "doctor told nothing"
"$ascprof" info --json >json
python3 - json text <<'END' || fail "JSON of the machine: $(cat json)"
import json, sys
machine = json.load(open(sys.argv[1]))["machine"]
lines = open(sys.argv[2]).read().splitlines()
assert [m["text"] for m in machine] == [line[11:] for line in lines], lines
END

"$ascprof" record -q -o out --own-sessions ignore "$build/examples/mark" none
prof=$(echo out/PROF_*)
"$ascprof" info "$prof" >text
grep -qx "$(basename "$prof")" text || fail "no name: $(cat text)"
grep -qE '^  program    mark \(pid [0-9]+\) on ' text || fail "no program: $(cat text)"
grep -qE '^  start      [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$' text || fail "no start: $(cat text)"
grep -qE '^  state      stopped$' text || fail "no state: $(cat text)"
grep -qE '^  begun by   ascprof record$' text || fail "not told that record began it: $(cat text)"
grep -qE '^  host       msproftx: 25 slices, 51.2 MB$' text || fail "no table: $(cat text)"
# of the host, and of a device, in every account of sources
cp -r out planted.out
python3 - planted.out/*/ascprof.json <<'END'
import json, sys
own = json.load(open(sys.argv[1]))
own["sources"].append({"device": -1, "source": "none", "note": "planted"})
own["sources"].append({"device": 64, "source": "none", "note": "older"})
json.dump(own, open(sys.argv[1], "w"), separators=(",", ":"))
END
"$ascprof" info planted.out >text
grep -qE '^  source     host: none, planted$' text || fail "the host's source: $(cat text)"
grep -qE '^  source     host: none, older$' text || fail "the host's source, of the first release: $(cat text)"
"$ascprof" report planted.out >text
grep -qE '^ *(sources +)?host: none, planted$' text || fail "the host's source, in a report: $(cat text)"
"$ascprof" report -q --html -o page.html planted.out
grep -q 'counters of host' page.html || fail "the host's source, on a page"

"$ascprof" info -j out >json
python3 - json "$prof" <<'END' || fail "JSON of a directory: $(cat json)"
import json, os, sys
[one] = json.load(open(sys.argv[1]))["directories"]
own = json.load(open(sys.argv[2] + "/ascprof.json"))
assert one["name"] == os.path.basename(sys.argv[2]) and one["program"] == "mark" and one["pid"] == own["pid"]
assert one["duration_ns"] == own["end"]["raw_ns"] - own["start"]["raw_ns"] and one["record"] == own["record"]
assert {"part": "host", "table": "msproftx", "slices": 25, "bytes": 51200000} in one["tables"]
END

code=0
"$ascprof" info none >out.text 2>err || code=$?
[ $code = 1 ] && [ "$(wc -l <err)" = 1 ] || fail "no directory: exit $code, $(cat err)"
code=0
"$ascprof" info --nonsense 2>err || code=$?
[ $code = 2 ] || fail "a wrong option: exit $code"
