/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process of a job: computes, and waits for all others after each step, as
 * an all-reduce does: rank NUMBER OF FILE
 *
 * job.sh starts OF of them, each under ascprof record, and makes one timeline of
 * what is recorded. The program itself needs the mstx header and no library. FILE
 * is how they know of each other.
 */
#include <mstx/ms_tools_ext.h>

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEPS 10

/* A counter that all processes of the job see: how many steps they have finished together. */
static atomic_uint *shared_counter(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	void *memory = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(atomic_uint)))
		memory = mmap(NULL, sizeof(atomic_uint), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (memory == MAP_FAILED) {
		perror(path);
		return NULL;
	}
	return memory;
}

static void compute(unsigned int rank)
{
	volatile double sum = 0; /* some work: more, the higher the number */

	for (unsigned int i = 0; i < 100000 * (rank + 1); i++)
		sum = sum + i * 0.5;
}

static void work(atomic_uint *finished, unsigned int rank, unsigned int of)
{
	mstxDomainHandle_t net = mstxDomainCreateA("network");

	for (unsigned int step = 1; step <= STEPS; step++) {
		mstxRangeId range = mstxRangeStartA("compute", NULL);

		compute(rank);
		mstxRangeEnd(range);
		range = mstxDomainRangeStartA(net, "all-reduce", NULL);
		atomic_fetch_add(finished, 1);
		while (atomic_load(finished) < step * of)
			sched_yield();
		mstxDomainRangeEnd(net, range);
	}
}

int main(int argc, char **argv)
{
	atomic_uint *finished;

	if (argc != 4) {
		fprintf(stderr, "usage: rank NUMBER OF FILE\n");
		return 2;
	}
	alarm(60); /* the others would wait for ever for one that ended early */
	finished = shared_counter(argv[3]);
	if (!finished)
		return 1;
	work(finished, (unsigned int)atoi(argv[1]), (unsigned int)atoi(argv[2]));
	return 0;
}
