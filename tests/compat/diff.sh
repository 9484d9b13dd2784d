#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof diff on planted runs. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/planted.sh"
python3 "$here/diff.py" "$ascprof"
