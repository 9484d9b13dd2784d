// SPDX-License-Identifier: Apache-2.0
/*
 * Rows of a device, whose two samples come from what stands in for the module: one of each unit and
 * event that the device has, with what each counter grew by between them.
 */
#include "prof.h"
#include "t.h"

#include "tests/device/module.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#if T_SANITIZED
int main(void)
{
	t_skip("the sanitizers have mappings of their own");
}
#else

#define GREW 1000 /* of every counter of the stand-in */

/* The library is built with all of its own hidden, but has to meet these. */
#pragma GCC visibility push(default)

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int, off_t);

	if (module_is_stream(fd))
		return module_map(length, protection, offset);
	*(void **)&next = dlsym(RTLD_NEXT, "mmap");
	return next(address, length, protection, flags, fd, offset);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...);
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (module_is_asked(request))
		return module_ioctl(request, arg);
	*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, arg);
}

#pragma GCC visibility pop

static void record(const void *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);

	setenv("ASCPROF_DEVICE", "/dev/null", 1); /* its ioctls are those of the stand-in */
	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"), 0);
	t_code(aclprofStart(config), 0);
	t_stop(config);
	module_close();
}

/* The rows of a file, as many as fit into @room. */
static size_t rows_of(const char *prof, const char *file, void *rows, size_t row, size_t room)
{
	FILE *from = fopen(t_path("%s/device_0/data/%s.data.0.slice_0", prof, file), "r");
	size_t nr = from ? fread(rows, row, room, from) : 0;

	t_check(from != NULL, "no rows of %s", file);
	if (from)
		fclose(from);
	return nr;
}

static void check_llc(const char *prof)
{
	struct row_llc row[ROW_LLC_EVENTS + 1];
	unsigned int grown = 0;

	t_equal(rows_of(prof, "llc", row, sizeof(row[0]), ROW_LLC_EVENTS + 1), ROW_LLC_EVENTS, "rows of one cache");
	for (int i = 0; i < ROW_LLC_EVENTS; i++) {
		t_equal(row[i].slice, 0, "cache of row %d", i);
		t_equal(row[i].stamp_us, row[0].stamp_us, "time of row %d", i);
		t_equal(row[i].count, row[i].event ? 0 : GREW, "event %u", row[i].event);
		grown += row[i].count != 0;
	}
	t_equal(grown, 1, "events that there are");
}

static void check_hbm(const char *prof)
{
	struct row_hbm row[3];

	t_equal(rows_of(prof, "hbm", row, sizeof(row[0]), 3), 2, "rows of one memory");
	for (uint32_t i = 0; i < 2; i++) {
		t_equal(row[i].unit, 0, "memory of row %u", i);
		t_equal(row[i].write, i, "direction of row %u", i);
		t_equal(row[i].count, GREW, "count of row %u", i);
	}
	t_check(row[0].stamp_us > 0 && row[0].stamp_us < 600000000u, "time since the begin: %llu us",
		(unsigned long long)row[0].stamp_us);
}

static void check_accelerator(const char *prof)
{
	struct row_soc_acc row[2];

	t_equal(rows_of(prof, "stars_soc_profile", row, sizeof(row[0]), 2), 1, "rows of one accelerator");
	t_equal(row[0].head, ROW_SOC_ACC, "head");
	t_equal(row[0].magic, ROW_SOC_MAGIC, "magic number");
	t_equal(row[0].unit, 0, "accelerator");
	t_equal(row[0].read_bandwidth, GREW, "read");
	t_equal(row[0].write_bandwidth, 0, "written, which is not counted");
	t_equal(row[0].read_ost + row[0].write_ost, 0, "under way, which is not counted");
}

int main(void)
{
	const char *dir = t_dir(), *prof;

	t_equal(t_child(record, dir), 0, "status of the recording");
	prof_check(dir, "", NULL);
	prof = prof_only(dir);
	if (prof) {
		check_llc(prof);
		check_hbm(prof);
		check_accelerator(prof);
	}
	return t_end();
}
#endif /* T_SANITIZED */
