#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on a Debian 12 machine:
#
#   scripts/setup.sh [build|demo|check|coverage|dkms|container|bench|html|serve]
#
#   build   for library, command and examples
#   demo    also for the virtual machine of `make demo`
#   check   also for all of `make check`
#   coverage  also for `make coverage`
#   dkms    also for `make dkms-matrix`
#   container  also for `make check-container`
#   bench   for `make bench`: what it compares with
#   html    for `make check-html`: a browser
#   serve   for `make check-serve`: Prometheus
#
# Prints the installed packages, one a line, and nothing when none was missing. Kernels
# and what guests need are no matter of this script: the lab unpacks them into its cache.
# ASCPROF_SETUP=no leaves the system alone: the caller has seen to everything.
set -eu

build='gcc libc6-dev make pkg-config libdrm-dev libmicrohttpd-dev liburing-dev libsqlite3-dev libzstd-dev'
demo='qemu-system-x86 cpio kmod e2fsprogs libelf1 python3 xz-utils'
check='abigail-tools bc bison build-essential clang cppcheck debhelper debootstrap dh-python fish flex gcc-aarch64-linux-gnu git
	lintian libc6-dev-arm64-cross libclang-rt-dev libcmocka-dev libelf-dev libssl-dev lld llvm mandoc perl protobuf-compiler
	python3-dev python3-pyte qemu-system-arm reuse rpm rsync shellcheck sparse spin systemd valgrind zsh'
bench='liblttng-ust-dev lttng-tools'
html='chromium python3'
serve='prometheus python3'

die()
{
	echo "setup.sh: $*" >&2
	exit 1
}

case ${1:-build} in
build) wanted=$build ;;
demo)  wanted="$build $demo" ;;
check) wanted="$build $demo $check" ;;
coverage) wanted="$build $demo $check gcovr" ;;
dkms)  wanted="$build $demo $check dkms" ;;
container) wanted="$build $demo $check podman runc" ;;
bench) wanted="$build $bench" ;;
html)  wanted="$build $html" ;;
serve) wanted="$build $serve" ;;
*)     die "unknown purpose '$1'; expected build, demo, check, coverage, dkms, container, bench, html or serve" ;;
esac

[ "${ASCPROF_SETUP:-}" != no ] || exit 0
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	die "this is no Debian system; install what stands for these packages and set ASCPROF_SETUP=no: $wanted"
fi

# Prints those of the arguments that are not installed.
missing()
{
	have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed //p')
	for package in "$@"; do
		echo "$have" | grep -qxF "$package" || echo "$package"
	done
}

# shellcheck disable=SC2086
needed=$(missing $wanted)
[ -n "$needed" ] || exit 0
list=$(echo "$needed" | tr '\n' ' ')
[ "$(id -u)" = 0 ] || die "not root; these packages are missing: $list"

echo "  SETUP    $list" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
set -- -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3

# install: nothing but what was asked for and what that depends on
install()
{
	# shellcheck disable=SC2086
	apt-get "$@" -o Dpkg::Use-Pty=0 -y --no-install-recommends install $needed >"$log" 2>&1 </dev/null
}

# The lists at hand are mostly good enough; when they are missing or too old, fetch them.
if ! install "$@"; then
	apt-get "$@" update >"$log" 2>&1 </dev/null || true
	install "$@" || { tail -n 20 "$log" >&2; die "cannot install $list"; }
fi
# shellcheck disable=SC2086
[ -z "$(missing $needed)" ] || die "still missing after the installation: $(missing $needed | tr '\n' ' ')"
echo "$needed"
