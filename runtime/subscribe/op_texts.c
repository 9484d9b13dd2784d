/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/op_texts.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "annotate/pages.h"
#include "format/utf8.h"

struct slot {
	uint64_t index; /* 0: none yet */
	uint64_t at[TEXTS]; /* bytes put before it */
	uint16_t length[TEXTS];
	bool there[TEXTS];
};

static struct {
	pthread_mutex_t lock;
	struct slot *slots; /* TEXTS_OPS of them, each for every TEXTS_OPS-th index */
	char *bytes; /* TEXTS_BYTES, written round and round */
	uint64_t put; /* bytes, with those left out at the end of a round */
	uint64_t next; /* index; 0: to be begun */
} texts = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool get_memory(void)
{
	if (!texts.slots)
		texts.slots = pages_get(TEXTS_OPS * sizeof(struct slot));
	if (!texts.bytes)
		texts.bytes = pages_get(TEXTS_BYTES);
	return texts.slots && texts.bytes;
}

bool op_texts_setup(void)
{
	bool done;

	pthread_mutex_lock(&texts.lock);
	done = get_memory();
	/* A child that reads its parent's records must not take its own texts for theirs. */
	if (!texts.next)
		texts.next = (uint64_t)getpid() << 40 | 1;
	pthread_mutex_unlock(&texts.lock);
	return done;
}

/* Room for a text that lies in one piece. Return: the bytes put before it. */
static uint64_t make_room(size_t length)
{
	size_t left = TEXTS_BYTES - texts.put % TEXTS_BYTES;
	uint64_t at;

	if (left < length)
		texts.put += left;
	at = texts.put;
	texts.put += length;
	return at;
}

uint64_t op_texts_put(const char *const text[TEXTS], const size_t length[TEXTS])
{
	struct slot *slot;
	uint64_t index;

	pthread_mutex_lock(&texts.lock);
	index = texts.next++;
	slot = &texts.slots[index % TEXTS_OPS];
	slot->index = index;
	for (int i = 0; i < TEXTS; i++) {
		slot->at[i] = make_room(length[i]);
		slot->length[i] = (uint16_t)length[i];
		slot->there[i] = true;
		memcpy(texts.bytes + slot->at[i] % TEXTS_BYTES, text[i], length[i]);
	}
	pthread_mutex_unlock(&texts.lock);
	return index;
}

static struct slot *find(uint64_t index, enum text which)
{
	struct slot *slot = texts.slots ? &texts.slots[index % TEXTS_OPS] : NULL;

	if (!slot || !index || slot->index != index || !slot->there[which])
		return NULL;
	return texts.put - slot->at[which] <= TEXTS_BYTES ? slot : NULL;
}

bool op_texts_length(uint64_t index, enum text which, size_t *length)
{
	const struct slot *slot;

	pthread_mutex_lock(&texts.lock);
	slot = find(index, which);
	if (slot)
		*length = slot->length[which];
	pthread_mutex_unlock(&texts.lock);
	return slot;
}

bool op_texts_take(uint64_t index, enum text which, char *out, size_t room)
{
	struct slot *slot;

	pthread_mutex_lock(&texts.lock);
	slot = find(index, which);
	if (slot) {
		out[utf8_copy(out, room - 1, texts.bytes + slot->at[which] % TEXTS_BYTES, slot->length[which])] = '\0';
		slot->there[which] = false;
	}
	pthread_mutex_unlock(&texts.lock);
	return slot;
}

void op_texts_fork_lock(void)
{
	pthread_mutex_lock(&texts.lock);
}

void op_texts_fork_unlock(void)
{
	pthread_mutex_unlock(&texts.lock);
}

void op_texts_child(void)
{
	texts.next = 0;
}
