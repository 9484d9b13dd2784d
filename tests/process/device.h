/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in for a device runtime, loaded into a test. */
#ifndef ASCPROF_TEST_DEVICE_H
#define ASCPROF_TEST_DEVICE_H

#include "t.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>

#include "tests/device/libruntime.h"

#define DEVICE_STREAM ((void *)0x57ea0)

/* @flags: RTLD_GLOBAL or RTLD_LOCAL: to be found by anybody, or by its name only. */
static inline struct device_standin *device_load(int flags)
{
	char self[PATH_MAX] = "";
	struct device_standin *standin;
	const char *path;
	void *library;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	path = t_path("%s/../device/libruntime.so", dirname(self));
	library = dlopen(path, RTLD_NOW | flags);
	standin = library ? dlsym(library, "device_standin") : NULL;
	if (!standin) {
		printf("%s: %s\n", path, dlerror());
		exit(T_FAIL);
	}
	return standin;
}

#endif /* ASCPROF_TEST_DEVICE_H */
