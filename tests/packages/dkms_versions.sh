#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The module's package under the DKMS of other releases of Debian. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/packages/system.sh"
. "$TOP/tests/qemu/fetch.sh"
next=0.1.1

# package VERSION FOLDER
package()
{
	(
		cd "$work/tree"
		echo "$1" >VERSION
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" dkms.conf
		sed -i "1s/(.*)/($1)/" debian/changelog
		make DEBFLAGS='-d -A' deb
	)
	mkdir -p "$2"
	mv "$work"/tree/build/deb/*.deb "$2"
}

packages()
{
	copy_tree "$work/tree"
	package "$(cat "$TOP/VERSION")" "$work/deb"
	package "$next" "$work/next"
}

# fetch_dkms RELEASE FOLDER
fetch_dkms()
{
	lists_update "$1"
	cd "$2"
	lab_apt "$1" apt-get -qq -o Dir::State::status=/dev/null download dkms:all
}

other_dkms()
{
	mkdir -p "$work/dkms"
	for release in bullseye-release trixie; do
		cp "$(cached "dkms/$release" fetch_dkms "$release")"/*.deb "$work/dkms"
	done
	ls "$work/dkms"
	[ "$(find "$work/dkms" -name '*.deb' | wc -l)" = 2 ]
}

step "the module's package, in two versions" packages
step "DKMS of other releases" other_dkms
[ "$tap_failed" = 0 ] || tap_end
step "a fresh system" fresh_system
in_system tests/packages/in_dkms.sh
