#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/python, twice: plainly; and by the debug build of Python, if python3-dbg is there,
# with checked memory, every warning an error, and all of its development mode.
# TOP, BUILD: the source and build folders; PYTHON: the interpreter
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$top/build}
python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')

if [ ! -f "$build/python/site/ascprof/acl/__init__.abi3.so" ]; then
	echo "skipped: the Python module is not built: no Python.h (python3-dev)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${ASCPROF_TEST_LIBS:-}" ]; then
	for name in standin slow_disk; do
		${CC:-cc} -shared -fPIC -O1 -Wall -Wextra -Werror -o "$work/$name.so" "$top/tests/python/$name.c"
	done
	export ASCPROF_TEST_LIBS="$work"
fi
export ASCPROF_TEST_TOP="$top" ASCPROF_LOG=off PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$build/python/site${PYTHONPATH:+:$PYTHONPATH}"
cd "$top/tests/python"

"$python" -m unittest discover
debug=$(command -v python3-dbg || echo "$python")
echo "$debug, with checked memory"
PYTHONMALLOC=debug PYTHONDEVMODE=1 PYTHONWARNINGS=error "$debug" -m unittest discover
