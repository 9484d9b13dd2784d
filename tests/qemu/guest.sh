# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# klab run [option]... PLAN: boots a kernel, runs the plan in it, keeps the serial log.
#
#   --kernel NAME     kernel (default 6.1)
#   --out FOLDER      for serial.log, the disk's content and all else (required)
#   --program FILE    copied to /bin of the guest, with the libraries it needs
#   --module FILE     copied to /mod
#   --driver NAME     module of the kernel itself, loaded before the plan starts
#   --libdir FOLDER   where libraries are looked for first
#   --disk MIB        an ext4 disk, mounted on /data; its content ends in FOLDER/disk
#   --cpus N          (default 2, on 6.12 one)
#   --memory MIB      (default 512, on debug kernels 1024)
#   --time SECONDS    for the whole guest (default 300)
#   --append WORDS    more kernel command line
#   --window PROGRAM  a PCI device with a counter window, modelled by PROGRAM (amd64)
#
# A plan has one step per line: NAME SECONDS COMMAND..., run in this order by the
# guest's shell, in /tmp of the guest. Exit code 0 passes, 77 skips, all else fails.
# Every step's outcome is a line of the log; see init for the words.
#
# Exit code: 0 when the guest ran the plan to its end and no step failed. Whether the
# log is free of complaints of the kernel is judged by `tests/run serial`.

guest_run()
(
	kernel=6.1 out='' disk='' cpus='' memory='' limit=300 append='' window=''
	programs='' modules='' drivers='' libdirs='' plan=''
	while [ $# -gt 0 ]; do
		option=$1
		shift
		case $option in
		--*) [ $# -gt 0 ] || die "run: $option needs a value" ;;
		esac
		case $option in
		--kernel)  kernel=$1 ;;
		--out)     out=$1 ;;
		--program) programs="$programs $1" ;;
		--module)  modules="$modules $1" ;;
		--driver)  drivers="$drivers $1" ;;
		--libdir)  libdirs="$libdirs $1" ;;
		--disk)    disk=$1 drivers="$drivers virtio_pci virtio_blk ext4" ;;
		--cpus)    cpus=$1 ;;
		--memory)  memory=$1 ;;
		--time)    limit=$1 ;;
		--append)  append=$1 ;;
		--window)  window=$1 ;;
		-*)        die "run: unknown option '$option'" ;;
		*)         plan=$option; continue ;;
		esac
		shift
	done
	[ -n "$out" ] || die "run: --out FOLDER is missing"
	[ -r "$plan" ] || die "run: cannot read the plan '$plan'"

	dir=$(kernel_dir "$kernel")
	[ -n "$dir" ] || exit 1
	. "$dir/env"
	rm -rf "$out/root" "$out/disk" "$out/disk.img" "$out/serial.log"
	mkdir -p "$out/root"
	guest_root "$out/root"
	(cd "$out/root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) |
		gzip -1 >"$out/initrd.gz"
	rm -rf "$out/root"

	if [ -n "$disk" ]; then
		mkdisk=$(tool mkfs.ext4)
		truncate -s "${disk}M" "$out/disk.img"
		"$mkdisk" -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$out/disk.img"
	fi

	[ -z "$window" ] || window_begin
	status=0
	guest_boot || status=$?
	[ -z "$window" ] || window_end
	tr -d '\r' <"$out/serial.raw" >"$out/serial.log"
	verdict=pass
	grep -q '^LAB done 0' "$out/serial.log" || verdict=fail
	# On amd64 the guest ends by an exit code of its own: a kernel that panics, powers off
	# or loses its init ends with 0, which therefore never counts as a pass.
	case $arch in
	amd64) [ "$status" = 33 ] || verdict=fail ;;
	*)     [ "$status" = 0 ] || verdict=fail ;;
	esac
	case $status in
	124|137) echo "LAB host time limit of $limit s reached" >>"$out/serial.log" ;;
	esac
	echo "LAB host kernel=$release version=$version arch=$arch exit=$status verdict=$verdict" \
		>>"$out/serial.log"

	if [ -n "$disk" ]; then
		mkdir -p "$out/disk"
		[ "$verdict" = pass ] || "$(tool e2fsck)" -fy "$out/disk.img" >/dev/null 2>&1 || true
		"$(tool debugfs)" -R "rdump / $out/disk" "$out/disk.img" >"$out/debugfs.log" 2>&1 || true
		rmdir "$out/disk/lost+found" 2>/dev/null || true
		rm -f "$out/disk.img"
	fi
	rm -f "$out/initrd.gz" "$out/serial.raw"
	[ "$verdict" = pass ]
)

# Tools of the administrator may be outside the PATH of others.
tool()
{
	PATH=$PATH:/usr/sbin:/sbin command -v "$1" || die "$1 is not installed; run scripts/setup.sh check"
}

# guest_root ROOT: everything but what the kernel itself mounts
guest_root()
{
	root=$1
	mkdir -p "$root/bin" "$root/lib" "$root/mod" "$root/driver" "$root/lab" \
		"$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/data"
	sysroot=$(sysroot_dir "$arch")
	[ -n "$sysroot" ] || exit 1
	cp "$sysroot/bin/busybox" "$root/bin/busybox"
	cp "$lab/init" "$root/init"
	cp "$plan" "$root/lab/plan"
	chmod 755 "$root/init"
	cross=
	[ "$arch" != arm64 ] || cross=aarch64-linux-gnu-
	for file in $programs; do
		cp "$file" "$root/bin/"
		chmod 755 "$root/bin/$(basename "$file")"
	done
	for file in $modules; do
		"${cross}strip" --strip-debug -o "$root/mod/$(basename "$file")" "$file"
	done
	guest_drivers
	[ "$arch" != amd64 ] ||
		gcc -static -Os -o "$root/lab/exit" "$lab/exit.c" || die "cannot build exit.c"
	guest_libraries "$root"
}

# Drivers in loading order. What is built into the kernel has no line of its own.
guest_drivers()
{
	: >"$root/lab/drivers"
	[ -d "$dir/lib/modules" ] || return 0
	for name in $drivers; do
		"$(tool modprobe)" -d "$dir" -S "$release" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
	while read -r file; do
		name=$(basename "${file%%.ko*}")
		case $file in
		*.xz) xz -dc "$file" >"$root/driver/$name.ko" ;;
		*)    cp "$file" "$root/driver/$name.ko" ;;
		esac
		echo "$name" >>"$root/lab/drivers"
	done
}

# Copies the shared libraries that the programs ask for, and those that they ask for.
guest_libraries()
{
	case $arch in
	arm64) where="$libdirs $sysroot/usr/lib/aarch64-linux-gnu /usr/aarch64-linux-gnu/lib" ;;
	*)     where="$libdirs /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib64" ;;
	esac
	again=1
	while [ "$again" = 1 ]; do
		again=0
		for needed in $(find "$1/bin" "$1/lib" -type f ! -name busybox -exec readelf -dlW {} + 2>/dev/null |
			sed -n -e 's/.*(NEEDED).*\[\(.*\)\]/\1/p' \
			       -e 's/.*program interpreter: \(.*\)\]/\1/p' | sort -u); do
			target=lib/$needed
			case $needed in /*) target=${needed#/} ;; esac
			[ ! -e "$1/$target" ] || continue
			found=
			for folder in $where; do
				[ ! -e "$folder/${needed##*/}" ] || { found=$folder/${needed##*/}; break; }
			done
			[ -n "$found" ] || die "library $needed for the guest not found in:$where"
			mkdir -p "$1/$(dirname "$target")"
			cp -L "$found" "$1/$target"
			again=1
		done
	done
}

# The model of the device runs beside QEMU. Its sockets need short names.
window_begin()
{
	sockets=$(mktemp -d)
	"$window" "$sockets" >"$out/window.log" 2>&1 &
	window_pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q ready "$out/window.log" || return 0
		sleep 1
	done
	die "the model $window does not begin: $(cat "$out/window.log")"
}

window_end()
{
	{ kill "$window_pid" && wait "$window_pid" || true; } 2>/dev/null
	rm -rf "$sockets"
}

# guest_boot: runs QEMU; its exit code is the result
guest_boot()
{
	case $kernel in
	san|kcsan) : "${cpus:=2}" "${memory:=1024}" ;;
	6.12) : "${cpus:=1}" "${memory:=512}" ;;
	*)    : "${cpus:=2}" "${memory:=512}" ;;
	esac
	case $arch in
	amd64)
		set -- qemu-system-x86_64 -M q35 -cpu max -device isa-debug-exit,iobase=0xf4,iosize=0x04
		# a busy host is late with the interrupts by which the kernel tries its timer
		append="no_timer_check $append"
		console=ttyS0 ;;
	arm64)
		set -- qemu-system-aarch64 -M virt,gic-version=3 -cpu cortex-a72
		console=ttyAMA0 ;;
	esac
	[ -z "$disk" ] || set -- "$@" -drive "file=$out/disk.img,format=raw,if=virtio,cache=unsafe"
	[ -z "$window" ] || set -- "$@" -chardev "socket,id=window,path=$sockets/bar" \
		-device pcie-root-port,id=slot1,chassis=1,slot=1 \
		-device ivshmem-doorbell,id=window,bus=slot1,chardev=window,vectors=2 \
		-qmp "unix:$sockets/qmp,server=on,wait=off"
	# Never KVM: a host may offer one that starts and then hangs.
	timeout -k 5 "$limit" "$@" -accel tcg,thread=multi -smp "$cpus" -m "$memory" \
		-nodefaults -display none -serial stdio -no-reboot \
		${window:+-chardev "socket,id=words,path=$sockets/words" -serial chardev:words} \
		-kernel "$dir/boot/vmlinuz-$release" -initrd "$out/initrd.gz" \
		-append "console=$console panic=-1 oops=panic quiet log_buf_len=4M $append" \
		</dev/null >"$out/serial.raw" 2>"$out/qemu.log"
}
