# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Programs of newer Debian releases, unpacked: kernels that are newer than this system
# want its compiler, and their build tools its C library. Nothing of it is installed;
# `inside` runs it.

toolroot_packages='base-files dash bash coreutils sed grep mawk findutils diffutils perl-base
	tar gzip xz-utils libc-bin make gcc-14 gcc-14-aarch64-linux-gnu clang-19 lld-19 llvm-19
	libelf1t64 perl'

# Newer than that: sparse up to 0.6.4 does not know typeof_unqual, and dies of the headers of kernels
# from 7.0 on. It needs nothing that the release lacks.
toolroot_newest='sparse'

# toolroot_dir RELEASE
toolroot_dir()
(
	lists_update "$1"
	key=$(echo "$toolroot_packages, $toolroot_newest" | sha256sum | cut -c1-12)
	cached "tools/$1-$key" toolroot_fetch "$1"
)

toolroot_fetch()
(
	release=$1
	root=$2
	note "build tools of Debian $release"
	mkdir -p "$root/deb/partial"
	# shellcheck disable=SC2086
	lab_apt "$release" apt-get -qq -y --download-only -o Dir::State::status=/dev/null \
		-o Debug::NoLocking=1 -o APT::Install-Recommends=false -o "Dir::Cache::archives=$root/deb" \
		install $toolroot_packages >"$root/log" || { cat "$root/log" >&2; die "cannot download the tools"; }
	# the folders that are links come first
	for deb in "$root"/deb/base-files_*.deb "$root"/deb/*.deb; do
		dpkg -x "$deb" "$root"
	done
	rm -rf "$root/deb"
	lists_update sid
	# shellcheck disable=SC2086
	unpack sid "$root" $toolroot_newest || exit 1
	rm -rf "$root/log" "$root/usr/share/doc" "$root/usr/share/man"
	mkdir -p "$root/proc" "$root/dev" "$root/tmp"
	for pair in awk:mawk gcc:gcc-14 cc:gcc-14 aarch64-linux-gnu-gcc:aarch64-linux-gnu-gcc-14 \
		clang:clang-19 ld.lld:ld.lld-19; do
		[ -e "$root/usr/bin/${pair%%:*}" ] || ln -s "${pair#*:}" "$root/usr/bin/${pair%%:*}"
	done
	for tool in "$root"/usr/bin/llvm-*-19; do
		name=$(basename "$tool" -19)
		[ -e "$root/usr/bin/$name" ] || ln -s "$name-19" "$root/usr/bin/$name"
	done
	[ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
)
