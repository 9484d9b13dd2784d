#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Finds out by small compilations what the optional libraries offer, and writes
# config.mk and config.h into the folder $1. Each library that lacks removes one
# feature; none is needed.
set -eu
out=$1
tmp=$(mktemp -d "$out/probe.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

: >"$tmp/config.mk"
echo '/* made by scripts/probe.sh */' >"$tmp/config.h"

# probe NAME pkg-config-module < program that must compile and link
probe()
{
	name=$1
	module=$2
	cat >"$tmp/try.c"
	cflags=$($PKG_CONFIG --cflags "$module" 2>/dev/null || true)
	libs=$($PKG_CONFIG --libs "$module" 2>/dev/null || echo "-l${module#lib}")
	# shellcheck disable=SC2086
	if $CC $CFLAGS $cflags -o "$tmp/try" "$tmp/try.c" $LDFLAGS $libs >"$tmp/log" 2>&1; then
		echo "#define HAVE_$name 1" >>"$tmp/config.h"
		echo "have_$name := 1" >>"$tmp/config.mk"
		echo "cflags_$name := $cflags" >>"$tmp/config.mk"
		echo "libs_$name := $libs" >>"$tmp/config.mk"
		echo "  PROBE    $module: yes"
	else
		echo "#define HAVE_$name 0" >>"$tmp/config.h"
		echo "  PROBE    $module: no"
	fi
}

probe LIBURING liburing <<'END'
#include <liburing.h>
int main(void)
{
	struct io_uring ring;
	struct io_uring_probe *p = 0;
	if (io_uring_queue_init(8, &ring, 0) == 0) {
		p = io_uring_get_probe_ring(&ring);
		io_uring_free_probe(p);
		io_uring_register_files_sparse(&ring, 1);
		io_uring_register_buffers_sparse(&ring, 1);
		io_uring_queue_exit(&ring);
	}
	return 0;
}
END

probe LIBZSTD libzstd <<'END'
#include <zstd.h>
int main(void)
{
	return ZSTD_versionNumber() == 0;
}
END

probe LIBDRM libdrm <<'END'
#include <xf86drm.h>
int main(void)
{
	drmDevicePtr device[1];
	return drmGetDevices2(0, device, 1) > 0 && device[0]->bustype == DRM_BUS_PCI;
}
END

probe LIBSQLITE3 sqlite3 <<'END'
#include <sqlite3.h>
int main(void)
{
	return sqlite3_bind_text64(0, 0, 0, 0, 0, 0) == SQLITE_OK;
}
END

probe LIBMICROHTTPD libmicrohttpd <<'END'
#include <microhttpd.h>
int main(void)
{
	return MHD_VERSION < 0x00096000 || MHD_is_feature_supported(MHD_FEATURE_EPOLL) < 0;
}
END

probe LTTNG lttng-ust <<'END'
#include <lttng/tracepoint.h>
int main(void) { return 0; }
END

probe CMOCKA cmocka <<'END'
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
static void nothing(void **state) { (void)state; }
int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(nothing) };
	return cmocka_run_group_tests(t, 0, 0);
}
END

mv "$tmp/config.h" "$out/config.h"
mv "$tmp/config.mk" "$out/config.mk"
