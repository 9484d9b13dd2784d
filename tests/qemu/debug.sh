# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The debug kernels, san and kcsan: built from the stock kernel's source with debug.config
# and a configuration of their own, kept in the cache as kits that modules can be built
# against. A kit is only used when source, compiler, configuration and this script are
# the ones that made it.
#
# Environment: KLAB_JOBS, compilers at once (default: one per processor).

debug_key()
{
	{ echo "$2"; gcc -dumpfullversion; sed '/^[[:space:]]*#/d' "$lab/debug.config" "$lab/$1.config" "$lab/debug.sh"; } |
		sha256sum | cut -c1-16
}

# debug_dir NAME: folder of the debug kernel NAME
debug_dir()
(
	version=$(kernel_version 6.1)
	[ -n "$version" ] || exit 1
	key=$(debug_key "$1" "$version")
	cached "kernel/$1-${key}_$version" debug_build "$1" "$version"
)

debug_build()
(
	name=$1
	version=$2
	kit=$3
	source=$(source_dir "$version")
	[ -n "$source" ] || exit 1
	work=$kit/work
	mkdir -p "$work/src" "$work/obj"
	note "debug kernel $name: several minutes, once"
	tar -C "$work/src" -xJf "$source/source.tar.xz" --strip-components=1
	cat "$lab/debug.config" "$lab/$name.config" >"$work/fragment"
	export KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab
	set -- make -C "$work/src" "O=$work/obj"
	quietly "$work/log" "$@" KCONFIG_ALLCONFIG="$work/fragment" allnoconfig || die "kernel $name: configuration failed"
	lost=$(grep '^CONFIG_' "$work/fragment" | grep -vxF -f "$work/obj/.config" || true)
	[ -z "$lost" ] || die "kernel $name: these do not stick: $(echo "$lost" | tr '\n' ' ')"
	quietly "$work/log" nice -n 10 "$@" -j"${KLAB_JOBS:-$(nproc)}" bzImage modules || die "kernel $name: build failed"
	debug_kit
	rm -rf "$work"
)

# Keeps the image and what building a module needs: a tenth of the whole.
debug_kit()
{
	release=$(cat "$work/obj/include/config/kernel.release")
	mkdir -p "$kit/boot" "$kit/src/arch/x86/entry" "$kit/obj/arch/x86" "$kit/obj/tools/objtool"
	cp "$work/obj/arch/x86/boot/bzImage" "$kit/boot/vmlinuz-$release"
	cp -a "$work/src/Makefile" "$work/src/scripts" "$work/src/include" "$kit/src/"
	cp -a "$work"/src/arch/x86/Makefile* "$work/src/arch/x86/include" "$kit/src/arch/x86/"
	cp -a "$work/src/arch/x86/entry/syscalls" "$kit/src/arch/x86/entry/"
	cp -a "$work/obj/.config" "$work/obj/Module.symvers" "$work/obj/include" \
		"$work/obj/scripts" "$kit/obj/"
	cp -a "$work/obj/arch/x86/include" "$kit/obj/arch/x86/"
	cp -a "$work/obj/tools/objtool/objtool" "$kit/obj/tools/objtool/"
	find "$kit/obj" \( -name '*.o' -o -name '.*.cmd' \) -exec rm -f {} +
	ln -s obj "$kit/build"
	# The two folders find each other wherever the kit lies.
	echo 'include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../src/Makefile' >"$kit/obj/Makefile"
	printf 'arch=amd64\nrelease=%s\nversion=%s-%s\n' "$release" "$version" "$name" >"$kit/env"
}
