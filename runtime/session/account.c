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

static const char *const tx_kind_names[TX_KINDS] = {
	[TX_KIND_MARK] = "mark",
	[TX_KIND_PUSH_POP] = "push_pop",
	[TX_KIND_RANGE] = "range",
	[TX_KIND_MSTX_MARK] = "mstx_mark",
	[TX_KIND_MSTX_RANGE] = "mstx_range",
	[TX_KIND_MARK_EX] = "mark_ex",
	[TX_KIND_TENSOR] = "tensor_info",
	[TX_KIND_API] = "api",
	[TX_KIND_EVENT] = "event",
	[TX_KIND_COMPACT] = "compact",
	[TX_KIND_ADDITIONAL] = "additional",
};

static const char *const tx_drop_names[TX_DROPS] = {
	[TX_DROP_RING_FULL] = "ring_full",
	[TX_DROP_NO_MEMORY] = "no_memory",
	[TX_DROP_REENTRANT] = "reentrant",
};

static struct slice_sum sum_of(const struct slice_sink *s, unsigned int kind)
{
	return (struct slice_sum){ s->taken[kind], slice_written(s, kind), s->aged[kind] };
}

/* @unit: of what is counted, in a row or an event */
static void sink_drops(struct json_writer *w, const struct run *run, const struct slice_sum *sum, uint32_t unit)
{
	bool space = run->store.error == ENOSPC || run->store.error == EDQUOT;
	/* Rows that were taken and that are, or will be, in no file. */
	uint64_t lost = run->store.error ? (sum->taken - sum->aged - sum->written) * unit : 0;

	json_u64(w, "aged", sum->aged * unit);
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

static void entry_end(struct json_writer *w, uint64_t open, uint64_t first, uint64_t last)
{
	json_u64(w, "open", open);
	json_u64(w, "first_ns", first);
	json_u64(w, "last_ns", last);
	json_close(w, '}');
}

static void entry_close(struct json_writer *w, uint64_t open, uint64_t first, uint64_t last)
{
	json_close(w, '}');
	entry_end(w, open, first, last);
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

static uint64_t dropped_of(const struct run *run, unsigned int k, int reason)
{
	return run->tx_totals.dropped[k][reason] + (reason == TX_DROP_NO_MEMORY ? run->reports.no_memory[k] : 0);
}

static void put_kind(struct json_writer *w, const struct run *run, unsigned int k)
{
	uint64_t open = open_of(run, k);
	struct slice_sum sum = k < TX_KIND_TENSOR ? sum_of(&run->tx, k) : reports_sum(&run->reports, (enum tx_kind)k);

	entry_open(w, tx_kind_names[k], ACCOUNT_HOST, run->tx_totals.produced[k], sum.written);
	for (int d = 0; d < TX_DROPS; d++)
		json_u64(w, tx_drop_names[d], dropped_of(run, k, d));
	sink_drops(w, run, &sum, 1);
	entry_close(w, open, run->tx_seen.first_ns[k], run->tx_seen.last_ns[k]);
}

static void put_rings(struct json_writer *w, const struct run *run)
{
	/* What needs a device runtime, or is a framework's, is shown where there was one. */
	for (unsigned int k = run->annotated ? 0 : TX_KIND_TENSOR; k < TX_KINDS; k++)
		if (k < TX_KIND_MARK_EX || run->tx_totals.produced[k] || open_of(run, k))
			put_kind(w, run, k);
}

static void put_host(struct json_writer *w, const struct run *run)
{
	for (int k = 0; k < HOST_KINDS; k++) {
		const struct host_collector *c = host_collector(run->host_data, (enum host_kind)k);
		struct host_sum sum;

		if (!c)
			continue;
		sum = host_sum(run->host_data, (enum host_kind)k);
		entry_open(w, c->def->name, ACCOUNT_HOST, sum.slices.taken + c->late + c->unread + sum.no_room,
			   sum.slices.written);
		json_u64(w, "late", c->late);
		json_u64(w, "unread", c->unread);
		json_u64(w, "ring_full", sum.no_room);
		sink_drops(w, run, &sum.slices, 1);
		entry_close(w, 0, sum.first_ns, sum.last_ns);
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

static void put_thread(struct json_writer *w, const struct thread_count *one)
{
	for (unsigned int k = 0; k < TX_KINDS; k++) {
		if (!one->produced[k])
			continue;
		json_open(w, NULL, '{');
		json_u64(w, "tid", one->tid);
		json_string(w, "kind", tx_kind_names[k]);
		json_u64(w, "produced", one->produced[k]);
		json_u64(w, "taken", one->taken[k]);
		json_open(w, "dropped", '{');
		for (int d = 0; d < TX_DROPS; d++)
			json_u64(w, tx_drop_names[d], one->dropped[k][d]);
		json_close(w, '}');
		json_close(w, '}');
	}
}

static void put_threads(struct json_writer *w, const struct by_thread *all)
{
	json_open(w, "threads", '[');
	for (uint32_t i = 0; i < all->n; i++)
		put_thread(w, &all->thread[i]);
	put_thread(w, &all->others);
	json_close(w, ']');
	json_u64(w, "other_threads", all->nr_others);
}

static void put_device(struct json_writer *w, const struct run *run, unsigned int id)
{
	const struct device *d = run->device[id];

	for (int i = 0; i < DEVICE_TABLES; i++) {
		enum device_table table = (enum device_table)i;
		struct slice_sum sum = sum_of(device_sink(d, table), 0);
		const struct device_counts *n = device_counts(d, table);

		if (!device_has(d, table))
			continue;
		entry_open(w, device_table_name(table), (int)id, sum.taken + n->lost_rows, sum.written);
		json_u64(w, "ring_full", n->lost_rows);
		sink_drops(w, run, &sum, 1);
		entry_close(w, 0, n->first_ns, n->last_ns);
	}
}

/* In bytes, for what is in them is not ours to count. */
static void put_npu(struct json_writer *w, const struct run *run, unsigned int id)
{
	const struct npu *n = run->npu[id];

	for (unsigned int i = 0; i < n->nr_files; i++) {
		const struct npu_file *f = &n->file[i];
		const struct channel_counts counts = npu_counts(n, f);
		struct slice_sum sum = sum_of(&f->sink, 0);

		entry_open(w, f->name, (int)id, counts.read, sum.written * f->row_bytes);
		json_u64(w, "ring_full", counts.no_room);
		json_u64(w, "torn", counts.torn);
		sink_drops(w, run, &sum, f->row_bytes);
		json_close(w, '}');
		json_string(w, "unit", "bytes");
		json_string(w, "file", f->file);
		json_u64(w, "row_bytes", f->row_bytes);
		entry_end(w, 0, counts.first_ns, counts.last_ns);
	}
}

static void put_sources(struct json_writer *w, const struct run *run)
{
	json_open(w, "sources", '[');
	for (unsigned int i = 0; i < run->nr_sources; i++) {
		const struct run_source *s = &run->sources[i];

		json_open(w, NULL, '{');
		json_i64(w, "device", s->device == HOST_DEVICE ? ACCOUNT_HOST : (int64_t)s->device);
		json_string(w, "source", s->source);
		if (s->sim)
			json_string(w, "kind", "sim");
		json_string(w, "note", s->note);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_clock(struct json_writer *w, const struct npu *n)
{
	struct relation_line line;

	if (!relation_fit(&n->clock, n->facts.counter_khz, &line))
		return;
	json_open(w, NULL, '{');
	json_u64(w, "device", n->id);
	json_u64(w, "readings", n->clock.taken);
	json_u64(w, "counter", line.counter);
	json_u64(w, "host_ns", line.host_ns);
	json_u64(w, "micro_hz", line.micro_hz);
	json_i64(w, "drift_ppb", line.drift_ppb);
	json_u64(w, "error_ns", line.error_ns);
	json_close(w, '}');
}

static void put_clocks(struct json_writer *w, const struct run *run)
{
	json_open(w, "clocks", '[');
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		if (run->npu[id])
			put_clock(w, run->npu[id]);
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

static void put_correlation(struct json_writer *w, const char *key, const struct clock_correlation *c)
{
	json_open(w, key, '{');
	json_u64(w, "ticks", c->ticks);
	json_u64(w, "raw_ns", c->raw_ns);
	json_u64(w, "real_ns", c->real_ns);
	json_u64(w, "error_ns", c->error_ns);
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

int account_write(struct run *run)
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
	if (*run->record)
		json_string(&w, "record", run->record);
	json_string(&w, "error", run->store.error ? run->store.failed : "");
	put_writer(&w, &run->store);
	json_open(&w, "clock", '{');
	json_string(&w, "source", clock_source_name());
	put_correlation(&w, "start", &run->begin_clocks);
	put_correlation(&w, "end", &run->end_clocks);
	json_close(&w, '}');
	put_moment(&w, "start", &run->begin);
	put_moment(&w, "end", &run->end);
	put_container(&w, &run->container);
	put_sources(&w, run);
	put_clocks(&w, run);
	json_open(&w, "accounting", '[');
	if (run->first)
		put_rings(&w, run);
	put_host(&w, run);
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		if (run->device[id])
			put_device(&w, run, id);
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		if (run->npu[id])
			put_npu(&w, run, id);
	json_close(&w, ']');
	put_threads(&w, &run->tx_by_thread);
	put_categories(&w);
	json_u64(&w, "refused", run->tx_totals.refused);
	json_close(&w, '}');
	text = json_finish(&w, &len);
	err = text ? files_put_kept(run->fd, "ascprof.json", text, len, &run->account, strcmp(run->state, "running") != 0)
		   : ENOMEM;
	json_release(&w);
	return err;
}

uint64_t account_losses(const struct run *run, char *text, size_t size)
{
	uint64_t reason[TX_DROPS] = { 0 }, lost = 0, produced = 0, bytes = 0;
	int n;

	for (unsigned int k = 0; run->first && k < TX_KINDS; k++) {
		produced += run->tx_totals.produced[k];
		for (int d = 0; d < TX_DROPS; d++)
			reason[d] += dropped_of(run, k, d);
	}
	for (int k = 0; k < HOST_KINDS; k++) {
		const struct host_collector *c = host_collector(run->host_data, (enum host_kind)k);
		struct host_sum sum;

		if (!c)
			continue;
		sum = host_sum(run->host_data, (enum host_kind)k);
		if (!c->def->lost && !sum.no_room)
			continue;
		produced += sum.slices.taken + sum.no_room;
		reason[TX_DROP_RING_FULL] += sum.no_room;
	}
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		for (int i = 0; run->device[id] && i < DEVICE_TABLES; i++) {
			const struct device_counts *c = device_counts(run->device[id], (enum device_table)i);

			produced += device_sink(run->device[id], (enum device_table)i)->taken[0] + c->lost_rows;
			reason[TX_DROP_RING_FULL] += c->lost_rows;
		}
	}
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		for (unsigned int i = 0; run->npu[id] && i < run->npu[id]->nr_files; i++) {
			const struct channel_counts c = npu_counts(run->npu[id], &run->npu[id]->file[i]);

			bytes += c.no_room + c.torn;
		}
	}
	for (int d = 0; d < TX_DROPS; d++)
		lost += reason[d];
	n = snprintf(text, size, "%" PRIu64 " of %" PRIu64 " were dropped", lost, produced);
	for (int d = 0; d < TX_DROPS; d++)
		if (reason[d] && n > 0 && (size_t)n < size)
			n += snprintf(text + n, size - (size_t)n, ", %s %" PRIu64, tx_drop_names[d], reason[d]);
	if (bytes && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, "; of channels, %" PRIu64 " bytes", bytes);
	return lost + bytes;
}
