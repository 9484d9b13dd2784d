# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# TAP from a shell script: every step is a test; what it says is shown when it fails.

tap_count=0
tap_failed=0
tap_log=$(mktemp)
trap 'rm -f "$tap_log"' EXIT

# step NAME COMMAND...: runs it with set -e; exit code 0 passes, 77 skips with the last line as the reason
step()
{
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	(set -e; "$@") >"$tap_log" 2>&1 </dev/null
	tap_code=$?
	case $tap_code in
	0)  echo "ok $tap_count - $tap_name" ;;
	77) echo "ok $tap_count - $tap_name # SKIP $(tail -n 1 "$tap_log")" ;;
	*)
		tail -n 50 "$tap_log" | sed 's/^/# /'
		echo "not ok $tap_count - $tap_name"
		tap_failed=1
		;;
	esac
}

# tap_end: the plan; the exit code of the script
tap_end()
{
	echo "1..$tap_count"
	exit "$tap_failed"
}
