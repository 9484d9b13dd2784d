#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages of functions and the references: all that is public has one, each says what
# the headers say. Prints TAP.
# TOP: the source tree; BUILD: a folder for what is made
set -u
. "$TOP/tests/lib/tap.sh"
cd "$TOP" || exit 1
work=$BUILD/abi-pages
pages=packaging/man/man3
rm -rf "$work"
mkdir -p "$work"

made_of_headers()
{
	python3 -B scripts/reference "$work" || return 1
	diff -r "$pages" "$work/$pages" && diff docs/api-c.md "$work/docs/api-c.md" || {
		echo "make generated has not been called"
		return 1
	}
}

# What is exported and what the headers declare, as the compiler sees them.
every_function()
{
	(cd runtime/include && find acl ascprof mstx -name '*.h' ! -name 'mstx_*.h' ! -name '*_mem.h') |
		sed 's/.*/#include "&"/' >"$work/all.c"
	${CC:-cc} -E -P -DMSTX_NO_IMPL -Iruntime/include "$work/all.c" >"$work/declared" || return 1
	grep -v '^#' tests/abi/symbols.txt | while read -r name; do
		grep -q "[ *]$name *(" "$work/declared" && echo "$name"
	done | LC_ALL=C sort >"$work/public"
	[ "$(wc -l <"$work/public")" -ge 80 ] || { echo "too few functions are public"; return 1; }
	find "$pages" -name '*.3' | sed 's|.*/||; s|\.3$||' | grep -vx libascprof | LC_ALL=C sort >"$work/described"
	diff "$work/public" "$work/described" || { echo "<: without a page, >: a page of nothing public"; return 1; }
}

# prototypes FILE...: of pages, as C
prototypes()
{
	sed -n 's/^\.Ft //p
		s/^\.Fn \([A-Za-z_0-9]*\) void$/\1(void);/p
		s/^\.Fo \(.*\)/\1(/p
		s/^\.Fa "\(.*\)"$/\1,/p
		s/^\.Fc$/);/p
		/^\.Sh DESCRIPTION/q' "$1" | tr -d '"' | tr '\n' ' ' | sed 's/, *);/);/g'
	echo
}

# Another type than the header's is an error to the compiler.
same_prototypes()
{
	{
		cat "$work/all.c"
		find "$1" -name '*.3' ! -name libascprof.3 | while read -r page; do
			prototypes "$page"
		done
	} >"$work/again.c"
	[ "$(grep -o ');' "$work/again.c" | wc -l)" -eq "$(wc -l <"$work/public")" ] || {
		echo "prototypes are missing"
		return 1
	}
	${CC:-cc} -fsyntax-only -w -DMSTX_NO_IMPL -Iruntime/include "$work/again.c"
}

sees_a_change()
{
	rm -rf "$work/changed"
	cp -r "$pages" "$work/changed"
	sed -i 's/^\.Fa "uint32_t rangeId"$/.Fa "uint64_t rangeId"/' "$work/changed/aclprofRangeStop.3"
	! same_prototypes "$work/changed" 2>"$work/said" || { echo "not noticed"; return 1; }
	grep -q 'conflicting types' "$work/said"
}

# refuses HEADER EDIT SAYS: comments that lack something are no source of pages
refuses()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree"
	cp -r runtime scripts "$work/tree/"
	sed -i "$2" "$work/tree/runtime/include/$1"
	! cmp -s "runtime/include/$1" "$work/tree/runtime/include/$1" || { echo "$1 is as before"; return 1; }
	! python3 -B "$work/tree/scripts/reference" --names >/dev/null 2>"$work/said" || { echo "accepted"; return 1; }
	grep -q "$3" "$work/said" || { cat "$work/said"; return 1; }
}

incomplete()
{
	refuses acl/acl_prof.h '/^ \* @rangeId: from/d' 'aclprofRangeStop: arguments' &&
		refuses acl/acl_prof.h 's/^ \* Return: 0; 100043 nothing pushed/ * Gives 0/' 'aclprofPop: Return:' &&
		refuses ascprof/ascprof.h '/^ \* Threads: /d' 'ascprof_last_error: neither' &&
		refuses ascprof/models.h 's|^\(#define ASCPROF_OP 0u\).*|\1|' 'ASCPROF_OP has no meaning'
}

# Each example is the body of a function; these are what it takes for granted.
examples()
{
	{
		printf '#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n'
		cat "$work/all.c"
		echo 'void work(void), hand_over(uint32_t id);'
		echo 'extern void *stamp; extern aclrtStream stream; extern const void *records; extern size_t bytes;'
		echo 'extern uint32_t model, tid; extern uint64_t begin, end;'
		awk '/^```c$/ { code = 1; print "void example_" ++n "(void);\nvoid example_" n "(void)\n{"; next }
			code && /^```$/ { code = 0; print "}"; next }
			code { print }' docs/api-c.md
	} >"$work/examples.c"
	[ "$(grep -c '^void example_.*;' "$work/examples.c")" -ge 15 ] || { echo "too few examples"; return 1; }
	${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable \
		-DMSTX_NO_IMPL -Iruntime/include "$work/examples.c"
}

# The program of libascprof(3) does what it says.
program()
{
	[ -e "$BUILD/libascprof.so" ] || { echo "there is no library"; exit 77; }
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{ /^#include/,/^}/p }' "$pages/libascprof.3" >"$work/program.c"
	${CC:-cc} -Wall -Wextra -Werror -Iruntime/include -o "$work/program" "$work/program.c" -L"$BUILD" -lascprof
	(cd "$work" && LD_LIBRARY_PATH=$BUILD ./program)
	ls -d "$work"/result/PROF_*
}

# Pages that others name are there, ours at least.
cross_references()
{
	grep -ohE '\.?Xr [A-Za-z_-]+[0-9A-Za-z_-]* [137]' "$pages"/*.3 packaging/man/ascprof.7 | sed 's/^\.\{0,1\}Xr //' |
		sort -u | while read -r name section; do
		case $section$name in
		3dlclose) continue ;;
		3*) file=$pages/$name.3 ;;
		*) file=packaging/man/$name.$section ;;
		esac
		[ -f "$file" ] || echo "there is no $name($section)"
	done >"$work/missing"
	[ ! -s "$work/missing" ] || { cat "$work/missing"; return 1; }
}

clean()
{
	command -v mandoc >/dev/null || { echo "there is no mandoc"; exit 77; }
	find "$pages" packaging/man/ascprof.7 -type f | while read -r page; do
		grep -q '^\.so ' "$page" || mandoc -T lint -W warning "$page"
	done >"$work/lint"
	[ ! -s "$work/lint" ] || { cat "$work/lint"; return 1; }
}

# What the library asks the environment for is in ascprof(7), and nothing else is.
environment()
{
	grep -rhoE '(getenv|asked_for)\("[A-Z_]+"' runtime --include='*.[ch]' | sed 's/.*"\([A-Z_]*\)"/\1/' |
		grep -vx -e TMPDIR -e LD_PRELOAD >"$work/asked"
	sed -n 's/^#define VARIABLE "\(ASCPROF_.*\)"/\1/p' runtime/session/injected.c >>"$work/asked"
	LC_ALL=C sort -u "$work/asked" >"$work/variables"
	sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh FILES/s/^\.It Ev //p' packaging/man/ascprof.7 | LC_ALL=C sort >"$work/told"
	diff "$work/variables" "$work/told" || { echo "<: not in ascprof(7), >: nobody asks for it"; return 1; }
}

step "pages and docs/api-c.md are made of the headers" made_of_headers
step "every public function has a page" every_function
step "prototypes of pages are those of the headers" same_prototypes "$pages"
step "a changed prototype is noticed" sees_a_change
step "incomplete comments are refused" incomplete
step "examples compile" examples
step "the program of libascprof(3) records" program
step "pages that are named are there" cross_references
step "pages are clean" clean
step "environment variables" environment
tap_end
