/* SPDX-License-Identifier: Apache-2.0 */
#include "mstx/domain.h"

#include <stdlib.h>
#include <string.h>

#include "format/text_hash.h"

domain_entry domain_table[DOMAINS_MAX];
struct tx_domain domain_default = { .hash = 1, .live = true, .name = "default" };

/* 0 would be no domain, and 1 is the default. */
static uint64_t allowed(uint64_t hash)
{
	return hash > 1 ? hash : 2;
}

static struct tx_domain *make(const char *name)
{
	size_t size = strlen(name) + 1;
	struct tx_domain *d = calloc(1, sizeof(*d) + size);

	if (d) {
		d->hash = allowed(text_hash(name, strlen(name)));
		d->name = memcpy(d + 1, name, size);
	}
	return d;
}

/*
 * The entry with the name of @d, or that now holds @d; NULL when all are taken.
 * An entry once filled stays as it is, so that whoever looks for a name passes
 * the same entries as whoever put it there.
 */
static domain_entry *find_or_put(struct tx_domain *d)
{
	for (size_t i = 0; i < DOMAINS_MAX; i++) {
		domain_entry *e = &domain_table[(d->hash + i) % DOMAINS_MAX];
		struct tx_domain *there = NULL;

		if (atomic_compare_exchange_strong(e, &there, d) || !strcmp(there->name, d->name))
			return e;
		if (there->hash == d->hash) { /* two names, one number: the other takes the next */
			d->hash = allowed(d->hash + 1);
			return find_or_put(d);
		}
	}
	return NULL;
}

domain_entry *domain_create(const char *name)
{
	struct tx_domain *d = make(name), *there;
	domain_entry *e = d ? find_or_put(d) : NULL;

	there = e ? atomic_load(e) : NULL;
	if (there != d)
		free(d);
	if (there)
		atomic_store_explicit(&there->live, true, memory_order_relaxed);
	return e;
}

void domain_destroy(struct tx_domain *domain)
{
	atomic_store_explicit(&domain->live, false, memory_order_relaxed);
}
