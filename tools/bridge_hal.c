/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bridge_hal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A function pointer out of an object pointer, as POSIX wants it. */
static bool find(struct hal *hal, const char *name, void *function)
{
	void *address = dlsym(hal->library, name);

	memcpy(function, &address, sizeof(address));
	return address;
}

int hal_open(struct hal *hal, const char *path, char *why, size_t size)
{
	const struct {
		const char *name;
		void *function;
	} needed[] = {
		{ "prof_drv_get_channels", &hal->get_channels },
		{ "prof_drv_start", &hal->start },
		{ "prof_stop", &hal->stop },
		{ "prof_channel_read", &hal->read },
		{ "prof_channel_poll", &hal->poll },
	};

	memset(hal, 0, sizeof(*hal));
	hal->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!hal->library) {
		snprintf(why, size, "%s", dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (find(hal, needed[i].name, needed[i].function))
			continue;
		snprintf(why, size, "%s: has no function %s", path, needed[i].name);
		hal_close(hal);
		return -1;
	}
	find(hal, "halProfDataFlush", &hal->flush);
	return 0;
}

void hal_close(struct hal *hal)
{
	dlclose(hal->library);
	hal->library = NULL;
}
