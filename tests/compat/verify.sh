#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof verify finds each thing that is done to a directory, and nothing in a whole one.
# O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=${BUILD:-${O:-$here/../../build}}
O=$(cd "$O" && pwd)
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
python3 "$here/verify.py" "$O/bin/ascprof" "$O/examples/mstx"
