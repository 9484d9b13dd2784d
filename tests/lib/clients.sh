# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: Apache-2.0
# For scripts that compile programs and run them with the library.
# $top: the source folder; BUILD: the build folder; CC

build=$(cd "${BUILD:-$top/build}" && pwd)
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler $cc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# result NAME KINDS OPTION... DIRECTORY: the checker takes it, and its rows are those:
# "kind written" of every kind that has some, separated by ", "
result()
{
	result_name=$1
	result_kinds=$2
	shift 2
	if ! python3 "$top/tests/process/profdir.py" "$@" >"$work/log"; then
		cat "$work/log"
		fail "$result_name"
		return
	fi
	got=$(awk '$1 == "kind" && $4 { printf "%s%s %s", sep, $2, $4; sep = ", " }' "$work/log")
	[ "$got" = "$result_kinds" ] || fail "$result_name: '$got', expected '$result_kinds'"
}

# ---- ascprof record ----

number=0 # of the folders that were made

# recorded EXPECTED-STATUS ARGUMENTS...: into a new folder $out, with what is said in $out.err, and printed in $out.out
recorded()
{
	expected=$1
	shift
	number=$((number + 1))
	out=out$number
	code=0
	"$build/bin/ascprof" record -o "$out" "$@" >"$out.out" 2>"$out.err" || code=$?
	[ $code = "$expected" ] || fail "record $*: exit $code, expected $expected: $(cat "$out.err")"
}

# said PATTERN: by the command that recorded last
said()
{
	grep -qE "$1" "$out.err" || fail "$out: '$1' is not told: $(cat "$out.err")"
}
