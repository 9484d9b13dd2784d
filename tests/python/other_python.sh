#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python module on another Debian release, with that release's Python:
#
#   tests/python/other_python.sh [SUITE [here|inside]]     default: trixie here
#
#   here     the module that was built on this machine, as it is: one binary for all
#            Pythons. Needs a release whose C library is not older than this machine's:
#            trixie (Python 3.13).
#   inside   library and module are built there, and the tests run there and, with that
#            binary, here: for older releases, such as bullseye (3.9).
#
# The release is a root made by debootstrap, once, and kept in the cache of the lab.
# Needs root. TOP, BUILD: the source and build folders. Exit 0, 1, or 77: not possible here.
set -eu

suite=${1:-trixie}
where=${2:-here}
top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BUILD:-$top/build}
began=$(date +%s)
# shellcheck source=tests/qemu/common.sh
. "$top/tests/qemu/common.sh"
# shellcheck source=tests/lib/root.sh
. "$top/tests/lib/root.sh"

case $where in
here)   packages=python3,liburing2 ;;
inside) packages=python3,python3-dev,gcc,libc6-dev,make ;;
*)      die "unknown place '$where'; expected here or inside" ;;
esac

say()
{
	echo "$(($(date +%s) - began)) s: $*"
}

# The newest version of the C library that a file needs, or that there is.
libc_version()
{
	grep -aoE 'GLIBC_2\.[0-9]+' "$@" | sed 's/.*GLIBC_//' | sort -Vu | tail -n 1
}

[ "$where" = inside ] || [ -f "$build/python/site/ascprof/acl/__init__.abi3.so" ] ||
	root_skip "the Python module is not built: no Python.h (python3-dev)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$(root_of python "$suite" "$packages") || { code=$?; echo "$found"; exit "$code"; }
root=$found
inside()
{
	in_root "$root" "$top" "$build" "$@"
}
there=$(inside python3 -c 'import sys; print(sys.version.split()[0])')

if [ "$where" = here ]; then
	needs=$(libc_version "$build/python/site/ascprof/acl/__init__.abi3.so" "$build/libascprof.so.1")
	has=$(libc_version "$(find "$root/" -name libc.so.6 -type f | head -n 1)")
	[ "$(printf '%s\n' "$needs" "$has" | sort -V | tail -n 1)" = "$has" ] ||
		die "the module needs C library $needs, $suite has $has; expected: $0 $suite inside"
	say "this machine's module in $suite: Python $there, C library $has (needed: $needs)"
	mkdir "$work/libs"
	for name in standin slow_disk; do
		"${CC:-cc}" -shared -fPIC -O1 -o "$work/libs/$name.so" "$top/tests/python/$name.c"
	done
	inside env TOP=/src BUILD=/build ASCPROF_TEST_LIBS=/mnt/libs sh /src/tests/process/python.sh
else
	say "building in $suite"
	mkdir "$work/src"
	(cd "$top" && git ls-files -z | tar --null -T - -cf -) | tar -C "$work/src" -xf -
	# a function that the limited interface of this release lacks would only be a warning
	inside make -s -C /mnt/src O=/mnt/src/build EXTRA_CFLAGS=-Werror=implicit-function-declaration lib python
	say "its own module: Python $there"
	inside env TOP=/mnt/src BUILD=/mnt/src/build sh /mnt/src/tests/process/python.sh
	say "its module on this machine"
	TOP=$top BUILD=$work/src/build sh "$top/tests/process/python.sh"
fi
say "done"
