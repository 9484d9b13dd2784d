/* SPDX-License-Identifier: Apache-2.0 */
#include "export/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/filter.h"

struct timeline_prof {
	struct tx tx;
	struct calls calls;
	struct part_counters {
		struct counters of;
		int64_t first; /* wall clock of the earliest sample; INT64_MAX: there is none */
	} *counters; /* per part */
};

#define KNOWN 16

struct known {
	struct track *table; /* that it was found in; it moves when it grows */
	struct track *thread;
	uint32_t pid, tid;
	int host;
};

/* What one walk over the set needs. */
struct writing {
	struct timeline *t;
	const struct timeline_ops *ops;
	void *sink;
	uint64_t counted_pid; /* whose counters come */
	struct known known[KNOWN]; /* threads that were looked up before */
};

/* ---- loading: before anything is written, since the origin must be known ---- */

static int load(struct timeline_prof *l, const struct prof *prof, int64_t *origin, struct diag *diag)
{
	l->counters = calloc(prof->nr_parts, sizeof(*l->counters));
	if (!l->counters)
		return diag_fail(diag, "%s: out of memory", prof->path);
	if (tx_load(&l->tx, prof_host(prof), TX_ORDER_TRACE, diag))
		return -1;
	if (l->tx.nr && tx_start(&l->tx, 0) < *origin)
		*origin = tx_start(&l->tx, 0);
	if (calls_load(&l->calls, prof_host(prof), diag))
		return -1;
	if (calls_first(&l->calls) < *origin)
		*origin = calls_first(&l->calls);
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		struct part_counters *c = &l->counters[i];

		if (counters_load(&c->of, &prof->part[i], diag))
			return -1;
		c->first = counters_first(&c->of);
		if (c->first < *origin)
			*origin = c->first;
	}
	return 0;
}

static void unload(struct timeline_prof *l, const struct prof *prof)
{
	for (unsigned int i = 0; l->counters && i < prof->nr_parts; i++)
		counters_free(&l->counters[i].of);
	free(l->counters);
	tx_free(&l->tx);
	calls_free(&l->calls);
}

int timeline_open(struct timeline *t, const struct prof_set *set, struct diag *diag)
{
	*t = (struct timeline){ .set = set, .origin = INT64_MAX };
	t->loaded = calloc(set->nr, sizeof(*t->loaded));
	if (!t->loaded)
		return diag_fail(diag, "out of memory");
	for (unsigned int i = 0; i < set->nr; i++)
		if (load(&t->loaded[i], &set->prof[i], &t->origin, diag))
			return -1;
	if (t->origin == INT64_MAX)
		t->origin = set->prof[0].start;
	return 0;
}

void timeline_close(struct timeline *t)
{
	tracks_free(&t->tracks);
	for (unsigned int i = 0; t->loaded && i < t->set->nr; i++)
		unload(&t->loaded[i], &t->set->prof[i]);
	free(t->loaded);
	*t = (struct timeline){ 0 };
}

int timeline_first(const struct prof_set *set, int64_t *first, struct diag *diag)
{
	struct timeline t;
	int ret = timeline_open(&t, set, diag);

	*first = t.origin;
	timeline_close(&t);
	return ret;
}

/* ---- names ---- */

static void name_process(struct writing *w, const struct prof_part *host, uint64_t shown, uint32_t pid)
{
	const struct control *c = &host->control;
	char text[640];

	snprintf(text, sizeof(text), "%s", c->pid_name[0] && c->pid == pid ? c->pid_name : "process");
	if (shown != pid)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u on %s", pid, c->hostname);
	w->ops->process(w->sink, shown, text, "CPU", 0);
}

static void name_device(struct writing *w, const struct prof_part *part, uint64_t shown)
{
	char name[320], label[32];

	snprintf(name, sizeof(name), part->control.source[0] ? "NPU %d, %s" : "NPU %d", part->device,
		 part->control.source);
	snprintf(label, sizeof(label), "NPU %d", part->device);
	w->ops->process(w->sink, shown, name, label, 1 + (uint64_t)part->device);
}

static void name_thread(struct writing *w, uint64_t shown, uint32_t tid)
{
	char text[64];

	snprintf(text, sizeof(text), "Thread %u", tid);
	w->ops->thread(w->sink, shown, tid, text, false);
}

static void name_lane(struct writing *w, uint64_t shown, uint32_t tid, unsigned int lane)
{
	char text[64];

	snprintf(text, sizeof(text), lane ? "Ranges of thread %u (%u)" : "Ranges of thread %u", tid, lane + 1);
	w->ops->thread(w->sink, shown, tid + (lane + 1) * TIMELINE_LANE, text, true);
}

/* The process @pid of a directory, named; NULL: out of memory */
static struct track *find_process(struct writing *w, const struct prof_part *host, int id, uint32_t pid)
{
	struct track *process = tracks_process(&w->t->tracks, id, pid);

	if (process && !process->named) {
		name_process(w, host, process->pid, pid);
		process->named = true;
	}
	return process;
}

/* ---- annotations ---- */

static int write_event(struct writing *w, const struct prof *prof, const struct tx_event *tx, int64_t start,
		       struct track *thread)
{
	const struct timebase *time = &prof->part[0].time;
	struct timeline_event e = {
		.tx = tx,
		.start = start,
		.end = timebase_host(time, tx->row.end),
		.pid = thread->pid,
		.tid = tx->row.tid,
	};

	if (e.end < e.start)
		e.end = e.start;
	if (!tx->extended && tx->row.category)
		e.category = account_category(&prof->account, tx->row.category);
	if (tx->kind == TX_RANGE) {
		int lane = tracks_lane(thread, e.start, e.end);

		e.alone = lane < 0;
		if (!e.alone) {
			if (!thread->lane[lane].named)
				name_lane(w, thread->pid, tx->row.tid, (unsigned int)lane);
			thread->lane[lane].named = true;
			e.tid += ((uint64_t)lane + 1) * TIMELINE_LANE;
		}
	} else if (!thread->named) {
		name_thread(w, thread->pid, tx->row.tid);
		thread->named = true;
	}
	return w->ops->event(w->sink, &e);
}

static struct track *find_thread(struct writing *w, int host, uint32_t pid, uint32_t tid)
{
	struct known *k = &w->known[tid % KNOWN];

	if (!k->table || k->table != w->t->tracks.track || ((k->pid ^ pid) | (k->tid ^ tid)) || k->host != host) {
		k->thread = tracks_thread(&w->t->tracks, host, pid, tid);
		k->table = w->t->tracks.track;
		k->pid = pid;
		k->tid = tid;
		k->host = host;
	}
	return k->thread;
}

static int write_annotations(struct writing *w, const struct prof *prof, struct tx *tx)
{
	const struct prof_part *host = prof_host(prof);
	struct track *thread = NULL;
	struct tx_event e;
	uint32_t pid = 0;
	int id;

	if (!tx->nr)
		return 0;
	id = tracks_host(&w->t->tracks, host->control.hostname);
	if (id < 0)
		return -1;
	for (size_t i = 0; i < tx->nr; i++) {
		if (!(i % 1024) && w->ops->failed(w->sink))
			break;
		tx_get(tx, i, &e);
		if (!thread || pid != e.row.pid) {
			pid = e.row.pid;
			if (!find_process(w, host, id, pid))
				return -1;
			thread = NULL;
		}
		if (!thread || thread->thread != e.row.tid) {
			thread = find_thread(w, id, pid, e.row.tid);
			if (!thread)
				return -1;
		}
		if (write_event(w, prof, &e, tx_start(tx, i), thread))
			return -1;
	}
	return 0;
}

/* ---- calls ---- */

struct writing_calls {
	struct writing *w;
	const struct calls *calls;
	int host; /* of the tracks */
};

/* Annotations are the program's own, these are of what it calls: two rows in a viewer. */
static int write_call(void *arg, const struct call *call)
{
	struct writing_calls *c = arg;
	struct writing *w = c->w;
	const struct prof_part *host = c->calls->host;
	uint32_t pid = (uint32_t)host->control.pid;
	struct timeline_call e = { .call = call, .tid = call->tid };
	struct track *process = tracks_calls(&w->t->tracks, c->host, pid), *thread;

	if (!process)
		return -1;
	e.pid = process->pid;
	if (!process->named)
		w->ops->process(w->sink, e.pid, "CANN", "CPU", 0);
	process->named = true;
	thread = tracks_calls_thread(&w->t->tracks, c->host, pid, call->tid);
	if (!thread)
		return -1;
	if (!thread->named)
		name_thread(w, e.pid, call->tid);
	thread->named = true;
	calls_name(c->calls, call, &e.name);
	calls_type(c->calls, call, &e.type);
	calls_item(c->calls, call, &e.item);
	e.start = timebase_host(&host->time, call->start);
	e.end = timebase_host(&host->time, call->end);
	if (e.end < e.start)
		e.end = e.start;
	return w->ops->failed(w->sink) ? 1 : w->ops->call(w->sink, &e);
}

static int write_calls(struct writing *w, struct calls *calls)
{
	struct writing_calls c = { .w = w, .calls = calls };

	if (!w->ops->call || !calls->host)
		return 0;
	c.host = tracks_host(&w->t->tracks, calls->host->control.hostname);
	return c.host < 0 || calls_each(calls, write_call, &c) < 0 ? -1 : 0;
}

/* ---- counters ---- */

static int write_counter(void *arg, const struct counter *c)
{
	struct writing *w = arg;

	return w->ops->failed(w->sink) ? 1 : w->ops->counter(w->sink, w->counted_pid, c);
}

/* Named as the public parser names them, in the place that the vendor's numbers have for the host. */
static int write_syscalls(struct writing *w, const struct host_view *v, int id)
{
	struct timeline_syscall e = { 0 };
	uint32_t named = 0;
	struct track *track = tracks_device(&w->t->tracks, id, HOST_DEVICE);

	if (!track)
		return -1;
	e.pid = track->pid;
	if (!track->named)
		w->ops->process(w->sink, e.pid, "OS Runtime API", "CPU", 1);
	track->named = true;
	for (size_t i = 0; i < v->nr_calls && !w->ops->failed(w->sink); i++) {
		e.call = &v->call[i];
		if (!filter_wants_syscall(v->part->filter, e.call))
			continue;
		if (named != e.call->tid)
			name_thread(w, e.pid, e.call->tid);
		named = e.call->tid;
		if (w->ops->syscall(w->sink, &e))
			return -1;
	}
	return 0;
}

/* Who has the counters of a part; NULL: out of memory */
static struct track *counted(struct writing *w, const struct prof_part *part, int id)
{
	struct track *device;

	if (part->device < 0)
		return find_process(w, part, id, (uint32_t)part->control.pid);
	device = tracks_device(&w->t->tracks, id, (unsigned int)part->device);
	if (device && !device->named) {
		name_device(w, part, device->pid);
		device->named = true;
	}
	return device;
}

static int write_counters(struct writing *w, const struct counters *c)
{
	const struct prof_part *part = c->part;
	int id = tracks_host(&w->t->tracks, part->control.hostname);
	struct track *track;

	if (id < 0 || (c->host.nr_calls && w->ops->syscall && write_syscalls(w, &c->host, id)))
		return -1;
	track = counted(w, part, id);
	if (!track)
		return -1;
	w->counted_pid = track->pid;
	return counters_each(c, write_counter, w) < 0 ? -1 : 0;
}

int timeline_write(struct timeline *t, const struct timeline_ops *ops, void *sink, const char *what,
		   struct diag *diag)
{
	struct writing w = { .t = t, .ops = ops, .sink = sink };

	for (unsigned int i = 0; i < t->set->nr && !ops->failed(sink); i++) {
		const struct prof *prof = &t->set->prof[i];
		int ret = write_annotations(&w, prof, &t->loaded[i].tx);

		if (!ret)
			ret = write_calls(&w, &t->loaded[i].calls);
		for (unsigned int j = 0; j < prof->nr_parts && !ret; j++)
			if (t->loaded[i].counters[j].first != INT64_MAX)
				ret = write_counters(&w, &t->loaded[i].counters[j].of);
		if (ret)
			return diag_fail(diag, "%s: out of memory", what);
		if (prof_check(prof, diag))
			return -1;
	}
	return 0;
}
