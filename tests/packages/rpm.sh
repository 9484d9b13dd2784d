#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The RPM packages, as far as a system with another package manager can tell. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/lib/tree.sh"
work=$(mktemp -d)
trap 'rm -rf "$work" "$tap_log"' EXIT

built()
{
	command -v rpmbuild >/dev/null || { echo "there is no rpmbuild"; exit 77; }
	copy_tree "$work/tree"
	make -C "$work/tree" RPMFLAGS=--nodeps rpm
	[ "$(find "$work/tree/build/rpm/RPMS" -name '*.rpm' | wc -l)" = 5 ]
}

# Each file is in one package, and what is needed to build the module in the right one.
files()
{
	for rpm in "$work"/tree/build/rpm/RPMS/*/*.rpm; do
		rpm -qpl "$rpm" | grep -v -e '\.build-id' -e /licenses/
	done | sort >"$work/files"
	[ -z "$(uniq -d "$work/files")" ]
	rpm -qpl "$work"/tree/build/rpm/RPMS/noarch/*.rpm >"$work/dkms"
	for file in dkms.conf Kbuild VERSION kmod/stream.c uapi/ascprof.h; do
		grep -qx "/usr/src/ascprof-[0-9.]*/$file" "$work/dkms"
	done
	rpm -qp --scripts "$work"/tree/build/rpm/RPMS/noarch/*.rpm | grep -q 'dkms remove'
}

step "five RPM packages are built" built
step "what is in them" files
tap_end
