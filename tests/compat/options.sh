#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One table of options: what parsing knows is what --help, the manual pages and the
# completions tell; a bad value gives one line. Exit: 0, or 1 at the first that differs.
set -eu

ascprof=$BUILD/bin/ascprof
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
packaging=$(cd "$(dirname "$0")/../../packaging" && pwd)
cd "$dir"

fail()
{
	echo "$*" >&2
	exit 1
}

# what is checked in was made of this table
sh "$packaging/../scripts/generate.sh" "$ascprof" "$dir"
for file in man/*.1 completion/*; do
	cmp "$file" "$packaging/$file" || fail "$file is old: make generated"
done
for file in "$packaging"/man/*.1 "$packaging"/completion/*; do
	[ -f "${file#"$packaging"/}" ] || fail "$file is of no command"
done
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning man/*.1 >lint || fail "manual pages: $(cat lint)"
fi

commands=$("$ascprof" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 7 ] || fail "help lists: $commands"
for command in $commands; do
	grep -q "^.It Xr ascprof-$command 1" man/ascprof.1 || fail "ascprof(1) lacks $command"
	"$ascprof" "$command" --help >help
	"$ascprof" help "$command" | cmp - help
	sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' help >names
	[ -s names ] || fail "$command: --help lists no option"
	while read -r name; do
		grep -qe "Fl .-$name" "man/ascprof-$command.1" || fail "ascprof-$command(1) lacks --$name"
		grep -qe "^		${command}-\\*.* --${name}[ ']" completion/ascprof.bash || fail "bash: $command --$name"
		grep -qe "from $command'.* -l $name " completion/ascprof.fish || fail "fish: $command --$name"
		grep -qe "--$name" completion/_ascprof || fail "zsh: $command --$name"
	done <names
	# every option that takes an argument says so, and an unknown one is refused
	"$ascprof" "$command" --no-such-option >out 2>err && fail "$command takes --no-such-option"
	[ "$(wc -l <err)" = 1 ] || fail "$command --no-such-option: $(cat err)"
done

# bash completes as it does for a person
if command -v bash >/dev/null; then
	cat >try.bash <<-'END'
		. "$1"
		shift
		compopt() { :; }
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_ascprof
		printf '%s\n' "${COMPREPLY[@]}"
	END
	complete_bash()
	{
		expected=$1
		shift
		got=$(bash try.bash completion/ascprof.bash ascprof "$@" | tr '\n' ' ')
		[ "$got" = "$expected " ] || fail "bash: $*: $got"
	}
	complete_bash 'export' exp
	complete_bash '--format' export --fo
	complete_bash 'csv' export --format c
	complete_bash 'csv' export --format = c
	complete_bash 'hbm,llc' bridge -c hbm,l
	complete_bash 'try.bash' report try
	complete_bash 'doctor' help doc
fi
if command -v fish >/dev/null; then
	HOME=$dir fish -c 'source completion/ascprof.fish; complete -C "ascprof export --format "' >got
	grep -q '^csv' got || fail "fish: $(cat got)"
	HOME=$dir fish -c 'source completion/ascprof.fish; complete -C "ascprof bri"' >got
	grep -q '^bridge' got || fail "fish: $(cat got)"
fi
! command -v zsh >/dev/null || zsh -n completion/_ascprof

# refuse EXPECTED ARGUMENTS...: one line, exit status 2
refuse()
{
	expected=$1
	shift
	code=0
	"$ascprof" "$@" >out 2>err || code=$?
	[ $code = 2 ] || fail "$*: exit $code"
	[ ! -s out ] || fail "$*: $(cat out)"
	[ "$(cat err)" = "$expected" ] || fail "$*: $(cat err)"
}
refuse 'ascprof bridge: option --period: a number from 1 to 1000 ms was expected, not "0" (see ascprof bridge --help)' \
	bridge --period 0
refuse 'ascprof bridge: option --width: 128 or 256 was expected, not "64" (see ascprof bridge --help)' bridge -w 64
refuse 'ascprof bridge: option --channels needs an argument: LIST (see ascprof bridge --help)' bridge -c
refuse 'ascprof export: option --quiet takes no argument (see ascprof export --help)' export --quiet=yes
refuse 'ascprof help: one command was expected, not also "b" (see ascprof help --help)' help report b
