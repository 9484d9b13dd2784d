#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: built, looked at, and used in a fresh system. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/packages/system.sh"
next=0.1.1

built()
{
	make -C "$work/tree" DEBFLAGS='-d -b' deb
	mkdir -p "$work/deb"
	mv "$work/tree"/build/deb/*.deb "$work/tree"/build/deb/*.changes "$work/tree"/build/deb/*.buildinfo "$work/deb"
	find "$work/deb" -name '*-dbgsym_*' -delete
	ls "$work/deb"
}

# The same packages from another-folder at another time, by who has other habits.
built_again()
{
	copy_tree "$work/another-folder/tree"
	cd "$work/another-folder/tree"
	chmod -R go= .
	env -i PATH="$PATH" HOME=/nonexistent TZ=Asia/Shanghai LC_ALL=C.UTF-8 LANGUAGE=zh USER=other \
		sh -c 'umask 077; make -j1 DEBFLAGS="-d -b" deb'
	for file in build/deb/*.deb; do
		case $file in
		*-dbgsym_*) ;;
		*) cmp "$file" "$work/deb/${file##*/}" ;;
		esac
	done
	cd / && rm -r "$work/another-folder"
}

# What the service may do, as systemd judges it: 10 is everything.
sandbox()
{
	command -v systemd-analyze >/dev/null || { echo "there is no systemd-analyze"; exit 77; }
	systemd-analyze security --offline=true --no-pager --threshold=20 "$TOP/packaging/systemd/ascprof-serve.service"
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

copy_tree "$work/tree"
step "five packages are built" built
step "lintian has nothing to say" clean_for_lintian
step "the same packages are built again, byte for byte" built_again
step "the service is in a sandbox" sandbox
step "the next version of the module's package" next_built
[ "$tap_failed" = 0 ] || tap_end

step "a fresh system" fresh_system
copy_tree "$work/source"
in_system tests/packages/in_debian.sh
