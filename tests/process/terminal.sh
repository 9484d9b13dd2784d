#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# terminal.py, by a Python that has a terminal emulator.
export TOP="${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}"
for python in python3 /usr/bin/python3; do
	! "$python" -c 'import pyte' 2>/dev/null || exec "$python" "$TOP/tests/process/terminal.py"
done
echo "skipped: no pyte for Python"
exit 77
