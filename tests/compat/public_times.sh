#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times that cannot be, in every format. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/planted.sh"
python3 "$here/public_times.py" "$ascprof"
