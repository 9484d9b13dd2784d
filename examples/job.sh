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

mkdir "$directory"
started=
rank=0
while [ "$rank" -lt "$processes" ]; do
	RANK_ID=$rank ascprof record --quiet --output "$directory" \
		"$build/examples/rank" "$rank" "$processes" "$directory/steps" &
	started="$started $!"
	rank=$((rank + 1))
done
for pid in $started; do
	wait "$pid"
done
ascprof export --quiet "$directory" --format trace --output "$directory/job.json"
ascprof report --merge "$directory"
