#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What becomes of a Debian system: install, use, upgrade, remove. Runs in a root that is
# thrown away afterwards; the sources are at /src, packages in /mnt/deb, those of the
# next version in /mnt/next. Prints TAP.
set -u
. /src/tests/lib/tap.sh
# shellcheck source=inside.sh
. /src/tests/packages/inside.sh
export DEBIAN_FRONTEND=noninteractive

installs()
{
	listing >/tmp/before
	dpkg -i /mnt/deb/*.deb # (dependencies are there)
	[ "$(dpkg -l '*ascprof*' | grep -c ^ii)" = 5 ]
	getent group ascprof
	! ldconfig -p | grep 'libmsprofiler' # only who names the folder gets it
}

cmake_project()
{
	command -v cmake >/dev/null || { echo "no cmake here"; exit 77; }
	cat >"$dev/CMakeLists.txt" <<-'END'
	cmake_minimum_required(VERSION 3.13)
	project(first C)
	find_package(ascprof 0.1 REQUIRED)
	add_executable(first first.c)
	target_link_libraries(first ascprof::ascprof)
	END
	as_user cmake -S . -B cmake
	as_user cmake --build cmake
	as_user sh -c 'cd cmake && ./first'
}

drop_in()
{
	as_user cc first.c -o vendor -L/usr/lib/x86_64-linux-gnu/ascprof -lmsprofiler
	as_user env LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/ascprof ./vendor
}

python()
{
	as_user python3 /src/examples/python/mark.py
	as_user python3 -c 'from ascprof import acl; acl.prof.init'
}

manuals()
{
	dpkg -L ascprof | grep -qx /usr/share/man/man1/ascprof.1.gz
	dpkg -L ascprof-dkms | grep -qx /usr/share/man/man4/ascprof.4.gz
	dpkg -L libascprof-dev | grep -qx /usr/share/man/man3/aclprofGetOpEnd.3.gz
	dpkg -L ascprof | grep -qx /usr/share/man/man7/ascprof.7.gz
}

upgrades()
{
	dpkg -i /mnt/next/ascprof-dkms_*.deb
	[ ! -e /usr/src/ascprof-0.1.0 ]
}

# What happens when a kernel and its headers are installed.
kernel_hooks()
{
	for event in header_postinst postinst; do
		run-parts --verbose --exit-on-error --arg="$1" "/etc/kernel/$event.d"
	done
}

# bad_kernel CONFIGURATION WORDS: a kernel for which it cannot be built is told, and the
# package manager goes on, with this package as with those of the kernel.
bad_kernel()
{
	mkdir -p /lib/modules/0.0-bad /usr/src/bad/include/config /usr/src/bad/include/generated
	ln -sfn /usr/src/bad /lib/modules/0.0-bad/build
	printf 'modules clean:\n\t@echo no such kernel\n\t@false\n' >/usr/src/bad/Makefile
	printf %b "$1" >/usr/src/bad/.config
	dpkg -i /mnt/next/ascprof-dkms_*.deb >/tmp/told 2>&1
	cat /tmp/told
	grep "ascprof-dkms: no module for kernel 0.0-bad" /tmp/told | grep -q "$2"
	! grep -q '0.0-bad.*installed' /tmp/told
	[ -z "$(dpkg --audit)" ]
	dpkg -l ascprof-dkms | grep -q '^ii'
	dkms status | grep 'installed$' | grep -q "$(kernel | grep -v bad)"
	kernel_hooks 0.0-bad >/tmp/told 2>&1 || { cat /tmp/told; return 1; }
	grep "ascprof-dkms: no module for kernel 0.0-bad" /tmp/told | grep -q "$2"
}

# secure_boot 0|1: what the firmware says
secure_boot()
{
	mkdir -p /sys/firmware/efi/efivars
	printf "\006\000\000\000\00$1" >/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
}

# A kernel is installed where signatures are asked for: DKMS can sign, or cannot.
signatures()
{
	secure_boot 1
	sign=$(realpath "/lib/modules/$(kernel)/build/scripts/sign-file")
	dkms remove "ascprof/$1" -k "$(kernel)"
	dkms add "/usr/src/ascprof-$1"
	mv "$sign" "$sign.away"
	kernel_hooks "$(kernel)" >/tmp/told 2>&1
	mv "$sign.away" "$sign"
	cat /tmp/told
	grep -q 'module for kernel .* is not signed, so it will not load' /tmp/told
	dkms remove "ascprof/$1" -k "$(kernel)"
	dkms add "/usr/src/ascprof-$1"
	kernel_hooks "$(kernel)" >/tmp/told 2>&1
	cat /tmp/told
	grep -q 'mokutil --import /var/lib/dkms/mok.pub' /tmp/told
	rm -r /sys/firmware
}

# By its alias only where the administrator says so.
loaded_by_alias()
{
	alias=pci:v000019E5d0000D802sv000019E5sd00000100bc12sc00i00
	! modprobe -S "$(kernel)" --resolve-alias "$alias" | grep ascprof || return 1
	sed 's/^#alias/alias/' /usr/share/doc/ascprof-dkms/examples/modprobe.d-ascprof.conf >/etc/modprobe.d/ascprof.conf
	[ "$(modprobe -S "$(kernel)" --resolve-alias "$alias")" = ascprof ]
	modprobe -S "$(kernel)" --show-depends "$alias" | grep '^insmod .*/ascprof.ko'
	rm /etc/modprobe.d/ascprof.conf
}

# dkms add, build, install, remove from a source tree, which then is as it was
source_tree()
{
	depmod "$(kernel)"
	listing >/tmp/before
	dkms add /mnt/source
	dkms build ascprof/0.1.0 -k "$(kernel)"
	dkms install ascprof/0.1.0 -k "$(kernel)"
	module_built 0.1.0
	dkms remove ascprof/0.1.0 --all
	rm -r /usr/src/ascprof-0.1.0
	listing | diff /tmp/before -
}

# What depmod makes is not ours.
nothing_left()
{
	rm -r /lib/modules/0.0-bad /usr/src/bad
	dpkg -P ascprof-dkms python3-ascprof ascprof libascprof-dev libascprof1
	rm -rf "$dev"
	listing >/tmp/after
	diff /tmp/before /tmp/after
}

step "DKMS builds from a source tree" source_tree
step "five packages are installed" installs
step "DKMS built the module for the kernel that is there" module_built 0.1.0
step "and signed it" module_signed
step "the first program of the README, its report and its exports" first_program
picture
step "a CMake project finds the library" cmake_project
step "LD_LIBRARY_PATH alone moves a program to the library" drop_in
step "Python has acl" python
step "manual pages" manuals
step "the next version takes the place of this one" upgrades
step "DKMS built the next version" module_built 0.1.1
step "the module is loaded by an NPU only where that is asked for" loaded_by_alias
step "where Secure Boot is on, it is said what to do" signatures 0.1.1
step "a kernel without what it needs is refused with the reason" bad_kernel 'CONFIG_PCI=y\n' 'without: CONFIG_PERF_EVENTS'
step "a build that fails breaks nothing" bad_kernel 'CONFIG_PCI=y\nCONFIG_PERF_EVENTS=y\n' 'try again: dkms install'
step "nothing is left after purge" nothing_left
tap_end
