#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages of arm64, built on this machine in a fresh system with the packages that
# debian/control names, and run by qemu-user. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/packages/system.sh"

copy_tree "$work/tree"
cp /etc/resolv.conf "$work"
step "a fresh system" fresh_system
in_system tests/packages/in_cross.sh
