#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the module's package does under each DKMS of /mnt/dkms: install, upgrade, refuse, purge.
# Runs in a root that is thrown away afterwards. Prints TAP.
set -u
. /src/tests/lib/tap.sh
# shellcheck source=inside.sh
. /src/tests/packages/inside.sh
export DEBIAN_FRONTEND=noninteractive

# (what depmod makes, some versions of DKMS remove)
files()
{
	listing | grep -v '^/usr/lib/modules/[^/]*/modules\.'
}

# this_dkms FILE VERSION
this_dkms()
{
	dpkg -i --force-depends --force-confnew "$1"
	dpkg-query -W -f '${Version}' dkms | grep -F "$2"
	files >/tmp/before
}

# installs VERSION FOLDER
installs()
{
	dpkg -i --force-depends "/mnt/$2"/ascprof-dkms_*.deb
	module_built "$1"
}

# Whatever this DKMS knows of configurations: refused, with the reason, and nothing else is.
refuses()
{
	mkdir -p /lib/modules/0.0-bad /usr/src/bad/include/config /usr/src/bad/include/generated
	ln -sfn /usr/src/bad /lib/modules/0.0-bad/build
	printf 'CONFIG_PCI=y\n' >/usr/src/bad/.config
	run-parts --exit-on-error --arg=0.0-bad /etc/kernel/header_postinst.d >/tmp/told 2>&1 || { cat /tmp/told; return 1; }
	cat /tmp/told
	grep -q 'no module for kernel 0.0-bad, which was configured without: CONFIG_PERF_EVENTS' /tmp/told
	printf 'CONFIG_PCI=y\nCONFIG_PERF_EVENTS=y\n' >/usr/src/bad/.config
	printf 'modules clean:\n\t@false\n' >/usr/src/bad/Makefile
	dpkg -i --force-depends /mnt/next/ascprof-dkms_*.deb >/tmp/told 2>&1
	cat /tmp/told
	grep -q 'no module for kernel 0.0-bad: see .* try again: dkms install' /tmp/told
	rm -r /lib/modules/0.0-bad /usr/src/bad
}

nothing_left()
{
	dpkg -P ascprof-dkms
	files | diff /tmp/before -
}

for deb in /mnt/dkms/*.deb; do
	version=$(dpkg-deb -f "$deb" Version)
	version=${version%-*}
	step "DKMS $version is there" this_dkms "$deb" "$version"
	step "DKMS $version builds" installs 0.1.0 deb
	step "DKMS $version upgrades" installs 0.1.1 next
	step "DKMS $version: kernels that cannot be" refuses
	step "DKMS $version leaves nothing" nothing_left
done
tap_end
