/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver of NPUs answers: bytes of a channel in pieces, errors, more than it was asked for; and its
 * lists of devices and channels. The first bytes choose the channel and the length of its records.
 */
#include "tests/fuzz/readers/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collect/channel.h"
#include "collect/hal.h"

static struct {
	struct input in;
	int next; /* what is answered; then there is nothing */
	uint32_t nr;
	bool refuses;
} driver;

static int answer_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size)
{
	int answer = driver.next;
	size_t n = answer > 0 ? (size_t)answer : 0;

	(void)device, (void)channel;
	driver.next = HAL_ERROR_EMPTY;
	n = n < size ? n : size;
	memset(buffer, (int)input_take(&driver.in, 1), n);
	for (size_t i = 0; i < n && i < 64 && driver.in.at < driver.in.end; i++)
		buffer[n - 1 - i] = (char)*driver.in.at++;
	return answer;
}

static int answer_count(uint32_t *nr)
{
	*nr = driver.nr;
	return 0;
}

static int answer_ids(uint32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ids[i] = (uint32_t)input_take(&driver.in, 1);
	return driver.refuses;
}

static const struct hal hal = { .read = answer_read, .device_count = answer_count, .device_ids = answer_ids };

static void lists(void)
{
	struct hal_channel_list list;
	bool there = false;
	unsigned int id;

	driver.nr = (uint32_t)input_take(&driver.in, 4);
	driver.refuses = input_take(&driver.in, 1) & 1;
	hal_devices(&hal);
	memset(&list, (int)input_take(&driver.in, 1), sizeof(list));
	list.nr = (unsigned int)input_take(&driver.in, 4);
	id = (unsigned int)input_take(&driver.in, 1);
	for (unsigned int i = 0; i < HAL_CHANNELS && i < list.nr; i++)
		there |= list.channel[i].id == id;
	if (hal_listed(&list, id) != there || !*hal_error_text((int)input_take(&driver.in, 4)))
		abort();
}

static uint64_t taken(struct channel *c)
{
	const char *data;
	size_t len = channel_take(c, &data, true);

	if (len && (c->row_bytes == CHANNEL_TEXT ? data[len - 1] != '\n' : len % c->row_bytes))
		abort(); /* no whole records */
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct channel_wake wake = { .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	uint64_t all = 0;
	struct channel c;
	uint32_t row;

	driver.in.at = data;
	driver.in.end = data + size;
	row = (uint32_t)input_take(&driver.in, 1);
	if (wake.fd < 0 || channel_init(&c, &channel_defs[input_take(&driver.in, 1) % channel_count], &hal, 0,
					row ? row : CHANNEL_TEXT, &wake))
		abort();
	while (driver.in.at < driver.in.end) {
		switch (input_take(&driver.in, 1) % 4) {
		case 0:
			driver.next = (int)(input_take(&driver.in, 3) << 8) / 256; /* with its sign */
			channel_read(&c);
			break;
		case 1:
			driver.next = (int)(input_take(&driver.in, 2) << 16) / 65536;
			channel_fill(&c);
			break;
		case 2:
			all += taken(&c);
			break;
		default:
			lists();
		}
	}
	channel_finish(&c);
	all += taken(&c);
	if (c.counts.read != all + c.counts.no_room + c.counts.torn)
		abort(); /* not accounted for */
	channel_destroy(&c);
	close(wake.fd);
	return 0;
}
