/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that appears whole or not at all. It is written without a name (or,
 * where the file system cannot do that, under a hidden one) and gets its name
 * by out_commit(). What fills more than one buffer is written by a thread. Not
 * thread-safe.
 */
#ifndef ASCPROF_OUT_H
#define ASCPROF_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/out_writer.h"

#define OUT_ROOM 65536 /* the most that out_room() may be asked for */
#define OUT_BUFFER (512u << 10) /* what is written at once costs the kernel less */

struct out {
	int fd;
	int error; /* errno of the first write that failed, as far as is known */
	char *buf;
	size_t used;
	uint64_t total; /* bytes, without those in the buffer */
	char *path; /* the final name; NULL: written where it is */
	char *hidden; /* the name until then; NULL: none */
	const char *shown; /* for messages */
	bool linked; /* the hidden name exists */
	struct out_writer *writer; /* NULL: none yet, and never for what is no regular file */
};

static inline bool out_is_open(const struct out *o)
{
	return o->shown != NULL;
}

/*
 * @path "-" is standard output. What exists and is no regular file, such as a
 * device or a pipe, is written to directly. Return: 0; -1 with a message.
 */
int out_open(struct out *o, const char *path, struct diag *diag);
/*
 * Writes the rest and gives up descriptor and buffer; out_commit() does so too
 * if need be, and puts the file in its place. Both: 0, or -1 with a message and
 * as after out_abort().
 */
int out_close(struct out *o, struct diag *diag);
int out_commit(struct out *o, struct diag *diag);
void out_abort(struct out *o); /* also after a failed out_open() */

/* What was put is written, or handed over to the thread that writes it. */
void out_flush(struct out *o);

/* Where up to @n bytes may be put; out_used() says where they end. */
static inline char *out_room(struct out *o, size_t n)
{
	if (OUT_BUFFER - o->used < n)
		out_flush(o);
	return o->buf + o->used;
}

static inline void out_used(struct out *o, const char *end)
{
	o->used = (size_t)(end - o->buf);
}

/* Text of any length */
void out_text(struct out *o, const char *s, size_t n);

#endif /* ASCPROF_OUT_H */
