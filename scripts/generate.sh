#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes manual pages and completions from the command's own table of options:
#
#   scripts/generate.sh ASCPROF FOLDER
#
# writes FOLDER/man/*.1 and FOLDER/completion/*. What only a page tells is in
# packaging/man/parts: ascprof.begin and ascprof.end around the list of commands, and
# COMMAND around its exit status. `make generated` does it for packaging/, whose files are
# in the sources since a machine that builds for another cannot run what it built.
set -eu
ascprof=$1
out=$2
parts=$(dirname "$0")/../packaging/man/parts

mkdir -p "$out/man" "$out/completion"
for command in $("$ascprof" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'); do
	part=/dev/null
	[ ! -f "$parts/$command" ] || part=$parts/$command
	"$ascprof" help --man "$command" | awk -v part="$part" '
		BEGIN {
			while ((getline line < part) > 0) {
				if (line ~ /^\.Sh EXAMPLES/)
					late = 1
				if (line !~ /^\.\\" SPDX/)
					text[late + 0] = text[late + 0] line "\n"
			}
		}
		$0 == ".Sh EXIT STATUS" { printf "%s", text[0] }
		$0 == ".Sh SEE ALSO" { printf "%s", text[1] }
		{ print }' >"$out/man/ascprof-$command.1"
done
"$ascprof" help --man | awk -v begin="$parts/ascprof.begin" -v end="$parts/ascprof.end" '
	function put(file) { while ((getline line < file) > 0) if (line !~ /^\.\\" SPDX/) print line }
	$0 == ".Sh COMMANDS" { put(begin) }
	{ print }
	END { put(end) }' >"$out/man/ascprof.1"
"$ascprof" help --completion bash >"$out/completion/ascprof.bash"
"$ascprof" help --completion fish >"$out/completion/ascprof.fish"
"$ascprof" help --completion zsh >"$out/completion/_ascprof"
