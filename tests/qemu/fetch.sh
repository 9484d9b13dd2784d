# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Fetches kernels, kernel sources and libraries as Debian packages and unpacks
# them into the cache. Nothing is installed and the system's package lists stay
# as they are: the lab has lists of its own, which also cover arm64.

# How long the answer to "which kernel is the current one" is trusted, in days.
refresh_days=7

# The kernels by name: architecture, image package, release of Debian when it is
# not the system's own, release whose tools build for it when this system's are too old.
kernel_names='6.1 arm64 5.10 5.10-arm64 6.12 6.12-arm64 new new-arm64'
kernel_entry()
{
	case $1 in
	6.1)        echo amd64 linux-image-cloud-amd64 ;;
	arm64)      echo arm64 linux-image-cloud-arm64 ;;
	5.10)       echo amd64 linux-image-cloud-amd64 bullseye ;;
	5.10-arm64) echo arm64 linux-image-cloud-arm64 bullseye-release ;;
	6.12)       echo amd64 linux-image-6.12-amd64 ;;
	6.12-arm64) echo arm64 linux-image-6.12-arm64 ;;
	new)        echo amd64 linux-image-cloud-amd64 trixie-backports trixie ;;
	new-arm64)  echo arm64 linux-image-cloud-arm64 trixie-backports trixie ;;
	*)          die "unknown kernel '$1'; expected san, kcsan, one of $kernel_names, or the folder of a kernel tree" ;;
	esac
}

# kernel_debian NAME: the release that its packages come from, empty: the system's own
kernel_debian()
(
	case $1 in
	*/*) exit ;;
	esac
	# shellcheck disable=SC2046
	set -- $(kernel_entry "$1")
	echo "${3:-}"
)

# kernel_debug NAME: whether it is one of ours
kernel_debug()
{
	[ "$1" = san ] || [ "$1" = kcsan ]
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

# The archive of another release, on the mirror that the system uses. Old releases get
# security updates for some architectures; their last state is RELEASE-release.
foreign_list()
(
	[ ! -s "$2" ] || exit 0
	case $1 in
	bullseye) suite=$1-security kind='/security/' ;;
	*)        suite=${1%-release} kind='/\/debian\/*$/' ;;
	esac
	apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
	sed -n "$kind{s#/*\$##;p;q}" |
	sed "s#.*#deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & $suite main#" >"$2"
	[ -s "$2" ] || die "no Debian archive for $suite in the system's package sources"
)

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
	case $1 in
	san|kcsan)
		debug_dir "$1"
		exit ;;
	*/*)
		tree_dir "$1"
		exit ;;
	esac
	id=$(kernel_id "$1")
	[ -n "$id" ] || exit 1
	cached "kernel/$id" kernel_fetch "$1" "$id" && exit
	# The archive keeps no kernel for long: there may be a newer one than we know of.
	# shellcheck disable=SC2046
	set -- "$1" $(kernel_entry "$1")
	rm -f "$cache/apt/${4:-system}/stamp"
	newer=$(KLAB_REFRESH=1 kernel_id "$1")
	[ -n "$newer" ] && [ "$newer" != "$id" ] || exit 1
	cached "kernel/$newer" kernel_fetch "$1" "$newer"
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
	tools=${4:-}
	note "kernel $release ($version)"
	lists_update "$debian"
	headers=linux-headers-$release
	depends=$(package_field "$debian" "$headers:$arch" Depends)
	common=$(echo "$depends" | grep -o 'linux-headers-[^ ,]*-common')
	kbuild=$(echo "$depends" | grep -o 'linux-kbuild-[^ ,]*')
	[ -n "$common" ] && [ -n "$kbuild" ] || die "no headers for kernel $release"
	image=linux-image-$release:$arch=$version
	# Newer kernels come in parts.
	! package_field "$debian" "linux-image-$release:$arch" Depends | grep -q linux-binary- ||
		image="linux-binary-$release:$arch=$version linux-modules-$release:$arch=$version linux-base-$release:$arch=$version"
	# The build tools run here, so they are this machine's, also for a foreign kernel.
	# shellcheck disable=SC2086
	unpack "$debian" "$dir" $image "$headers:$arch=$version" "$common=$version" "$kbuild:amd64=$version" ||
		exit 1
	[ -d "$dir/lib" ] || ln -s usr/lib "$dir/lib"
	[ -e "$dir/boot/vmlinuz-$release" ] ||
		{ mkdir -p "$dir/boot" && mv "$dir/lib/modules/$release/vmlinuz" "$dir/boot/vmlinuz-$release"; } ||
		die "no image in the packages of kernel $release"
	depmod -b "$dir" "$release"
	# The headers name themselves and their common part by the installed place; name them by ours.
	sed -i -e 's#^KBUILD_OUTPUT=/usr/src/.*#KBUILD_OUTPUT := $(abspath $(dir $(realpath $(lastword $(MAKEFILE_LIST)))))#' \
		-e 's#^include /usr/src/#include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../#' \
		"$dir/usr/src/$headers/Makefile"
	ln -s "usr/src/$headers" "$dir/build"
	printf 'arch=%s\nrelease=%s\nversion=%s\ntools=%s\n' "$arch" "$release" "$version" "$tools" >"$dir/env"
)

# kbuild_args: sets `with` to what Kbuild has to be told on this machine. Headers name the
# compiler that made the kernel, which may not be here.
kbuild_args()
{
	tools='' with='' inside=
	. "$dir/env"
	prefix=
	[ "$arch" != arm64 ] || prefix=aarch64-linux-gnu-
	if [ -n "$tools" ]; then
		root=$(toolroot_dir "$tools")
		[ -n "$root" ] || exit 1
		inside="$lab/inside $root $cache $top"
	fi
	if [ -n "$llvm" ]; then
		with="CC=$lab/clang LLVM=1"
	else
		wanted=$(sed -n 's/.*\(gcc-[0-9]*\)$/\1/p' "$dir/build/.kernelvariables" 2>/dev/null | head -n 1)
		[ -x "${root:-}/usr/bin/$prefix${wanted:-gcc}" ] || with=CC=${prefix}gcc
	fi
}

# kernel_make NAME ARGUMENT...: make in the kernel's build folder
kernel_make()
(
	dir=$(kernel_dir "$1")
	[ -n "$dir" ] || exit 1
	shift
	llvm=
	kbuild_args
	[ "$arch" != arm64 ] || set -- ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- "$@"
	# shellcheck disable=SC2086
	exec $inside ${inside:+--} make -C "$dir/build" $with "$@"
)

# module_make NAME ARGUMENT...: this project's make, with kernel NAME as the one to build
# for. Environment: KLAB_LLVM=1 has clang build it, KLAB_GCOV=1 makes it count its lines,
# KLAB_FOLDER is one that the build needs, KLAB_KFLAGS is more for Kbuild.
module_make()
(
	dir=$(kernel_dir "$1")
	[ -n "$dir" ] || exit 1
	shift
	llvm=${KLAB_LLVM:-}
	kbuild_args
	[ "$arch" != arm64 ] || set -- KARCH=arm64 KCROSS=aarch64-linux-gnu- "$@"
	# a tree that was only prepared does not know the kernel's symbols
	[ -e "$dir/build/Module.symvers" ] || with="$with KBUILD_MODPOST_WARN=1"
	# BTF of modules needs the kernel's own, which no header package has.
	exec make -C "$top" --no-print-directory "KDIR=$dir/build" \
		"KRUN=$inside${inside:+ ${KLAB_FOLDER:-} --}" \
		"KFLAGS=$with${KLAB_GCOV:+ GCOV_PROFILE=y} CONFIG_DEBUG_INFO_BTF_MODULES= ${KLAB_KFLAGS:-}" "$@"
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
	[ ! -d "$folder/kmod" ] || find "$folder/kmod" -name ascprof.ko -exec rm -f {} +
	KLAB_FOLDER=$folder quietly "$folder/module.log" module_make "$1" "O=$folder" module >&2 ||
		die "the module does not build for $1"
	echo "$folder/kmod/$(module_folder "$1")/ascprof.ko"
}

fakepmu_build()
{
	mkdir -p "$2"
	folder=$(cd "$2" && pwd)
	KLAB_FOLDER=$folder quietly "$folder/fakepmu.log" module_make "$1" "O=$folder" module-fakepmu >&2 ||
		die "the made-up PMUs do not build for $1"
	echo "$folder/fakepmu/$(module_folder "$1")/tests/qemu/fakepmu/ascprof_fakepmu.ko"
}

# module_check NAME FOLDER: sparse, W=1 and checkpatch of the kernel itself. Only what is said
# about our own files counts, headers have warnings of their own.
module_check()
(
	name=$1
	mkdir -p "$2"
	folder=$(cd "$2" && pwd)
	dir=$(kernel_dir "$name")
	[ -n "$dir" ] || exit 1
	. "$dir/env"
	# a tree that was built elsewhere than in its source has a link to that
	patch=$dir/build/scripts/checkpatch.pl
	[ -e "$patch" ] || patch=$dir/build/source/scripts/checkpatch.pl
	[ -e "$patch" ] || patch=$(source_dir "$version" "$(kernel_debian "$name")")/scripts/checkpatch.pl
	# W=1 also checks comments, by a script that in old kernels is not for today's perl
	doc=$dir/build/scripts/kernel-doc more=
	! head -n 1 "$doc" 2>/dev/null | grep -q perl || perl -c "$doc" 2>/dev/null || more=cmd_checkdoc=
	KLAB_KFLAGS=$more KLAB_FOLDER=$folder quietly "$folder/check.log" module_make "$name" "O=$folder" KSTRICT= \
		"CHECKPATCH=perl $patch" module-check >&2 || die "the check of the module failed on $name"
	! module_warnings "$folder/check.log" || die "warnings about the module on $name"
	# sparse that is left out finds nothing
	for source in "$top"/kmod/*.c "$top"/kmod/core/*.c; do
		source=${source#"$top"/}
		grep -Eq "^  CHECK .*[ /]$source\$" "$folder/check.log" || die "sparse did not look at $source on $name"
	done
)

module_warnings()
{
	grep -E '(^|/)(kmod|uapi|tests/kunit)/[a-z0-9_/]*\.[ch]:.*(warning|error):' "$1" >&2
}

# tree_dir FOLDER: a kernel tree that somebody has configured and prepared for building
# modules (make modules_prepare), or unpacked packages of a kernel of any distribution (boot,
# lib/modules, usr/src/linux-headers-*), which can be booted too; described as the lab's own
# kernels are
tree_dir()
(
	tree=$(cd "$1" && pwd) || die "there is no folder $1"
	dir=$cache/tree/$(echo "$tree" | sha256sum | cut -c1-12)
	mkdir -p "$dir"
	build=$tree
	for image in "$tree"/boot/vmlinuz-*; do
		[ -e "$image" ] || break
		release=${image##*/vmlinuz-}
		build=$tree/usr/src/linux-headers-$release
		[ -e "$tree/lib/modules/$release/modules.dep" ] || depmod -b "$tree" "$release"
		ln -sfn "$tree/boot" "$dir/boot"
		ln -sfn "$tree/lib" "$dir/lib"
	done
	[ -e "$build/include/config/kernel.release" ] || die "$build is not prepared: make modules_prepare"
	arch=arm64
	! grep -q '^CONFIG_X86_64=y' "$build/.config" || arch=amd64
	ln -sfn "$build" "$dir/build"
	release=$(cat "$build/include/config/kernel.release")
	printf 'arch=%s\nrelease=%s\nversion=%s\ntools=\n' "$arch" "$release" "$release" >"$dir/env"
	echo "$dir"
)

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

# source_dir VERSION [RELEASE]: KUnit's core, checkpatch and the whole source as
# source.tar.xz; RELEASE of Debian as for lab_apt
source_dir()
{
	cached "source/$1" source_fetch "$1" "${2:-}"
}

source_fetch()
(
	version=$1
	release=$2
	dir=$3
	series=$(echo "$version" | cut -d. -f1,2)
	note "kernel source $version"
	lists_update "$release"
	unpack "$release" "$dir" "linux-source-$series=$version" || exit 1
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
		[ "$name" = "san-$(debug_key san "$version")_$version" ] ||
			[ "$name" = "kcsan-$(debug_key kcsan "$version")_$version" ] ||
			grep -qx "$name" kernel/*.now 2>/dev/null || rm -rf "$dir"
	done
	for dir in source/*; do
		grep -q "_$(basename "$dir")\$" kernel/*.now 2>/dev/null || rm -rf "$dir"
	done
)
