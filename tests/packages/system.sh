# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What tests of packages begin with: steps, a folder $work that goes with the script, and the fresh system that packages are
# used in, Debian 12 with a compiler, DKMS and headers of a kernel.
# shellcheck disable=SC2154
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/qemu/common.sh"
. "$TOP/tests/lib/root.sh"
. "$TOP/tests/lib/tree.sh"
work=$(mktemp -d)
trap 'rm -rf "$work" "$tap_log"' EXIT

system_packages=python3,gcc,libc6-dev,make,pkg-config,dkms,kmod,systemd-standalone-sysusers,libdrm2,liburing2,libzstd1
system_packages=$system_packages,cmake,openssl,rpm,linux-headers-cloud-$(dpkg --print-architecture)

# fresh_system: its folder goes to $work/root
fresh_system()
{
	(root_of packages bookworm "$system_packages") >"$work/root" || { code=$?; cat "$work/root"; exit "$code"; }
}

# in_system SCRIPT: runs it there, where it prints TAP; goes on with the numbers of this script, and ends it
in_system()
{
	root=$(cat "$work/root")
	[ -d "$root" ] || tap_end
	in_root "$root" "$TOP" "$BUILD" sh "/src/$1" >"$work/inside" 2>&1
	awk -v n="$tap_count" -v failed="$tap_failed" '
		/^ok [0-9]+ - / { sub(/^ok [0-9]+/, "ok " ++n) }
		/^not ok [0-9]+ - / { sub(/^not ok [0-9]+/, "not ok " ++n); failed = 1 }
		/^1\.\.[0-9]+$/ { end = 1; next }
		{ print }
		END { print "1.." n; exit failed || !end }' "$work/inside"
	exit
}
