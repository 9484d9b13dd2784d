#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof doctor on this machine, whatever it has: its lines, its JSON and its exit
# status agree, without rights as well; what lacks is named with the command that mends it.
# Exit: 0 or 1.
set -u

ascprof=$BUILD/bin/ascprof
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir" || exit 1
unset ASCPROF_DEVICE
failures=0

bad()
{
	echo "$*"
	failures=$((failures + 1))
}

# agree COMMAND...: runs it as text and with --json
agree()
{
	"$@" >text 2>error
	code=$?
	"$@" --json >json 2>json-error
	[ $? = $code ] || bad "$*: another status with --json"
	cmp -s error json-error || bad "$*: other errors with --json"
	problems=$(grep -c '^problem ' text)
	if [ "$problems" = 0 ]; then
		if [ $code != 0 ] || [ -s error ]; then bad "$*: status $code, and no problem"; fi
	else
		[ $code = 1 ] || bad "$*: status $code, and $problems problems"
		grep -qE "^ascprof doctor: $problems problems?\$" error || bad "$*: $(cat error)"
	fi
	grep -vE '^(ok|note|problem) +[a-z_]+ +[^ ].*$' text && bad "$*: lines of another form"
	grep '^problem ' text | grep -v '; mend: .' && bad "$*: problems without a command"
	for check in kernel io_uring membarrier clock memlock counters module pmus npu libdrm driver space; do
		grep -qE "^[a-z]+ +$check " text || bad "$*: nothing is said of $check"
	done
	python3 - json text <<-'END' || bad "$*: --json says something else"
		import json, sys
		with open(sys.argv[1]) as f:
		    lines = f.read().splitlines()
		whole = json.loads(lines[0])
		rows = [line.rstrip("\n") for line in open(sys.argv[2])]
		made = [f'{c["state"]:8} {c["check"]:10} {c["text"]}' + ("; mend: " + c["mend"] if c["mend"] else "")
		        for c in whole["checks"]]
		# free space moves
		drop = lambda list: [row for row in list if " space " not in row]
		states = [c["state"] for c in whole["checks"]]
		good = (len(lines) == 1 and whole["format"] == 1 and drop(made) == drop(rows) and len(made) == len(rows)
		        and whole["notes"] == states.count("note") and whole["problems"] == states.count("problem"))
		sys.exit(not good)
	END
}

agree "$ascprof" doctor
if [ ! -e /sys/module/ascprof ]; then
	grep -qE '^problem +module .*; mend: .*modprobe ascprof' text || bad "the module lacks, and that is not told"
fi

# a user with no rights and little memory to lock, who can reach this folder
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && cp "$ascprof" "$dir/ascprof" && chmod 755 "$dir/ascprof" &&
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$dir/ascprof" --version >/dev/null 2>&1; then
	agree sh -c "ulimit -l 64; exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		'$dir/ascprof' doctor \"\$@\"" doctor
	grep -qE '^note +memlock +64 KiB .*; mend: ulimit' text || bad "64 KiB of locked memory are no matter"
	grep -qE '^note +space +the current folder: Permission denied' text || bad "a folder of others is no matter"
	if [ ! -e /sys/module/ascprof ]; then
		grep -qE '^note +counters .*CAP_PERFMON; mend: setcap' text || bad "missing rights are no matter"
	fi
fi

# usage
status()
{
	expected=$1
	shift
	"$@" >out 2>&1
	code=$?
	[ $code = "$expected" ] || bad "$*: status $code, expected $expected"
}
status 2 "$ascprof" doctor folder
grep -q '^ascprof doctor: argument "folder": none was expected' out || bad "$(cat out)"
status 2 "$ascprof" doctor --nonsense
status 0 "$ascprof" doctor --help
grep -q -e '--json' out || bad "--help does not tell --json"
"$ascprof" help | grep -q '^  doctor ' || bad "help does not tell doctor"
"$ascprof" doctor --json >/dev/full 2>out && bad "a full disk is no error"
grep -q 'standard output' out || bad "a full disk is not told"

[ $failures = 0 ]
