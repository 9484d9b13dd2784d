# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Roots of Debian releases, made by debootstrap once and kept in the cache of the lab, and
# ways into them. After tests/qemu/common.sh; work is a folder of the caller.
# shellcheck disable=SC2154

# The archive that this system uses itself; empty: debootstrap knows one.
root_mirror()
{
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(ORIGIN) $(SUITE) $(REPO_URI)' 2>/dev/null |
		awk '$1 == "Debian" && $2 !~ /-/ { print $3; exit }'
}

# make_root SUITE PACKAGES FOLDER
make_root()
{
	from=$(root_mirror)
	# shellcheck disable=SC2086
	quietly "$3.log" debootstrap --variant=minbase --include="$2" "$1" "$3" $from || return 1
	rm -rf "$3"/var/cache/apt/archives/*.deb "$3"/var/lib/apt/lists/* "$3.log"
}

root_reachable()
{
	from=$(root_mirror)
	[ -z "$from" ] || /usr/lib/apt/apt-helper download-file "${from%/}/dists/$1/InRelease" "$work/InRelease"
}

root_skip()
{
	echo "skipped: $*"
	exit 77
}

# root_of NAME SUITE PACKAGES: prints its folder; exit 77 where there can be none
root_of()
{
	[ "$(id -u)" = 0 ] || root_skip "making and entering a root of $2 needs root"
	unshare --mount true 2>/dev/null || root_skip "no mount namespaces here"
	root_key=$1/$2-$(echo "$3" | cksum | cut -d' ' -f1)
	if [ ! -d "$cache/$root_key" ]; then
		command -v debootstrap >/dev/null || root_skip "no root of $2 in the cache, and no debootstrap"
		root_reachable "$2" >/dev/null 2>&1 ||
			root_skip "no root of $2 in the cache, and its archive cannot be reached"
	fi
	cached "$root_key" make_root "$2" "$3"
}

# in_root ROOT SOURCE BUILD COMMAND...: in a mount namespace of its own, so that nothing
# stays mounted. The root itself stays as it is: what is written to it is gone afterwards.
# Sources at /src, the build at /build, both read-only; $work, to write to, at /mnt.
in_root()
{
	root_folder=$1 root_src=$2 root_build=$3
	shift 3
	# shellcheck disable=SC2016
	unshare --mount sh -ec 'root=$1 src=$2 build=$3 work=$4; shift 4
		mkdir -p "$work/root.layers"
		mount -t tmpfs none "$work/root.layers"
		mkdir "$work/root.layers/upper" "$work/root.layers/work" "$work/root.layers/all"
		all=$work/root.layers/all
		mount -t overlay -o "lowerdir=$root,upperdir=$work/root.layers/upper,workdir=$work/root.layers/work" none "$all"
		mkdir -p "$all/src" "$all/build"
		mount -t proc proc "$all/proc"
		mount --rbind /dev "$all/dev"
		mount --bind "$src" "$all/src" && mount -o remount,bind,ro "$all/src"
		mount --bind "$build" "$all/build" && mount -o remount,bind,ro "$all/build"
		mount --bind "$work" "$all/mnt"
		exec chroot "$all" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root TMPDIR=/mnt "$@"' \
		sh "$root_folder" "$root_src" "$root_build" "$work" "$@"
}
