/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/npu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collect/poller.h"
#include "session/fds.h"

#define SINK_BYTES (64u << 10)
#define SINK_BYTES_TASKS (256u << 10) /* of the task scheduler, which has most to tell */
#define ONE_SLICE UINT32_MAX /* lines: readers want some of them in one file */
#define TURNS_MAX 64 /* at the end, of a buffer each: a device may go on for ever */

/* ---- starting ---- */

static struct npu_file *file_of(struct npu *n, const struct channel_def *def, uint32_t row_bytes)
{
	struct npu_file *f;

	for (unsigned int i = 0; i < n->nr_channels; i++)
		if (!strcmp(n->channel[i].c.def->file, def->file))
			return n->channel[i].file;
	f = &n->file[n->nr_files++];
	f->name = def->name;
	f->file = def->file;
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

		if (!channel_wanted(def, ask) || !hal_listed(list, def->id))
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
	if (err || !npu_read_facts(n, note, note_size)) {
		if (err)
			snprintf(note, note_size, "the driver does not list its channels (%d)", err);
		free(list);
		return refused(n);
	}
	ask.chip = n->facts.chip;
	ask.sample_ms = n->facts.sample_ms;
	ask.core_mask = n->facts.cores >= 32 ? UINT32_MAX : (1u << n->facts.cores) - 1;
	ask.nr_mpam = n->facts.nr_mpam;
	memcpy(ask.mpam, n->facts.mpam, sizeof(ask.mpam));
	if (wish->bits & ACL_PROF_AICORE_METRICS)
		n->facts.metrics = chip_metrics_of(n->facts.chip, wish->metrics);
	npu_clock_read(n, &n->facts.begin);
	npu_clock_take(n, &n->facts.begin);
	start_channels(n, &ask, list, tell);
	free(list);
	if (n->nr_channels)
		return n;
	snprintf(note, note_size, "no channel of it runs");
	return refused(n);
}

bool npu_attach(struct npu *n, struct slice_store *store, int data_fd)
{
	for (unsigned int i = 0; i < n->nr_channels; i++) {
		struct npu_channel *nc = &n->channel[i];
		struct npu_file *f = nc->file;
		char tag[64];

		if (f->sink.store)
			continue;
		snprintf(tag, sizeof(tag), "%s.%u", nc->c.def->file, n->id);
		if (!slice_sink_init(&f->sink, store, data_fd, tag, f->row_bytes,
				     nc->c.def->type == HAL_TYPE_SCHEDULER ? SINK_BYTES_TASKS : SINK_BYTES) ||
		    !slice_sink_pack(&f->sink, nc->c.def->columns))
			return false;
		if (f->row_bytes == CHANNEL_TEXT) {
			f->sink.slice_bytes = ONE_SLICE;
			f->sink.preallocate = false;
			f->sink.lines = true;
		}
	}
	n->attached = true;
	return true;
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
	for (unsigned int i = 0; i < n->nr_files; i++)
		slice_sink_free(&n->file[i].sink);
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
