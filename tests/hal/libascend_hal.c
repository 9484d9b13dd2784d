/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for the vendor's library, in tests only: devices of a chip, with the
 * profiling channels that it has. What a channel says of its k-th period is known
 * beforehand (model.h). HAL_MODEL says what it is, and what goes wrong (standin.h);
 * calls that change a channel are noted in the file HAL_LOG, one a line.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

#define VISIBLE __attribute__((visibility("default")))
#define NS 1000000000ull
#define BATCH_NS 10000000 /* a device that has much to say says it all at such times */

/* The names that callers look for. */
int prof_drv_get_channels(unsigned int device, struct hal_channel_list *list);
int prof_drv_start(unsigned int device, unsigned int channel, struct hal_start *start);
int prof_stop(unsigned int device, unsigned int channel);
int prof_channel_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size);
int prof_channel_poll(struct hal_ready *ready, int nr, int timeout_s);
int halProfDataFlush(unsigned int device, unsigned int channel, unsigned int *len);
int drvGetDevNum(uint32_t *nr);
int drvGetDevIDs(uint32_t *ids, uint32_t nr);
int halGetDeviceInfo(uint32_t device, int32_t module, int32_t fact, int64_t *value);
int halGetDeviceInfoByBuff(uint32_t device, int32_t module, int32_t fact, void *buffer, int32_t *size);

static struct model_channel *channels[HAL_DEVICES][HAL_CHANNELS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t loaded_ns;

static uint64_t clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_of(CLOCK_MONOTONIC_RAW) - loaded_ns;
}

static __attribute__((constructor)) void load(void)
{
	setup_read();
	loaded_ns = clock_of(CLOCK_MONOTONIC_RAW);
}

static void note(const char *what, unsigned int device, unsigned int channel, const struct hal_start *start)
{
	const char *path = getenv("HAL_LOG");
	char text[1024];
	int fd, n;

	if (!path)
		return;
	n = snprintf(text, sizeof(text), "%s %u %u", what, device, channel);
	if (start)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " type %d period %u data ", start->type,
			      start->period_ms);
	for (unsigned int i = 0; start && i < start->user_data_size; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%02x", ((uint8_t *)start->user_data)[i]);
	text[n++] = '\n';
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		abort();
	close(fd);
}

static struct model_channel *find(unsigned int device, unsigned int id)
{
	struct model_channel **c;

	if (device >= setup.devices || id >= HAL_CHANNELS || !setup_has(id))
		return NULL;
	c = &channels[device][id];
	if (!*c) {
		*c = calloc(1, sizeof(**c));
		(*c)->buffer = malloc(setup.ring);
		(*c)->device = device;
		(*c)->id = id;
	}
	return *c;
}

uint8_t *model_more(struct model_channel *c, size_t size)
{
	uint8_t *p;

	if (c->len + size > setup.ring && c->read) {
		memmove(c->buffer, c->buffer + c->read, c->len - c->read);
		c->len -= c->read;
		c->read = 0;
	}
	if (c->len + size > setup.ring) { /* nobody reads */
		c->lost += size;
		return NULL;
	}
	p = c->buffer + c->len;
	memset(p, 0, size);
	c->len += size;
	return p;
}

static void make_due(struct model_channel *c)
{
	const struct fault *f = &setup.fault[c->id];
	uint64_t since = now_ns() - c->begin_ns, due;

	if (setup.rate)
		since -= since % BATCH_NS;
	due = setup.periods ? setup.periods : since / c->period_ns;
	if (due > f->gone_at)
		due = f->gone_at;
	if (due > f->stopped_at)
		due = f->stopped_at;
	if (c->read == c->len)
		c->read = c->len = 0;
	while (c->running && c->made < due)
		model_make(c, ++c->made);
}

VISIBLE int prof_drv_get_channels(unsigned int device, struct hal_channel_list *list)
{
	if (device >= setup.devices)
		return HAL_ERROR_INVALID;
	list->nr = 0;
	for (unsigned int id = 0; id < HAL_CHANNELS; id++)
		if (setup_has(id))
			list->channel[list->nr++].id = id;
	return 0;
}

/* AI cores only, sampled, all of them, eight events of 16 bits, the first of them 0x08. */
static bool bridge_words(const struct hal_start *start)
{
	const uint32_t *w = start->user_data;

	return w[0] == 1 && w[1] == 2 && w[2] == start->period_ms && w[3] == UINT32_MAX && w[4] == 8 &&
	       (w[5] & 0xffff) == 0x08 && w[8] >> 16 == 0x55 && !w[17];
}

static int start_channel(struct model_channel *c, const struct hal_start *start)
{
	unsigned int size = start->user_data_size, records = model_records(c->id);

	if (size > sizeof(c->config) || !setup_takes(c->id, size) || start->real_time != 1)
		return HAL_ERROR_INVALID;
	if (setup.wraps && c->id == HAL_FFTS_SAMPLE && !bridge_words(start))
		return HAL_ERROR_INVALID;
	if (setup.fault[c->id].start)
		return setup.fault[c->id].start;
	if (c->running)
		return HAL_ERROR_RUNNING;
	memset(c->config, 0, sizeof(c->config));
	if (size)
		memcpy(c->config, start->user_data, size);
	c->period_ns = setup.rate ? NS * records / setup.rate : (start->period_ms ? start->period_ms : 20) * 1000000ull;
	c->begin_ns = now_ns();
	c->origin_ns = setup.periods || setup.wraps ? 0 : c->begin_ns;
	c->made = c->lost = 0;
	c->len = c->read = 0;
	c->piece = 0;
	c->running = true;
	return 0;
}

VISIBLE int prof_drv_start(unsigned int device, unsigned int channel, struct hal_start *start)
{
	struct model_channel *c;
	int ret = HAL_ERROR_INVALID;

	pthread_mutex_lock(&lock);
	note("start", device, channel, start);
	c = find(device, channel);
	if (c)
		ret = start_channel(c, start);
	pthread_mutex_unlock(&lock);
	return ret;
}

VISIBLE int prof_stop(unsigned int device, unsigned int channel)
{
	struct model_channel *c;
	int ret = HAL_ERROR_INVALID;

	pthread_mutex_lock(&lock);
	note("stop", device, channel, NULL);
	c = find(device, channel);
	if (c) {
		ret = setup.fault[channel].lost || c->lost ? HAL_ERROR_DATA_LOST : 0;
		if (!c->running)
			ret = HAL_ERROR_STOPPED;
		c->running = false;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

VISIBLE int halProfDataFlush(unsigned int device, unsigned int channel, unsigned int *len)
{
	struct model_channel *c;
	int ret = HAL_ERROR_INVALID;

	pthread_mutex_lock(&lock);
	note("flush", device, channel, NULL);
	c = find(device, channel);
	if (c && c->running) {
		make_due(c);
		if (setup.skew && c->len + 1 <= setup.ring)
			c->buffer[c->len++] = 'x';
		*len = (unsigned int)(c->len - c->read);
		ret = 0;
	} else if (c) {
		ret = HAL_ERROR_STOPPED;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

static int take(struct model_channel *c, char *buffer, unsigned int size)
{
	static const uint32_t pieces[] = { 4096, 1, 23, 65, 500, 7 };
	const struct fault *f = &setup.fault[c->id];
	size_t len;

	if (!c->running)
		return HAL_ERROR_STOPPED;
	if (setup.periods) /* which are there, even if nobody has waited for them */
		make_due(c);
	len = c->len - c->read;
	if (!len && c->made >= f->gone_at)
		return -1;
	if (!len && c->made >= f->stopped_at)
		return HAL_ERROR_STOPPED;
	if (len > size)
		len = size;
	if (setup.pieces && len > pieces[c->piece % 6])
		len = pieces[c->piece++ % 6];
	memcpy(buffer, c->buffer + c->read, len);
	c->read += len;
	return (int)len;
}

VISIBLE int prof_channel_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size)
{
	struct model_channel *c;
	int ret = -1;

	if (channel < HAL_CHANNELS && setup.fault[channel].stall_ms)
		usleep(setup.fault[channel].stall_ms * 1000);
	pthread_mutex_lock(&lock);
	c = find(device, channel);
	if (c)
		ret = take(c, buffer, size);
	pthread_mutex_unlock(&lock);
	return ret;
}

static bool has_news(struct model_channel *c)
{
	const struct fault *f = &setup.fault[c->id];

	if (!c->running)
		return false;
	make_due(c);
	return c->len > c->read || c->made >= f->gone_at || c->made >= f->stopped_at;
}

static bool any_runs(void)
{
	for (unsigned int device = 0; device < setup.devices; device++)
		for (unsigned int id = 0; id < HAL_CHANNELS; id++)
			if (channels[device][id] && channels[device][id]->running)
				return true;
	return false;
}

static int list_ready(struct hal_ready *ready, int nr)
{
	int found = 0;

	for (unsigned int device = 0; device < setup.devices; device++)
		for (unsigned int id = 0; id < HAL_CHANNELS && found < nr; id++)
			if (channels[device][id] && has_news(channels[device][id]))
				ready[found++] = (struct hal_ready){ device, id };
	return found;
}

/* In another order, with one twice, and one that nobody has. */
static int shuffle(struct hal_ready *ready, int found, int nr)
{
	for (int i = 0; i < found / 2; i++) {
		struct hal_ready one = ready[i];

		ready[i] = ready[found - 1 - i];
		ready[found - 1 - i] = one;
	}
	if (found && found + 2 <= nr) {
		ready[found] = ready[0];
		ready[found + 1] = (struct hal_ready){ HAL_DEVICES + 1, HAL_CHANNELS + 1 };
		found += 2;
	}
	return found;
}

VISIBLE int prof_channel_poll(struct hal_ready *ready, int nr, int timeout_s)
{
	uint64_t until = clock_of(CLOCK_MONOTONIC) + (uint64_t)timeout_s * NS;
	bool more;
	int found;

	do {
		pthread_mutex_lock(&lock);
		more = any_runs();
		found = list_ready(ready, nr);
		pthread_mutex_unlock(&lock);
		if (!found && more)
			usleep(500);
	} while (!found && more && clock_of(CLOCK_MONOTONIC) < until);
	return setup.shuffle ? shuffle(ready, found, nr) : found;
}

/* ---- the devices ---- */

VISIBLE int drvGetDevNum(uint32_t *nr)
{
	*nr = setup.devices;
	return 0;
}

VISIBLE int drvGetDevIDs(uint32_t *ids, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ids[i] = i;
	return 0;
}

/* What passes on a clock that is fast while @ns do. */
static uint64_t fast(uint64_t ns)
{
	return ns + (uint64_t)((int64_t)(ns / 1000) * setup.ppm / 1000);
}

static int64_t system_fact(int32_t fact)
{
	uint64_t ns = setup.periods ? 0 : now_ns();

	switch (fact) {
	case HAL_FACT_ENV:
		return 3;
	case HAL_FACT_VERSION:
		return (int64_t)setup.chip << 8 | 1;
	case HAL_FACT_COUNTER:
		return (int64_t)(MODEL_TICKS_FIRST + (uint64_t)((unsigned __int128)fast(ns) * setup_khz() / 1000000));
	case HAL_FACT_MONOTONIC_RAW:
		return (int64_t)(MODEL_MONO_FIRST + ns);
	case HAL_FACT_COUNTER_KHZ:
		return setup_khz();
	default:
		return -1;
	}
}

VISIBLE int halGetDeviceInfo(uint32_t device, int32_t module, int32_t fact, int64_t *value)
{
	static const struct {
		int32_t module, fact, value;
	} facts[] = {
		{ HAL_MODULE_CTRL_CPU, HAL_FACT_CORES, 4 }, { HAL_MODULE_CTRL_CPU, HAL_FACT_ID, 0x41d05 },
		{ HAL_MODULE_CTRL_CPU, HAL_FACT_ENDIAN, 1 }, { HAL_MODULE_TSCPU, HAL_FACT_CORES, 1 },
		{ HAL_MODULE_AICPU, HAL_FACT_CORES, 4 }, { HAL_MODULE_AICPU, HAL_FACT_ID, 4 },
		{ HAL_MODULE_AICPU, HAL_FACT_OCCUPY, 0xf0 }, { HAL_MODULE_AICORE, HAL_FACT_CORES, MODEL_CORES },
		{ HAL_MODULE_AICORE, HAL_FACT_ID, 0 }, { HAL_MODULE_VECTOR, HAL_FACT_CORES, 2 * MODEL_CORES },
	};

	if (device >= setup.devices)
		return HAL_ERROR_INVALID;
	if (setup.nofacts && !(module == HAL_MODULE_SYSTEM && fact == HAL_FACT_VERSION))
		return HAL_ERROR_NOT_SUPPORTED;
	if (module == HAL_MODULE_SYSTEM && system_fact(fact) >= 0) {
		*value = system_fact(fact);
		return 0;
	}
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].module == module && facts[i].fact == fact) {
			*value = facts[i].value;
			return 0;
		}
	}
	return HAL_ERROR_NOT_SUPPORTED;
}

VISIBLE int halGetDeviceInfoByBuff(uint32_t device, int32_t module, int32_t fact, void *buffer, int32_t *size)
{
	struct hal_qos *q = buffer;

	if (device >= setup.devices || *size != (int32_t)sizeof(*q))
		return HAL_ERROR_INVALID;
	if (setup.nofacts || module != HAL_MODULE_QOS || fact != HAL_FACT_CONFIG ||
	    (setup.chip != 5 && setup.chip != 15))
		return HAL_ERROR_NOT_SUPPORTED;
	if (q->mode == 0) {
		q->nr = 10;
		for (uint8_t i = 0; i < 10; i++)
			q->mpam[i] = (uint8_t)(i + 20);
	} else {
		snprintf(q->name, sizeof(q->name), "stream_%u", q->mpam[0]);
	}
	return 0;
}
