#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aclInit with every acl.json of public programs: SAMPLES_DIR, a checkout of the public
# samples, CLIENTS_DIR, one of the public runtime. Exit 0, 1, or 77: neither is given.
# BUILD: the build folder
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build}
set -- ${SAMPLES_DIR:+"$SAMPLES_DIR"} ${CLIENTS_DIR:+"$CLIENTS_DIR"}
if [ $# = 0 ]; then
	echo "neither SAMPLES_DIR nor CLIENTS_DIR is set: no checkout with acl.json files"
	exit 77
fi
exec python3 "$here/acl_json.py" "$build/libascprof.so.1" "$@"
