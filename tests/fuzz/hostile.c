// SPDX-License-Identifier: Apache-2.0
/*
 * hostile SECONDS IOCTLS [SEED]: a user who does everything wrong, in several threads and two
 * processes, one of them without privileges: that many ioctls, then everything at once for
 * that long, then every allocation fails once.
 *
 * It passes when everything came back, and the module can be unloaded afterwards; what the
 * kernel has to say about it is for the judge of the log.
 */
#include <pthread.h>
#include <signal.h>

#include "hostile.h"

#define THREADS		3	/* per process */
#define STEP		20	/* ioctls between two looks at the clock */

struct hostile *shared;

static int pool[POOL];
static int control = -1;
static uint64_t wanted;
static uint64_t seed = 1;

static const char *const names[OP_ALL] = {
	"INFO", "SOURCE_GET", "EVENT_GET", "STREAM_CREATE", "COUNTER_ADD", "START", "STOP", "KICK",
	"STATS", "other ioctl", "mmap", "munmap", "mprotect", "mremap", "madvise", "tail written",
	"read", "poll", "dup", "SCM_RIGHTS", "fork", "setrlimit", "signal", "close", "parameter",
	"CPU hotplug",
};

static void nothing(int signal)
{
	(void)signal;
}

static void *ioctl_thread(void *arg)
{
	struct dice dice = { .state = seed * 0x9e3779b97f4a7c15 + (uintptr_t)arg };
	int i;

	while (!shared->stop)
		for (i = 0; i < STEP; i++)
			random_ioctl(&dice, control, pool);
	return NULL;
}

static void *chaos_thread(void *arg)
{
	struct dice dice = { .state = seed * 0x9e3779b97f4a7c15 + (uintptr_t)arg };

	while (!shared->stop) {
		if (shared->storm)
			usleep(10000);
		else
			random_chaos(&dice, control, pool);
	}
	return NULL;
}

/* Threads of one process, all on the same streams. */
static void work(uintptr_t number)
{
	pthread_t threads[THREADS];
	uintptr_t i;

	memset(pool, -1, sizeof(pool));
	control = open_control();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, i ? ioctl_thread : chaos_thread,
				   (void *)(1 + number * THREADS + i)))
			bail("pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static pid_t worker(uintptr_t number, bool privileged)
{
	pid_t pid = fork();

	if (pid < 0)
		bail("fork");
	if (pid == 0) {
		if (!privileged && (setgid(1000) || setuid(1000)))
			bail("setuid");
		work(number);
		_exit(0);
	}
	return pid;
}

static void print_table(void)
{
	int op, error;

	printf("# %-14s %9s  results\n", "operation", "calls");
	for (op = 0; op < OP_ALL; op++) {
		printf("# %-14s %9" PRIu64 " ", names[op], shared->calls[op]);
		for (error = 0; error < MAX_ERRNO; error++)
			if (shared->results[op][error])
				printf(" %s %" PRIu64, error ? strerrorname_np(error) : "ok",
				       shared->results[op][error]);
		printf("\n");
	}
}

static void say(bool good, const char *what)
{
	check(good, "%s: works once no allocation fails", what);
}

static void restore(void)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "1", 1) != 1 && errno != EINVAL)
			bail("cpu1");
		close(fd);
	}
	set_parameter("paranoid", "2");
	set_parameter("max_streams", "32");
	set_parameter("max_ring_bytes", "67108864");
	set_parameter("max_total_bytes", "536870912");
}

int main(int argc, char **argv)
{
	time_t begun = time(NULL);
	bool injected;
	int seconds, tries, status[2] = { -1, -1 };
	pid_t pids[2];

	if (argc < 3) {
		fprintf(stderr, "usage: hostile SECONDS IOCTLS [SEED]\n");
		return 2;
	}
	seconds = atoi(argv[1]);
	wanted = strtoull(argv[2], NULL, 0);
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	printf("# seed %" PRIu64 "\n", seed);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		bail("mmap");
	signal(SIGUSR1, nothing);
	signal(SIGXFSZ, SIG_IGN);
	ioctls_learn();
	set_parameter("max_total_bytes", "134217728");
	if (chmod(ASCPROF_DEVICE_PATH, 0666))
		bail(ASCPROF_DEVICE_PATH);

	shared->storm = 1;
	pids[0] = worker(0, true);
	pids[1] = worker(1, false);
	while (ioctls_done() < wanted && waitpid(-1, NULL, WNOHANG) == 0)
		usleep(100000);
	shared->storm = 0;
	printf("# %" PRIu64 " ioctls after %d s\n", ioctls_done(), (int)(time(NULL) - begun));
	fflush(stdout);
	while (seconds > 0)
		seconds = (int)sleep((unsigned int)seconds);
	shared->stop = 1;
	for (tries = 0; tries < 2; tries++)
		if (waitpid(pids[tries], &status[tries], 0) != pids[tries])
			bail("waitpid");
	restore();
	print_table();
	check(status[0] == 0 && status[1] == 0, "both processes came back (%#x, %#x)",
	      (unsigned int)status[0], (unsigned int)status[1]);
	check(ioctls_done() >= wanted, "ioctls: %" PRIu64, ioctls_done());
	check(shared->results[OP_START][0] && shared->results[OP_MMAP][0] &&
	      shared->results[OP_COUNTER_ADD][0] && shared->results[OP_READ][0],
	      "some of it was taken seriously");

	injected = fail_every_allocation(atoi(argv[1]) > 30, say);
	check(!injected || shared->injected > 50, "allocations were made to fail: %" PRIu64 "%s",
	      shared->injected, injected ? "" : " # SKIP the kernel cannot do that");

	for (tries = 0; tries < 2000 && module_users() > 0; tries++)
		usleep(1000);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	check(module_unload() == 0, "unload");
	check(module_load() == 0, "load");
	return finish();
}
