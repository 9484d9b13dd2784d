# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: Apache-2.0
# What all parts of the kernel lab use: messages, the cache folder, locks.
# Functions with a body in parentheses run in a subshell: their variables are
# their own.

die()
{
	echo "klab: $*" >&2
	exit 1
}

note()
{
	echo "  LAB      $*" >&2
}

# Root shares one cache; others keep their own. Whatever is in it can be made
# again, so it may be removed at any time.
default_cache()
{
	if [ "$(id -u)" = 0 ]; then
		echo /var/cache/ascprof
	else
		echo "${XDG_CACHE_HOME:-$HOME/.cache}/ascprof"
	fi
}
cache=${ASCPROF_CACHE:-$(default_cache)}
case $cache in
/*) ;;
*) cache=$PWD/$cache ;;
esac

# cached FOLDER COMMAND ARGUMENT...: prints $cache/FOLDER. When it is missing, it
# is made by the command, which gets the name of an empty folder as its last
# argument. One process makes it, others wait; a half-made one is never seen.
cached()
(
	folder=$cache/$1
	shift
	if [ ! -d "$folder" ]; then
		mkdir -p "$(dirname "$folder")" "$cache/lock" || die "cannot write to the cache folder $cache"
		exec 9>"$cache/lock/$(basename "$folder")"
		flock 9
		if [ ! -d "$folder" ]; then
			rm -rf "$folder".new.*
			new=$folder.new.$$
			mkdir "$new"
			trap 'rm -rf "$new"' EXIT
			trap 'exit 1' INT TERM HUP
			"$@" "$new" >&2 9>&- || die "could not make $folder"
			mv "$new" "$folder"
			trap - EXIT
		fi
	fi
	echo "$folder"
)

# quietly LOG COMMAND...: keeps what the command says in LOG and shows it when it fails
quietly()
{
	quiet_log=$1
	shift
	if [ -n "${V:-}" ]; then
		"$@"
	else
		"$@" >"$quiet_log" 2>&1 || { tail -n 40 "$quiet_log" >&2; return 1; }
	fi
}
