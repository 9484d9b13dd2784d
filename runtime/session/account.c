/* SPDX-License-Identifier: Apache-2.0 */
#include "session/account.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "annotate/categories.h"
#include "clock/clock.h"
#include "format/files.h"
#include "format/json_write.h"
#include "session/injected.h"

static const char *const tx_kind_names[TX_KINDS] = {
	[TX_KIND_MARK] = "mark",
	[TX_KIND_PUSH_POP] = "push_pop",
	[TX_KIND_RANGE] = "range",
	[TX_KIND_MSTX_MARK] = "mstx_mark",
	[TX_KIND_MSTX_RANGE] = "mstx_range",
	[TX_KIND_MARK_EX] = "mark_ex",
	[TX_KIND_TENSOR] = "tensor_info",
};

static const char *const tx_drop_names[TX_DROPS] = {
	[TX_DROP_RING_FULL] = "ring_full",
	[TX_DROP_NO_MEMORY] = "no_memory",
	[TX_DROP_REENTRANT] = "reentrant",
};

/* Rows that a sink took and that are, or will be, in no file. */
static uint64_t lost_by_error(const struct run *run, const struct slice_sink *s, unsigned int kind)
{
	if (!run->store.error)
		return 0;
	return s->taken[kind] - s->aged[kind] - slice_written(s, kind);
}

static void sink_drops(struct json_writer *w, const struct run *run, const struct slice_sink *s, unsigned int kind)
{
	bool space = run->store.error == ENOSPC || run->store.error == EDQUOT;
	uint64_t lost = lost_by_error(run, s, kind);

	json_u64(w, "aged", s->aged[kind]);
	json_u64(w, "no_space", space ? lost : 0);
	json_u64(w, "write_error", space ? 0 : lost);
}

static void entry_open(struct json_writer *w, const char *kind, int device, uint64_t produced, uint64_t in_files)
{
	json_open(w, NULL, '{');
	json_string(w, "kind", kind);
	json_i64(w, "device", device);
	json_u64(w, "produced", produced);
	json_u64(w, "written", in_files);
	json_open(w, "dropped", '{');
}

static void entry_close(struct json_writer *w, uint64_t open, uint64_t first, uint64_t last)
{
	json_close(w, '}');
	json_u64(w, "open", open);
	json_u64(w, "first_ns", first);
	json_u64(w, "last_ns", last);
	json_close(w, '}');
}

static uint64_t open_of(const struct run *run, unsigned int kind)
{
	if (kind == TX_KIND_PUSH_POP)
		return run->tx_totals.left_pushed;
	return kind == TX_KIND_TENSOR ? run->tx_totals.left_launching : run->ranges_open[kind];
}

uint64_t account_open(const struct run *run)
{
	uint64_t n = 0;

	for (unsigned int k = 0; k < TX_KINDS; k++)
		n += open_of(run, k);
	return n;
}

static void put_annotations(struct json_writer *w, const struct run *run)
{
	for (unsigned int k = 0; k < TX_KINDS; k++) {
		const struct slice_sink *sink = k == TX_KIND_TENSOR ? &run->tensors : &run->tx;
		uint64_t open = open_of(run, k);

		/* What needs a device runtime is shown where there was one. */
		if (k >= TX_KIND_MARK_EX && !run->tx_totals.produced[k] && !open)
			continue;
		entry_open(w, tx_kind_names[k], -1, run->tx_totals.produced[k], slice_written(sink, k));
		for (int d = 0; d < TX_DROPS; d++)
			json_u64(w, tx_drop_names[d], run->tx_totals.dropped[k][d]);
		sink_drops(w, run, sink, k);
		entry_close(w, open, run->tx_seen.first_ns[k], run->tx_seen.last_ns[k]);
	}
}

static void put_host(struct json_writer *w, const struct run *run)
{
	for (int k = 0; k < HOST_KINDS; k++) {
		const struct host_collector *c = host_collector(run->host_data, (enum host_kind)k);

		uint64_t lost = c && c->osrt ? osrt_lost(c->osrt) : 0;

		if (!c)
			continue;
		entry_open(w, c->def->name, -1, c->sink.taken[0] + c->late + c->unread + lost, slice_written(&c->sink, 0));
		json_u64(w, "late", c->late);
		json_u64(w, "unread", c->unread);
		json_u64(w, "ring_full", lost);
		sink_drops(w, run, &c->sink, 0);
		entry_close(w, 0, c->first_ns, c->last_ns);
	}
}

static void put_container(struct json_writer *w, const struct container *c)
{
	if (!*c->evidence && !c->memory_bytes && !c->cpu_thousandths)
		return;
	json_open(w, "container", '{');
	json_string(w, "evidence", c->evidence);
	json_u64(w, "memory_bytes", c->memory_bytes);
	json_u64(w, "cpu_thousandths", c->cpu_thousandths);
	json_close(w, '}');
}

static void put_device(struct json_writer *w, const struct run *run, unsigned int id)
{
	const struct device *d = run->device[id];

	for (int i = 0; i < DEVICE_TABLES; i++) {
		enum device_table table = (enum device_table)i;
		const struct slice_sink *s = device_sink(d, table);
		const struct device_counts *n = device_counts(d, table);

		if (!device_has(d, table))
			continue;
		entry_open(w, device_table_name(table), (int)id, s->taken[0] + n->lost_rows, slice_written(s, 0));
		json_u64(w, "ring_full", n->lost_rows);
		sink_drops(w, run, s, 0);
		entry_close(w, 0, n->first_ns, n->last_ns);
	}
}

static void put_sources(struct json_writer *w, const struct run *run)
{
	json_open(w, "sources", '[');
	for (unsigned int i = 0; i < run->nr_sources; i++) {
		const struct run_source *s = &run->sources[i];

		json_open(w, NULL, '{');
		json_u64(w, "device", s->device);
		json_string(w, "source", s->source);
		if (s->sim)
			json_string(w, "kind", "sim");
		json_string(w, "note", s->note);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_category(void *arg, uint32_t category, const char *name)
{
	struct json_writer *w = arg;

	json_open(w, NULL, '{');
	json_u64(w, "category", category);
	json_string(w, "name", name);
	json_close(w, '}');
}

static void put_categories(struct json_writer *w)
{
	if (!categories_any())
		return;
	json_open(w, "categories", '[');
	categories_each(put_category, w);
	json_close(w, ']');
}

static void put_moment(struct json_writer *w, const char *key, const struct moment *m)
{
	json_open(w, key, '{');
	json_u64(w, "raw_ns", m->raw_ns);
	json_u64(w, "real_ns", m->real_ns);
	json_close(w, '}');
}

static void put_writer(struct json_writer *w, const struct slice_store *store)
{
	char reason[256];

	snprintf(reason, sizeof(reason), "%s%s%s", store->io->reason, *store->io->reason && *store->buffered ? "; " : "",
		 store->buffered);
	json_open(w, "writer", '{');
	json_string(w, "backend", store->io->name);
	json_bool(w, "direct", store->block);
	json_string(w, "reason", reason);
	json_close(w, '}');
}

int account_write(const struct run *run)
{
	struct json_writer w = { 0 };
	const char *text;
	size_t len;
	int err;

	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_string(&w, "version", ASCPROF_VERSION);
	json_string(&w, "state", run->state);
	json_u64(&w, "pid", (uint64_t)getpid());
	json_string(&w, "comm", control_program());
	if (*injected_id())
		json_string(&w, "record", injected_id());
	json_string(&w, "error", run->store.error ? run->store.failed : "");
	put_writer(&w, &run->store);
	json_open(&w, "clock", '{');
	json_string(&w, "source", clock_source_name());
	json_close(&w, '}');
	put_moment(&w, "start", &run->begin);
	put_moment(&w, "end", &run->end);
	put_container(&w, &run->container);
	put_sources(&w, run);
	json_open(&w, "accounting", '[');
	if (run->annotated)
		put_annotations(&w, run);
	put_host(&w, run);
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		if (run->device[id])
			put_device(&w, run, id);
	json_close(&w, ']');
	put_categories(&w);
	json_u64(&w, "refused", run->tx_totals.refused);
	json_close(&w, '}');
	text = json_finish(&w, &len);
	err = text ? files_put(run->fd, "ascprof.json", text, len) : ENOMEM;
	json_release(&w);
	return err;
}

uint64_t account_losses(const struct run *run, char *text, size_t size)
{
	uint64_t reason[TX_DROPS] = { 0 }, lost = 0, produced = 0;
	const struct host_collector *osrt;
	int n;

	for (unsigned int k = 0; run->annotated && k < TX_KINDS; k++) {
		produced += run->tx_totals.produced[k];
		for (int d = 0; d < TX_DROPS; d++)
			reason[d] += run->tx_totals.dropped[k][d];
	}
	osrt = host_collector(run->host_data, HOST_KIND_OSRT);
	if (osrt) {
		produced += osrt->sink.taken[0] + osrt_lost(osrt->osrt);
		reason[TX_DROP_RING_FULL] += osrt_lost(osrt->osrt);
	}
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		for (int i = 0; run->device[id] && i < DEVICE_TABLES; i++) {
			const struct device_counts *c = device_counts(run->device[id], (enum device_table)i);

			produced += device_sink(run->device[id], (enum device_table)i)->taken[0] + c->lost_rows;
			reason[TX_DROP_RING_FULL] += c->lost_rows;
		}
	}
	for (int d = 0; d < TX_DROPS; d++)
		lost += reason[d];
	n = snprintf(text, size, "%" PRIu64 " of %" PRIu64 " were dropped", lost, produced);
	for (int d = 0; d < TX_DROPS; d++)
		if (reason[d] && n > 0 && (size_t)n < size)
			n += snprintf(text + n, size - (size_t)n, ", %s %" PRIu64, tx_drop_names[d], reason[d]);
	return lost;
}
