#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What export costs, against fprintf and, where MSPROF_DIR names a checkout of it, against
# the public parser on the same directory, whose numbers are compared field by field.
# O: folder of what was built. RECORDS (2000000), PARSER_RECORDS (600000)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=$(cd "$O" && pwd)
work=$(mktemp -d "$O/tests/bench/export.XXXXXX")
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) cores"
prof=$(python3 "$here/../compat/gen_prof.py" "$work/fprintf" --no-host-usage --no-device --events 1)
rm "$prof"/host/data/*msproftx* "$prof"/host/data/*api_event*
"$O/tests/bench/export" rows "$prof" "${RECORDS:-2000000}"
mkdir "$work/out"
"$O/tests/bench/export" format "$prof" "$work/out"
rm -rf "$work/fprintf" "$work/out"
if [ -n "${MSPROF_DIR:-}" ]; then
	python3 "$here/export_parser.py" "$MSPROF_DIR" "$O/bin/ascprof" "$work" "${PARSER_RECORDS:-600000}"
else
	echo "MSPROF_DIR is not set: no public parser to compare with"
fi
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"
