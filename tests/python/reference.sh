#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/api-python.md is what the docstrings of the built module say, each argument is described,
# and the C functions that are named are in docs/api-c.md.
# TOP, BUILD: the source and build folders. Exit 0, 1, or 77: there is no module.
set -eu

site=$BUILD/python/site
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -e "$site/ascprof/acl" ] || { echo "no Python module was built"; exit 77; }

LD_LIBRARY_PATH=$BUILD python3 -B "$TOP/scripts/reference" "$work" "$site"
diff "$TOP/docs/api-python.md" "$work/docs/api-python.md" || {
	echo "docs/api-python.md is old: make generated"
	exit 1
}

# parameters of the line `acl.prof.name(a, b, /)` are the ones listed below it
awk '/^`acl/ {
	line = $0
	sub(/.*\(/, "", line); sub(/\).*/, "", line)
	n = split(line, part, /, */)
	for (i = 1; i <= n; i++) { sub(/=.*/, "", part[i]); if (part[i] !~ /^[\/*]/) wanted[part[i]] = 1 }
}
/^\* `[a-z_]*`:/ {
	name = $2
	gsub(/[`:]/, "", name)
	if (!(name in wanted)) bad = bad "\n" $0
	delete wanted[name]
}
/^Returns/ { for (name in wanted) { bad = bad "\n" line ": " name; delete wanted[name] } functions++ }
END {
	if (bad == "" && functions >= 35) exit 0
	print functions " functions; not described:" bad
	exit 1
}' "$work/docs/api-python.md"

grep -o 'api-c.md#[a-z0-9_-]*' "$work/docs/api-python.md" | sort -u | while read -r link; do
	anchor=${link#*#}
	tr 'A-Z' 'a-z' <"$TOP/docs/api-c.md" | sed -n 's/^### //p' | tr -d ',' | tr ' ' '-' |
		grep -qxF "$anchor" || echo "$link"
done >"$work/missing"
[ ! -s "$work/missing" ] || { echo "links to nothing:"; cat "$work/missing"; exit 1; }
