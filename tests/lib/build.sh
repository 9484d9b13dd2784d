#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The build itself: compilers, options, installation, and that it leaves the tree alone.
# Prints TAP. TOP: the source tree; BUILD: folder for what is built.
set -u
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/lib/tree.sh"
cd "$TOP" || exit 1
work=$BUILD/build-check
rm -rf "$work"
mkdir -p "$work"
unset MAKEFLAGS MFLAGS MAKELEVEL

# That of gcc is what all other parts run.
warnings_are_errors()
{
	make -j2 CC="$1" WERROR=1 O="$2" all test-programs
}

second_make()
{
	said=$(make WERROR=1 O="$BUILD" all | grep -v 'Nothing to be done') || true
	[ -z "$said" ] || { echo "a second make says:"; echo "$said"; return 1; }
}

one_change()
{
	cd "$tree" || return 1
	make -j2 O=inst all
	touch examples/mark.c
	made=$(make O=inst all)
	echo "$made"
	echo "$made" | grep -q 'examples/mark' || { echo "nothing was made"; return 1; }
	others=$(echo "$made" | grep -vc 'examples/mark') || true
	[ "$others" = 0 ]
}

other_user()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# Without root and without kernel headers; exactly these files.
install_files()
{
	root=$tree/root
	cd "$tree" || return 1
	mkdir -p "$root"
	chmod 777 "$root"
	chmod -R a+rwX inst
	other_user env HOME=/nonexistent make O=inst KDIR=/nonexistent DESTDIR="$root" \
		PREFIX=/usr LIBDIR=/usr/lib/test install
	(cd "$root" && find . ! -type d | LC_ALL=C sort) >"$work/installed"
	{
		echo ./usr/bin/ascprof
		(cd runtime/include && find . -name '*.h' | sed 's#^\.#./usr/include#')
		for file in ascprof/libascprof_preload.so ascprof/libascprof_pthread.so ascprof/libms_tools_ext.so ascprof/libmsprofiler.so \
			ascprof/libprofapi.so ascprof/libascprof.so.1 libascprof.so libascprof.so.1 pkgconfig/ascprof.pc \
			cmake/ascprof/ascprofConfig.cmake cmake/ascprof/ascprofConfigVersion.cmake; do
			echo "./usr/lib/test/$file"
		done
	} | LC_ALL=C sort >"$work/expected"
	# manual pages and what Python sees are checked where they are made
	grep -v -e '/share/' -e '/python3' "$work/installed" | diff "$work/expected" - || return 1
	for link in ascprof/libms_tools_ext.so ascprof/libmsprofiler.so ascprof/libprofapi.so ascprof/libascprof.so.1; do
		[ -e "$root/usr/lib/test/$link" ] || { echo "$link leads nowhere"; return 1; }
	done
	[ "$(readlink "$root/usr/lib/test/libascprof.so")" = libascprof.so.1 ] || { echo "libascprof.so is no link"; return 1; }
	"$root/usr/bin/ascprof" --help >/dev/null
}

# What `install` has put there is gone, what it has not stays.
uninstalls()
{
	root=$tree/root
	cd "$tree" || return 1
	touch "$root/usr/bin/other"
	other_user env HOME=/nonexistent make O=inst KDIR=/nonexistent DESTDIR="$root" PREFIX=/usr LIBDIR=/usr/lib/test uninstall
	(cd "$root" && find . ! -type d) >"$work/left"
	echo ./usr/bin/other | diff - "$work/left"
	[ ! -d "$root/usr/include/ascprof" ]
}

# What only root installs, into a root of its own.
system_files()
{
	cd "$tree" || return 1
	for part in dkms system service; do make O=inst DESTDIR="$work/system" install-$part; done
	(cd "$work/system" && find . ! -type d) | tee "$work/system.files"
	for file in src/ascprof-"$(cat VERSION)"/Kbuild lib/ascprof-dkms/build lib/udev/rules.d/60-ascprof.rules \
		lib/sysusers.d/ascprof.conf lib/systemd/system/ascprof-serve.service; do
		grep -qx "./usr/$file" "$work/system.files"
	done
	for part in dkms system service; do make O=inst DESTDIR="$work/system" uninstall-$part; done
	[ -z "$(find "$work/system" ! -type d -o -name '*ascprof*')" ]
}

# A program built against what was installed runs.
pkg_config_use()
{
	root=$tree/root
	export PKG_CONFIG_PATH="$root/usr/lib/test/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
	# shellcheck disable=SC2046
	gcc -o "$work/user" examples/mark.c examples/loop.c $(pkg-config --cflags --libs ascprof)
	LD_LIBRARY_PATH="$root/usr/lib/test" "$work/user" "$work/user-result"
	ls -d "$work"/user-result/PROF_*
}

# A compiler and make alone build it all: headers that do not compile stand for missing ones.
bare_build()
{
	mkdir -p "$work/none/lttng"
	for header in liburing zstd xf86drm sqlite3 microhttpd cmocka lttng/tracepoint; do
		echo '#error missing' >"$work/none/$header.h"
	done
	make -j2 PKG_CONFIG=false EXTRA_CFLAGS="-I$work/none" WERROR=1 O="$work/bare" all
	! grep -q '^have_' "$work/bare/config.mk" || return 1
	"$work/bare/bin/ascprof" --help >/dev/null
	"$work/bare/examples/mark" "$work/bare/result"
	"$work/bare/bin/ascprof" report "$work/bare/result"
	! "$work/bare/bin/ascprof" export -f db -o "$work/bare/db" "$work/bare/result" 2>"$work/bare/log" || return 1
	grep -q 'was built without libsqlite3' "$work/bare/log"
	# what was left out is mended by what building needs, and not by what running does
	"$work/bare/bin/ascprof" doctor >"$work/bare/doctor" || true
	! grep 'built without' "$work/bare/doctor" | grep -vE 'mend: apt-get install [a-z]+-dev && make clean all$'
}

module_clang()
{
	kernel=$(tests/qemu/klab kernel 6.1)
	make O="$work/module-clang" KDIR="$kernel/build" KFLAGS=LLVM=1 module
}

same_library_twice()
{
	(cd "$tree" && umask 077 && TZ=Asia/Shanghai LC_ALL=C SOURCE_DATE_EPOCH=1 make -j2 O=other lib)
	cmp "$BUILD/libascprof.so.1" "$tree/other/libascprof.so.1"
}

clean_removes()
{
	(cd "$tree" && make O=other clean)
	[ ! -e "$tree/other" ]
}

tree_is_clean()
{
	git status --porcelain --ignored >"$work/status"
	diff "$work/status.before" "$work/status"
}

# A copy that other users can reach, wherever the tree is.
tree=$(mktemp -d -p /tmp)
trap 'rm -rf "$tree" "$tap_log"' EXIT
chmod 755 "$tree"
copy_tree "$tree"
chmod -R a+rX "$tree"
git status --porcelain --ignored >"$work/status.before"
step "gcc, warnings are errors" warnings_are_errors gcc "$BUILD"
step "clang, warnings are errors" warnings_are_errors clang "$work/clang"
step "a second make does nothing" second_make
step "one changed file makes its own program alone" one_change
step "installs without root and kernel headers" install_files
step "a program finds it by pkg-config" pkg_config_use
step "uninstalls" uninstalls
step "installs and uninstalls what is of the system" system_files
step "the same sources give the same library" same_library_twice
step "make clean" clean_removes
step "builds and runs without optional libraries" bare_build
step "module with clang" module_clang
step "the source tree is as before" tree_is_clean
rm -rf "$work"
tap_end
