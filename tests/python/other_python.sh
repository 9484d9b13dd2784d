#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python module on another Debian release, and one binary on two Pythons:
#
#   tests/python/other_python.sh SUITE FOLDER     for example bullseye (3.9), trixie (3.13)
#
# Makes a root of SUITE in FOLDER with debootstrap, builds library and module there, and
# runs the tests with its Python. Then the same tests with one binary for both: the one of
# the release with the older C library, on the newer release. Needs root, debootstrap, a
# mirror and 700 MB; takes some five minutes. Not part of `make check`.
# BUILD: the build folder of this machine's module.
set -eu

suite=${1:?a Debian release, such as bullseye}
mkdir -p "${2:?a folder for its root}"
root=$(cd "$2" && pwd)/$suite
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
began=$(date +%s)

say()
{
	echo "$(($(date +%s) - began)) s: $*"
}

# in_root COMMAND...: in a mount namespace of its own, so that nothing stays mounted
in_root()
{
	# shellcheck disable=SC2016
	unshare --mount sh -c 'root=$1; shift
		mount -t proc proc "$root/proc"
		mount --bind /dev "$root/dev"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root "$@"' sh "$root" "$@"
}

libc_version()
{
	sed -n '1s/.* //p'
}

if [ ! -e "$root/usr/bin/python3" ]; then
	say "making $root"
	debootstrap --variant=minbase --include=gcc,libc6-dev,make,python3,python3-dev "$suite" "$root" >"$root.log" 2>&1 ||
		{ tail -5 "$root.log"; exit 1; }
fi
say "building in $root"
rm -rf "$root/src" "$root/tmp/module"
mkdir -p "$root/src"
(cd "$top" && git ls-files -z | tar --null -T - -cf -) | tar -C "$root/src" -xf -
# a function that the limited interface of this release lacks would only be a warning
in_root make -s -C /src O=/src/build EXTRA_CFLAGS=-Werror=implicit-function-declaration lib python

theirs=$(in_root ldd --version | libc_version)
ours=$(ldd --version | libc_version)
python_there=$(in_root python3 -c 'import sys; print(sys.version.split()[0])')
python_here=$("${PYTHON:-python3}" -c 'import sys; print(sys.version.split()[0])')

say "its own binary: Python $python_there, C library $theirs"
in_root env TOP=/src BUILD=/src/build sh /src/tests/process/python.sh

if [ "$(printf '%s\n' "$theirs" "$ours" | sort -V | tail -1)" = "$ours" ]; then
	say "the same binary here: Python $python_here, C library $ours"
	TOP=$top BUILD=$root/src/build sh "$top/tests/process/python.sh"
else
	say "this machine's binary there"
	mkdir -p "$root/tmp/module"
	cp -a "$build/python" "$root/tmp/module"
	ln -s /src/build/libascprof.so.1 "$root/tmp/module" # ours may want libraries that are not there
	in_root env TOP=/src BUILD=/tmp/module sh /src/tests/process/python.sh
fi
say "done"
