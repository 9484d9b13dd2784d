/* SPDX-License-Identifier: Apache-2.0 */
/* Files of sysfs and procfs: one short line each, and written by nobody we trust. */
#ifndef ASCPROF_SYSFS_H
#define ASCPROF_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#define SYSFS_TEXT 256 /* longest file that makes sense, with the terminating zero */

/*
 * One line of printable text, without its end. @path is relative to the folder @dir
 * (AT_FDCWD as ever). Return: 0; ENOENT; EINVAL for anything else.
 */
int sysfs_text(int dir, const char *path, char text[SYSFS_TEXT]);

/* All of @text as a number in the manner of C, up to @max. Return: 0 or EINVAL. */
int sysfs_number(const char *text, uint64_t max, uint64_t *value);

#endif /* ASCPROF_SYSFS_H */
