/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every descriptor that a session opens, so that a forked child can close them
 * all: what the parent writes is none of its business.
 */
#ifndef ASCPROF_FDS_H
#define ASCPROF_FDS_H

/* Keeps note of @fd; negative values pass through. Closes it and returns -1
 * with ENOMEM when the note cannot be kept. */
int fds_add(int fd);
void fds_close(int fd); /* a descriptor given to fds_add(); negative: ignored */
void fds_forget(int fd); /* its owner closes it */

void fds_fork_lock(void);
void fds_fork_unlock(void);
void fds_child(void); /* after fds_fork_unlock(): closes all */

#endif /* ASCPROF_FDS_H */
