/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations of one host part, one after the other as they lie in the files:
 * memory does not grow with their number. tx.h sorts them, and keeps 16 bytes
 * of each. Not thread-safe.
 */
#ifndef ASCPROF_WALK_H
#define ASCPROF_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "export/prof.h"
#include "export/tx.h"

/*
 * Rows of one event are put together when no more than this many other events
 * of several rows began between them; of ours they follow each other.
 */
#define WALK_OPEN 64

struct walk_event {
	struct row_tx row; /* of the first segment; its message is not used */
	enum tx_kind kind;
	int64_t start, end; /* wall clock, ns; an end before the start is the start */
	const char *message; /* any bytes */
	size_t len;
};

/*
 * Calls @each for every event, whose text is valid during the call; it returns
 * 0, or another value to stop. Rows without the marks that every row has are
 * counted in *@bad_rows. @host may be NULL.
 * Return: 0, what @each returned, or -1 without memory.
 */
int walk(const struct prof_part *host, int (*each)(void *arg, const struct walk_event *event), void *arg,
	 uint64_t *bad_rows);

/* Whether the filter of @host wants it. */
bool walk_wants(const struct prof_part *host, const struct walk_event *event);

/* How many events there were of each kind of the accounting, and when. */
struct walk_seen {
	uint64_t events[TX_ACCOUNTS];
	int64_t first[TX_ACCOUNTS], last[TX_ACCOUNTS]; /* where there are events */
	uint64_t bad_rows; /* without the marks that every row has */
	uint64_t backward; /* events that end before they start */
};

void walk_see(struct walk_seen *s, const struct walk_event *e);
/* Walks for nothing else. Return: 0, or -1 without memory. */
int walk_count(const struct prof_part *host, struct walk_seen *s);

#endif /* ASCPROF_WALK_H */
