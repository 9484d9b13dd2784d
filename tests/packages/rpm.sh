#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The RPM packages, as far as a system with another package manager can tell: built, looked at,
# and used in a fresh Debian by rpm, whose dependencies nobody there provides. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/packages/system.sh"
next=0.1.1

# rpms FOLDER: builds packages of the tree, which end there; (quickly: the compiler's options are not what is tested)
rpms()
{
	make -C "$work/tree" RPMFLAGS="--nodeps --define 'optflags -g -O0'" rpm
	mkdir "$1"
	mv "$work"/tree/build/rpm/RPMS/*/*.rpm "$1"
}

built()
{
	command -v rpmbuild >/dev/null || { echo "there is no rpmbuild"; exit 77; }
	copy_tree "$work/tree"
	rpms "$work/rpm"
	[ "$(find "$work/rpm" -name '*.rpm' | wc -l)" = 5 ]
}

# Each file is in one package, and what is needed to build the module in the right one.
files()
{
	for rpm in "$work"/rpm/*.rpm; do
		rpm -qpl "$rpm" | grep -v -e '\.build-id' -e /licenses/
	done | sort >"$work/files"
	[ -z "$(uniq -d "$work/files")" ]
	rpm -qpl "$work"/rpm/*.noarch.rpm >"$work/dkms"
	for file in dkms.conf Kbuild VERSION kmod/stream.c uapi/ascprof.h; do
		grep -qx "/usr/src/ascprof-[0-9.]*/$file" "$work/dkms"
	done
	rpm -qp --scripts "$work"/rpm/*.noarch.rpm | grep -q 'dkms remove'
}

# The next version, of which only the module's package is used.
next_built()
{
	cd "$work/tree"
	echo "$next" >VERSION
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$next\"/" dkms.conf
	rpms "$work/next"
	find "$work/next" ! -name '*.noarch.rpm' -type f -delete
}

step "five RPM packages are built" built
step "what is in them" files
step "the next version of the module's package" next_built
[ "$tap_failed" = 0 ] || tap_end
[ -d "$work/next" ] || tap_end
step "a fresh system" fresh_system
in_system tests/packages/in_rpm.sh
