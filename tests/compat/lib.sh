# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# For tests of the exporter: a folder of their own to be in, which goes, and the command. A
# script sets $here and sources this file. O (or BUILD)=folder of the build.
O=${BUILD:-${O:-$here/../../build}}
# shellcheck disable=SC2034 # for those who source this
ascprof=$(cd "$O" && pwd)/bin/ascprof
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

fail()
{
	echo "FAIL: $*"
	exit 1
}
