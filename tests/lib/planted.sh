# SPDX-License-Identifier: Apache-2.0
# For tests of the command on planted directories: to be sourced, with $here the folder of the
# test. Sets O (the build's folder) and ascprof, and goes to an empty folder that is removed.
# shellcheck shell=sh disable=SC2154
O=${BUILD:-${O:-$here/../../build}}
O=$(cd "$O" && pwd)
# shellcheck disable=SC2034
ascprof=$O/bin/ascprof
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
