#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables and timeline of planted host data, value by value. Needs no parser and no
# device. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-${O:-$here/../../build}}
ascprof=$(cd "$O" && pwd)/bin/ascprof
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
parser_tables="host_cpu_usage host_mem_usage host_disk_usage host_network_usage cpu_usage sys_mem
	process_cpu_usage process_mem"

# verify NAME TABLE...: exports $prof and compares
verify()
{
	what=$1
	shift
	rm -rf csv trace.json host.db
	"$ascprof" export -q -f csv -o csv "$prof"
	"$ascprof" export -q -f trace -o trace.json "$prof"
	"$ascprof" export -q -f db -o host.db "$prof" 2>log || grep -q libsqlite3 log || { cat log; exit 1; }
	"$ascprof" report "$prof" >report.txt
	if python3 "$here/check_host.py" check csv trace.json host.db "$@" >log; then
		echo "$what: as planted"
	else
		cat log
		echo "FAIL $what"
		exit 1
	fi
}

prof=$(python3 "$here/gen_prof.py" plain --chip 5 --no-device)
# shellcheck disable=SC2086
verify "as the public parser has it" $parser_tables
[ ! -e csv/host_counters.csv ] || { echo "FAIL: counters, and none planted"; exit 1; }

python3 "$here/check_host.py" plant "$prof"
# shellcheck disable=SC2086
verify "counters and disks in two slices, system calls, pthread calls in two" $parser_tables host_counters host_disks host_pmus host_numa os_runtime_statistic
grep -q 'cycles' report.txt || { echo "FAIL: the report does not list the counters"; exit 1; }

# stamps of a clock that ticks are nanoseconds all the same
prof=$(python3 "$here/gen_prof.py" ticks --chip 5 --no-device --host-mhz 38.4)
# shellcheck disable=SC2086
verify "ticks" $parser_tables
