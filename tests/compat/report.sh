#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof report on planted directories: numbers, text, JSON, the page; and the page in a
# browser where there is one. O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/planted.sh"
python3 "$here/report.py" "$ascprof"
sh "$here/../html/browser.sh" || [ $? -eq 77 ]
