#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dkms add, build, install, status, remove, for each kernel of the lab, in trees of their
# own. Prints a table; fails when a cell does.
#
#   dkms_matrix.sh OUT NAME...     names as tests/qemu/klab has them
#
# A kernel of the other architecture is built for by the cross compiler, one that is newer
# than this system by that release's own.
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL # (what make was told of folders is not for Kbuild)
out=$1
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
lab=$here/tests/qemu
# shellcheck disable=SC2034
top=$here
. "$lab/common.sh"
. "$lab/fetch.sh"
. "$lab/toolroot.sh"
# (of a kernel, set by its env)
arch='' release=''
ours=$(cat "$here/VERSION")
mkdir -p "$out"
out=$(cd "$out" && pwd)

# try LOG COMMAND...: "ok" or "FAIL"
try()
{
	log=$1
	shift
	if "$@" >>"$log" 2>&1; then echo ok; else cat "$folder"/dkms/ascprof/*/build/make.log >>"$log" 2>/dev/null; echo FAIL; fi
}

# one COMMAND: dkms for the kernel of the moment
one()
{
	verb=$1
	dkms "$verb" --dkmstree "$folder/dkms" --sourcetree "$folder/usr/src" --installtree "$folder/lib/modules" \
		-m ascprof -v "$ours" -k "$release" -a "$machine" --kernelsourcedir "$dir/build" --no-depmod
}

format='%-28s %-8s %-6s %-8s %-8s %s\n'
failed=0
row()
{
	# shellcheck disable=SC2059
	printf "$format" "$@"
}
row kernel arch build install remove "dkms status"
for name; do
	dir=$("$lab/klab" kernel "$name")
	. "$dir/env"
	folder=$out/$(echo "$name" | tr -c 'A-Za-z0-9.\n-' _)
	unset ARCH CROSS_COMPILE
	rm -rf "$folder"
	mkdir -p "$folder/dkms" "$folder/lib/modules/$release" "$folder/bin"
	make -s -C "$here" DESTDIR="$folder" install-dkms
	log=$folder/log
	machine=x86_64
	if [ "$arch" = arm64 ]; then
		machine=aarch64
		export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
	fi
	path=$PATH
	# the compiler that the headers name and what makes BTF come with their release's packages
	# shellcheck disable=SC2034
	llvm='' inside='' with=''
	kbuild_args
	printf '#!/bin/sh\nexec %s make %s CONFIG_DEBUG_INFO_BTF_MODULES= "$@"\n' "$inside${inside:+ $out --}" "$with" \
		>"$folder/bin/make"
	sed -i "s|exec  *make|exec $(command -v make)|" "$folder/bin/make"
	chmod +x "$folder/bin/make"
	PATH=$folder/bin:$PATH
	built=$(try "$log" one build)
	installed=$(try "$log" one install)
	status=$(dkms status --dkmstree "$folder/dkms" --installtree "$folder/lib/modules" -m ascprof 2>>"$log" | tr '\n' ' ')
	[ -n "$(find "$folder/lib/modules/$release" -name 'ascprof.ko*')" ] || installed=FAIL
	removed=$(try "$log" one remove)
	[ -z "$(find "$folder/lib/modules" -name 'ascprof.ko*')" ] || removed=FAIL
	PATH=$path
	row "$release" "$arch" "$built" "$installed" "$removed" "$status"
	case $built$installed$removed in
	*FAIL*) failed=1; tail -n 60 "$log" >&2 ;;
	esac
done
exit "$failed"
