#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A system that builds for arm64. Runs in a root that is thrown away afterwards; the tree to be
# built is /mnt/tree. Prints TAP.
set -u
. /src/tests/lib/tap.sh
export DEBIAN_FRONTEND=noninteractive

# what debian/control asks for, the compiler, and what runs the programs
tools()
{
	cp /mnt/resolv.conf /etc/resolv.conf
	dpkg --add-architecture arm64
	apt-get -qq update
	apt-get -qq -y --no-install-recommends -a arm64 build-dep /mnt/tree
	apt-get -qq -y --no-install-recommends install crossbuild-essential-arm64 qemu-user
}

built()
{
	cd /mnt/tree || return 1
	dpkg-buildpackage -us -uc -b -a arm64
	for name in ascprof libascprof1 libascprof-dev python3-ascprof; do
		[ "$(dpkg-deb -f "$(echo ../"$name"_*.deb)" Architecture)" = arm64 ]
	done
	dpkg-deb -f ../libascprof1_*.deb Depends | grep -w libc6
}

# emulated COMMAND...: a program of the packages
emulated()
{
	LD_LIBRARY_PATH=/opt/arm64/usr/lib/aarch64-linux-gnu qemu-aarch64 "$@"
}

runs()
{
	for deb in /mnt/*_arm64.deb; do dpkg-deb -x "$deb" /opt/arm64; done
	library=/opt/arm64/usr/lib/aarch64-linux-gnu/libascprof.so.1
	readelf -h "$library" | grep -q AArch64
	cd /tmp || return 1
	emulated /mnt/tree/build/examples/mark /tmp/result
	emulated /opt/arm64/usr/bin/ascprof report /tmp/result | tee /tmp/report
	grep -qi mark /tmp/report
	emulated /opt/arm64/usr/bin/ascprof export /tmp/result --format csv -o /tmp/tables
	[ -n "$(find /tmp/tables -name '*.csv')" ]
}

step "what debian/control asks for on arm64 is there" tools
step "packages of arm64" built
step "an example and the command of arm64 run" runs
tap_end
