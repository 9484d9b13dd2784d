#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page that ascprof report writes, in a headless browser. BUILD: folder of the build;
# PICTURES: a folder for pictures. Exit: 0, 1; 77: there is no chromium.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-$here/../../build}
ascprof=$(cd "$O" && pwd)/bin/ascprof
export PYTHONDONTWRITEBYTECODE=1
chromium=$(command -v chromium) || { echo "there is no chromium"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 "$here/../compat/report.py" "$ascprof" --page
prof=$(python3 "$here/../compat/gen_prof.py" counted --events 30)
"$ascprof" report -q --html -o counted.html "$prof"
if [ -n "${PICTURES:-}" ]; then set -- "$PICTURES"; else set --; fi
timeout 120 python3 "$here/browser.py" "$chromium" page.html counted.html "$@"
