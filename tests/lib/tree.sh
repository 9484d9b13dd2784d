# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Copies of the tree, for what must not write into it.

# copy_tree FOLDER: the tree at TOP as it is, with what is not committed
copy_tree()
{
	mkdir -p "$1"
	(cd "$TOP" && git ls-files -co --exclude-standard -z | xargs -0 cp --parents -dpt "$1")
}
