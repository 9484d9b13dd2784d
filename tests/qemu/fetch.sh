# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Fetches kernels, kernel sources and libraries as Debian packages and unpacks
# them into the cache. Nothing is installed and the system's package lists stay
# as they are: the lab has lists of its own, which also cover arm64.

# How long the answer to "which kernel is the current one" is trusted, in days.
refresh_days=7

# The kernels by name: architecture, image package, release of Debian when it is
# not the system's own.
kernel_entry()
{
	case $1 in
	6.1)   echo amd64 linux-image-cloud-amd64 ;;
	arm64) echo arm64 linux-image-cloud-arm64 ;;
	6.12)  echo amd64 linux-image-6.12-amd64 ;;
	5.10)  echo amd64 linux-image-cloud-amd64 bullseye ;;
	*)     die "unknown kernel '$1'; expected 6.1, arm64, 6.12, 5.10 or san" ;;
	esac
}

# lab_apt RELEASE TOOL ARGUMENT...: apt-get or apt-cache on the lab's own lists.
# RELEASE is empty for the system's own release.
lab_apt()
(
	release=$1
	tool=$2
	shift 2
	state=$cache/apt/${release:-system}
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	set -- -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" \
		-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 \
		-o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User= "$@"
	if [ -n "$release" ]; then
		foreign_list "$release" "$state/sources.list"
		set -- -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- "$@"
	fi
	"$tool" "$@"
)

# The security archive of another release, on the mirror that the system uses.
foreign_list()
{
	[ ! -s "$2" ] || return 0
	apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
	sed -n '/security/{s#/*$##;p;q}' |
	sed "s#.*#deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & $1-security main#" >"$2"
	[ -s "$2" ] || die "no Debian security archive in the system's package sources"
}

# Lists older than a day are fetched again; a failure only counts when there are none.
lists_update()
(
	release=${1:-}
	stamp=$cache/apt/${release:-system}/stamp
	[ -z "$(find "$stamp" -mmin -1440 2>/dev/null)" ] || exit 0
	mkdir -p "$(dirname "$stamp")" || die "cannot write to the cache folder $cache"
	note "package lists"
	if lab_apt "$release" apt-get -qq update >"$stamp.log" 2>&1; then
		touch "$stamp"
	elif [ ! -e "$stamp" ]; then
		cat "$stamp.log" >&2
		die "cannot fetch the Debian package lists; is there a network?"
	fi
)

# package_field RELEASE PACKAGE FIELD
package_field()
{
	lab_apt "$1" apt-cache show --no-all-versions "$2" 2>/dev/null | sed -n "s/^$3: //p" | head -n 1
}

# unpack RELEASE FOLDER PACKAGE[:ARCH][=VERSION]...
unpack()
(
	release=$1
	folder=$2
	shift 2
	mkdir -p "$folder/deb"
	cd "$folder/deb" || exit 1
	lab_apt "$release" apt-get -qq download "$@" || die "cannot download $*"
	for deb in *.deb; do
		dpkg -x "$deb" ..
	done
	rm -rf ../deb
)

# What NAME is today: "RELEASE_VERSION", kept for a while so that a warm run asks nobody.
kernel_id()
(
	now=$cache/kernel/$1.now
	if [ -n "${KLAB_REFRESH:-}" ] || [ -z "$(find "$now" -mtime "-$refresh_days" 2>/dev/null)" ]; then
		if id=$(kernel_resolve "$1") && [ -n "$id" ]; then
			mkdir -p "$cache/kernel"
			echo "$id" >"$now.$$"
			mv "$now.$$" "$now"
		elif [ ! -e "$now" ]; then
			exit 1
		else
			note "using the kernel fetched before: $(cat "$now")"
		fi
	fi
	cat "$now"
)

kernel_resolve()
(
	# shellcheck disable=SC2046
	set -- $(kernel_entry "$1")
	[ $# -ge 2 ] || exit 1
	lists_update "${3:-}"
	image=$(lab_apt "${3:-}" apt-cache depends "$2:$1" |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^:]*\).*/\1/p' | head -n 1)
	[ -n "$image" ] || die "$2 names no kernel package"
	echo "${image#linux-image-}_$(package_field "${3:-}" "$image:$1" Version)"
)

kernel_version()
(
	id=$(kernel_id "$1")
	echo "${id#*_}"
)

# kernel_dir NAME: folder with boot/, lib/modules/, the headers as `build`, and the
# file `env` (arch, release, version).
kernel_dir()
(
	if [ "$1" = san ]; then
		san_dir
		exit
	fi
	id=$(kernel_id "$1")
	[ -n "$id" ] || exit 1
	cached "kernel/$id" kernel_fetch "$1" "$id"
)

kernel_fetch()
(
	name=$1
	release=${2%_*}
	version=${2#*_}
	dir=$3
	# shellcheck disable=SC2046
	set -- $(kernel_entry "$name")
	arch=$1
	debian=${3:-}
	note "kernel $release ($version)"
	lists_update "$debian"
	headers=linux-headers-$release
	depends=$(package_field "$debian" "$headers:$arch" Depends)
	common=$(echo "$depends" | grep -o 'linux-headers-[^ ,]*-common')
	kbuild=$(echo "$depends" | grep -o 'linux-kbuild-[^ ,]*')
	[ -n "$common" ] && [ -n "$kbuild" ] || die "no headers for kernel $release"
	# The build tools run here, so they are this machine's, also for a foreign kernel.
	unpack "$debian" "$dir" "linux-image-$release:$arch=$version" "$headers:$arch=$version" \
		"$common=$version" "$kbuild:amd64=$version"
	depmod -b "$dir" "$release"
	# The headers name their common part by its installed place; name it by ours.
	sed -i 's#^include /usr/src/#include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../#' \
		"$dir/usr/src/$headers/Makefile"
	ln -s "usr/src/$headers" "$dir/build"
	printf 'arch=%s\nrelease=%s\nversion=%s\n' "$arch" "$release" "$version" >"$dir/env"
)

# kernel_make NAME ARGUMENT...: make in the kernel's build folder
kernel_make()
(
	dir=$(kernel_dir "$1")
	[ -n "$dir" ] || exit 1
	shift
	. "$dir/env"
	[ "$arch" != arm64 ] || set -- ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- "$@"
	exec make -C "$dir/build" "$@"
)

# module_make NAME ARGUMENT...: this project's make, with kernel NAME as the one to build for
module_make()
(
	dir=$(kernel_dir "$1")
	[ -n "$dir" ] || exit 1
	shift
	. "$dir/env"
	[ "$arch" != arm64 ] || set -- KARCH=arm64 KCROSS=aarch64-linux-gnu- "$@"
	exec make -C "$top" --no-print-directory "KDIR=$dir/build" "$@"
)

# module_folder NAME: where `module_make NAME` puts what it makes, below kmod/ and the like
module_folder()
(
	dir=$(kernel_dir "$1")
	[ -n "$dir" ] || exit 1
	. "$dir/env"
	[ "$arch" = amd64 ] || release=$release-$arch
	echo "$release"
)

module_build()
{
	mkdir -p "$2"
	folder=$(cd "$2" && pwd)
	quietly "$folder/module.log" module_make "$1" "O=$folder" module >&2 ||
		die "the module does not build for $1"
	echo "$folder/kmod/$(module_folder "$1")/ascprof.ko"
}

fakepmu_build()
{
	mkdir -p "$2"
	folder=$(cd "$2" && pwd)
	quietly "$folder/fakepmu.log" module_make "$1" "O=$folder" module-fakepmu >&2 ||
		die "the made-up PMUs do not build for $1"
	echo "$folder/fakepmu/$(module_folder "$1")/tests/qemu/fakepmu/ascprof_fakepmu.ko"
}

# cross ARCH COMMAND...: with the environment to build programs of ARCH
cross()
(
	sysroot=$(sysroot_dir "$1")
	[ -n "$sysroot" ] || exit 1
	shift
	folder=$sysroot/usr/lib/aarch64-linux-gnu
	export CROSS_COMPILE=aarch64-linux-gnu- PKG_CONFIG=pkg-config \
		"PKG_CONFIG_LIBDIR=$folder/pkgconfig" "PKG_CONFIG_SYSROOT_DIR=$sysroot" \
		"LDFLAGS=-Wl,-rpath-link,$folder"
	exec "$@"
)

# source_dir VERSION: KUnit's core, checkpatch and the whole source as source.tar.xz
source_dir()
{
	cached "source/$1" source_fetch "$1"
}

source_fetch()
(
	version=$1
	dir=$2
	series=$(echo "$version" | cut -d. -f1,2)
	note "kernel source $version"
	lists_update
	unpack "" "$dir" "linux-source-$series=$version"
	mv "$dir/usr/src/linux-source-$series.tar.xz" "$dir/source.tar.xz"
	rm -rf "${dir:?}/usr"
	tar -C "$dir" -xJf "$dir/source.tar.xz" --strip-components=1 --wildcards \
		'*/lib/kunit/*' '*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch'
)

# sysroot_dir ARCH: what guests and programs of ARCH need beyond the compiler's own libraries
sysroot_dir()
(
	case $1 in
	amd64) set -- "$1" busybox-static ;;
	arm64) set -- "$1" busybox-static liburing2 liburing-dev ;;
	*)     die "no libraries for '$1'; expected amd64 or arm64" ;;
	esac
	arch=$1
	shift
	lists_update
	key=$(for p in "$@"; do package_field "" "$p:$arch" Version; done | sha256sum | cut -c1-12)
	cached "sysroot/$arch-$key" sysroot_fetch "$arch" "$@"
)

sysroot_fetch()
(
	arch=$1
	shift
	packages=
	while [ $# -gt 1 ]; do
		packages="$packages $1:$arch"
		shift
	done
	note "libraries for $arch"
	# shellcheck disable=SC2086
	unpack "" "$1" $packages
)

# Drops what no name stands for any more.
cache_clean()
(
	cd "$cache" 2>/dev/null || exit 0
	version=$(sed 's/.*_//' kernel/6.1.now 2>/dev/null)
	for dir in kernel/*_*; do
		name=$(basename "$dir")
		[ "$name" = "san-$(san_key "$version")_$version" ] ||
			grep -qx "$name" kernel/*.now 2>/dev/null || rm -rf "$dir"
	done
	for dir in source/*; do
		grep -q "_$(basename "$dir")\$" kernel/*.now 2>/dev/null || rm -rf "$dir"
	done
)
