/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "export/decimal.h"
#include "format/escape.h"
#include "export/text.h"
#include "export/trace_events.h"
#include "export/trace_pieces.h"

#define HOST_DEVICE 64

static char *begin_counter(struct trace *t)
{
	return text_literal(out_room(&t->out, TRACE_ROOM), ",\n{\"name\":\"");
}

/* Behind the name; leaves off where the number goes. */
static char *put_counter(char *to, const struct trace *t, uint64_t pid, int64_t wall,
			 const char *key)
{
	to = text_literal(to, "\",\"ph\":\"C\"");
	to = trace_put_ts(to, t, wall);
	to = trace_put_track(to, pid, 0);
	to = text_literal(to, ",\"args\":{");
	return trace_put_key(to, key);
}

static void end_counter(struct trace *t, char *to)
{
	to = text_literal(to, "}}");
	out_used(&t->out, to);
	t->events++;
}

static char *llc_name(char *to, const struct llc *llc, unsigned int unit)
{
	to = text_literal(to, "LLC ");
	to = text_u64(to, unit);
	return text_copy(to, strcmp(llc->mode, "read") ? " Write/" : " Read/",
			 strcmp(llc->mode, "read") ? 7 : 6);
}

static void write_llc(struct trace *t, uint64_t pid, const struct llc *llc)
{
	for (unsigned int u = 0; u < llc->nr_units; u++) {
		for (size_t i = 0; i < llc->unit[u].nr; i++) {
			const struct llc_sample *s = &llc->unit[u].sample[i];
			char *to = llc_name(begin_counter(t), llc, u);

			to = text_literal(to, "Throughput");
			to = put_counter(to, t, pid, s->wall, "Throughput(MB/s)");
			end_counter(t, text_thousandths(to, s->throughput));

			/* The parser's own timeline shows a fraction under this key. */
			to = llc_name(begin_counter(t), llc, u);
			to = text_literal(to, "Hit Rate");
			to = put_counter(to, t, pid, s->wall, "Hit Rate(%)");
			end_counter(t, text_thousandths(to, s->hit < INT64_MAX / 100 ?
								    s->hit * 100 : INT64_MAX));
		}
	}
}

static void write_hbm(struct trace *t, uint64_t pid, const struct hbm *hbm)
{
	for (size_t i = 0; i < hbm->nr; i++) {
		const struct hbm_sample *s = &hbm->sample[i];
		char *to = text_literal(begin_counter(t), "HBM ");

		to = text_u64(to, s->unit);
		to = s->write ? text_literal(to, "/Write") : text_literal(to, "/Read");
		to = put_counter(to, t, pid, s->wall, s->write ? "Write(MB/s)" : "Read(MB/s)");
		end_counter(t, decimal_round3(to, s->bandwidth));
	}
}

static void write_soc(struct trace *t, uint64_t pid, const struct prof_part *part)
{
	struct soc_reader r;
	struct soc_sample s;

	soc_rewind(&r, part);
	while (soc_next(&r, &s)) {
		for (unsigned int i = 0; i < s.nr; i++) {
			const struct soc_value *v = &s.value[i];
			char *to = text_copy(begin_counter(t), s.group, strlen(s.group));

			if (s.unit >= 0) {
				*to++ = ' ';
				to = text_u64(to, (uint64_t)s.unit);
				*to++ = '/';
			}
			to = text_copy(to, v->name, strlen(v->name));
			to = put_counter(to, t, pid, s.wall, v->key);
			end_counter(t, s.thousandths ? text_thousandths(to, (int64_t)v->value) :
						       trace_put_integer(to, v->value));
		}
	}
}

/* As the device that the host counts for in the vendor's numbers, named as the parser names it. */
static int write_calls(struct trace *t, const struct host_view *v, int id)
{
	struct track *track;
	char name[32];

	if (!v->nr_calls)
		return 0;
	track = tracks_device(&t->tracks, id, HOST_DEVICE);
	if (!track)
		return -1;
	if (!track->named) {
		track->named = true;
		trace_metadata(t, "process_name", "name", track->pid, 0, "OS Runtime API");
		trace_metadata(t, "process_labels", "labels", track->pid, 0, "CPU");
		trace_sort_index(t, track->pid, 1);
	}
	for (size_t i = 0; i < v->nr_calls; i++) {
		const struct host_call *c = &v->call[i];
		char *to;

		if (!i || c->tid != c[-1].tid) {
			snprintf(name, sizeof(name), "Thread %u", c->tid);
			trace_metadata(t, "thread_name", "name", track->pid, c->tid, name);
		}
		to = escape_json(begin_counter(t), c->name, strlen(c->name));
		to = text_literal(to, "\",\"ph\":\"X\"");
		to = trace_put_ts(to, t, c->wall);
		to = text_literal(to, ",\"dur\":");
		to = text_thousandths(to, c->ns > INT64_MAX ? INT64_MAX : (int64_t)c->ns);
		to = trace_put_track(to, track->pid, c->tid);
		to = text_literal(to, ",\"args\":{");
		end_counter(t, to);
	}
	return 0;
}

int trace_host(struct trace *t, const struct host_view *v)
{
	struct track *process;
	int id;

	if (!v->nr_series && !v->nr_calls)
		return 0;
	id = tracks_host(&t->tracks, v->part->control.hostname);
	if (id < 0 || write_calls(t, v, id))
		return -1;
	process = trace_process(t, v->part, id, (uint32_t)v->part->control.pid);
	if (!process)
		return -1;
	for (unsigned int i = 0; i < v->nr_series; i++) {
		const struct host_series *s = &v->series[i];

		for (size_t k = 0; k < s->nr; k++) {
			char *to = begin_counter(t);

			to = escape_json(to, s->name, strlen(s->name));
			to = put_counter(to, t, process->pid, s->point[k].wall, s->key);
			end_counter(t, decimal_repr(to, s->point[k].value));
		}
	}
	return 0;
}

int trace_device(struct trace *t, const struct prof_part *part, const struct llc *llc,
		 const struct hbm *hbm)
{
	int id = tracks_host(&t->tracks, part->control.hostname);
	struct track *device;
	char name[320], label[32];

	if (!llc->mode && !hbm->nr && !part->table[SLICES_SOC].rows)
		return 0;
	device = id < 0 ? NULL : tracks_device(&t->tracks, id, (unsigned int)part->device);
	if (!device)
		return -1;
	if (!device->named) {
		device->named = true;
		snprintf(name, sizeof(name), part->control.source[0] ? "NPU %d, %s" : "NPU %d",
			 part->device, part->control.source);
		snprintf(label, sizeof(label), "NPU %d", part->device);
		trace_metadata(t, "process_name", "name", device->pid, 0, name);
		trace_metadata(t, "process_labels", "labels", device->pid, 0, label);
		trace_sort_index(t, device->pid, 1 + (uint64_t)part->device);
	}
	write_llc(t, device->pid, llc);
	write_hbm(t, device->pid, hbm);
	write_soc(t, device->pid, part);
	return 0;
}
