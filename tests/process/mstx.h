/* SPDX-License-Identifier: Apache-2.0 */
/* Reading mstx events back: rows joined to events, names of domains, accounts. */
#ifndef ASCPROF_TEST_MSTX_H
#define ASCPROF_TEST_MSTX_H

#include "prof.h"
#include "t.h"

#define MSTX_TEXT_MAX (1u << 18)

struct mstx_event {
	struct row_tx head; /* of the first row */
	unsigned int rows;
	char *message;
};

struct mstx_events {
	size_t count;
	struct mstx_event *event; /* in the order of the file */
	char *names; /* the dictionary; "" when there is none */
};

static inline char *mstx_file(const char *path)
{
	char *text = calloc(1, MSTX_TEXT_MAX);
	FILE *file = fopen(path, "re");

	if (file) {
		t_check(fread(text, 1, MSTX_TEXT_MAX - 1, file) < MSTX_TEXT_MAX - 1, "%s is too long", path);
		fclose(file);
	}
	return text;
}

static inline void mstx_join(struct mstx_events *all, const struct row_tx *row)
{
	struct mstx_event *e = all->count ? &all->event[all->count - 1] : NULL;
	size_t len = strnlen(row->message, sizeof(row->message));

	t_check(len <= ROW_TX_MESSAGE_MAX, "a message of a row without its end");
	if (!row->segment) {
		if (!(all->count & (all->count - 1))) /* a power of two: full */
			all->event = realloc(all->event, (all->count ? 2 * all->count : 1) * sizeof(*all->event));
		e = &all->event[all->count++];
		*e = (struct mstx_event){ .head = *row, .message = calloc(1, 1) };
	}
	/* Rows of one event lie together, numbered from 0, alike but for their text. */
	t_check(e && row->mark_id == e->head.mark_id && row->segment == e->rows &&
			row->start == e->head.start && row->end == e->head.end && row->tid == e->head.tid &&
			row->event == e->head.event && row->domain == e->head.domain && row->pid == e->head.pid,
		"row %u of mark id %llu does not continue the row before", row->segment,
		(unsigned long long)row->mark_id);
	if (!e)
		return;
	e->message = realloc(e->message, strlen(e->message) + len + 1);
	strncat(e->message, row->message, len);
	e->rows++;
}

/* The events of a PROF_ directory; rows of stamps are left out. The first slices may be gone. */
static inline void mstx_read(struct mstx_events *all, const char *prof)
{
	struct row_tx row;

	memset(all, 0, sizeof(*all));
	for (unsigned int k = 0; k < 4096; k++) {
		FILE *file = fopen(t_path("%s/host/data/aging.additional.msproftx.slice_%u", prof, k), "re");

		while (file && fread(&row, sizeof(row), 1, file) == 1)
			if (row.info_type == ROW_TX_INFO_SEGMENT)
				mstx_join(all, &row);
		if (file)
			fclose(file);
	}
	all->names = mstx_file(t_path("%s/host/data/unaging.additional.hash_dic.slice_0", prof));
}

static inline void mstx_free(struct mstx_events *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->event[i].message);
	free(all->event);
	free(all->names);
}

static inline size_t mstx_count(const struct mstx_events *all, enum row_tx_event event)
{
	size_t n = 0;

	for (size_t i = 0; i < all->count; i++)
		n += all->event[i].head.event == event;
	return n;
}

/* The only event with that message; NULL and a failed check when there is none, or two. */
static inline const struct mstx_event *mstx_only(const struct mstx_events *all, const char *message)
{
	const struct mstx_event *found = NULL;

	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->event[i].message, message))
			continue;
		t_check(!found, "two events '%.60s'", message);
		found = &all->event[i];
	}
	t_check(found, "no event '%.60s'", message);
	return found;
}

/* Whether the dictionary says, in a line of its own and once, that the number is the name's. */
static inline bool mstx_named(const struct mstx_events *all, uint64_t number, const char *name)
{
	char *line;
	const char *at;
	bool found;

	if (asprintf(&line, "%llu:%s\n", (unsigned long long)number, name) < 0)
		abort();
	at = strstr(all->names, line);
	found = at && (at == all->names || at[-1] == '\n') && !strstr(at + 1, line);
	free(line);
	return found;
}

struct mstx_account {
	unsigned long long produced, written, ring_full, no_memory, reentrant, aged, no_space, write_error, open;
	unsigned long long first_ns, last_ns;
};

/* The account of one kind; that it is even is checked. */
static inline struct mstx_account mstx_account(const char *prof, const char *kind)
{
	char *text = mstx_file(t_path("%s/ascprof.json", prof)), *at = strstr(text, t_path("\"kind\":\"%s\"", kind));
	struct mstx_account a = { 0 };
	int n = -1;

	if (at)
		n = sscanf(strstr(at, "\"produced\""),
			   "\"produced\":%llu,\"written\":%llu,\"dropped\":{\"ring_full\":%llu,\"no_memory\":%llu,"
			   "\"reentrant\":%llu,\"aged\":%llu,\"no_space\":%llu,\"write_error\":%llu},\"open\":%llu,"
			   "\"first_ns\":%llu,\"last_ns\":%llu",
			   &a.produced, &a.written, &a.ring_full, &a.no_memory, &a.reentrant, &a.aged, &a.no_space,
			   &a.write_error, &a.open, &a.first_ns, &a.last_ns);
	t_check(n == 11, "no account of %s in %s/ascprof.json", kind, prof);
	t_check(a.produced == a.written + a.ring_full + a.no_memory + a.reentrant + a.aged + a.no_space +
				      a.write_error,
		"%s: %llu produced, %llu written, and dropped %llu %llu %llu %llu %llu %llu", kind, a.produced,
		a.written, a.ring_full, a.no_memory, a.reentrant, a.aged, a.no_space, a.write_error);
	free(text);
	return a;
}

#endif /* ASCPROF_TEST_MSTX_H */
