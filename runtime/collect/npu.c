/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/npu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "clock/clock.h"
#include "collect/poller.h"
#include "log/log.h"
#include "session/fds.h"

#define SINK_BYTES (64u << 10)
#define SINK_BYTES_TASKS (256u << 10) /* of the task scheduler, which has most to tell */
#define ONE_SLICE UINT32_MAX /* lines: readers want some of them in one file */
#define TURNS_MAX 64 /* at the end, of a buffer each: a device may go on for ever */
#define CLOCK_TRIES 5
#define CLOCK_NS 10000000000u /* from one reading of the clocks to the next */
#define SAMPLE_MS_MIN 1u
#define SAMPLE_MS_MAX 1000u
#define SAMPLE_MS_USUAL 10u

/* ---- what the driver tells of the device ---- */

/* The narrowest of a few readings was not interrupted. Return: false when the driver does not tell. */
static bool read_between(const struct npu *n, enum hal_fact fact, struct relation_reading *best)
{
	best->width_ns = UINT64_MAX;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC_RAW), width;
		int64_t value = hal_fact(n->hal, n->id, HAL_MODULE_SYSTEM, fact, 0);

		width = clock_ns(CLOCK_MONOTONIC_RAW) - before;
		if (value <= 0)
			return false;
		if (width < best->width_ns)
			*best = (struct relation_reading){ (uint64_t)value, before + width / 2, width };
	}
	return true;
}

void npu_clock_read(const struct npu *n, struct npu_clock *clock)
{
	struct relation_reading counter, raw;

	*clock = (struct npu_clock){ .host_ns = clock_ns(CLOCK_MONOTONIC_RAW) };
	if (read_between(n, HAL_FACT_COUNTER, &counter)) {
		clock->counter = counter.counter;
		clock->host_ns = counter.host_ns;
		clock->width_ns = counter.width_ns;
	}
	/* All three are of one moment. */
	if (read_between(n, HAL_FACT_MONOTONIC_RAW, &raw))
		clock->device_ns = raw.counter - (raw.host_ns - clock->host_ns);
}

static void note_clock(struct npu *n, const struct npu_clock *clock)
{
	if (clock->counter)
		relation_add(&n->clock, &(struct relation_reading){ clock->counter, clock->host_ns, clock->width_ns });
	n->clock_due = clock_ns(CLOCK_MONOTONIC) + CLOCK_NS;
}

void npu_clock_note(struct npu *n, bool now)
{
	struct npu_clock clock;

	if (n->finished || (!now && clock_ns(CLOCK_MONOTONIC) < n->clock_due))
		return;
	npu_clock_read(n, &clock);
	note_clock(n, &clock);
}

static uint32_t fact(const struct npu *n, enum hal_module module, enum hal_fact which, uint32_t otherwise)
{
	int64_t value = hal_fact(n->hal, n->id, module, which, otherwise);

	return value < 0 || value > UINT32_MAX ? otherwise : (uint32_t)value;
}

/* Names of the streams that bandwidth monitors can watch. */
static void read_qos(const struct npu *n, struct npu_facts *f)
{
	unsigned int most = f->chip->family == CHIP_950 ? 8 : HAL_QOS_STREAMS;
	struct hal_qos list = { .device = n->id }, one;
	int32_t size = sizeof(list);
	size_t used = 0;

	if (!n->hal->device_info_buffer ||
	    n->hal->device_info_buffer(n->id, HAL_MODULE_QOS, HAL_FACT_CONFIG, &list, &size) ||
	    list.nr > HAL_QOS_STREAMS)
		return;
	for (unsigned int i = 0; i < list.nr && f->nr_mpam < most; i++) {
		one = (struct hal_qos){ .device = n->id, .mode = 1, .mpam = { list.mpam[i] } };
		size = sizeof(one);
		if (n->hal->device_info_buffer(n->id, HAL_MODULE_QOS, HAL_FACT_CONFIG, &one, &size))
			continue;
		one.name[sizeof(one.name) - 1] = '\0';
		if (used + strlen(one.name) + 2 > sizeof(f->qos_names))
			return;
		used += (size_t)snprintf(f->qos_names + used, sizeof(f->qos_names) - used, "%s%s", used ? "," : "",
					 one.name);
		f->mpam[f->nr_mpam++] = list.mpam[i];
	}
}

static bool read_facts(struct npu *n, char *note, size_t note_size)
{
	struct npu_facts *f = &n->facts;
	int64_t version = hal_fact(n->hal, n->id, HAL_MODULE_SYSTEM, HAL_FACT_VERSION, -1);

	if (version < 0) {
		snprintf(note, note_size, "the driver does not tell which chip it is");
		return false;
	}
	f->chip = chip_of((unsigned int)(version >> 8 & 0xff));
	if (!f->chip) {
		snprintf(note, note_size, "a chip that is not known: %u", (unsigned int)(version >> 8 & 0xff));
		return false;
	}
	f->counter_khz = fact(n, HAL_MODULE_SYSTEM, HAL_FACT_COUNTER_KHZ, 0);
	if (!f->counter_khz)
		f->counter_khz = f->chip->counter_khz;
	f->core_mhz = fact(n, HAL_MODULE_AICORE, HAL_FACT_HZ, 0);
	if (!f->core_mhz)
		f->core_mhz = f->chip->core_mhz;
	f->env = fact(n, HAL_MODULE_SYSTEM, HAL_FACT_ENV, 3);
	f->ctrl_cpu_id = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_ID, 0);
	f->ctrl_cpus = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_CORES, 0);
	f->ctrl_little_endian = fact(n, HAL_MODULE_CTRL_CPU, HAL_FACT_ENDIAN, 1);
	f->ts_cpus = fact(n, HAL_MODULE_TSCPU, HAL_FACT_CORES, 0);
	f->ai_cpus = fact(n, HAL_MODULE_AICPU, HAL_FACT_CORES, 0);
	f->ai_cpu_id = fact(n, HAL_MODULE_AICPU, HAL_FACT_ID, 0);
	f->ai_cpu_bits = fact(n, HAL_MODULE_AICPU, HAL_FACT_OCCUPY, 0);
	f->cores = fact(n, HAL_MODULE_AICORE, HAL_FACT_CORES, 0);
	f->core_id = fact(n, HAL_MODULE_AICORE, HAL_FACT_ID, 0);
	f->vector_cores = fact(n, HAL_MODULE_VECTOR, HAL_FACT_CORES, 0);
	read_qos(n, f);
	return true;
}

/* ASCPROF_AICORE=sample or sample:<ms>; by task otherwise, as the interface has it. */
static unsigned int sample_ms(void)
{
	const char *way = secure_getenv("ASCPROF_AICORE");
	unsigned long ms;
	char *end;

	if (!way || !*way || !strcmp(way, "task"))
		return 0;
	if (!strcmp(way, "sample"))
		return SAMPLE_MS_USUAL;
	if (!strncmp(way, "sample:", 7)) {
		errno = 0;
		ms = strtoul(way + 7, &end, 10);
		if (end != way + 7 && !*end && !errno && ms >= SAMPLE_MS_MIN && ms <= SAMPLE_MS_MAX)
			return (unsigned int)ms;
	}
	log_line(LOG_WARN, "ASCPROF_AICORE is \"%s\", expected task, sample, or sample:<1 to %u ms>: taken as task",
		 way, SAMPLE_MS_MAX);
	return 0;
}

/* ---- starting ---- */

static bool listed(const struct hal_channel_list *list, unsigned int id)
{
	unsigned int nr = list->nr < HAL_CHANNELS ? list->nr : HAL_CHANNELS;

	for (unsigned int i = 0; i < nr; i++)
		if (list->channel[i].id == id)
			return true;
	return false;
}

static struct npu_file *file_of(struct npu *n, const struct channel_def *def, uint32_t row_bytes)
{
	struct npu_file *f;

	for (unsigned int i = 0; i < n->nr_channels; i++)
		if (!strcmp(n->channel[i].c.def->file, def->file))
			return n->channel[i].file;
	f = &n->file[n->nr_files++];
	f->name = def->name;
	f->row_bytes = row_bytes;
	return f;
}

/* Return: 0, or why not, with an error of the driver in @code. */
static const char *start_channel(struct npu *n, const struct channel_def *def, const struct channel_ask *ask,
				 int *code)
{
	struct npu_channel *nc = &n->channel[n->nr_channels];
	uint8_t data[CHANNEL_CONFIG_MAX] __attribute__((aligned(8)));
	struct hal_start start = { .type = def->type, .real_time = 1 };
	uint32_t row_bytes = def->row_bytes(ask);

	if (channel_init(&nc->c, def, n->hal, n->id, row_bytes, &n->wake))
		return "no memory";
	start.user_data_size = def->configure(ask, &start.period_ms, data);
	start.user_data = start.user_data_size ? data : NULL;
	*code = n->hal->start(n->id, def->id, &start);
	if (*code) {
		channel_destroy(&nc->c);
		return hal_error_text(*code);
	}
	nc->file = file_of(n, def, row_bytes);
	n->nr_channels++;
	return NULL;
}

static void start_channels(struct npu *n, const struct channel_ask *ask, const struct hal_channel_list *list,
			   const struct npu_tell *tell)
{
	for (unsigned int i = 0; i < channel_count; i++) {
		const struct channel_def *def = &channel_defs[i];
		const char *why;
		char text[128];
		int code = 0;

		if (!channel_wanted(def, ask) || !listed(list, def->id))
			continue;
		why = start_channel(n, def, ask, &code);
		if (!why)
			continue;
		snprintf(text, sizeof(text), code ? "%s (%d)" : "%s", why, code);
		tell->channel(tell->arg, def, text);
	}
}

static bool make(struct npu *n)
{
	n->channel = calloc(channel_count, sizeof(*n->channel));
	n->file = calloc(channel_count, sizeof(*n->file));
	n->wake.fd = fds_add(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return n->channel && n->file && n->wake.fd >= 0;
}

static struct npu *refused(struct npu *n)
{
	npu_free(n);
	return NULL;
}

struct npu *npu_open(unsigned int id, const struct hal *hal, const struct npu_wish *wish, const struct npu_tell *tell,
		     char *note, size_t note_size)
{
	struct npu *n = calloc(1, sizeof(*n));
	struct hal_channel_list *list = calloc(1, sizeof(*list));
	struct channel_ask ask = { .bits = wish->bits, .settings = wish->settings, .metrics = wish->metrics };
	bool made = false;
	int err;

	if (n) {
		n->id = id;
		n->hal = hal;
		n->wake.fd = -1;
		made = make(n);
	}
	if (!made || !list) {
		snprintf(note, note_size, "no memory");
		free(list);
		return refused(n);
	}
	err = hal->get_channels(id, list);
	if (err || !read_facts(n, note, note_size)) {
		if (err)
			snprintf(note, note_size, "the driver does not list its channels (%d)", err);
		free(list);
		return refused(n);
	}
	ask.chip = n->facts.chip;
	ask.sample_ms = sample_ms();
	ask.core_mask = n->facts.cores >= 32 ? UINT32_MAX : (1u << n->facts.cores) - 1;
	ask.nr_mpam = n->facts.nr_mpam;
	memcpy(ask.mpam, n->facts.mpam, sizeof(ask.mpam));
	if (wish->bits & ACL_PROF_AICORE_METRICS)
		n->facts.metrics = chip_metrics_of(n->facts.chip, wish->metrics);
	n->facts.sample_ms = ask.sample_ms;
	npu_clock_read(n, &n->facts.begin);
	note_clock(n, &n->facts.begin);
	start_channels(n, &ask, list, tell);
	free(list);
	if (n->nr_channels)
		return n;
	snprintf(note, note_size, "no channel of it runs");
	return refused(n);
}

void npu_attach(struct npu *n, struct slice_store *store, int data_fd)
{
	for (unsigned int i = 0; i < n->nr_channels; i++) {
		struct npu_channel *nc = &n->channel[i];
		struct npu_file *f = nc->file;
		char tag[64];

		if (f->sink.store)
			continue;
		snprintf(tag, sizeof(tag), "%s.%u", nc->c.def->file, n->id);
		slice_sink_init(&f->sink, store, data_fd, tag, f->row_bytes,
				nc->c.def->type == HAL_TYPE_SCHEDULER ? SINK_BYTES_TASKS : SINK_BYTES);
		if (f->row_bytes == CHANNEL_TEXT) {
			f->sink.slice_bytes = ONE_SLICE;
			f->sink.preallocate = false;
			f->sink.lines = true;
		}
	}
	n->attached = true;
}

int npu_start(struct npu *n)
{
	int err = 0;

	for (unsigned int i = 0; i < n->nr_channels && !err; i++)
		err = poller_add(&n->channel[i].c);
	return err;
}

int npu_fd(const struct npu *n)
{
	return n->wake.fd;
}

/* ---- from the channels into slices ---- */

static void put_records(struct slice_sink *s, const char *data, size_t len)
{
	while (len) {
		uint32_t rows, most;
		void *to = slice_reserve(s, &rows);

		if (!to) {
			slice_lose(s, len / s->row_bytes, 0);
			return;
		}
		most = (uint32_t)(len / s->row_bytes);
		if (rows > most)
			rows = most;
		memcpy(to, data, (size_t)rows * s->row_bytes);
		slice_commit(s, rows, 0);
		data += (size_t)rows * s->row_bytes;
		len -= (size_t)rows * s->row_bytes;
	}
}

/* As many whole lines as fit together, at least one. */
static size_t some_lines(const char *data, size_t len, size_t most)
{
	const char *end = len <= most ? data + len - 1 : memrchr(data, '\n', most);

	if (!end)
		end = memchr(data, '\n', len);
	return (size_t)(end - data) + 1;
}

static void put_lines(struct slice_sink *s, const char *data, size_t len)
{
	while (len) {
		size_t part = some_lines(data, len, s->buf_bytes);
		void *to = part <= s->buf_bytes ? slice_reserve_event(s, (uint32_t)part) : NULL;

		if (to) {
			memcpy(to, data, part);
			slice_commit(s, (uint32_t)part, 0);
		} else {
			slice_lose(s, part, 0);
		}
		data += part;
		len -= part;
	}
}

static void take(struct npu_channel *nc, bool wait)
{
	const char *data;
	size_t len = channel_take(&nc->c, &data, wait);

	if (nc->c.row_bytes == CHANNEL_TEXT)
		put_lines(&nc->file->sink, data, len);
	else
		put_records(&nc->file->sink, data, len);
}

void npu_read(struct npu *n)
{
	uint64_t times;

	if (n->finished)
		return;
	while (read(n->wake.fd, &times, sizeof(times)) < 0 && errno == EINTR)
		;
	if (!atomic_exchange(&n->wake.urgent, false))
		return;
	for (unsigned int i = 0; i < n->nr_channels; i++)
		take(&n->channel[i], false);
}

void npu_flush(struct npu *n)
{
	if (n->finished)
		return;
	npu_clock_note(n, false);
	atomic_store(&n->wake.told, false);
	for (unsigned int i = 0; i < n->nr_channels; i++)
		take(&n->channel[i], false);
	for (unsigned int i = 0; i < n->nr_files; i++)
		slice_flush(&n->file[i].sink);
}

/* ---- ending ---- */

static void tell_failed(struct npu_channel *nc, const struct npu_tell *tell, const char *what, int code)
{
	char text[128];

	if (nc->told)
		return;
	nc->told = true;
	snprintf(text, sizeof(text), "%s (%d)", what, code);
	tell->channel(tell->arg, nc->c.def, text);
}

void npu_tell_failed(struct npu *n, const struct npu_tell *tell)
{
	for (unsigned int i = 0; i < n->nr_channels; i++) {
		struct npu_channel *nc = &n->channel[i];
		int error = nc->c.seen.error;

		if (error == HAL_ERROR_STOPPED)
			tell_failed(nc, tell, "the driver has stopped it", error);
		else if (error)
			tell_failed(nc, tell, "cannot be read any more: is the device gone?", error);
	}
}

static void stop_channel(struct npu *n, struct npu_channel *nc, const struct npu_tell *tell)
{
	int code = n->hal->stop(n->id, nc->c.def->id);

	if (code == HAL_ERROR_DATA_LOST)
		tell_failed(nc, tell, "the device lost data before it could be read", code);
	else if (code)
		tell_failed(nc, tell, "stopping it failed", code);
}

void npu_finish(struct npu *n, const struct npu_tell *tell)
{
	unsigned int left;

	if (n->finished)
		return;
	npu_clock_note(n, true);
	for (unsigned int i = 0; n->hal->flush && i < n->nr_channels; i++)
		if (n->channel[i].c.def->flushed)
			n->hal->flush(n->id, n->channel[i].c.def->id, &left);
	for (unsigned int i = 0; i < n->nr_channels; i++) {
		struct npu_channel *nc = &n->channel[i];

		poller_remove(&nc->c);
		for (int turn = 0; turn < TURNS_MAX; turn++) {
			take(nc, true);
			if (!channel_fill(&nc->c))
				break;
		}
		take(nc, true);
		channel_finish(&nc->c);
	}
	npu_tell_failed(n, tell);
	for (unsigned int i = 0; i < n->nr_channels; i++)
		stop_channel(n, &n->channel[i], tell);
	for (unsigned int i = 0; i < n->nr_files; i++)
		slice_finish(&n->file[i].sink);
	for (unsigned int i = 0; i < n->nr_channels; i++)
		channel_destroy(&n->channel[i].c);
	fds_close(n->wake.fd);
	n->wake.fd = -1;
	n->finished = true;
}

void npu_free(struct npu *n)
{
	if (!n)
		return;
	for (unsigned int i = 0; !n->finished && i < n->nr_channels; i++) {
		poller_remove(&n->channel[i].c);
		n->hal->stop(n->id, n->channel[i].c.def->id);
		channel_destroy(&n->channel[i].c);
	}
	if (!n->finished)
		fds_close(n->wake.fd);
	free(n->channel);
	free(n->file);
	free(n);
}

/* ---- accounting ---- */

struct channel_counts npu_counts(const struct npu *n, const struct npu_file *file)
{
	struct channel_counts all = { 0 };

	for (unsigned int i = 0; i < n->nr_channels; i++) {
		const struct channel_counts *c = &n->channel[i].c.seen;

		if (n->channel[i].file != file)
			continue;
		all.read += c->read;
		all.no_room += c->no_room;
		all.torn += c->torn;
		if (c->first_ns && (!all.first_ns || c->first_ns < all.first_ns))
			all.first_ns = c->first_ns;
		if (c->last_ns > all.last_ns)
			all.last_ns = c->last_ns;
	}
	return all;
}

bool npu_has(const struct npu *n, enum hal_channel id)
{
	for (unsigned int i = 0; i < n->nr_channels; i++)
		if (n->channel[i].c.def->id == id)
			return true;
	return false;
}
