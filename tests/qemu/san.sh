# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The debug kernel: built from the stock kernel's source with san.config, kept in the
# cache as a kit that modules can be built against. A kit is only used when source,
# compiler, configuration and this script are the ones that made it.

san_key()
{
	{ echo "$1"; gcc -dumpfullversion; sed '/^[[:space:]]*#/d' "$lab/san.config" "$lab/san.sh"; } |
		sha256sum | cut -c1-16
}

san_dir()
(
	version=$(kernel_version 6.1)
	[ -n "$version" ] || exit 1
	key=$(san_key "$version")
	cached "kernel/san-${key}_$version" san_build "$version"
)

san_build()
(
	version=$1
	kit=$2
	source=$(source_dir "$version")
	[ -n "$source" ] || exit 1
	work=$kit/work
	mkdir -p "$work/src" "$work/obj"
	note "debug kernel: several minutes, once"
	tar -C "$work/src" -xJf "$source/source.tar.xz" --strip-components=1
	export KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab
	set -- make -C "$work/src" "O=$work/obj"
	quietly "$work/log" "$@" KCONFIG_ALLCONFIG="$lab/san.config" allnoconfig || die "debug kernel: configuration failed"
	lost=$(grep '^CONFIG_' "$lab/san.config" | grep -vxF -f "$work/obj/.config" || true)
	[ -z "$lost" ] || die "debug kernel: these do not stick: $(echo "$lost" | tr '\n' ' ')"
	quietly "$work/log" nice -n 10 "$@" -j"$(nproc)" bzImage modules || die "debug kernel: build failed"
	san_kit
	rm -rf "$work"
)

# Keeps the image and what building a module needs: a tenth of the whole.
san_kit()
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
	printf 'arch=amd64\nrelease=%s\nversion=%s-san\n' "$release" "$version" >"$kit/env"
}
