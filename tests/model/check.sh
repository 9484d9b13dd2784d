#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The models in this folder: each holds in every state that it can reach, and no planted
# fault does. The operations on rings, by the memory model of C11 (c11.py). Prints TAP.
# TOP, BUILD: the source and build folders; MODEL_FLAGS: for larger ones (-DSECOND=2)
set -u
. "$TOP/tests/lib/tap.sh"
models=$TOP/tests/model
work=$(mktemp -d)
trap 'rm -rf "$work" "$tap_log"' EXIT

# explore MODEL FAULT: what the verifier of it says is in $work/said
explore()
{
	rm -rf "$work/run"
	mkdir "$work/run" && cd "$work/run" || return 1
	# shellcheck disable=SC2086
	spin -a -DFAULT="$2" ${MODEL_FLAGS:-} "$models/$1.pml" >said 2>&1 &&
		${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c >>said 2>&1 || { cat said; return 1; }
	./pan -m100000 >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
}

holds()
{
	explore "$1" 0 || return 1
	if ! grep -q 'errors: 0$' "$work/said" || grep -qE 'max search depth|out of memory|Search not completed' "$work/said"; then
		cat "$work/said"
		return 1
	fi
	sed -n 's/^ *\([0-9]*\) states, stored.*/\1 states/p' "$work/said"
}

is_found()
{
	explore "$1" "$2" || return 1
	grep -qE 'assertion violated|invalid end state' "$work/said" || { echo "fault $2 holds:"; cat "$work/said"; return 1; }
}

for model in "$models"/*.pml; do
	name=$(basename "$model" .pml)
	step "$name" holds "$name"
	for fault in $(sed -n 's/^#.*FAULT [!=]= \([1-9]\).*/\1/p' "$model" | sort -u); do
		step "$name: fault $fault is found" is_found "$name" "$fault"
	done
done
step "operations on rings, by the memory model of C11" python3 "$models/c11.py"
tap_end
