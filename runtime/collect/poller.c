/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/poller.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log/log.h"
#include "session/threads.h"

#define THREADS_MIN 2u
#define THREADS_MAX 4u
#define READY_MAX 16 /* that one thread takes at once */
#define WAIT_S 1
#define IDLE_NS 10000000 /* after the driver did not wait, and had nothing */

static struct poller {
	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t left; /* a thread has done with a channel, or has ended */
	struct channel *channel[HAL_DEVICES][HAL_CHANNELS];
	unsigned int nr;
	unsigned int threads;

	pthread_mutex_t waiting; /* one thread waits for the driver */
} poller = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.left = PTHREAD_COND_INITIALIZER,
	.waiting = PTHREAD_MUTEX_INITIALIZER,
};

static struct channel *begin_use(unsigned int device, unsigned int id)
{
	struct channel *c = NULL;

	if (device >= HAL_DEVICES || id >= HAL_CHANNELS)
		return NULL;
	pthread_mutex_lock(&poller.lock);
	c = poller.channel[device][id];
	if (c)
		c->users++;
	pthread_mutex_unlock(&poller.lock);
	return c;
}

static void end_use(struct channel *c)
{
	pthread_mutex_lock(&poller.lock);
	if (!--c->users)
		pthread_cond_broadcast(&poller.left);
	pthread_mutex_unlock(&poller.lock);
}

static bool serve(unsigned int device, unsigned int id)
{
	struct channel *c = begin_use(device, id);
	bool any;

	if (!c)
		return false;
	any = channel_read(c);
	end_use(c);
	return any;
}

/* Whether there is anything left to do; a thread that is told no has ended. */
static bool goes_on(void)
{
	bool more;

	pthread_mutex_lock(&poller.lock);
	more = poller.nr;
	if (!more && !--poller.threads)
		pthread_cond_broadcast(&poller.left);
	pthread_mutex_unlock(&poller.lock);
	return more;
}

static void *poller_main(void *arg)
{
	const struct timespec idle = { 0, IDLE_NS };
	const struct hal *hal = arg;
	struct hal_ready ready[READY_MAX];
	bool any;
	int nr;

	pthread_setname_np(pthread_self(), "ascprof-npu");
	while (goes_on()) {
		pthread_mutex_lock(&poller.waiting);
		nr = hal->poll(ready, READY_MAX, WAIT_S);
		pthread_mutex_unlock(&poller.waiting);
		any = false;
		for (int i = 0; i < nr && i < READY_MAX; i++)
			any |= serve(ready[i].device, ready[i].channel);
		/* A channel that failed may stay ready for ever. */
		if (!any)
			nanosleep(&idle, NULL);
	}
	return NULL;
}

static unsigned int threads_wanted(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus < (long)THREADS_MIN)
		return THREADS_MIN;
	return cpus > (long)THREADS_MAX ? THREADS_MAX : (unsigned int)cpus;
}

/* With the lock. Return: 0, or an errno when there is not one thread. */
static int start_threads(const struct hal *hal)
{
	unsigned int wanted = threads_wanted();
	int err = 0;

	while (poller.threads < wanted && !err) {
		err = threads_start(NULL, poller_main, (void *)hal);
		if (!err)
			poller.threads++;
	}
	return poller.threads ? 0 : err;
}

int poller_add(struct channel *c)
{
	struct channel **place = &poller.channel[c->device][c->def->id];
	int err;

	pthread_mutex_lock(&poller.lock);
	*place = c;
	poller.nr++;
	err = start_threads(c->hal);
	if (err) {
		*place = NULL;
		poller.nr--;
	}
	pthread_mutex_unlock(&poller.lock);
	return err;
}

void poller_remove(struct channel *c)
{
	struct channel **place = &poller.channel[c->device][c->def->id];

	pthread_mutex_lock(&poller.lock);
	if (*place == c) {
		*place = NULL;
		poller.nr--;
	}
	while (c->users)
		pthread_cond_wait(&poller.left, &poller.lock);
	pthread_mutex_unlock(&poller.lock);
}

void poller_wait(unsigned int seconds)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&poller.lock);
	while (!poller.nr && poller.threads && !err)
		err = pthread_cond_timedwait(&poller.left, &poller.lock, &until);
	pthread_mutex_unlock(&poller.lock);
}

void poller_child(void)
{
	pthread_mutex_init(&poller.lock, NULL);
	pthread_mutex_init(&poller.waiting, NULL);
	pthread_cond_init(&poller.left, NULL);
	memset(poller.channel, 0, sizeof(poller.channel));
	poller.nr = poller.threads = 0;
}
