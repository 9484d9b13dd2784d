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

case $where in
here)   packages=python3,liburing2 ;;
inside) packages=python3,python3-dev,gcc,libc6-dev,make ;;
*)      die "unknown place '$where'; expected here or inside" ;;
esac

say()
{
	echo "$(($(date +%s) - began)) s: $*"
}

skip()
{
	echo "skipped: $*"
	exit 77
}

# The archive that this system uses itself; empty: debootstrap knows one.
mirror()
{
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(ORIGIN) $(SUITE) $(REPO_URI)' 2>/dev/null |
		awk '$1 == "Debian" && $2 !~ /-/ { print $3; exit }'
}

# make_root FOLDER
make_root()
{
	say "making a root of $suite"
	from=$(mirror)
	# shellcheck disable=SC2086
	quietly "$1.log" debootstrap --variant=minbase --include="$packages" "$suite" "$1" $from || return 1
	rm -rf "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/* "$1.log"
}

reachable()
{
	from=$(mirror)
	[ -z "$from" ] || /usr/lib/apt/apt-helper download-file "${from%/}/dists/$suite/InRelease" "$work/InRelease"
}

# in_root COMMAND...: in a mount namespace of its own, so that nothing stays mounted;
# sources at /src, the build at /build, both read-only, a folder to write to at /mnt
in_root()
{
	# shellcheck disable=SC2016
	unshare --mount sh -ec 'root=$1 src=$2 build=$3 work=$4; shift 4
		mkdir -p "$root/src" "$root/build"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --bind "$src" "$root/src" && mount -o remount,bind,ro "$root/src"
		mount --bind "$build" "$root/build" && mount -o remount,bind,ro "$root/build"
		mount --bind "$work" "$root/mnt"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root TMPDIR=/mnt "$@"' \
		sh "$root" "$top" "$build" "$work" "$@"
}

# The newest version of the C library that a file needs, or that there is.
libc_version()
{
	grep -aoE 'GLIBC_2\.[0-9]+' "$@" | sed 's/.*GLIBC_//' | sort -Vu | tail -n 1
}

[ "$(id -u)" = 0 ] || skip "making and entering a root of $suite needs root"
unshare --mount true 2>/dev/null || skip "no mount namespaces here"
[ "$where" = inside ] || [ -f "$build/python/site/ascprof/acl/__init__.abi3.so" ] ||
	skip "the Python module is not built: no Python.h (python3-dev)"
key=python/$suite-$where-$(echo "$packages" | cksum | cut -d' ' -f1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -d "$cache/$key" ]; then
	command -v debootstrap >/dev/null || skip "no root of $suite in the cache, and no debootstrap"
	reachable >/dev/null 2>&1 || skip "no root of $suite in the cache, and its archive cannot be reached"
fi
root=$(cached "$key" make_root)
there=$(in_root python3 -c 'import sys; print(sys.version.split()[0])')

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
	in_root env TOP=/src BUILD=/build ASCPROF_TEST_LIBS=/mnt/libs sh /src/tests/process/python.sh
else
	say "building in $suite"
	mkdir "$work/src"
	(cd "$top" && git ls-files -z | tar --null -T - -cf -) | tar -C "$work/src" -xf -
	# a function that the limited interface of this release lacks would only be a warning
	in_root make -s -C /mnt/src O=/mnt/src/build EXTRA_CFLAGS=-Werror=implicit-function-declaration lib python
	say "its own module: Python $there"
	in_root env TOP=/mnt/src BUILD=/mnt/src/build sh /mnt/src/tests/process/python.sh
	say "its module on this machine"
	TOP=$top BUILD=$work/src/build sh "$top/tests/process/python.sh"
fi
say "done"
