/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains of mstx: names that marks and ranges are grouped by. There is one
 * table for the process; entries are never removed, so that the handle of a
 * destroyed domain meets an entry that says so, and lookup needs no lock.
 */
#ifndef ASCPROF_DOMAIN_H
#define ASCPROF_DOMAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOMAIN_NAME_MAX 1023 /* bytes */
#define DOMAINS_MAX 16384    /* different names in one process */

struct tx_domain {
	uint64_t hash; /* of the name; no other domain has it, and it is never 0 */
	_Atomic bool live;
	uint64_t noted_in; /* the flusher's: number of the recording whose dictionary has the name */
	const char *name;
};

/* Of calls that name none. It has no handle. */
extern struct tx_domain domain_default __attribute__((visibility("hidden")));

typedef struct tx_domain *_Atomic domain_entry;
extern domain_entry domain_table[DOMAINS_MAX] __attribute__((visibility("hidden")));

/*
 * Handle of the domain @name, which is created where there is none. Its
 * characters are the caller's to check. NULL without memory, or when the table
 * is full. Not for signal handlers.
 */
domain_entry *domain_create(const char *name);

/* The domain behind a handle, also a destroyed one; NULL when it is none. Any pointer will do. */
static inline struct tx_domain *domain_find(const void *handle)
{
	uintptr_t at = (uintptr_t)handle - (uintptr_t)domain_table;

	if (at >= sizeof(domain_table) || at % sizeof(domain_table[0]))
		return NULL;
	return atomic_load_explicit(&domain_table[at / sizeof(domain_table[0])], memory_order_acquire);
}

/* NULL also when it is destroyed. */
static inline struct tx_domain *domain_get(const void *handle)
{
	struct tx_domain *d = domain_find(handle);

	return d && atomic_load_explicit(&d->live, memory_order_relaxed) ? d : NULL;
}

void domain_destroy(struct tx_domain *domain);

#endif /* ASCPROF_DOMAIN_H */
