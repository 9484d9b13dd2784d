#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What becomes of a Debian system: install, use, upgrade, remove. Runs in a root that is
# thrown away afterwards; the sources are at /src, packages in /mnt/deb, those of the
# next version in /mnt/next. Prints TAP.
set -u
. /src/tests/lib/tap.sh
export DEBIAN_FRONTEND=noninteractive
dev=/tmp/user

listing()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /mnt -o -path /tmp -o -path /src -o -path /build \) \
		-prune -o -print |
		grep -vE '^/var/(lib/(dpkg|apt)|cache|log)/|^/var/lib/dkms/mok|^/etc/(group|gshadow)-?$|/__pycache__' | LC_ALL=C sort
}

kernel()
{
	find /lib/modules -mindepth 1 -maxdepth 1 -name '[1-9]*' -printf '%f\n'
}

installs()
{
	depmod "$(kernel)"
	listing >/tmp/before
	dpkg -i /mnt/deb/*.deb # (dependencies are there)
	[ "$(dpkg -l '*ascprof*' | grep -c ^ii)" = 5 ]
	getent group ascprof
	! ldconfig -p | grep 'libmsprofiler' # only who names the folder gets it
}

# dkms says so, and there is a module for that kernel
module_built()
{
	dkms status | tee /tmp/status
	grep -qx "ascprof/$1, $(kernel), x86_64: installed" /tmp/status
	[ "$(grep -c ^ascprof /tmp/status)" = 1 ]
	file=$(find "/lib/modules/$(kernel)/updates" -name 'ascprof.ko*')
	[ "$(modinfo -F version "$file")" = "$1" ]
	modinfo -F vermagic "$file" | grep -q "^$(kernel) "
	[ -z "$(modinfo -F alias "$file")" ] # nothing loads it but its name
	[ -n "$(modinfo -F signer "$file")" ] # with the key that DKMS made
}

as_user()
{
	(cd "$dev" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$dev" "$@")
}

# The program of the README, by who is not root.
first_program()
{
	mkdir -p "$dev" && chmod 777 "$dev"
	sed -n '/^```c$/,/^```$/p' /src/README.md | sed '1d;$d' >"$dev/first.c"
	grep -q aclprofPush "$dev/first.c"
	# shellcheck disable=SC2046
	as_user cc first.c -o first $(pkg-config --cflags --libs ascprof)
	as_user ./first
	as_user ascprof report result | tee /tmp/report
	grep -qi 'push' /tmp/report
	as_user ascprof export result --format trace -o trace.json
	grep -q '"load data"' "$dev/trace.json"
	as_user ascprof export result --format csv -o tables
	grep -rq 'load data' "$dev/tables"
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

# bad_kernel CONFIGURATION WORDS: a kernel for which it cannot be built is told, and the
# package manager goes on.
bad_kernel()
{
	mkdir -p /lib/modules/0.0-bad /usr/src/bad/include/config /usr/src/bad/include/generated
	ln -sfn /usr/src/bad /lib/modules/0.0-bad/build
	printf 'modules clean:\n\t@echo no such kernel\n\t@false\n' >/usr/src/bad/Makefile
	printf %b "$1" >/usr/src/bad/.config
	dpkg -i /mnt/next/ascprof-dkms_*.deb 2>&1 | tee /tmp/told
	grep -A 4 '0.0-bad' /tmp/told | grep -q "$2"
	! grep -q '0.0-bad.*installed' /tmp/told
	[ -z "$(dpkg --audit)" ]
	dpkg -l ascprof-dkms | grep -q '^ii'
	dkms status | grep 'installed$' | grep -q "$(kernel)"
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

step "five packages are installed" installs
step "DKMS built the module for the kernel that is there" module_built 0.1.0
step "the first program of the README, its report and its exports" first_program
step "a CMake project finds the library" cmake_project
step "LD_LIBRARY_PATH alone moves a program to the library" drop_in
step "Python has acl" python
step "manual pages" manuals
step "the next version takes the place of this one" upgrades
step "DKMS built the next version" module_built 0.1.1
step "a kernel without what it needs is skipped" bad_kernel 'CONFIG_PCI=y\n' BUILD_EXCLUSIVE
step "a build that fails breaks nothing" bad_kernel 'CONFIG_PCI=y\nCONFIG_PERF_EVENTS=y\n' 'Bad return status'
step "nothing is left after purge" nothing_left
tap_end
