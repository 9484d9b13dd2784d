// SPDX-License-Identifier: Apache-2.0
/* What is made of a driver that lacks functions, refuses, or counts devices in its own way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collect/hal.h"

static struct {
	uint32_t nr, ids[4];
	int count_error, ids_error;
} driver;

static int device_count(uint32_t *nr)
{
	*nr = driver.nr;
	return driver.count_error;
}

static int device_ids(uint32_t *ids, uint32_t nr)
{
	memcpy(ids, driver.ids, (nr < 4 ? nr : 4) * sizeof(*ids));
	return driver.ids_error;
}

static int get_channels(unsigned int device, struct hal_channel_list *list)
{
	(void)device, (void)list;
	return 0;
}

static int start(unsigned int device, unsigned int channel, struct hal_start *s)
{
	(void)device, (void)channel, (void)s;
	return 0;
}

static int stop(unsigned int device, unsigned int channel)
{
	(void)device, (void)channel;
	return 0;
}

static int read_channel(unsigned int device, unsigned int channel, char *buffer, unsigned int size)
{
	(void)device, (void)channel, (void)buffer, (void)size;
	return 0;
}

static void lacks_a_function(void **state)
{
	struct hal hal = { 0 };

	(void)state;
	assert_string_equal(hal_missing(&hal), "prof_drv_get_channels");
	hal.get_channels = get_channels;
	assert_string_equal(hal_missing(&hal), "prof_drv_start");
	hal.start = start;
	assert_string_equal(hal_missing(&hal), "prof_stop");
	hal.stop = stop;
	assert_string_equal(hal_missing(&hal), "prof_channel_read");
	hal.read = read_channel;
	assert_string_equal(hal_missing(&hal), "prof_channel_poll");
}

static void refuses(void **state)
{
	(void)state;
	assert_string_equal(hal_error_text(HAL_ERROR_INVALID), "the driver refuses the configuration");
	assert_string_equal(hal_error_text(HAL_ERROR_RUNNING), "busy: it runs already, for another collector");
	assert_string_equal(hal_error_text(HAL_ERROR_VF_FULL), hal_error_text(HAL_ERROR_NO_SUBCHANNEL));
	assert_non_null(strstr(hal_error_text(HAL_ERROR_VF_FULL), "no room"));
	assert_string_equal(hal_error_text(HAL_ERROR_UNSUPPORTED), "not supported");
	assert_string_equal(hal_error_text(123456), "the driver refuses");
}

static void counts_devices(void **state)
{
	struct hal hal = { 0 };

	(void)state;
	assert_int_equal(hal_devices(&hal), 0);
	hal.device_count = device_count;
	driver.nr = 3;
	assert_int_equal(hal_devices(&hal), 7); /* and does not tell which */
	driver.nr = HAL_DEVICES;
	assert_true(hal_devices(&hal) == UINT64_MAX);
	driver.nr = HAL_DEVICES + 1;
	assert_int_equal(hal_devices(&hal), 0);
	driver.nr = 2;
	driver.count_error = 1;
	assert_int_equal(hal_devices(&hal), 0);
	driver.count_error = 0;
	hal.device_ids = device_ids;
	driver.ids[0] = 5;
	driver.ids[1] = HAL_DEVICES; /* none of ours */
	assert_int_equal(hal_devices(&hal), 1 << 5);
	driver.ids_error = 1;
	assert_int_equal(hal_devices(&hal), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lacks_a_function),
		cmocka_unit_test(refuses),
		cmocka_unit_test(counts_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
