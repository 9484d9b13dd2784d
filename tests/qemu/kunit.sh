# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# KUnit on any kernel. Stock kernels have none, so its core, lib/kunit of the same source
# version, is built as a module of its own; the debug kernels have it built in.

kunit_run()
(
	name=$1
	mkdir -p "$2"
	out=$(cd "$2" && pwd)
	kernel=$(kernel_dir "$name")
	[ -n "$kernel" ] || exit 1
	. "$kernel/env"
	ls "$top"/tests/kunit/*.c >/dev/null 2>&1 || die "there are no suites in tests/kunit"
	kunit_declared "$top"/tests/kunit/*.c >"$out/declared"
	: >"$out/plan"
	set -- --kernel "$name" --out "$out" --time 300
	core=
	if ! kernel_debug "$name"; then
		core=$(kunit_core)
		[ -n "$core" ] || exit 1
		set -- "$@" --module "$core/kunit.ko"
		echo "kunit 60 insmod /mod/kunit.ko" >>"$out/plan"
	fi
	find "$out" -name '*.ko' -exec rm -f {} +
	KLAB_FOLDER="$out" quietly "$out/suites.log" module_make "$name" "O=$out" module-kunit "KUNIT=$core" ||
		die "the suites do not build for $name"
	for suite in $(find "$out" -name '*.ko' | sort); do
		set -- "$@" --module "$suite"
		suite=$(basename "$suite" .ko)
		echo "$suite 120 insmod /mod/$suite.ko && rmmod $suite" >>"$out/plan"
	done
	guest_run "$@" "$out/plan"
)

# kunit_suites NAME FOLDER: builds the suites for a debug kernel, prints the module's path
kunit_suites()
(
	mkdir -p "$2"
	out=$(cd "$2" && pwd)
	quietly "$out/suites.log" module_make "$1" "O=$out" module-kunit KUNIT= >&2 || die "the suites do not build for $1"
	find "$out/kunit" -name '*.ko'
)

# Folder with kunit.ko and its Module.symvers for the kernel of kunit_run
kunit_core()
{
	key=$(cat "$lab/kunit.sh" "$lab/kunit_core.sed" "$kernel/env" | sha256sum | cut -c1-12)
	cached "kunit/$release-$key" kunit_core_build
}

# What a kernel with KUnit built in has and a stock kernel lacks goes (kunit_core.sed), and
# the configuration macros of KUnit are ours to give. CONFIG_KUNIT itself stays unset:
# it would change the layout of structures that the kernel was built without.
kunit_core_build()
(
	source=$(source_dir "$version" "$(kernel_debian "$name")")
	[ -n "$source" ] || exit 1
	mkdir "$1/build"
	cp "$source"/lib/kunit/*.[ch] "$1/build/"
	sed -i -f "$lab/kunit_core.sed" "$1/build/test.c"
	objects=
	for part in test resource string-stream assert try-catch attributes device; do
		[ ! -e "$1/build/$part.c" ] || objects="$objects $part.o"
	done
	cat >"$1/build/Kbuild" <<-END
	obj-m := kunit.o
	kunit-y := $objects
	ccflags-y := -DCONFIG_KUNIT_DEFAULT_ENABLED -DCONFIG_KUNIT_DEFAULT_TIMEOUT=300
	END
	quietly "$1/log" kernel_make "$name" "M=$1/build" CONFIG_DEBUG_INFO_BTF_MODULES= modules ||
		die "KUnit's core does not build"
	mv "$1/build/kunit.ko" "$1/build/Module.symvers" "$1/"
	rm -rf "$1/build"
)

# kunit_declared FILE...: "suite case" for every case of the sources
kunit_declared()
{
	awk '
	/struct kunit_case / {
		array = $0
		sub(/.*struct kunit_case /, "", array)
		sub(/\[.*/, "", array)
	}
	/^[ \t]*KUNIT_CASE[A-Z_]*\(/ {
		name = $0
		sub(/.*KUNIT_CASE[A-Z_]*\(/, "", name)
		sub(/[,)].*/, "", name)
		cases[FILENAME, array] = cases[FILENAME, array] " " name
	}
	/struct kunit_suite / { suite = "" }
	/\.name = "/ { suite = $0; sub(/.*\.name = "/, "", suite); sub(/".*/, "", suite) }
	/\.test_cases = / {
		array = $0
		sub(/.*\.test_cases = /, "", array)
		sub(/,.*/, "", array)
		n = split(cases[FILENAME, array], list, " ")
		for (i = 1; i <= n; i++)
			print suite, list[i]
	}' "$@"
}
