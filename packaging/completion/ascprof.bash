# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Made by scripts/generate.sh from the table of options.

# The last of words that are separated by commas
_ascprof_list()
{
	local before=
	case $2 in *,*) before=${2%,*}, ;; esac
	compopt -o nospace
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

_ascprof()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W 'export report repair unpack bridge doctor help --help --version' -- "$cur")
		return
	fi
	if [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [ "$cur" = = ]; then
		cur=
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] || continue
		if ((i + 1 == COMP_CWORD)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		return
	done
	case "$command $prev" in
	'export --format'|'export -f') mapfile -t COMPREPLY < <(compgen -W 'csv trace' -- "$cur") ;;
	'export --output'|'export -o') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'report --top'|'report -n') ;;
	'bridge --device'|'bridge -d') ;;
	'bridge --period'|'bridge -p') ;;
	'bridge --channels'|'bridge -c') _ascprof_list 'hbm ddr llc soc aicore' "$cur" ;;
	'bridge --llc'|'bridge -l') mapfile -t COMPREPLY < <(compgen -W 'read write' -- "$cur") ;;
	'bridge --frequency'|'bridge -f') ;;
	'bridge --records'|'bridge -r') ;;
	'bridge --width'|'bridge -w') mapfile -t COMPREPLY < <(compgen -W '128 256' -- "$cur") ;;
	'bridge --library'|'bridge -L') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'help help') mapfile -t COMPREPLY < <(compgen -W 'export report repair unpack bridge doctor help' -- "$cur") ;;
	*)
		case $command$cur in
		export-*) mapfile -t COMPREPLY < <(compgen -W ' --format --output --quiet --help' -- "$cur") ;;
		report-*) mapfile -t COMPREPLY < <(compgen -W ' --top --help' -- "$cur") ;;
		repair-*) mapfile -t COMPREPLY < <(compgen -W ' --force --quiet --help' -- "$cur") ;;
		unpack-*) mapfile -t COMPREPLY < <(compgen -W ' --quiet --help' -- "$cur") ;;
		bridge-*) mapfile -t COMPREPLY < <(compgen -W ' --device --period --channels --llc --frequency --records --width --library --help' -- "$cur") ;;
		doctor-*) mapfile -t COMPREPLY < <(compgen -W ' --bench --json --help' -- "$cur") ;;
		help-*) mapfile -t COMPREPLY < <(compgen -W ' --help' -- "$cur") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		esac
		;;
	esac
}
complete -o filenames -F _ascprof ascprof
