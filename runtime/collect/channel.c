/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "clock/clock.h"
#include "log/cancel.h"

#define READ_MAX (1u << 20) /* bytes at once, for the flusher has to wait */
#define READ_TURN (32u << 20) /* before other channels have their turn */
#define SCRATCH (64u << 10)

static char *map_buffer(void)
{
	char *data = mmap(NULL, CHANNEL_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);

	return data == MAP_FAILED ? NULL : data;
}

int channel_init(struct channel *c, const struct channel_def *def, const struct hal *hal, unsigned int device,
		 uint32_t row_bytes, struct channel_wake *wake)
{
	*c = (struct channel){ .def = def, .hal = hal, .device = device, .row_bytes = row_bytes, .wake = wake };
	c->fill = map_buffer();
	c->taken = map_buffer();
	if (!c->fill || !c->taken) {
		channel_destroy(c);
		return ENOMEM;
	}
	pthread_mutex_init(&c->lock, NULL);
	return 0;
}

void channel_destroy(struct channel *c)
{
	if (c->fill)
		munmap(c->fill, CHANNEL_BUFFER);
	if (c->taken)
		munmap(c->taken, CHANNEL_BUFFER);
	c->fill = c->taken = NULL;
}

/* How much of @data is before the next record; @before: bytes that came earlier. */
static size_t rest_of_record(const struct channel *c, const char *data, size_t len, uint64_t before)
{
	const char *end;
	size_t rest;

	if (c->row_bytes == CHANNEL_TEXT) {
		end = memchr(data, '\n', len);
		return end ? (size_t)(end - data) + 1 : len;
	}
	rest = (c->row_bytes - before % c->row_bytes) % c->row_bytes;
	return rest < len ? rest : len;
}

static bool ends_record(const struct channel *c, const char *data, size_t len, uint64_t before)
{
	return c->row_bytes == CHANNEL_TEXT ? data[len - 1] == '\n' : (before + len) % c->row_bytes == 0;
}

static void find_whole(struct channel *c)
{
	const char *end;

	if (c->row_bytes == CHANNEL_TEXT) {
		end = memrchr(c->fill + c->whole, '\n', c->used - c->whole);
		if (end)
			c->whole = (size_t)(end - c->fill) + 1;
	} else {
		c->whole = c->used - c->used % c->row_bytes;
	}
}

/* @len bytes were read to the end of the buffer. */
static void keep(struct channel *c, size_t len)
{
	char *data = c->fill + c->used;
	size_t drop = 0;

	if (c->skip) {
		drop = rest_of_record(c, data, len, c->counts.read);
		c->skip = !ends_record(c, data, drop, c->counts.read);
		memmove(data, data + drop, len - drop);
		c->counts.no_room += drop;
	}
	c->counts.read += len;
	c->used += len - drop;
	find_whole(c);
}

/* @len bytes were read for nobody. */
static void lose(struct channel *c, const char *data, size_t len)
{
	c->skip = !ends_record(c, data, len, c->counts.read);
	c->counts.read += len;
	c->counts.no_room += len;
}

static void forget_part(struct channel *c)
{
	c->counts.no_room += c->used - c->whole;
	c->used = c->whole;
}

/* Return: bytes, 0 for none, or an error. */
static int read_some(struct channel *c)
{
	char scratch[SCRATCH];
	size_t room = CHANNEL_BUFFER - c->used;
	char *to = room ? c->fill + c->used : scratch;
	size_t size = room ? (room < READ_MAX ? room : READ_MAX) : sizeof(scratch);
	int got = c->hal->read(c->device, c->def->id, to, (unsigned int)size);

	if (got == HAL_ERROR_EMPTY)
		return 0;
	if (got <= 0)
		return got;
	if ((size_t)got > size) /* it wrote beyond what it was given, or says so */
		got = (int)size;
	c->counts.last_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	if (!c->counts.first_ns)
		c->counts.first_ns = c->counts.last_ns;
	if (room) {
		keep(c, (size_t)got);
	} else {
		forget_part(c);
		lose(c, scratch, (size_t)got);
	}
	return got;
}

static void tell(struct channel_wake *wake, size_t used)
{
	bool wakes = !atomic_exchange(&wake->told, true);

	if (used > CHANNEL_BUFFER / 2 && !atomic_exchange(&wake->urgent, true))
		wakes = true;
	while (wakes && cancel_free_wake(wake->fd) < 0 && errno == EINTR)
		;
}

/* With the lock. Return: bytes read; @loses: even those for which there is no room. */
static size_t read_turn(struct channel *c, bool loses)
{
	size_t total = 0;
	int got = 1;

	while (got > 0 && total < READ_TURN && !c->counts.error && (loses || c->used < CHANNEL_BUFFER)) {
		got = read_some(c);
		if (got > 0)
			total += (size_t)got;
		else if (got < 0)
			c->counts.error = got;
	}
	return total;
}

bool channel_read(struct channel *c)
{
	bool any = false;
	size_t got, used;

	atomic_store(&c->again, true);
	/* Whoever has the lock looks at `again` once more after giving it back. */
	while (atomic_load(&c->again) && !pthread_mutex_trylock(&c->lock)) {
		atomic_store(&c->again, false);
		got = read_turn(c, true);
		used = c->used;
		pthread_mutex_unlock(&c->lock);
		if (got)
			tell(c->wake, used);
		any |= got > 0;
	}
	return any;
}

size_t channel_fill(struct channel *c)
{
	size_t got;

	pthread_mutex_lock(&c->lock);
	got = read_turn(c, false);
	pthread_mutex_unlock(&c->lock);
	return got;
}

size_t channel_take(struct channel *c, const char **data, bool wait)
{
	char *empty = c->taken;
	size_t len;

	if (!wait && pthread_mutex_trylock(&c->lock))
		return 0;
	if (wait)
		pthread_mutex_lock(&c->lock);
	len = c->whole;
	if (len) {
		memcpy(empty, c->fill + len, c->used - len);
		c->taken = c->fill;
		c->fill = empty;
		c->used -= len;
		c->whole = 0;
	}
	c->seen = c->counts;
	pthread_mutex_unlock(&c->lock);
	*data = c->taken;
	return len;
}

void channel_finish(struct channel *c)
{
	pthread_mutex_lock(&c->lock);
	c->counts.torn += c->used - c->whole;
	c->used = c->whole;
	c->seen = c->counts;
	pthread_mutex_unlock(&c->lock);
}
