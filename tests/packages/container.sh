#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of a container, by podman from a base that debootstrap made. Prints TAP.
# TOP, BUILD: the source and build folders
set -u
. "$TOP/tests/lib/tap.sh"
. "$TOP/tests/qemu/common.sh"
. "$TOP/tests/lib/root.sh"
. "$TOP/tests/lib/tree.sh"
work=$(mktemp -d)
example=$TOP/packaging/container
trap 'cleanup' EXIT
export OPTIONS="--network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
export ENGINE="podman --root $work/store --runroot $work/run --storage-driver vfs --cgroup-manager cgroupfs --runtime runc"

cleanup()
{
	$ENGINE rmi --all --force >/dev/null 2>&1
	rm -rf "$work" "$tap_log"
}

base()
{
	root=$(root_of container bookworm ca-certificates,libdrm2,liburing2,libzstd1,python3) || exit
	tar -C "$root" --exclude=./dev --exclude=./usr/share/doc -cf "$work/base.tar" .
	$ENGINE import "$work/base.tar" localhost/debian:12
	rm "$work/base.tar"
}

image()
{
	copy_tree "$work/tree"
	make -C "$work/tree" DEBFLAGS='-d -b' deb
	$ENGINE build --network host --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --build-arg BASE=localhost/debian:12 -t ascprof \
		-f "$example/Containerfile" "$work/tree/build/deb"
}

# inside COMMAND...: in the container
inside()
{
	sh "$example/run.sh" localhost/ascprof "$work/result" "$@"
}

restrictions()
{
	mkdir "$work/result"
	chown 10000:10000 "$work/result"
	[ "$(inside id -u)" = 10000 ]
	inside grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\t' >"$work/status"
	printf 'CapEff:0000000000000000\nNoNewPrivs:1\n' | diff - "$work/status"
	! inside touch /usr/x || return 1
	! inside touch /etc/x || return 1
}

recorded()
{
	cp "$TOP"/examples/python/*.py "$work/result"
	inside python3 mark.py
	inside ascprof info result
	inside ascprof report result | tee "$work/said"
	grep -qE '^ *mark +- +[0-9]+ +[0-9]+ +0 ' "$work/said"
	inside ascprof export result --format trace -o trace.json
	grep -q '"test msprof tx"' "$work/result/trace.json"
	[ "$(stat -c %u "$work/result/trace.json")" = 10000 ]
}

no_device()
{
	inside ascprof doctor >"$work/said" || true
	cat "$work/said"
	grep -q '^problem *module' "$work/said"
}

# A node of /dev/null stands for the module's: who is in its group inside, may open it.
device()
{
	mknod "$work/stand-in" c 1 3
	chgrp 4242 "$work/stand-in"
	chmod 660 "$work/stand-in"
	export ASCPROF_DEVICE="$work/stand-in"
	inside id -G | grep -w 4242
	inside sh -c ': <>/dev/ascprof'
	[ "$(inside stat -c %a:%g /dev/ascprof)" = 660:4242 ]
}

step "a base of debootstrap" base
step "the image" image
[ "$tap_failed" = 0 ] || tap_end
step "no root, no capability, nothing to write to" restrictions
step "a Python program is recorded and its report read" recorded
step "doctor says that there is no module" no_device
step "a device is passed in, and its group" device
tap_end
