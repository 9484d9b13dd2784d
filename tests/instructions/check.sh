#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many instructions a hot call executes, counted by callgrind, against expected.txt: so
# that one that became slower is seen without timing. Prints TAP.
#
#   check.sh          compare: a call may take a twentieth, or two instructions, more
#   check.sh --write  write expected.txt anew
#
# TOP: the source tree; BUILD: folder of what was built, by gcc of Debian 12 for x86-64
set -u
. "$TOP/tests/lib/tap.sh"

# counts MODE: "MODE CALL INSTRUCTIONS" of one call, a line each
counts()
{
	LD_LIBRARY_PATH=$BUILD valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$work/out" \
		"$BUILD/tests/instructions/calls" "$1" "$work/result" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
	callgrind_annotate --inclusive=yes --threshold=100 "$work/out" |
		awk -v mode="$1" '
			match($0, /:(aclprof|mstx)[A-Za-z]+ \[/) && /libascprof/ {
				name = substr($0, RSTART + 1, RLENGTH - 3)
				gsub(/,/, "", $1)
				print mode, name, int(($1 + 500) / 1000)
			}' | sort -u
}

comparable()
{
	[ "$(uname -m) $(${CC:-gcc} -dumpversion)" = "x86_64 12" ] ||
		{ echo "counts are those of gcc 12 for x86-64"; return 77; }
}

step "compiler" comparable
[ "$tap_code" = 0 ] || tap_end
work=$(mktemp -d)
trap 'rm -rf "$work" "$tap_log"' EXIT
expected=$TOP/tests/instructions/expected.txt

{ counts on && counts off; } >"$work/counts" || { cat "$work/counts"; exit 1; }
if [ "${1:-}" = --write ]; then
	{
		echo "# SPDX-License-Identifier: Apache-2.0"
		echo "# Instructions of a call with a text of 20 bytes, in a session and without one (check.sh --write)"
		cat "$work/counts"
	} >"$expected"
	exit 0
fi

one_call()
{
	awk -v mode="$1" -v name="$2" -v most="$(($3 + $3 / 20 + 2))" '
		$1 == mode && $2 == name { got = $3 }
		END { print got + 0 " instructions, at most " most; exit !(got > 0 && got <= most) }' "$work/counts"
}

grep -v '^#' "$expected" >"$work/expected"
while read -r mode name count; do
	step "$mode: $name" one_call "$mode" "$name" "$count"
done <"$work/expected"
tap_end
