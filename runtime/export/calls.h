/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What frameworks reported: calls, and pairs of events that are shown as one.
 * Names are found as the public parser finds them. Not thread-safe.
 */
#ifndef ASCPROF_CALLS_H
#define ASCPROF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/names.h"
#include "export/prof.h"
#include "format/rows.h"

struct calls {
	const struct prof_part *host;
	struct names texts, types;
};

struct call {
	uint16_t level;
	uint32_t type, tid;
	uint32_t request; /* of events */
	uint64_t start, end; /* stamps */
	uint64_t item;
	bool events; /* made of two */
};

/* Text of any bytes; valid as long as the calls, or until the next call. */
struct call_text {
	const char *s;
	size_t len;
	char number[24];
};

/* @host may be NULL. Return: 0; -1 with a message; calls_free() is due. */
int calls_load(struct calls *c, const struct prof_part *host, struct diag *diag);
void calls_free(struct calls *c);

/*
 * Calls @each, in the order of the files, for those that the filter wants, until
 * it does not return 0; a pair when its second event comes. Return: what it
 * returned; -1 also when memory ran out.
 */
int calls_each(struct calls *c, int (*each)(void *arg, const struct call *call), void *arg);

/* Wall clock of the earliest, ns; INT64_MAX: there is none. */
int64_t calls_first(struct calls *c);

/* What tables call it: the type's name, or the item's. */
void calls_name(const struct calls *c, const struct call *call, struct call_text *name);
void calls_type(const struct calls *c, const struct call *call, struct call_text *type);
void calls_item(const struct calls *c, const struct call *call, struct call_text *item);
/* "acl", and "AscendCL"; "other" for unknown levels */
const char *calls_level(uint16_t level);
const char *calls_layer(uint16_t level);

#endif /* ASCPROF_CALLS_H */
