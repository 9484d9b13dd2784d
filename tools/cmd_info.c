/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof info: what this machine has, or what result directories are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "export/prof.h"
#include "format/json_write.h"
#include "tools/doctor.h"
#include "tools/options.h"

static const struct option_def options[] = {
	{ 'j', "json", NULL, "print one JSON object" },
	{ 0 },
};

static const char *const tables[SLICES_KINDS] = {
	[SLICES_TX] = "msproftx",
	[SLICES_LLC] = "llc",
	[SLICES_HBM] = "hbm",
	[SLICES_SOC] = "soc_profile",
	[SLICES_HASH] = "hash_dic",
	[SLICES_TENSORS] = "tensor_info",
};

/* ---- the machine: what doctor finds, without its judgement ---- */

static void look(struct doctor *d)
{
	doctor_kernel(d);
	doctor_io_uring(d);
	doctor_clock(d);
	doctor_module(d);
	doctor_pmus(d);
	doctor_npus(d);
}

static void machine_text(const struct doctor *d)
{
	const char *last = "";

	for (unsigned int i = 0; i < d->nr; i++) {
		const struct doctor_finding *f = &d->list[i];

		printf("%-10s %s\n", strcmp(last, f->check) ? f->check : "", f->text);
		last = f->check;
	}
}

static void machine_json(struct json_writer *w, const struct doctor *d)
{
	json_open(w, "machine", '[');
	for (unsigned int i = 0; i < d->nr; i++) {
		json_open(w, NULL, '{');
		json_string(w, "what", d->list[i].check);
		json_string(w, "text", d->list[i].text);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* ---- a directory ---- */

static uint64_t bytes_of(const struct slices *s)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < s->nr; i++)
		bytes += s->slice[i].size;
	return bytes;
}

static void part_name(const struct prof_part *p, char name[32])
{
	if (p->device < 0)
		snprintf(name, 32, "host");
	else
		snprintf(name, 32, "device_%d", p->device);
}

/* Control characters of what was read become '?'. */
static void put_line(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
	putchar('\n');
}

static void put(const char *key, const char *text)
{
	printf("  %-10s ", key);
	put_line(text);
}

static void utc(int64_t ns, char text[40])
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, 40, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(text, 40, "?");
}

static double duration_of(const struct account *a)
{
	return a->end_raw_ns > a->start_raw_ns ? (double)(a->end_raw_ns - a->start_raw_ns) / 1e9 : 0;
}

static const char *state_of(const struct account *a)
{
	if (!a->exists)
		return "unknown: of another runtime";
	return a->running ? "running, or its program was killed" : a->state;
}

static void dir_text(const struct prof *p)
{
	const struct prof_part *host = prof_host(p);
	const struct account *a = &p->account;
	char text[512], name[32], when[40];

	put_line(p->name);
	put("path", p->path);
	if (host) {
		snprintf(text, sizeof(text), "%.255s (pid %" PRIu64 ") on %.200s", host->control.pid_name,
			 host->control.pid, host->control.hostname);
		put("program", text);
	}
	utc(p->start, when);
	put("start", when);
	if (duration_of(a) > 0) {
		snprintf(text, sizeof(text), "%.3f s", duration_of(a));
		put("duration", text);
	}
	put("state", state_of(a));
	if (*a->record)
		put("begun by", "ascprof record");
	for (unsigned int i = 0; i < a->nr_sources; i++) {
		const struct account_source *s = &a->source[i];

		snprintf(text, sizeof(text), "%s: %.63s%s%.255s", account_source_place(s, name, sizeof(name)), s->source,
			 *s->note ? ", " : "", s->note);
		put("source", text);
	}
	for (unsigned int i = 0; i < p->nr_parts; i++) {
		part_name(&p->part[i], name);
		for (int k = 0; k < SLICES_KINDS; k++) {
			const struct slices *s = &p->part[i].table[k];

			if (!s->nr)
				continue;
			snprintf(text, sizeof(text), "%s: %u slice%s, %.1f MB", tables[k], s->nr, s->nr == 1 ? "" : "s",
				 (double)bytes_of(s) / 1e6);
			put(name, text);
		}
	}
}

static void dir_json(struct json_writer *w, const struct prof *p)
{
	const struct prof_part *host = prof_host(p);
	const struct account *a = &p->account;
	char name[32];

	json_open(w, NULL, '{');
	json_string(w, "name", p->name);
	json_string(w, "path", p->path);
	json_string(w, "program", host ? host->control.pid_name : "");
	json_u64(w, "pid", host ? host->control.pid : 0);
	json_string(w, "host", host ? host->control.hostname : "");
	json_i64(w, "start_ns", p->start);
	json_u64(w, "duration_ns", a->end_raw_ns > a->start_raw_ns ? a->end_raw_ns - a->start_raw_ns : 0);
	json_string(w, "state", a->exists ? a->state : "");
	json_string(w, "record", a->record);
	json_open(w, "sources", '[');
	for (unsigned int i = 0; i < a->nr_sources; i++) {
		json_open(w, NULL, '{');
		json_i64(w, "device", a->source[i].device);
		json_string(w, "source", a->source[i].source);
		json_string(w, "note", a->source[i].note);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "tables", '[');
	for (unsigned int i = 0; i < p->nr_parts; i++) {
		part_name(&p->part[i], name);
		for (int k = 0; k < SLICES_KINDS; k++) {
			if (!p->part[i].table[k].nr)
				continue;
			json_open(w, NULL, '{');
			json_string(w, "part", name);
			json_string(w, "table", tables[k]);
			json_u64(w, "slices", p->part[i].table[k].nr);
			json_u64(w, "bytes", bytes_of(&p->part[i].table[k]));
			json_close(w, '}');
		}
	}
	json_close(w, ']');
	json_close(w, '}');
}

/* ---- both ---- */

static int machine(struct json_writer *w, bool json, struct diag *diag)
{
	struct doctor d = { .root = "" };
	int ret = 0;

	look(&d);
	if (d.no_memory)
		ret = diag_fail(diag, "out of memory");
	else if (json)
		machine_json(w, &d);
	else
		machine_text(&d);
	doctor_release(&d);
	return ret;
}

static int directories(struct json_writer *w, bool json, char *const *dirs, unsigned int nr, struct diag *diag)
{
	struct prof_set set = { 0 };
	int ret = prof_set_open(&set, dirs, nr, diag);

	if (json)
		json_open(w, "directories", '[');
	for (unsigned int i = 0; i < set.nr && !ret; i++) {
		if (json)
			dir_json(w, &set.prof[i]);
		else
			dir_text(&set.prof[i]);
	}
	if (json)
		json_close(w, ']');
	prof_set_close(&set);
	return ret;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct json_writer w = { 0 };
	struct option_value value;
	const char *text;
	bool json = false;
	int letter, ret;
	size_t len;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter < 0)
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		json = true;
	}
	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_string(&w, "version", ASCPROF_VERSION);
	if (optind == argc)
		ret = machine(&w, json, diag);
	else
		ret = directories(&w, json, argv + optind, (unsigned int)(argc - optind), diag);
	json_close(&w, '}');
	text = json_finish(&w, &len);
	if (!ret && !text)
		ret = diag_fail(diag, "out of memory");
	else if (!ret && json)
		printf("%s\n", text);
	json_release(&w);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_info = {
	.name = "info",
	.operands = "[DIR...]",
	.summary = "tell what this machine has, or what result directories are",
	.text = "Without DIR: kernel, io_uring, clock, the module and its sources, PMUs, NPUs. What\n"
		"stands in the way of profiling, and what mends it, is told by ascprof doctor. With\n"
		"DIR, a PROF_* directory or a folder that holds some: whose each is, when it was\n"
		"recorded, from which sources, and how much of what is in it.",
	.options = options,
	.run = run,
};
