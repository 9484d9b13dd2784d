// SPDX-License-Identifier: Apache-2.0
/*
 * Host data: what this process did between Start and Stop is in them; samples go
 * on across slices; a killed program leaves whole ones; what is not asked for, or
 * cannot be had, is not there and said to be so.
 *
 *   host record DIR    records all kinds into DIR, for comparisons with other readers
 */
#include "prof.h"
#include "t.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#define BUSY_NS 300000000 /* of processor time */
#define MEMORY (32u << 20)
#define DISK (4u << 20)
#define PACKETS 64
#define PACKET 16384
#define THREADS 200

static aclprofConfig *start(void)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(t_set(ACL_PROF_HOST_SYS, "cpu,mem"), 0);
	t_code(t_set(ACL_PROF_HOST_SYS, "disk,network"), 0);
	t_code(t_set(ACL_PROF_HOST_SYS_USAGE, "cpu,mem"), 0);
	t_code(t_set(ACL_PROF_HOST_SYS_USAGE_FREQ, "25"), 0);
	t_code(aclprofStart(config), 0);
	return config;
}

static aclprofConfig *begin(const char *dir)
{
	t_code(t_init(dir), 0);
	return start();
}

/* Waits until a file of the host's data has @bytes. */
static void wait_for(const char *dir, const char *name, long bytes)
{
	const char *pattern = t_path("%s/PROF_*/host/data/%s", dir, name);
	struct timespec a, b;
	long have = -1;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		glob_t found;

		if (!glob(pattern, 0, NULL, &found)) {
			FILE *file = fopen(found.gl_pathv[0], "r");

			if (file) {
				fseek(file, 0, SEEK_END);
				have = ftell(file);
				fclose(file);
			}
		}
		globfree(&found);
		t_sleep_us(1000);
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while (have < bytes && b.tv_sec - a.tv_sec < 60);
	t_check(have >= bytes, "%s has %ld bytes, expected %ld", name, have, bytes);
}

static void *be_there(void *arg)
{
	char byte;

	/* until the other end of the pipe is closed */
	return read(*(int *)arg, &byte, 1) ? arg : NULL;
}

static void *be_busy(void *arg)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000000000 + now.tv_nsec < BUSY_NS);
	close(*(int *)arg); /* done; what a thread took counts as long as it is there */
	return be_there((int *)arg + 1);
}

static bool write_disk(const char *dir)
{
	int fd = open(t_path("%s/written", dir), O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *data = calloc(1, DISK);
	bool written;

	memset(data, 'x', DISK);
	written = write(fd, data, DISK) == DISK && !fsync(fd);
	free(data);
	close(fd);
	return written;
}

static void send_packets(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t length = sizeof(to);
	char data[PACKET] = { 0 };

	t_code(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	t_code(getsockname(fd, (struct sockaddr *)&to, &length), 0);
	for (int i = 0; i < PACKETS; i++) {
		t_equal(sendto(other, data, PACKET, 0, (struct sockaddr *)&to, sizeof(to)), PACKET, "bytes sent");
		t_equal(recv(fd, data, PACKET, 0), PACKET, "bytes received");
	}
	close(fd);
	close(other);
}

static void work(const char *dir, pthread_t *thread, int *end)
{
	static int own[2];
	int done[2], lasting[2];
	char *memory, byte;

	t_code(pipe(done), 0);
	t_code(pipe(lasting), 0);
	own[0] = done[1];
	own[1] = lasting[0];
	*end = lasting[1];
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(memory, 1, MEMORY);
	t_code(pthread_create(thread, NULL, be_busy, own), 0);
	send_packets();
	t_check(write_disk(dir), "cannot write");
	t_equal(read(done[0], &byte, 1), 0, "bytes from the busy thread");
}

static int hostcheck(const char *dir, const char *minimums)
{
	const char *prof = prof_only(dir);

	return prof ? system(t_path("python3 '%s/hostcheck.py' '%s' %s", getenv("HERE"), prof, minimums)) : -1;
}

/* Until the pipe's other end is closed, each time for a while. */
static void be_another(int fd)
{
	struct pollfd until = { .fd = fd };

	while (!poll(&until, 1, 0))
		for (volatile int i = 0; i < 100000; i++)
			;
	_exit(0);
}

/* The priority of its I/O, as samples of the disk have it: class and level. */
static void set_io_priority(int class, int level)
{
	t_code((int)syscall(SYS_ioprio_set, 1, 0, class << 13 | level), 0);
}

static void everything(void)
{
	const char *dir = t_dir();
	struct prof_account account;
	aclprofConfig *config;
	pthread_t thread;
	int end, until[2];
	pid_t other;

	t_code(pipe(until), 0);
	other = fork();
	if (!other) {
		close(until[1]);
		be_another(until[0]);
	}

	set_io_priority(3, 0); /* idle */
	config = begin(dir);
	work(t_dir(), &thread, &end);
	wait_for(dir, "host_disk.data.slice_0", 400);
	wait_for(dir, t_path("%d-CpuUsage.data.slice_0", other), 4000); /* ten samples */
	t_stop(config);
	close(until[1]);
	t_equal(t_wait(other), 0, "status of the other process");
	t_check(t_exists(t_path("%s/host/data/%d-Memory.data.slice_0", prof_only(dir), other)),
		"no memory of the other process");
	set_io_priority(2, 4); /* as processes begin */
	t_equal(system(t_path("grep -q ' id/0 ' '%s'/PROF_*/host/data/host_disk.data.slice_0", dir)), 0, "the priority of its I/O");
	close(end);
	t_code(pthread_join(thread, NULL), 0);
	prof_check(dir, "", NULL);
	/* in ticks, pages, bytes */
	t_equal(hostcheck(dir, "cpu_ticks=20 process_ticks=20 machine_ticks=20 resident=7000 process_resident=7000 "
			       "lo_bytes=1048576 others_process_ticks=1"), 0, "what was done is in the samples");
	for (size_t i = 0; i < 9; i++) {
		static const char *const kinds[] = { "host_cpu", "host_mem", "host_disk", "disks", "host_network", "sys_cpu",
						     "sys_mem", "process_cpu", "process_mem" };

		prof_account(&account, prof_only(dir), kinds[i]);
		t_check(account.written > 1, "%s: %lu samples", kinds[i], account.written);
	}
	t_code(prof_export(prof_only(dir)), 0);
}

/* Threads make samples large: slices follow each other soon. */
static void slices(void)
{
	pthread_t thread[THREADS];
	const char *dir = t_dir();
	aclprofConfig *config;
	int pipes[2];

	t_code(pipe(pipes), 0);
	for (int i = 0; i < THREADS; i++)
		t_code(pthread_create(&thread[i], NULL, be_there, pipes), 0);
	config = begin(dir);
	wait_for(dir, "host_cpu.data.slice_1", 1);
	t_stop(config);
	close(pipes[1]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	prof_check(dir, "", NULL);
}

static bool summary_has(const char *prof, const char *word)
{
	char text[16384];
	FILE *file = fopen(t_path("%s/ascprof.json", prof), "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = 0;
	if (file)
		fclose(file);
	return strstr(text, word) != NULL;
}

static void be_refused(const void *arg)
{
	struct rlimit limit = { 65536, 65536 };
	pthread_t thread;
	aclprofConfig *config;
	int pipes[2];

	t_code(pipe(pipes), 0);
	for (int i = 0; i < THREADS; i++)
		t_code(pthread_create(&thread, NULL, be_there, pipes), 0);
	config = begin(arg);
	t_code(setrlimit(RLIMIT_FSIZE, &limit), 0); /* now that all that Start needs is there */
	for (int i = 0; i < 60000 && !summary_has(prof_only(arg), "File too large"); i++)
		t_sleep_us(1000);
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	exit(t_failures() != 0);
}

/* What an error shortens ends with a whole sample, and is counted so. */
static void refused(void)
{
	const char *dir = t_dir();

	t_equal(t_child(be_refused, dir), 0, "status");
	prof_check(dir, "--error --dropped", NULL);
	t_equal(hostcheck(dir, ""), 0, "what is left is whole samples, and the account is right");
}

static void be_killed(const void *arg)
{
	begin(arg);
	wait_for(arg, "host_disk.data.slice_0", 400);
	raise(SIGKILL);
}

static void killed(void)
{
	const char *dir = t_dir();

	t_equal(t_child(be_killed, dir), 128 + SIGKILL, "status");
	prof_check(dir, "--state running", NULL);
	t_code(prof_export(prof_only(dir)), 0);
	t_code(system(t_path("printf half >>'%s/host/data/host_cpu.data.slice_0'", prof_only(dir))), 0);
	t_code(system(t_path("'%s/../../bin/ascprof' repair '%s'", getenv("HERE"), prof_only(dir))), 0);
	prof_check(dir, "--state repaired", NULL);
}

/* Lists of several calls add up: before all others. */
static void in_part(void)
{
	const char *dir = t_dir(), *prof;
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_HOST_SYS, "mem,numa"), 0);
	t_code(aclprofStart(config), 0);
	t_stop(config);
	prof_check(dir, "", NULL);
	prof = prof_only(dir);
	t_check(t_exists(t_path("%s/host/data/host_mem.data.slice_0", prof)), "no host_mem.data");
	t_check(!t_exists(t_path("%s/host/data/host_cpu.data.slice_0", prof)), "host_cpu.data, not asked for");
	t_check(!t_exists(t_path("%s/host/data/ascprof.counters.slice_0", prof)), "counters, not asked for");
	/* where there is a kernel without nodes, that is said */
	t_check(t_exists(t_path("%s/host/data/ascprof.numa.slice_0", prof)) ==
		!summary_has(prof, "ACL_PROF_HOST_SYS: numa: /sys/devices/system/node"),
		"neither is there anything of numa, nor is said why");
	t_check(!t_exists("/proc/self/numa_maps") ||
		!system(t_path("grep -q '^own[0-9]* [1-9]' '%s/host/data/ascprof.numa.slice_0'", prof)),
		"no memory of this process by node");
	t_check(!t_exists("/sys/devices/system/node/node0/numastat") ||
		t_exists(t_path("%s/host/data/ascprof.numa.slice_0", prof)), "no nodes, where there are some");
}

/* Descriptors are the program's: few that may be opened leave counters out, and the rest there. */
static void few_descriptors(const void *arg)
{
	struct rlimit limit = { 64, 64 };
	aclprofConfig *config;

	t_code(setrlimit(RLIMIT_NOFILE, &limit), 0);
	config = begin(arg);
	t_stop(config);
}

/* A child records, and there are samples. Return: its result path */
static const char *recorded_by(void (*body)(const void *), const char *options)
{
	const char *dir = t_dir();
	struct prof_account account;

	t_equal(t_child(body, dir), 0, "status");
	prof_check(dir, options, NULL);
	prof_account(&account, prof_only(dir), "host_cpu");
	t_check(account.written > 1, "%lu samples", account.written);
	t_equal(account.produced, account.written + account.dropped, "samples that were due");
	return dir;
}

/* For a while nothing can be opened: what could not be read is counted, and the rest goes on. */
static void without_descriptors(const void *arg)
{
	aclprofConfig *config = begin(arg);
	struct rlimit was, none;
	int next;

	wait_for(arg, "host_disk.data.slice_0", 400);
	t_code(getrlimit(RLIMIT_NOFILE, &was), 0);
	next = dup(STDERR_FILENO);
	close(next);
	none = (struct rlimit){ (rlim_t)next, was.rlim_max };
	t_code(setrlimit(RLIMIT_NOFILE, &none), 0);
	t_sleep_us(200000);
	t_code(setrlimit(RLIMIT_NOFILE, &was), 0);
	t_sleep_us(100000);
	t_stop(config);
}

static void unread(void)
{
	const char *dir = recorded_by(without_descriptors, "--dropped");

	t_equal(hostcheck(dir, ""), 0, "what was read is right");
	t_equal(system(t_path("grep -q '\"kind\":\"host_cpu\"[^}]*\"unread\":[1-9]' '%s/ascprof.json'", prof_only(dir))), 0,
		"samples that could not be read are counted as such");
}

/* A child is no part of the session, and ends nothing of it. */
static void forked(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = begin(dir);
	pid_t pid = fork();

	if (!pid) {
		t_forked(60);
		t_code(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
		_exit(t_failures() != 0);
	}
	t_equal(t_wait(pid), 0, "status of the child");
	wait_for(dir, "host_disk.data.slice_0", 400);
	t_stop(config);
	prof_check(dir, "", NULL);
}

/* All there is, into several slices; system calls where they can be had. */
static int record(const char *dir)
{
	pthread_t thread;
	aclprofConfig *config;
	int pipes[2], end;

	t_code(pipe(pipes), 0);
	for (int i = 0; i < THREADS; i++)
		t_code(pthread_create(&thread, NULL, be_there, pipes), 0);
	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_HOST_SYS, "osrt"), 0);
	config = start();
	work(t_dir(), &thread, &end);
	wait_for(dir, "host_cpu.data.slice_1", 1);
	t_stop(config);
	return t_end();
}

int main(int argc, char **argv)
{
	char here[4096];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	here[n > 0 ? n : 0] = '\0';
	*strrchr(here, '/') = '\0';
	setenv("HERE", here, 1);
	if (argc == 3 && !strcmp(argv[1], "record"))
		return record(argv[2]);
	in_part();
	everything();
	slices();
	killed();
	refused();
	recorded_by(few_descriptors, "");
	unread();
	forked();
	return t_end();
}
