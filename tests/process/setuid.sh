#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A set-uid program that records: the environment of whoever runs it decides nothing, names no
# library to load, and no file to write. Exit: 0, 1; 77: not root, or programs keep their user.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a program that runs as another user"; exit 77; }
# the folder must be reached by that user, whatever TMPDIR is
open=$(mktemp -d /tmp/ascprof-setuid.XXXXXX)
trap 'rm -rf "$work" "$open"' EXIT
chmod 755 "$open"
mkdir "$open/lib" "$open/result"
chown 65534:65534 "$open/result"
cp -L "$build/libascprof.so.1" "$open/lib/"
chmod 755 "$open/lib/libascprof.so.1"

# what would be loaded, and what loading it would leave
cat >"$open/evil.c" <<END
#include <fcntl.h>
#include <unistd.h>
static __attribute__((constructor)) void loaded(void)
{
	close(open("$open/result/loaded", O_CREAT | O_WRONLY, 0600));
}
END
$cc -shared -fPIC -o "$open/evil.so" "$open/evil.c"
cp "$build/tests/device/closer" "$open/closer"
chown 65534:65534 "$open/closer"
chmod 4755 "$open/closer"

# as FLAG: the program, with a hostile environment; set-uid or not
as()
{
	rm -rf "$open"/result/*
	env ASCPROF_LAYOUT=native ASCPROF_IO=nonsense ASCPROF_COMPAT=head ASCPROF_LOG=error ASCPROF_STRICT=1 \
		ASCPROF_HAL="$open/evil.so" ASCPROF_DEVICE="$open/evil.so" ASCPROF_COMPRESS=zstd ASCEND_WORK_PATH="$open/elsewhere" \
		ASCPROF_RECORD='{"output":"'"$open/elsewhere"'"}' \
		"$1" "$open/lib/libascprof.so.1" "$open/result" exit npu >"$open/out" 2>"$open/err"
}

# without the bit all of it counts, so that the test can fail
cp "$open/closer" "$open/plain"
chmod 755 "$open/plain"
as "$open/plain" || fail "without set-uid: $(cat "$open/err")"
native=$(find "$open/result" -name 'ascprof.msproftx*')
[ -n "$native" ] || fail "without set-uid: ASCPROF_LAYOUT has no effect"
[ -e "$open/result/loaded" ] || fail "without set-uid: ASCPROF_HAL has no effect"

as "$open/closer" || fail "set-uid: $(cat "$open/err")"
owner=$(find "$open/result" -name ascprof.json -exec stat -c %u {} +)
if [ "$owner" != 65534 ]; then
	[ $failed = 0 ] || exit 1
	echo "skipped: programs keep their user here (nosuid)"
	exit 77
fi
[ -z "$(find "$open/result" -name 'ascprof.msproftx*')" ] || fail "set-uid: ASCPROF_LAYOUT was believed"
[ -n "$(find "$open/result" -name 'aging.additional.msproftx*')" ] || fail "set-uid: nothing was recorded"
[ ! -e "$open/result/loaded" ] || fail "set-uid: ASCPROF_HAL was loaded"
[ ! -e "$open/elsewhere" ] || fail "set-uid: written elsewhere"
grep -q 'aclprofStop' "$open/err" || fail "set-uid: ASCPROF_LOG=error was believed: $(cat "$open/err")"
[ -z "$(find "$open/result" -perm /022)" ] || fail "set-uid: others may write: $(find "$open/result" -perm /022)"

exit $failed
