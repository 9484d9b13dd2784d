/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that writes one buffer of an export while the other is filled: half of
 * the time into a file is the kernel's. Its functions are for one thread at a time.
 */
#ifndef ASCPROF_OUT_WRITER_H
#define ASCPROF_OUT_WRITER_H

#include <stddef.h>

struct out_writer;

/*
 * Writes to @fd, which stays the caller's, buffers of @room bytes. Return: NULL where it
 * does not pay, with one processor only, and where there is no room or thread for it.
 */
struct out_writer *out_writer_start(int fd, size_t room);
/*
 * Hands over @full, of which @len bytes are to be written. Return: an empty buffer in its
 * place. @error: errno of the first write that failed, if one has; then nothing is written.
 */
char *out_writer_swap(struct out_writer *w, char *full, size_t len, int *error);
/*
 * Waits until all is written, and gives up the thread and the buffer that it has; @w may be NULL.
 * Return: 0, or errno of the first write that failed.
 */
int out_writer_end(struct out_writer *w);

#endif /* ASCPROF_OUT_WRITER_H */
