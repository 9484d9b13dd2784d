#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole flow in a virtual machine: the module is loaded, the examples record on a file
# system of the guest's own, the result directories are taken out and read here.
#
#   flow.sh demo OUT BUILD MAKE                as much as a person wants to see
#   flow.sh check NAME OUT BUILD HOST RESULTS  with the guest programs, for kernel NAME
#   flow.sh hostile NAME OUT BUILD RESULTS SECONDS IOCTLS SEED    a hostile user of the module
#   flow.sh soak NAME OUT BUILD RESULTS MINUTES SEED      streams of all kinds, while all that they count comes and goes
#   flow.sh bench NAME OUT BUILD COUNTERS      the module against perf_event_open; COUNTERS: TYPE CONFIG...
#   flow.sh coverage OUT BUILD                 which lines of the module all of its tests run
#   flow.sh programs NAME OUT BUILD RESULTS    the guest programs alone
#
# BUILD holds library, command, examples and guest programs for the guest, HOST those for
# this machine. Judgements go to RESULTS/flow-NAME.json and RESULTS/results-NAME.json.
set -eu
lab=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$lab/../.." && pwd)

say()
{
	printf '  %-8s %s\n' "$1" "$2" >&2
}

absolute()
{
	(cd "$1" && pwd)
}

# run_guest NAME OUT BUILD PLAN OPTION...: boots with module, examples and command
run_guest()
(
	name=$1 out=$2 build=$3 plan=$4
	shift 4
	module=$("$lab/klab" module "$name" "$out")
	[ -n "$module" ] || exit 1
	for program in "$build"/examples/*; do
		[ ! -x "$program" ] || [ -d "$program" ] || set -- "$@" --program "$program"
	done
	"$lab/klab" run --kernel "$name" --out "$out" --disk 1024 --libdir "$build" \
		--module "$module" --program "$build/bin/ascprof" "$@" "$plan"
)

plan_examples()
{
	for example in mark push_pop range two_models; do
		echo "$example 200 $example /data/result"
	done
}

demo()
(
	out=$1 build=$2
	rm -rf "$out"
	mkdir -p "$out"
	say BUILD "library, command, examples"
	# shellcheck disable=SC2086
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $3 -j"$(nproc)" --no-print-directory all >"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log" >&2; exit 1; }
	{
		echo "load 60 insmod /mod/ascprof.ko sim=1"
		plan_examples
		echo "unload 60 rmmod ascprof"
	} >"$out/plan"
	say GUEST "stock kernel, module, four programs ($out/serial.log)"
	run_guest 6.1 "$out" "$build" "$out/plan" || true
	"$top/tests/run" serial "$out/serial.log" >"$out/judgement" || { cat "$out/judgement"; exit 1; }
	mv "$out/disk/result" "$out/result"
	rmdir "$out/disk"
	say CHECK "result directories"
	BUILD=$(absolute "$build") DISK=$(absolute "$out") "$top/tests/run" tap --time 120 "$top/tests/lib/guest_results.py" \
		>"$out/results" || { cat "$out/results"; exit 1; }
	"$build/bin/ascprof" export -q -f csv -o "$out/csv" "$out/result"
	"$build/bin/ascprof" export -q -f trace -o "$out/trace.json" "$out/result"
	"$build/bin/ascprof" report "$out/result" >"$out/report.txt"
	sed -n '/^Total/,$p' "$out/report.txt"
	echo
	echo "directory  $out/result"
	echo "trace      $out/trace.json"
	echo "tables     $out/csv"
	echo "report     $out/report.txt"
)

# The command on its own, with simulated NPUs
plan_command()
{
	echo "stat 100 ascprof stat -t 3s -j -o /data/stat.json"
	echo "stat_program 100 ascprof stat -I 500 -x , -e memory-read,page-faults -o /data/stat.csv sleep 2"
	echo "top 100 ascprof top -b -a -n 3 -d 500ms >/data/top.txt"
	echo "record 200 ascprof record -f 50 --own-sessions ignore -o /data/recorded mark /data/none"
}

# ascprof serve opens the HTTP library by name; the cross-built system has none. Debug kernels have no internet protocols.
http_library()
{
	case $1 in
	*arm64 | san | kcsan) ;;
	*) ldconfig -p | sed -n 's/.*libmicrohttpd\.so\.12 .* => //p' | head -n 1 ;;
	esac
}

# Counters of a server's PMUs, in a stream of the module, beside the annotations. The disk is said to be
# an NPU, so that there is one with a bus address.
plan_pmus()
{
	# shellcheck disable=SC2016
	echo 'npu 60 device=$(readlink -f /sys/block/vda/device/..) && basename $device >/data/npu && rmmod ascprof &&' \
		'insmod /mod/ascprof.ko pci_ids=$(cut -c 3- $device/vendor):$(cut -c 3- $device/device)'
	echo "pmus 200 insmod /mod/ascprof_fakepmu.ko && ascprof record -f 50 --own-sessions ignore -o /data/pmus" \
		"mark /data/none && rmmod ascprof_fakepmu"
	echo "simulated 60 rmmod ascprof && insmod /mod/ascprof.ko sim=1"
}

# The program is killed as soon as it has written, and at several moments from its start
# on; the module must not mind.
plan_killed()
{
	echo "killed_writing 120 range /data/killed & while ! ls /data/killed/*/host/data/*slice_0" \
		">/dev/null 2>&1 && kill -0 \$!; do sleep 0.05; done; kill -9 \$!; wait; true"
	for moment in 0.1 0.4 0.9 2; do
		echo "killed_$moment 60 range /data/killed & sleep $moment; kill -9 \$!; wait; true"
	done
	echo "reload 60 rmmod ascprof && insmod /mod/ascprof.ko sim=1"
}

# The module's own tests: plan_programs BUILD [SECONDS of three processes]
plan_programs()
{
	echo "load 60 insmod /mod/ascprof.ko sim=1"
	for source in "$lab"/guest/*.c; do
		program=$(basename "$source" .c)
		case $program in
		window) ;;
		rates) echo "rates 240 rates 10 ${2:-10}" ;;
		*) echo "$program 240 $program" ;;
		esac
	done
	# the reader of docs/abi.md ends when nobody listens any more
	echo "reader 60 reader | awk '\$2 == \"MB/s\" && \$1 > 0 { if (++n == 20) exit } END { exit n < 20 }'"
	[ ! -x "$1/tests/qemu/guest/compat32" ] ||
		echo "compat32 60 [ -e /proc/sys/abi/vsyscall32 ] || exit 77; compat32"
}

# What they need in the guest, and beside it: with_programs NAME OUT BUILD, options of run_guest
with_programs()
{
	fakepmu=$("$lab/klab" fakepmu "$1" "$2")
	[ -n "$fakepmu" ] || return 1
	echo "--module $fakepmu --program $3/tests/hal/libascend_hal.so --program $3/tests/qemu/guest/reader"
	for source in "$lab"/guest/*.c; do
		program=$(basename "$source" .c)
		[ "$program" = window ] || echo "--program $3/tests/qemu/guest/$program"
	done
	[ ! -x "$3/tests/qemu/guest/compat32" ] || echo "--program $3/tests/qemu/guest/compat32"
}

# The device with a counter window has a guest of its own: QEMU 7.2 itself dies now and then of a
# segmentation fault when that device is pulled out. Then there is a second and a third attempt, and
# the judgement says how many were in vain; the log of each is kept. It always dies under the slow
# debug kernels, which therefore take the device out by themselves.
window()
(
	name=$1 out=$2/window build=$3 results=$4
	case $name in
	*arm64) exit 0 ;; # no ivshmem there
	esac
	command=window
	case $name in
	san | kcsan) command='BY_HAND=1 window' ;;
	esac
	mkdir -p "$out"
	printf '%s\n' "load 60 insmod /mod/ascprof.ko sim=1" "window 240 $command" "unload 60 rmmod ascprof" >"$out/plan"
	died=0
	while :; do
		rm -f "$out/serial.log"
		run_guest "$name" "$out" "$build" "$out/plan" --time 330 --program "$build/tests/qemu/guest/window" \
			--window "$build/tests/qemu/model/window" || true
		tail -n 1 "$out/serial.log" | grep -q ' exit=139 ' || break
		died=$((died + 1))
		[ "$died" -lt 3 ] || break
		say AGAIN "QEMU died of a segmentation fault ($out/died-$died.log)"
		mv "$out/serial.log" "$out/died-$died.log"
	done
	[ "$died" = 0 ] || echo "LAB host died $died" >>"$out/serial.log"
	"$top/tests/run" serial --label "$name window" --result "$results/window-$(basename "$name").json" "$out/serial.log"
)

programs()
(
	name=$1 out=$2 build=$3 results=$4
	mkdir -p "$out"
	rm -f "$out/serial.log"
	{
		plan_programs "$build" 60
		echo "unload 60 rmmod ascprof"
	} >"$out/plan"
	with=$(with_programs "$name" "$out" "$build") || exit 1
	# shellcheck disable=SC2086
	run_guest "$name" "$out" "$build" "$out/plan" --time 900 $with || true
	failed=0
	"$top/tests/run" serial --label "$name" --result "$results/programs-$(basename "$name").json" "$out/serial.log" || failed=1
	window "$name" "$out" "$build" "$results" || failed=1
	exit "$failed"
)

hostile()
(
	name=$1 out=$2 build=$3 results=$4 seconds=$5
	limit=$((seconds * 15 + $6 / 250 + 600)) # a busy host makes 550 ioctls a second
	mkdir -p "$out"
	rm -f "$out/serial.log"
	{
		echo "load 60 insmod /mod/ascprof.ko sim=1"
		echo "hostile $limit hostile $seconds $6 $7"
		echo "unload 60 rmmod ascprof"
	} >"$out/plan"
	run_guest "$name" "$out" "$build" "$out/plan" --time $((limit + 120)) \
		--program "$build/tests/fuzz/hostile" --window "$build/tests/qemu/model/window" || true
	sed -n '/^LAB begin hostile/,/^LAB end hostile/s/^# //p' "$out/serial.log"
	"$top/tests/run" serial --label "$name" --result "$results/hostile-$name.json" "$out/serial.log"
)

soak()
(
	name=$1 out=$2 build=$3 results=$4
	limit=$(($5 * 60 + 600))
	mkdir -p "$out"
	rm -f "$out/serial.log"
	echo "soak $limit soak_kmod $5 $6" >"$out/plan"
	# what hangs tells where
	set -- --time $((limit + 120)) --append hung_task_panic=1
	case $name in
	*arm64) ;; # no device with a window there
	*) set -- "$@" --window "$build/tests/qemu/model/window" ;;
	esac
	fakepmu=$("$lab/klab" fakepmu "$name" "$out")
	[ -n "$fakepmu" ] || exit 1
	run_guest "$name" "$out" "$build" "$out/plan" "$@" --module "$fakepmu" \
		--program "$build/tests/soak/kmod/soak_kmod" || true
	sed -n '/^LAB begin soak/,/^LAB end soak/s/^# //p' "$out/serial.log"
	"$top/tests/run" serial --label "$name" --result "$results/soak-$(basename "$name").json" "$out/serial.log"
)

bench()
(
	name=$1 out=$2 build=$3
	mkdir -p "$out"
	rm -f "$out/serial.log"
	{
		echo "load 60 insmod /mod/ascprof.ko"
		echo "bench 900 kmod_sampling $4"
		echo "unload 60 rmmod ascprof"
	} >"$out/plan"
	say GUEST "$name, emulated"
	run_guest "$name" "$out" "$build" "$out/plan" --time 1000 --program "$build/tests/bench/kmod_sampling" || true
	sed -n '/^LAB begin bench/,/^LAB end bench/s/^# //p' "$out/serial.log"
	"$top/tests/run" serial --label "bench $name" --result "$out/judgement.json" "$out/serial.log"
)

# The kernel keeps the counts of modules that are unloaded and loaded again.
coverage()
(
	out=$1 build=$2
	rm -rf "$out"
	mkdir -p "$out"
	export KLAB_GCOV=1
	suites=$("$lab/klab" suites san "$out")
	{
		echo "kunit 120 insmod /mod/ascprof_kunit.ko && rmmod ascprof_kunit"
		plan_programs "$build"
		echo "window 240 BY_HAND=1 window"
		echo "hostile 600 hostile 10 5000"
		echo "counts 120 cd /sys/kernel/debug/gcov && find . -name '*.gcda' | while read f; do" \
			"mkdir -p /data/\$(dirname \$f) && cat \$f >/data/\$f; done"
		echo "unload 60 rmmod ascprof"
	} >"$out/plan"
	with=$(with_programs san "$out" "$build") || exit 1
	# shellcheck disable=SC2086
	run_guest san "$out" "$build" "$out/plan" --time 1500 --module "$suites" --disk 64 \
		--program "$build/tests/fuzz/hostile" --program "$build/tests/qemu/guest/window" \
		--window "$build/tests/qemu/model/window" $with || true
	failed=0
	"$top/tests/run" serial --label coverage --result "$out/judgement.json" "$out/serial.log" || failed=1
	python3 "$top/tests/lib/coverage.py" "$out/disk" "$out/lines" "${MINIMUM:-85}" || failed=1
	exit "$failed"
)

check()
(
	name=$1 out=$2 build=$3 host=$4 results=$5
	rm -rf "$out/disk" "$out/serial.log"
	mkdir -p "$out"
	http=$(http_library "$name")
	{
		plan_programs "$build"
		plan_examples
		plan_command
		[ -z "$http" ] || echo "serve 120 LD_LIBRARY_PATH=/lib:/bin serve.sh /data/result"
		plan_pmus
		plan_killed
		echo "report 120 ascprof report /data/result"
		echo "unload 60 rmmod ascprof"
		echo "bare 200 mark /data/bare"
	} >"$out/plan"
	with=$(with_programs "$name" "$out" "$build") || exit 1
	# shellcheck disable=SC2086
	run_guest "$name" "$out" "$build" "$out/plan" --time 900 --program "$lab/serve.sh" ${http:+--program "$http"} $with || true
	failed=0
	"$top/tests/run" serial --label "$name" --result "$results/flow-$name.json" "$out/serial.log" || failed=1
	window "$name" "$out" "$build" "$results" || failed=1
	BUILD=$(absolute "$host") DISK=$(absolute "$out/disk") "$top/tests/run" tap --label "$name" --time 300 \
		--result "$results/results-$name.json" "$top/tests/lib/guest_results.py" || failed=1
	exit "$failed"
)

verb=$1
shift
"$verb" "$@"
