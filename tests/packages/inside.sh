# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# For scripts that run in the fresh system: the sources are at /src, what to install in /mnt.

dev=/tmp/user
export dev

# Every file but what the package managers themselves keep.
listing()
{
	find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /mnt -o -path /tmp -o -path /src -o -path /build \) \
		-prune -o -print |
		grep -vE '^/var/(lib/(dpkg|apt|rpm)|cache|log)/|^/var/lib/dkms/mok|^/etc/(group|gshadow)-?$|/__pycache__' | LC_ALL=C sort
}

kernel()
{
	find /lib/modules -mindepth 1 -maxdepth 1 -name '[1-9]*' -printf '%f\n'
}

# dkms says so, and there is a module for that kernel
module_built()
{
	dkms status | tee /tmp/status
	grep -qE "^ascprof(/|, )$1, $(kernel), x86_64: installed" /tmp/status
	[ "$(grep -c ^ascprof /tmp/status)" = 1 ]
	file=$(find "/lib/modules/$(kernel)/updates" -name 'ascprof.ko*')
	[ "$(modinfo -F version "$file")" = "$1" ]
	modinfo -F vermagic "$file" | grep -q "^$(kernel) "
	[ -z "$(modinfo -F alias "$file")" ] # nothing loads it but its name
}

# with the key that DKMS made
module_signed()
{
	[ -n "$(modinfo -k "$(kernel)" -F signer ascprof)" ]
}

as_user()
{
	(cd "$dev" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$dev" "$@")
}

# The program of the README, by who is not root.
first_program()
{
	mkdir -p "$dev" && chmod 777 "$dev"
	sed -n '/^```c$/,/^```$/p' /src/README.md | sed '1d;$d' >"$dev/first.c"
	grep -q aclprofPush "$dev/first.c"
	# shellcheck disable=SC2046
	as_user cc first.c -o first $(pkg-config --cflags --libs ascprof)
	as_user ./first
	as_user ascprof report result | tee /tmp/report
	grep -qi 'push' /tmp/report
	as_user ascprof export result --format trace -o trace.json
	grep -q '"load data"' "$dev/trace.json"
	as_user ascprof export result --format csv -o tables
	grep -rq 'load data' "$dev/tables"
}

# timed COMMAND...: its ms go to /tmp/taken
timed()
{
	begin=$(date +%s%N)
	"$@"
	echo $((($(date +%s%N) - begin) / 1000000)) >>/tmp/taken
}

# From what is installed to a picture of the user's own ranges: three commands, as the README has them.
three_commands()
{
	rm -rf "$dev/result" /tmp/taken
	for command in 'cc first.c -o first -lascprof' './first' 'ascprof report --html result'; do
		grep -q "^$command" /src/README.md
		# shellcheck disable=SC2086
		timed as_user $command
	done
	grep -q 'load data' "$dev/ascprof_report.html"
	grep -q '<canvas\|<svg' "$dev/ascprof_report.html"
}

picture()
{
	step "three commands from what is installed to a picture" three_commands
	awk '{ printf "# command %d: %.2f s\n", NR, $1 / 1000; all += $1 }
		END { printf "# from installed packages to a picture: %.2f s\n", all / 1000 }' /tmp/taken
}
