#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A job of several processes, each with a directory of its own, as one timeline:
#
#   job.sh [DIRECTORY [PROCESSES]]
#
# BUILD is the folder of the build. What comes of it: DIRECTORY/job.json for ui.perfetto.dev.
set -eu
build=${BUILD:-$(dirname "$0")/../build}
directory=${1:-./job}
processes=${2:-4}
PATH=$build/bin:$PATH

[ ! -e "$directory" ] || { echo "$directory is there already" >&2; exit 1; }
started=
rank=0
while [ "$rank" -lt "$processes" ]; do
	RANK_ID=$rank "$build/examples/rank" "$rank" "$processes" "$directory" &
	started="$started $!"
	rank=$((rank + 1))
done
for pid in $started; do
	wait "$pid"
done
ascprof export --quiet "$directory" --format trace --output "$directory/job.json"
ascprof report --merge "$directory"
