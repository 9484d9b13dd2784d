// SPDX-License-Identifier: Apache-2.0
/*
 * A process that is killed at any moment leaves nothing behind.
 */
#include <signal.h>

#include "guest.h"

#define CHILDREN	60

static uint32_t seed = 20240607;

/* Marsaglia's xorshift: the same moments in every run, as far as a kernel allows. */
static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Everything a stream can do, until the end comes. */
static void work(unsigned int kind)
{
	struct ascprof_stream_create req = good_stream();
	static uint64_t buffer[4096];
	int control = open_control();
	uint32_t sim = source_id(control, "sim1");
	const struct ascprof_rec *rec;
	struct ring_map map;
	int stream;

	for (;;) {
		req.period_ns = kind & 1 ? MS / 10 : 10 * MS;
		req.max_latency_ns = MS;
		stream = make_stream(control, &req);
		add_hbm(stream, sim);
		if (kind & 2)
			map_ring(&map, stream, req.ring_bytes);
		if (ioctl(stream, ASCPROF_IOC_START))
			_exit(1);
		wait_samples(stream, 2);
		if (kind & 2) {
			while ((rec = next_record(&map)))
				done_with(&map, rec);
			unmap_ring(&map);
		} else if (read(stream, buffer, sizeof(buffer)) < 0) {
			_exit(1);
		}
		if (kind & 4) {
			ioctl(stream, ASCPROF_IOC_KICK);
			ioctl(stream, ASCPROF_IOC_STOP);
		}
		close(stream);
	}
}

/* Threads that pace streams: none may outlive its stream. */
static unsigned int pacing_threads(void)
{
	FILE *list = popen("cat /proc/[0-9]*/comm 2>/dev/null", "re");
	char line[64];
	unsigned int nr = 0;

	if (!list)
		bail("popen");
	while (fgets(line, sizeof(line), list))
		nr += !strncmp(line, "ascprof/", 8);
	pclose(list);
	return nr;
}

int main(void)
{
	unsigned int i, killed = 0;
	pid_t child;
	int status = 0, tries;

	close(open_control());
	for (i = 0; i < CHILDREN; i++) {
		child = fork();
		if (child == 0)
			work(i);
		if (child < 0)
			bail("fork");
		usleep(next_random() % 60000);
		kill(child, SIGKILL);
		if (waitpid(child, &status, 0) != child)
			bail("waitpid");
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	equal(killed, CHILDREN, "children worked until they were killed");
	for (tries = 0; tries < 1000 && module_users() > 0; tries++)
		usleep(1000);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	equal(pacing_threads(), 0, "no pacing thread is left");
	check(module_unload() == 0, "unload");
	check(module_load() == 0, "load");
	return finish();
}
