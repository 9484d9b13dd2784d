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
		mapfile -t COMPREPLY < <(compgen -W 'record stat top export report diff info verify repair unpack serve bridge doctor help --help --version' -- "$cur")
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
	'record --output'|'record -o') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'record --msproftx'|'record -m') mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$cur") ;;
	'record --devices'|'record -d') ;;
	'record --sys-hardware-mem-freq'|'record -f') ;;
	'record --llc-profiling'|'record -l') mapfile -t COMPREPLY < <(compgen -W 'read write' -- "$cur") ;;
	'record --aic-metrics'|'record -a') mapfile -t COMPREPLY < <(compgen -W 'ArithmeticUtilization PipeUtilization Memory MemoryL0 ResourceConflictRatio MemoryUB L2Cache PipelineExecuteUtilization MemoryAccess' -- "$cur") ;;
	'record --host-sys'|'record -H') _ascprof_list 'cpu mem disk network osrt numa' "$cur" ;;
	'record --storage-limit'|'record -s') ;;
	'record --host-sys-usage') _ascprof_list 'cpu mem' "$cur" ;;
	'record --host-sys-usage-freq') ;;
	'record --sys-io-sampling-freq') ;;
	'record --sys-interconnection-freq') ;;
	'record --dvpp-freq') ;;
	'record --pid'|'record -p') ;;
	'record --delay'|'record -D') ;;
	'record --duration'|'record -t') ;;
	'record --own-sessions') mapfile -t COMPREPLY < <(compgen -W 'refuse ignore' -- "$cur") ;;
	'record --library') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'stat --interval'|'stat -I') ;;
	'stat --events'|'stat -e') ;;
	'stat --duration'|'stat -t') ;;
	'stat --separator'|'stat -x') ;;
	'stat --output'|'stat -o') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'top --delay'|'top -d') ;;
	'top --frames'|'top -n') ;;
	'export --format'|'export -f') mapfile -t COMPREPLY < <(compgen -W 'trace perfetto csv db jsonl' -- "$cur") ;;
	'export --output'|'export -o') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'export --from'|'export -F') ;;
	'export --to'|'export -T') ;;
	'export --pid'|'export -p') ;;
	'export --tid'|'export -t') ;;
	'export --name'|'export -n') ;;
	'export --kind'|'export -k') ;;
	'report --top'|'report -n') ;;
	'report --sort'|'report -s') mapfile -t COMPREPLY < <(compgen -W 'total self count average p99 max name' -- "$cur") ;;
	'report --output'|'report -o') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'report --from'|'report -F') ;;
	'report --to'|'report -T') ;;
	'report --pid'|'report -p') ;;
	'report --tid'|'report -t') ;;
	'report --name'|'report -N') ;;
	'report --kind'|'report -k') ;;
	'diff --metric'|'diff -m') mapfile -t COMPREPLY < <(compgen -W 'average p50 p99 max total self count' -- "$cur") ;;
	'diff --threshold'|'diff -t') ;;
	'diff --confidence'|'diff -c') ;;
	'diff --top'|'diff -n') ;;
	'serve --listen'|'serve -l') ;;
	'bridge --device'|'bridge -d') ;;
	'bridge --period'|'bridge -p') ;;
	'bridge --channels'|'bridge -c') _ascprof_list 'hbm ddr llc soc aicore' "$cur" ;;
	'bridge --llc'|'bridge -l') mapfile -t COMPREPLY < <(compgen -W 'read write' -- "$cur") ;;
	'bridge --frequency'|'bridge -f') ;;
	'bridge --records'|'bridge -r') ;;
	'bridge --width'|'bridge -w') mapfile -t COMPREPLY < <(compgen -W '128 256' -- "$cur") ;;
	'bridge --library'|'bridge -L') mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	'help help') mapfile -t COMPREPLY < <(compgen -W 'record stat top export report diff info verify repair unpack serve bridge doctor help' -- "$cur") ;;
	*)
		case $command$cur in
		record-*) mapfile -t COMPREPLY < <(compgen -W ' --output --msproftx --devices --sys-hardware-mem-freq --llc-profiling --aic-metrics --host-sys --storage-limit --host-sys-usage --host-sys-usage-freq --sys-io-sampling-freq --sys-interconnection-freq --dvpp-freq --pid --delay --duration --no-follow --own-sessions --fail-on-loss --library --quiet --help' -- "$cur") ;;
		stat-*) mapfile -t COMPREPLY < <(compgen -W ' --interval --events --list --duration --separator --json --output --help' -- "$cur") ;;
		top-*) mapfile -t COMPREPLY < <(compgen -W ' --delay --frames --batch --all --help' -- "$cur") ;;
		export-*) mapfile -t COMPREPLY < <(compgen -W ' --format --output --from --to --pid --tid --name --kind --quiet --help' -- "$cur") ;;
		report-*) mapfile -t COMPREPLY < <(compgen -W ' --top --sort --merge --json --html --output --from --to --pid --tid --name --kind --quiet --help' -- "$cur") ;;
		diff-*) mapfile -t COMPREPLY < <(compgen -W ' --metric --threshold --confidence --top --json --help' -- "$cur") ;;
		info-*) mapfile -t COMPREPLY < <(compgen -W ' --json --help' -- "$cur") ;;
		verify-*) mapfile -t COMPREPLY < <(compgen -W ' --json --quiet --help' -- "$cur") ;;
		repair-*) mapfile -t COMPREPLY < <(compgen -W ' --force --quiet --help' -- "$cur") ;;
		unpack-*) mapfile -t COMPREPLY < <(compgen -W ' --quiet --help' -- "$cur") ;;
		serve-*) mapfile -t COMPREPLY < <(compgen -W ' --listen --help' -- "$cur") ;;
		bridge-*) mapfile -t COMPREPLY < <(compgen -W ' --device --period --channels --llc --frequency --records --width --library --help' -- "$cur") ;;
		doctor-*) mapfile -t COMPREPLY < <(compgen -W ' --bench --json --help' -- "$cur") ;;
		help-*) mapfile -t COMPREPLY < <(compgen -W ' --help' -- "$cur") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
		esac
		;;
	esac
}
complete -o filenames -F _ascprof ascprof
