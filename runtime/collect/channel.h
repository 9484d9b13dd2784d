/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One channel that runs: what was read from the driver waits here until the
 * flusher takes it. There are two buffers, one that is filled, and one that the
 * flusher has; memory of them appears as it is used. When the flusher is held up
 * and the buffer is full, reading goes on, so that the device is not held up as
 * well, and whole records are lost and counted.
 */
#ifndef ASCPROF_CHANNEL_H
#define ASCPROF_CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/channels.h"

#define CHANNEL_BUFFER (4u << 20) /* bytes: as much as the driver's own */

/* Tells the flusher that there is something to take. */
struct channel_wake {
	int fd; /* an eventfd */
	atomic_bool told; /* since it last took everything */
	atomic_bool urgent; /* a buffer is more than half full */
};

struct channel_counts {
	uint64_t read; /* bytes that came from the driver */
	uint64_t no_room; /* of them lost, because the buffer was full */
	uint64_t torn; /* of them lost, because the record was not whole at the end */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC_RAW of reading; 0: nothing came */
	int error; /* that ended it; 0: none */
};

struct channel {
	const struct channel_def *def;
	const struct hal *hal;
	unsigned int device;
	uint32_t row_bytes;
	struct channel_wake *wake;

	pthread_mutex_t lock; /* for what follows */
	char *fill; /* begins with a record */
	size_t used, whole; /* bytes in it, and of records that are whole */
	bool skip; /* up to the next record */
	struct channel_counts counts;

	/* the flusher's */
	char *taken;
	struct channel_counts seen; /* when it took last */

	/* the poller's */
	atomic_bool again; /* became ready while it was being read */
	unsigned int users;
};

/* Return: 0, or ENOMEM. */
int channel_init(struct channel *c, const struct channel_def *def, const struct hal *hal, unsigned int device,
		 uint32_t row_bytes, struct channel_wake *wake);
void channel_destroy(struct channel *c);

/* Reads all that the driver has; leaves it to whoever reads it already. Return: whether anything came. Thread-safe. */
bool channel_read(struct channel *c);
/* Reads until nothing is left, or the buffer is full. Return: bytes. */
size_t channel_fill(struct channel *c);
/*
 * Takes whole records; they stay valid until the next call. @wait: even if that
 * means waiting for a thread that reads. Return: bytes. For one thread.
 */
size_t channel_take(struct channel *c, const char **data, bool wait);
/* At the end: what is left is no whole record. */
void channel_finish(struct channel *c);

#endif /* ASCPROF_CHANNEL_H */
