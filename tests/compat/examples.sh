#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Examples are run, and what they record is looked at. (The loops, subscribe and mstx have tests of
# their own: loops, python and subscribe_example in tests/process, verify here; dashboard and alerts: serve.)
# O (or BUILD)=folder of the build. Exit 0: all hold, 1: not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/planted.sh"
BUILD=$O python3 "$here/examples.py" "$ascprof" "$here/../../examples"
