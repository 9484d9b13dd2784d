/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/hal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/cancel.h"

const char *hal_library(void)
{
	const char *name = secure_getenv("ASCPROF_HAL");

	return name && *name ? name : HAL_LIBRARY;
}

/* A function pointer out of an object pointer, as POSIX wants it. */
static void find(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
}

int hal_open(struct hal *hal, const char *path, char *why, size_t size)
{
	const struct {
		const char *name;
		void *function;
	} all[] = {
		{ "prof_drv_get_channels", &hal->get_channels },
		{ "prof_drv_start", &hal->start },
		{ "prof_stop", &hal->stop },
		{ "prof_channel_read", &hal->read },
		{ "prof_channel_poll", &hal->poll },
		{ "halProfDataFlush", &hal->flush },
		{ "drvGetDevNum", &hal->device_count },
		{ "drvGetDevIDs", &hal->device_ids },
		{ "halGetDeviceInfo", &hal->device_info },
		{ "halGetDeviceInfoByBuff", &hal->device_info_buffer },
	};

	memset(hal, 0, sizeof(*hal));
	hal->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!hal->library) {
		snprintf(why, size, "%s", dlerror());
		return -1;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		find(hal->library, all[i].name, all[i].function);
	return 0;
}

void hal_close(struct hal *hal)
{
	dlclose(hal->library);
	hal->library = NULL;
}

const char *hal_missing(const struct hal *hal)
{
	if (!hal->get_channels)
		return "prof_drv_get_channels";
	if (!hal->start)
		return "prof_drv_start";
	if (!hal->stop)
		return "prof_stop";
	if (!hal->read)
		return "prof_channel_read";
	return hal->poll ? NULL : "prof_channel_poll";
}

static struct hal shared;
static char shared_why[256];
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;

static void open_shared(void)
{
	const char *name = hal_library(), *missing;

	if (hal_open(&shared, name, shared_why, sizeof(shared_why)))
		return;
	missing = hal_missing(&shared);
	if (!missing)
		return;
	snprintf(shared_why, sizeof(shared_why), "%.128s: has no function %s", name, missing);
	hal_close(&shared);
}

const struct hal *hal_shared(char *why, size_t size)
{
	int before = cancel_off();

	pthread_once(&shared_once, open_shared);
	cancel_on_again(before);
	if (shared.library)
		return &shared;
	snprintf(why, size, "%s", shared_why);
	return NULL;
}

bool hal_listed(const struct hal_channel_list *list, unsigned int id)
{
	unsigned int nr = list->nr < HAL_CHANNELS ? list->nr : HAL_CHANNELS;

	for (unsigned int i = 0; i < nr; i++)
		if (list->channel[i].id == id)
			return true;
	return false;
}

const char *hal_error_text(int error)
{
	switch (error) {
	case HAL_ERROR_INVALID:
		return "the driver refuses the configuration";
	case HAL_ERROR_RUNNING:
	case HAL_ERROR_STARTED:
	case HAL_ERROR_BUSY:
		return "busy: it runs already, for another collector";
	case HAL_ERROR_NO_SUBCHANNEL:
	case HAL_ERROR_VF_FULL:
		return "busy: the driver has no room for one more collector";
	case HAL_ERROR_NOT_BOUND:
		return "the program has not set the device yet";
	case HAL_ERROR_NOT_SUPPORTED:
	case HAL_ERROR_UNSUPPORTED:
		return "not supported";
	default:
		return "the driver refuses";
	}
}

uint64_t hal_devices(const struct hal *hal)
{
	uint32_t nr = 0, ids[HAL_DEVICES] = { 0 };
	uint64_t devices = 0;

	if (!hal->device_count || hal->device_count(&nr) || !nr || nr > HAL_DEVICES)
		return 0;
	if (!hal->device_ids || hal->device_ids(ids, nr))
		return nr == HAL_DEVICES ? UINT64_MAX : (1ULL << nr) - 1;
	for (uint32_t i = 0; i < nr; i++)
		if (ids[i] < HAL_DEVICES)
			devices |= 1ULL << ids[i];
	return devices;
}

int64_t hal_fact(const struct hal *hal, unsigned int device, enum hal_module module, enum hal_fact fact,
		 int64_t otherwise)
{
	int64_t value = 0;

	if (!hal->device_info || hal->device_info(device, module, fact, &value))
		return otherwise;
	return value;
}
