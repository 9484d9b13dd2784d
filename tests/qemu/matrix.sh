# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# klab matrix OUT BUILD ARM64BUILD NAME...: which kernels the module is good for. Per kernel:
# built by gcc and by clang, sparse, W=1 and checkpatch, the guest programs, the KUnit suites.
# Prints a table; fails when a cell does. Trees that were only prepared cannot be booted, and
# KUnit's core is known for the kernels that have a name only.
#
# OUT/NAME/row is the row of a kernel; OUT/NAME/*.log tells about a cell that failed. BUILD
# and ARM64BUILD hold the guest programs.

matrix()
(
	out=$1 amd64_build=$2 arm64_build=$3
	shift 3
	mkdir -p "$out"
	for name in "$@"; do
		folder=$out/$(echo "$name" | tr -c 'A-Za-z0-9.\n-' _)
		mkdir -p "$folder"
		matrix_row "$name" "$folder" >"$folder/row.new" && mv "$folder/row.new" "$folder/row" || exit 1
		set -- "$@" "$folder"
		shift
	done
	# in the caller's folder, so that a summary can be made from several runs
	matrix_show "$@"
)

matrix_show()
{
	format='%-28s %-6s %-6s %-6s %-6s %-7s %-24s %-16s\n'
	echo
	# shellcheck disable=SC2059
	printf "$format" kernel arch gcc clang checks booted self-tests KUnit
	bad=0
	for folder; do
		IFS='|' read -r release arch gcc clang checks booted tests kunit <"$folder/row"
		# shellcheck disable=SC2059
		printf "$format" "$release" "$arch" "$gcc" "$clang" "$checks" "$booted" "$tests" "$kunit"
		! grep -q FAIL "$folder/row" || bad=1
	done
	return "$bad"
}

# matrix_try LOG COMMAND...: "ok" or "FAIL"
matrix_try()
{
	try_log=$1
	shift
	if ( "$@" ) >"$try_log" 2>&1; then echo ok; else echo FAIL; fi
}

matrix_clang()
{
	made=$(KLAB_LLVM=1 module_build "$1" "$2") || return 1
	readelf -p .comment "$made" | grep -q clang || { echo "it was not clang"; return 1; }
	! module_warnings "$2/module.log"
}

matrix_gcc()
{
	module_build "$1" "$2" || return 1
	! module_warnings "$2/module.log"
}

matrix_row()
(
	name=$1 folder=$2
	dir=$(kernel_dir "$name") || exit 1
	[ -n "$dir" ] || exit 1
	. "$dir/env"
	note "kernel $release $arch: build, checks"
	gcc=$(matrix_try "$folder/gcc.log" matrix_gcc "$name" "$folder/gcc")
	clang=$(matrix_try "$folder/clang.log" matrix_clang "$name" "$folder/clang")
	checks=$(matrix_try "$folder/checks.log" module_check "$name" "$folder/check")
	booted=- tests=- kunit=-
	if [ -d "$dir/boot" ]; then
		note "kernel $release $arch: self-tests"
		build=$amd64_build
		[ "$arch" = amd64 ] || build=$arm64_build
		"$lab/flow.sh" programs "$name" "$folder/programs" "$build" "$folder" >"$folder/programs.log" 2>&1 || true
		set -- "$folder/programs-$(basename "$name").json"
		# the device with a counter window is there on amd64 only
		[ "$arch" != amd64 ] || set -- "$@" "$folder/window-$(basename "$name").json"
		tests=$(matrix_count "$@")
		booted=FAIL
		! grep -q '^LAB up ' "$folder/programs/serial.log" || booted=ok
	fi
	case $name in
	*/*) ;;
	*)
		note "kernel $release $arch: KUnit"
		kunit_run "$name" "$folder/kunit" >"$folder/kunit.log" 2>&1 || true
		"$top/tests/run" serial --label "$name" --result "$folder/kunit-$name.json" \
			--kunit "$folder/kunit/declared" "$folder/kunit/serial.log" >>"$folder/kunit.log" 2>&1 || true
		kunit=$(matrix_count "$folder/kunit-$name.json") ;;
	esac
	echo "$release|$arch|$gcc|$clang|$checks|$booted|$tests|$kunit"
)

# matrix_count FILE...: how many of the results in these passed; one that is missing failed
matrix_count()
{
	python3 - "$@" <<-'END'
	import collections, json, sys
	seen = collections.Counter()
	for name in sys.argv[1:]:
	    try:
	        seen.update(case["status"] for case in json.load(open(name, encoding="utf-8")))
	    except OSError:
	        seen["fail"] += 1
	failed = f", {seen['fail']} FAIL" if seen.get("fail") else ""
	skipped = f", {seen['skip']} skipped" if seen.get("skip") else ""
	print(f"{seen.get('pass', 0)} passed{failed}{skipped}")
	END
}
