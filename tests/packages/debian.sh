#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: built, looked at, and used in a fresh system. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/qemu/common.sh"
. "$TOP/tests/lib/root.sh"
. "$TOP/tests/lib/tree.sh"
work=$(mktemp -d)
trap 'rm -rf "$work" "$tap_log"' EXIT
next=0.1.1

built()
{
	make -C "$work/tree" DEBFLAGS='-d -b' deb
	mkdir -p "$work/deb"
	mv "$work/tree"/build/deb/*.deb "$work/tree"/build/deb/*.changes "$work/tree"/build/deb/*.buildinfo "$work/deb"
	find "$work/deb" -name '*-dbgsym_*' -delete
	ls "$work/deb"
}

# The module's package of the next version.
next_built()
{
	cd "$work/tree"
	echo "$next" >VERSION
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$next\"/" dkms.conf
	sed -i "1s/(.*)/($next)/" debian/changelog
	make DEBFLAGS='-d -A' deb
	mkdir -p "$work/next"
	mv build/deb/*.deb "$work/next"
}

clean_for_lintian()
{
	command -v lintian >/dev/null || { echo "there is no lintian"; exit 77; }
	lintian --allow-root --fail-on error,warning "$work"/deb/*.deb
}

fresh_system()
{
	(root_of packages bookworm "$packages") >"$work/root" || { code=$?; cat "$work/root"; exit "$code"; }
}

copy_tree "$work/tree"
step "five packages are built" built
step "lintian has nothing to say" clean_for_lintian
step "the next version of the module's package" next_built
[ "$tap_failed" = 0 ] || tap_end

packages=python3,gcc,libc6-dev,make,pkg-config,dkms,kmod,systemd-standalone-sysusers,libdrm2,liburing2,libzstd1,cmake,openssl
packages=$packages,linux-headers-cloud-$(dpkg --print-architecture)
step "a fresh system" fresh_system
root=$(cat "$work/root")
[ -d "$root" ] || tap_end
in_root "$root" "$TOP" "$BUILD" sh /src/tests/packages/in_debian.sh >"$work/inside" 2>&1
# numbers go on from here
awk -v n="$tap_count" '
	/^ok [0-9]+ - / { sub(/^ok [0-9]+/, "ok " ++n) }
	/^not ok [0-9]+ - / { sub(/^not ok [0-9]+/, "not ok " ++n); failed = 1 }
	/^1\.\.[0-9]+$/ { end = 1; next }
	{ print }
	END { print "1.." n; exit failed || !end }' "$work/inside"
