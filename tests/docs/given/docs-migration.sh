# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What docs/migration.md takes for granted: a program that was built for the vendor's library, and records below result.
cc "$PWD/examples/mstx.c" -o train -L"$DESTDIR/usr/local/lib/ascprof" -lmsprofiler -pthread
