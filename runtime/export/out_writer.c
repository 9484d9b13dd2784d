/* SPDX-License-Identifier: Apache-2.0 */
#include "export/out_writer.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "format/files.h"
#include "session/threads.h"

struct out_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd;
	char *buf; /* the thread's while @len is not 0 */
	size_t len;
	int error; /* of the first write that failed */
	bool end;
};

static void *run(void *arg)
{
	struct out_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		int error;

		while (!w->len && !w->end)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->len)
			break;
		pthread_mutex_unlock(&w->lock);
		error = files_write(w->fd, w->buf, w->len);
		pthread_mutex_lock(&w->lock);
		w->error = error;
		w->len = 0;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static bool pays(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

struct out_writer *out_writer_start(int fd, size_t room)
{
	struct out_writer *w = pays() ? calloc(1, sizeof(*w)) : NULL;

	if (!w)
		return NULL;
	w->fd = fd;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->buf = malloc(room);
	if (w->buf && !threads_start(&w->thread, run, w))
		return w;
	free(w->buf);
	free(w);
	return NULL;
}

char *out_writer_swap(struct out_writer *w, char *full, size_t len, int *error)
{
	char *empty;

	pthread_mutex_lock(&w->lock);
	while (w->len)
		pthread_cond_wait(&w->changed, &w->lock);
	*error = w->error;
	empty = w->buf;
	w->buf = full;
	w->len = w->error ? 0 : len;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return empty;
}

int out_writer_end(struct out_writer *w)
{
	int error;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->end = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	error = w->error;
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w->buf);
	free(w);
	return error;
}
