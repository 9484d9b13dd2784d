#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two instances of ascprof serve, scraped by Prometheus. Exit: 0, 1; 77: there is no Prometheus.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
O=$(cd "${BUILD:-$here/../../build}" && pwd)
command -v prometheus >/dev/null || { echo "there is no prometheus"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here/../../packaging/prometheus/ascprof.rules.yml" "$tmp"
cd "$tmp"
PYTHONDONTWRITEBYTECODE=1 timeout 200 python3 "$here/prometheus.py" "$O/bin/ascprof" "$O/tests/serve/marks"
