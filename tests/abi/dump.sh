#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the interface of a library that has debugging information, as abidiff reads it:
# what it exports, and of types what our headers show. `make abi-dump` keeps it.
#
#   dump.sh LIBRARY HEADERS
set -eu
abidw --headers-dir "$2" --drop-private-types --exported-interfaces-only --no-show-locs --no-corpus-path \
	--no-comp-dir-path --no-elf-needed --no-parameter-names --no-architecture "$1" |
	sed '1a\  <!-- SPDX-License-Identifier: Apache-2.0 -->'
