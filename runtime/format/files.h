/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of a result directory. Each appears whole or not at all: written
 * under a name that no reader looks for, then renamed. Modes do not depend on
 * the umask. Return: 0, or an errno.
 */
#ifndef ASCPROF_FILES_H
#define ASCPROF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All of @data to @fd, from where that is. */
int files_write(int fd, const void *data, size_t len);
int files_put(int dir_fd, const char *name, const char *text, size_t len);

/* A file that is written again and again, and the last time though the disk be full */
struct files_kept {
	dev_t dev;
	ino_t ino; /* the one that was written last; 0: none yet */
};

/*
 * As files_put(), and holds room for a longer text. @last: no room any more; and where the file
 * cannot be replaced it is rewritten in the room that it has, padded with blanks to the length
 * that it had, by one write, which a kill cuts only between its pages.
 */
int files_put_kept(int dir_fd, const char *name, const char *text, size_t len, struct files_kept *kept, bool last);
/* An empty file to write to. Return: its descriptor, or -1 with errno set. */
int files_create(int dir_fd, const char *name);
/* <name>.done: how long <name> is; @times: with the two time lines of slices */
int files_done(int dir_fd, const char *name, uint64_t bytes, bool times);
/* A new folder of mode 0750. Return: its descriptor, or -1 with errno set. */
int files_mkdir(int dir_fd, const char *name);
/* The same for a path; nothing stays open. Return: 0, or -1 with errno set. */
int files_mkpath(const char *path);

#endif /* ASCPROF_FILES_H */
