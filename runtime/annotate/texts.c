/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/texts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/emit.h"
#include "format/text_hash.h"
#include "log/log.h"

#define TABLE (2 * TEXTS_MAX) /* entries: never more than half full */

typedef const struct text *_Atomic text_entry;

static text_entry table[TABLE]; /* memory where it is used */
static text_entry newest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* whoever adds one */
static size_t nr, bytes; /* under lock */

/* 0 and 1 mean something in rows, the highest is what Str2Id fails with. */
static uint64_t allowed(uint64_t hash)
{
	return hash > 1 && hash < UINT64_MAX ? hash : 2;
}

static bool is(const struct text *t, const char *text, size_t len, uint64_t hash)
{
	return t->hash == hash && t->len == len && !memcmp(t->text, text, len < TEXT_BYTES ? len : TEXT_BYTES);
}

/*
 * The entry that holds @text, or the empty one where it belongs, with the
 * number that it has, or would have: two texts with one hash get two numbers.
 */
static text_entry *find(const char *text, size_t len, uint64_t hash, uint64_t *id)
{
	const struct text *t;
	size_t at;

	*id = allowed(hash);
	at = *id % TABLE;

	while ((t = atomic_load_explicit(&table[at], memory_order_acquire))) {
		if (is(t, text, len, hash)) {
			*id = t->id;
			break;
		}
		if (t->id == *id) {
			*id = allowed(*id + 1);
			at = *id % TABLE;
		} else {
			at = (at + 1) % TABLE;
		}
	}
	return &table[at];
}

static struct text *make(const char *text, size_t len, uint64_t hash, uint64_t id)
{
	size_t kept = len < TEXT_BYTES ? len : TEXT_BYTES;
	struct text *t;

	if (nr == TEXTS_MAX || bytes + sizeof(*t) + kept > TEXTS_BYTES)
		return NULL;
	t = malloc(sizeof(*t) + kept + 1);
	if (!t)
		return NULL;
	nr++;
	bytes += sizeof(*t) + kept;
	t->next = atomic_load_explicit(&newest, memory_order_relaxed);
	t->id = id;
	t->hash = hash;
	t->len = len;
	memcpy(t->text, text, kept);
	t->text[kept] = '\0';
	return t;
}

static uint64_t add(const char *text, size_t len, uint64_t hash)
{
	text_entry *entry;
	struct text *t;
	bool full = false;
	uint64_t id;

	pthread_mutex_lock(&lock);
	entry = find(text, len, hash, &id);
	if (!atomic_load_explicit(entry, memory_order_relaxed)) {
		t = make(text, len, hash, id);
		full = !t;
		if (t) { /* into the list first: who finds it in the table may rely on that */
			atomic_store_explicit(&newest, t, memory_order_release);
			atomic_store_explicit(entry, t, memory_order_release);
		}
	}
	pthread_mutex_unlock(&lock);
	if (full)
		fail_often(ACL_ERROR_BAD_ALLOC,
			   "no memory, or %u texts or %u MiB are kept: the dictionary lacks \"%.*s\"", TEXTS_MAX,
			   TEXTS_BYTES >> 20, (int)(len < 64 ? len : 64), text);
	else
		emit_wake();
	return id;
}

uint64_t texts_id(const char *text, size_t len)
{
	uint64_t hash = text_hash(text, len), id;

	if (atomic_load_explicit(find(text, len, hash, &id), memory_order_acquire))
		return id;
	return add(text, len, hash);
}

const struct text *texts_find(uint64_t id)
{
	const struct text *t;

	for (size_t at = id % TABLE; (t = atomic_load_explicit(&table[at], memory_order_acquire)); at = (at + 1) % TABLE)
		if (t->id == id)
			return t;
	return NULL;
}

const struct text *texts_newest(void)
{
	return atomic_load_explicit(&newest, memory_order_acquire);
}

void texts_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void texts_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
