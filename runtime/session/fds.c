/* SPDX-License-Identifier: Apache-2.0 */
#include "session/fds.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static unsigned int used, room;

int fds_add(int fd)
{
	if (fd < 0)
		return fd;
	pthread_mutex_lock(&lock);
	if (used == room) {
		unsigned int more = room ? room * 2 : 32;
		int *bigger = realloc(table, more * sizeof(*bigger));

		if (!bigger) {
			pthread_mutex_unlock(&lock);
			close(fd);
			errno = ENOMEM;
			return -1;
		}
		table = bigger;
		room = more;
	}
	table[used++] = fd;
	pthread_mutex_unlock(&lock);
	return fd;
}

static void forget_locked(int fd)
{
	for (unsigned int i = 0; i < used; i++) {
		if (table[i] == fd) {
			table[i] = table[--used];
			return;
		}
	}
}

void fds_forget(int fd)
{
	pthread_mutex_lock(&lock);
	forget_locked(fd);
	pthread_mutex_unlock(&lock);
}

void fds_close(int fd)
{
	if (fd < 0)
		return;
	pthread_mutex_lock(&lock);
	forget_locked(fd);
	/* Under the lock: a fork in between would close a number used again. */
	close(fd);
	pthread_mutex_unlock(&lock);
}

void fds_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void fds_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void fds_child(void)
{
	while (used)
		close(table[--used]);
}
