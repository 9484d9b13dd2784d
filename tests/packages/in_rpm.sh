#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What becomes of a system with RPM packages: install, use, verify, upgrade, erase. Runs in a
# root that is thrown away afterwards; packages are in /mnt/rpm, those of the next version in
# /mnt/next. Prints TAP.
set -u
. /src/tests/lib/tap.sh
# shellcheck source=inside.sh
. /src/tests/packages/inside.sh
# where rpm's macros say that libraries are
export PKG_CONFIG_PATH=/usr/lib64/pkgconfig LIBRARY_PATH=/usr/lib64 LD_LIBRARY_PATH=/usr/lib64

installs()
{
	depmod "$(kernel)"
	listing >/tmp/before
	rpm -i --nodeps /mnt/rpm/*.rpm # (what Debian has of their dependencies, has other names)
	[ "$(rpm -qa '*ascprof*' | wc -l)" = 5 ]
	getent group ascprof
}

as_packaged()
{
	rpm -V ascprof libascprof libascprof-devel python3-ascprof ascprof-dkms --nodeps
}

upgrades()
{
	rpm -U --nodeps /mnt/next/ascprof-dkms-*.rpm
	[ "$(rpm -qa 'ascprof-dkms' | wc -l)" = 1 ]
	[ ! -e /usr/src/ascprof-0.1.0 ]
}

# A kernel for which the module cannot be built: the transaction goes on.
bad_kernel()
{
	mkdir -p /lib/modules/0.0-bad /usr/src/bad/include
	ln -sfn /usr/src/bad /lib/modules/0.0-bad/build
	printf 'modules clean:\n\t@false\n' >/usr/src/bad/Makefile
	printf 'CONFIG_PCI=y\nCONFIG_PERF_EVENTS=y\n' >/usr/src/bad/.config
	rpm -U --nodeps --replacepkgs --force /mnt/next/ascprof-dkms-*.rpm >/tmp/told 2>&1
	cat /tmp/told
	grep -q 'no module for kernel 0.0-bad.*try again: dkms install' /tmp/told
	rpm -q ascprof-dkms
	rm -r /lib/modules/0.0-bad /usr/src/bad
}

# What depmod makes is not ours, and folders that no package here has are those of a package
# "filesystem" there.
nothing_left()
{
	rpm -e ascprof-dkms python3-ascprof ascprof libascprof-devel libascprof
	rm -rf "$dev"
	listing | LC_ALL=C comm -3 /tmp/before - | tr -d '\t' | grep -v '/\.rpmdb/' | while read -r file; do
		[ -d "$file" ] && [ "${file##*ascprof*}" ] || echo "$file"
	done | tee /tmp/left
	[ ! -s /tmp/left ]
}

step "rpm installs five packages" installs
step "RPM: DKMS built the module" module_built 0.1.0
step "RPM: the first program of the README, its report and its exports" first_program
picture
step "rpm finds all as it was packaged" as_packaged
step "RPM: the next version takes the place of this one" upgrades
step "RPM: DKMS built the next version" module_built 0.1.1
step "RPM: a build that fails breaks nothing" bad_kernel
step "nothing is left after rpm -e" nothing_left
tap_end
