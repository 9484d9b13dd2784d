/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel and its limits. */
#include "config.h"

#include "tools/doctor.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock/clock.h"

#define MIB (1ull << 20)
#define SPACE_NOTE (1024 * MIB)
#define SPACE_PROBLEM (64 * MIB)
#define LOCKED_ENOUGH (8 * MIB) /* registered buffers, and rings of a few NPUs */

void doctor_kernel(struct doctor *d)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	if (major > 5 || (major == 5 && minor >= 10))
		doctor_say(d, DOCTOR_OK, "kernel", "%s %s, %s", name.sysname, name.release, name.machine);
	else
		doctor_say(d, DOCTOR_NOTE, "kernel", "%s %s, %s: the module was never tried below 5.10",
			   name.sysname, name.release, name.machine);
}

/* Why a ring was refused, and what lets it pass. */
static void no_io_uring(struct doctor *d, int err)
{
	char text[SYSFS_TEXT];

	if (err == EPERM && !doctor_read(d, text, "/proc/sys/kernel/io_uring_disabled") && strcmp(text, "0")) {
		doctor_say(d, DOCTOR_NOTE, "io_uring", "kernel.io_uring_disabled is %s: files are written by pwritev",
			   text);
		doctor_mend(d, "sysctl -w kernel.io_uring_disabled=0");
	} else if (err == EPERM) {
		doctor_say(d, DOCTOR_NOTE, "io_uring", "a seccomp filter forbids it: files are written by pwritev");
		doctor_mend(d, "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile");
	} else {
		doctor_say(d, DOCTOR_NOTE, "io_uring", "%s: files are written by pwritev", strerror(err));
		if (err == ENOMEM)
			doctor_mend(d, "ulimit -l unlimited");
	}
}

void doctor_io_uring(struct doctor *d)
{
	char params[256] = ""; /* struct io_uring_params, and what it may grow to */
	long fd;

	if (!HAVE_LIBURING) {
		doctor_say(d, DOCTOR_NOTE, "io_uring", "built without liburing: files are written by pwritev");
		doctor_mend(d, "apt-get install liburing-dev && make clean all");
		return;
	}
	fd = syscall(SYS_io_uring_setup, 4, params);
	if (fd < 0) {
		no_io_uring(d, errno);
		return;
	}
	close((int)fd);
	doctor_say(d, DOCTOR_OK, "io_uring", "may be used");
}

void doctor_membarrier(struct doctor *d)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	if (commands >= 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED)
		doctor_say(d, DOCTOR_OK, "membarrier", "may be used");
	else
		doctor_say(d, DOCTOR_NOTE, "membarrier", "%s: each annotation costs a memory fence",
			   commands < 0 ? strerror(errno) : "lacks the private expedited command");
}

void doctor_clock(struct doctor *d)
{
	char text[SYSFS_TEXT] = "";

	clock_setup();
	if (clock_uses_cycles) {
		doctor_say(d, DOCTOR_OK, "clock", "%s", clock_source_name());
		return;
	}
	doctor_read(d, text, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	doctor_say(d, DOCTOR_NOTE, "clock",
		   "no invariant cycle counter, or the kernel does not trust it (it has: %s): CLOCK_MONOTONIC_RAW, slower",
		   text);
}

void doctor_memlock(struct doctor *d)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || doctor_capable(d, DOCTOR_CAP_IPC_LOCK)) {
		doctor_say(d, DOCTOR_OK, "memlock", "no limit of locked memory");
		return;
	}
	if (limit.rlim_cur >= LOCKED_ENOUGH) {
		doctor_say(d, DOCTOR_OK, "memlock", "%llu KiB of memory may be locked",
			   (unsigned long long)limit.rlim_cur >> 10);
		return;
	}
	doctor_say(d, DOCTOR_NOTE, "memlock",
		   "%llu KiB of memory may be locked: too little for registered buffers, and for rings of many NPUs",
		   (unsigned long long)limit.rlim_cur >> 10);
	doctor_mend(d, "ulimit -l 65536, or memlock in /etc/security/limits.conf");
}

void doctor_space(struct doctor *d)
{
	struct statvfs fs;
	unsigned long long room;

	if (statvfs(".", &fs)) {
		doctor_say(d, DOCTOR_NOTE, "space", "the current folder: %s", strerror(errno));
		return;
	}
	room = (unsigned long long)fs.f_bavail * fs.f_frsize;
	doctor_say(d, room < SPACE_PROBLEM ? DOCTOR_PROBLEM : room < SPACE_NOTE ? DOCTOR_NOTE : DOCTOR_OK, "space",
		   "%llu MiB free in the current folder", room / MIB);
	if (room < SPACE_NOTE)
		doctor_mend(d, "df -h, then name a result folder where there is room");
	if (access(".", W_OK))
		doctor_say(d, DOCTOR_NOTE, "space", "the current folder: %s", strerror(errno));
}
