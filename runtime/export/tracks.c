/* SPDX-License-Identifier: Apache-2.0 */
#include "export/tracks.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS_ITSELF UINT64_MAX /* as thread */
#define DEVICE (1ULL << 32) /* in process, instead of a pid */
#define PID_TAKEN (1ULL << 63) /* in process: a shown pid that is in use */
#define CALLS (3ULL << 31) /* in process, with the pid: as a device that there cannot be */
#define FIRST_DEVICE_PID (1ULL << 30)
#define FIRST_CALLS_PID (1ULL << 29)
#define PID_STEP (1ULL << 22) /* Linux has no pids above */

static size_t slot_of(const struct tracks *t, uint64_t process, uint64_t thread)
{
	uint64_t h = (process * 0x9e3779b97f4a7c15ULL) ^ (thread * 0xc2b2ae3d27d4eb4fULL);
	size_t i = (h ^ h >> 29) & (t->room - 1);

	while (t->track[i].used &&
	       (t->track[i].process != process || t->track[i].thread != thread))
		i = (i + 1) & (t->room - 1);
	return i;
}

static int grow(struct tracks *t)
{
	struct tracks bigger = { .room = t->room ? 2 * t->room : 64 };

	bigger.track = calloc(bigger.room, sizeof(*bigger.track));
	if (!bigger.track)
		return -1;
	for (size_t i = 0; i < t->room; i++) {
		struct track *from = &t->track[i];

		if (from->used)
			bigger.track[slot_of(&bigger, from->process, from->thread)] = *from;
	}
	free(t->track);
	t->track = bigger.track;
	t->room = bigger.room;
	return 0;
}

static struct track *find(struct tracks *t, uint64_t process, uint64_t thread)
{
	struct track *track;

	if (2 * t->nr >= t->room && grow(t))
		return NULL;
	track = &t->track[slot_of(t, process, thread)];
	if (!track->used) {
		*track = (struct track){ .process = process, .thread = thread, .used = true };
		t->nr++;
	}
	return track;
}

/* A new process is shown under the first free one of @pid, @pid + step, ... */
static struct track *find_process(struct tracks *t, uint64_t process, uint64_t pid)
{
	struct track *track = find(t, process, PROCESS_ITSELF);

	if (!track || track->pid)
		return track;
	for (;; pid += PID_STEP) {
		struct track *taken = find(t, PID_TAKEN | pid, 0);

		if (!taken)
			return NULL;
		if (!taken->pid) {
			taken->pid = 1;
			break;
		}
	}
	track = find(t, process, PROCESS_ITSELF);
	if (track)
		track->pid = pid;
	return track;
}

struct track *tracks_process(struct tracks *t, int host, uint32_t pid)
{
	return find_process(t, (uint64_t)host << 33 | pid, pid ? pid : PID_STEP);
}

struct track *tracks_device(struct tracks *t, int host, unsigned int device)
{
	return find_process(t, (uint64_t)host << 33 | DEVICE | device, FIRST_DEVICE_PID + device);
}

struct track *tracks_calls(struct tracks *t, int host, uint32_t pid)
{
	return find_process(t, (uint64_t)host << 33 | CALLS | pid, FIRST_CALLS_PID + pid);
}

/* Thread @tid of what is @process in the table, made by @make. */
static struct track *find_thread(struct tracks *t, uint64_t process, uint32_t tid, int host, uint32_t pid,
				 struct track *(*make)(struct tracks *t, int host, uint32_t pid))
{
	struct track *track = find(t, process, tid), *made;
	uint64_t shown;

	if (!track || track->pid)
		return track;
	made = make(t, host, pid);
	if (!made)
		return NULL;
	shown = made->pid;
	track = find(t, process, tid);
	if (track)
		track->pid = shown;
	return track;
}

struct track *tracks_thread(struct tracks *t, int host, uint32_t pid, uint32_t tid)
{
	return find_thread(t, (uint64_t)host << 33 | pid, tid, host, pid, tracks_process);
}

struct track *tracks_calls_thread(struct tracks *t, int host, uint32_t pid, uint32_t tid)
{
	return find_thread(t, (uint64_t)host << 33 | CALLS | pid, tid, host, pid, tracks_calls);
}

int tracks_host(struct tracks *t, const char *host)
{
	const char **grown;

	for (unsigned int i = 0; i < t->nr_hosts; i++)
		if (!strcmp(t->host[i], host))
			return (int)i;
	grown = realloc(t->host, (t->nr_hosts + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	t->host = grown;
	t->host[t->nr_hosts] = host;
	return (int)t->nr_hosts++;
}

static int push(struct tracks_lane *l, int64_t end)
{
	int64_t *grown;

	if (l->depth == l->room) {
		grown = realloc(l->end, (l->room ? 2 * l->room : 4) * sizeof(*grown));
		if (!grown)
			return -1;
		l->end = grown;
		l->room = l->room ? 2 * l->room : 4;
	}
	l->end[l->depth++] = end;
	return 0;
}

int tracks_lane(struct track *thread, int64_t start, int64_t end)
{
	struct tracks_lane *grown;

	for (unsigned int i = 0; i < thread->nr_lanes; i++) {
		struct tracks_lane *l = &thread->lane[i];

		while (l->depth && l->end[l->depth - 1] <= start)
			l->depth--;
		if (!l->depth || l->end[l->depth - 1] >= end)
			return push(l, end) ? -1 : (int)i;
	}
	if (thread->nr_lanes == TRACKS_LANES)
		return -1;
	grown = realloc(thread->lane, (thread->nr_lanes + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	thread->lane = grown;
	thread->lane[thread->nr_lanes++] = (struct tracks_lane){ 0 };
	return push(&thread->lane[thread->nr_lanes - 1], end) ? -1 : (int)thread->nr_lanes - 1;
}

void tracks_free(struct tracks *t)
{
	for (size_t i = 0; i < t->room; i++) {
		for (unsigned int j = 0; j < t->track[i].nr_lanes; j++)
			free(t->track[i].lane[j].end);
		free(t->track[i].lane);
	}
	free(t->track);
	free(t->host);
	*t = (struct tracks){ 0 };
}
