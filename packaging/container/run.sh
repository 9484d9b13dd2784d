#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command in a container with no more than profiling needs: nobody's user, no capability,
# a root that cannot be written to, the module's device where there is one, and one folder for
# results, which user 10000 must be able to write to.
#
#   run.sh IMAGE FOLDER COMMAND...
#
# ENGINE: podman (default) or docker, with options of its own if need be; OPTIONS: more for its
# "run", as devices of the NPU; ASCPROF_DEVICE: another place of the device
set -eu
[ $# -ge 3 ] || { echo "usage: run.sh IMAGE FOLDER COMMAND..." >&2; exit 2; }
image=$1
folder=$(cd "$2" && pwd)
shift 2
device=${ASCPROF_DEVICE:-/dev/ascprof}
passed=
if [ -e "$device" ]; then
	# its group by number: names of the host mean nothing inside
	passed="--device $device:/dev/ascprof --group-add $(stat -c %g "$device")"
fi
# shellcheck disable=SC2086
exec ${ENGINE:-podman} run --rm --read-only --tmpfs /tmp --user 10000:10000 --cap-drop all \
	--security-opt no-new-privileges --volume "$folder:/result" $passed ${OPTIONS:-} "$image" "$@"
