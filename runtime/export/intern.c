/* SPDX-License-Identifier: Apache-2.0 */
#include "export/intern.h"

#include <string.h>
#include <sys/random.h>

#define FIRST_SLOTS 1024

struct entry {
	uint64_t hash;
	uint64_t at; /* in the texts */
	uint64_t len;
};

static struct entry *entry_of(const struct intern *in, size_t id)
{
	return (struct entry *)in->entries.map.begin + id;
}

/* 0: empty; else the number of a text, plus one */
static uint64_t *slot_of(const struct intern *in, size_t slot)
{
	return (uint64_t *)in->table.map.begin + slot;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 v = (unsigned __int128)a * b;

	return (uint64_t)v ^ (uint64_t)(v >> 64);
}

static uint64_t hash_of(const struct intern *in, const char *s, size_t n)
{
	uint64_t h = in->seed ^ n, word;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&word, s, 8);
		h = mix(h ^ word, 0x9e3779b97f4a7c15ULL ^ in->seed);
	}
	word = 0;
	memcpy(&word, s, n);
	return mix(h ^ word, 0xe7037ed1a0b428dbULL ^ in->seed);
}

void intern_init(struct intern *in)
{
	*in = (struct intern){ 0 };
	if (getrandom(&in->seed, sizeof(in->seed), GRND_NONBLOCK) != sizeof(in->seed))
		in->seed = (uint64_t)(uintptr_t)in;
}

void intern_free(struct intern *in)
{
	scratch_free(&in->texts);
	scratch_free(&in->entries);
	scratch_free(&in->table);
	*in = (struct intern){ 0 };
}

static size_t find(const struct intern *in, uint64_t hash, const char *s, size_t n)
{
	size_t slot = hash & (in->slots - 1);

	for (; *slot_of(in, slot); slot = (slot + 1) & (in->slots - 1)) {
		const struct entry *e = entry_of(in, *slot_of(in, slot) - 1);

		if (e->hash == hash && e->len == n && !memcmp(in->texts.map.begin + e->at, s, n))
			break;
	}
	return slot;
}

static int more_slots(struct intern *in)
{
	size_t slots = in->slots ? 2 * in->slots : FIRST_SLOTS;
	struct scratch table = { 0 };

	if (scratch_resize(&table, slots * sizeof(uint64_t)))
		return -1;
	scratch_move(&in->table, &table);
	in->slots = slots;
	for (size_t id = 0; id < in->nr; id++) {
		size_t slot = entry_of(in, id)->hash & (slots - 1);

		while (*slot_of(in, slot))
			slot = (slot + 1) & (slots - 1);
		*slot_of(in, slot) = id + 1;
	}
	return 0;
}

int64_t intern_id(struct intern *in, const char *s, size_t n, bool add)
{
	uint64_t hash = hash_of(in, s, n);
	size_t slot;

	if (2 * (in->nr + 1) > in->slots && more_slots(in))
		return -1;
	slot = find(in, hash, s, n);
	if (*slot_of(in, slot))
		return (int64_t)*slot_of(in, slot) - 1;
	if (!add || scratch_grow(&in->entries, in->nr, sizeof(struct entry)) ||
	    scratch_grow(&in->texts, in->bytes + n, 1))
		return -1;
	memcpy(in->texts.map.begin + in->bytes, s, n);
	*entry_of(in, in->nr) = (struct entry){ hash, in->bytes, n };
	in->bytes += n;
	*slot_of(in, slot) = ++in->nr;
	return (int64_t)in->nr - 1;
}

const char *intern_text(const struct intern *in, size_t id, size_t *n)
{
	*n = entry_of(in, id)->len;
	return in->texts.map.begin + entry_of(in, id)->at;
}
