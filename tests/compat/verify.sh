#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof verify finds each thing that is done to a directory, and nothing in a whole one.
# O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/planted.sh"
python3 "$here/verify.py" "$ascprof" "$O/examples/mstx"
