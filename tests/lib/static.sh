#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What can be said about the sources without running them. Prints TAP.
# TOP: the source tree; BUILD: folder for what is built.
set -u
. "$TOP/tests/lib/tap.sh"
cd "$TOP" || exit 1

# files PATTERN...: files of the tree, whether committed yet or not
files()
{
	git ls-files -co --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done | sort -u
}

# none MESSAGE: fails when there is input, and shows it
none()
{
	found=$(cat)
	[ -z "$found" ] || { echo "$1:"; echo "$found"; return 1; }
}

licences()
{
	# (some formats have no comments)
	files | grep -v -e '^LICENSES/' -e '^VERSION$' -e '^debian/changelog$' -e '^debian/copyright$' -e '^debian/source/format$' \
		-e '^.reuse/' \
		-e '^tests/fuzz/readers/corpus/' | while read -r file; do
		head -n 5 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file"
	done | none "no SPDX line at the top of"
	files 'kmod/*.[ch]' Kbuild 'tests/kunit/*' | while read -r file; do
		head -n 5 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || echo "$file"
	done | none "not GPL-2.0-only"
}

versions()
{
	version=$(cat VERSION)
	[ -f dkms.conf ] || { echo "there is no dkms.conf"; return 1; }
	grep -qx "PACKAGE_VERSION=\"\{0,1\}$version\"\{0,1\}" dkms.conf ||
		{ echo "dkms.conf does not say $version:"; grep PACKAGE_VERSION dkms.conf; return 1; }
	head -n 1 debian/changelog | grep -q "($version)" || { echo "debian/changelog does not begin with $version"; return 1; }
	grep -q "^## \[$version\]" CHANGELOG.md || { echo "CHANGELOG.md has no heading [$version]"; return 1; }
}

# REUSE: every file has a licence and a copyright, and debian/copyright says the same as the files.
reuse_lint()
{
	command -v reuse >/dev/null || { echo "there is no reuse"; exit 77; }
	reuse lint
	reuse spdx 2>/dev/null | awk '/^FileName: / { file = $2; n = 0 }
		/^LicenseInfoInFile: / && $2 != "Linux-syscall-note" && ++n > 1 { print file }' |
		none "other licences than debian/copyright says"
}

# Folders of one machine and hosts have no place in the tree.
machine_paths()
{
	files | grep -v '^LICENSES/' | tr '\n' '\0' |
		xargs -0 grep -nIE '(^|[^A-Za-z0-9_$})./-])/(home|work|root)/[A-Za-z0-9]|(deb|security)\.debian\.org' |
		grep -v '^tests/lib/static.sh:' | none "paths or hosts of one machine"
}

names()
{
	files | grep -E '[^A-Za-z0-9._/+-]' | none "file names that are awkward in a shell"
	files | grep -v -e '^LICENSES/' -e '^tests/fuzz/readers/corpus/' | tr '\n' '\0' | xargs -0 grep -lIP '\r$' | none "DOS line ends"
	files '*.c' '*.h' '*.sh' '*.py' '*.mk' | tr '\n' '\0' | xargs -0 grep -nIE '[[:blank:]]+$' | none "blanks at line ends"
}

shell_scripts()
{
	files | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) if head -n 1 "$file" | grep -qE '^#!.*\b(ba)?sh$'; then echo "$file"; fi ;;
		esac
	done >"$BUILD/shell-scripts"
	xargs shellcheck -x -P SCRIPTDIR -S warning <"$BUILD/shell-scripts"
}

python_files()
{
	{ files '*.py'; echo tests/run; } | while read -r file; do
		python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())' "$file" || return 1
	done
}

# Its look at uninitialised variables takes buffers that a call fills for such; compilers
# and the memory sanitizers see those better.
cppcheck_user()
{
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingInclude --suppress=uninitvar -D_GNU_SOURCE \
		-DPy_BEGIN_ALLOW_THREADS= -DPy_END_ALLOW_THREADS= -I. -Iruntime -Iruntime/include \
		runtime tools examples
}

# Sparse, all warnings of the kernel and checkpatch over module, suites and guest programs.
module_check()
{
	kernel=$(tests/qemu/klab kernel 6.1) && source=$(tests/qemu/klab source) || return 1
	make --no-print-directory O="$BUILD/static" KDIR="$kernel/build" \
		CHECKPATCH="perl $source/scripts/checkpatch.pl" module-check
}

# What kernels differ in is found by compiling, and wrapped in one place.
kernel_names()
{
	files 'kmod/*.[ch]' | grep -v '^kmod/compat/' | tr '\n' '\0' | xargs -0 grep -nE \
		'LINUX_VERSION_CODE|KERNEL_VERSION|\<(hrtimer_init|hrtimer_setup|del_timer|timer_delete|from_timer|timer_container_of|class_create)' |
		none "names that come and go with versions of the kernel"
}

public_reports()
{
	python3 tests/lib/reports.py docs/reports.md
}

table_of_calls()
{
	python3 tests/api/generate.py --check
}

mkdir -p "$BUILD"
step "SPDX line in every file" licences
step "REUSE" reuse_lint
step "version numbers agree" versions
step "no paths of one machine" machine_paths
step "file names and white space" names
step "shellcheck" shell_scripts
step "python" python_files
step "no name of one kernel version" kernel_names
step "tests that docs/reports.md names" public_reports
step "the table of calls is made of its sources" table_of_calls
step "cppcheck" cppcheck_user
step "module: sparse, W=1, checkpatch" module_check
tap_end
