#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof diff on planted runs. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-${O:-$here/../../build}}
ascprof=$(cd "$O" && pwd)/bin/ascprof
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 "$here/diff.py" "$ascprof"
