/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the guest programs share: TAP lines, the module, streams. Programs run as
 * root in a virtual machine; whatever the test itself needs and cannot get ends
 * the program with a message.
 */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uapi/ascprof.h"

#define MODULE_FILE	"/mod/ascprof.ko"
#define MODULE_ARGS	"sim=1"
#define PARAMETERS	"/sys/module/ascprof/parameters/"

#define MS		1000000ULL	/* ns */
#define PATIENCE	60000		/* ms; nothing here is about time */

static int tap_count;
static int tap_failed;

__attribute__((noreturn))
static inline void bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

__attribute__((format(printf, 2, 3)))
static inline bool check(bool good, const char *format, ...)
{
	va_list args;

	printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	tap_failed += !good;
	return good;
}

/* A call that has to fail with one error: result as of a system call. */
static inline bool refused(long result, int error, const char *what)
{
	int got = result < 0 ? errno : 0;

	if (check(got == error, "%s: %s", what, strerror(error)))
		return true;
	printf("# got %ld, %s\n", result, strerror(got));
	return false;
}

/* A call that has to succeed. */
static inline bool accepted(long result, const char *what)
{
	int got = result < 0 ? errno : 0;

	if (check(got == 0, "%s", what))
		return true;
	printf("# %s\n", strerror(got));
	return false;
}

static inline bool equal(uint64_t left, uint64_t right, const char *what)
{
	if (check(left == right, "%s", what))
		return true;
	printf("# %" PRIu64 " is not %" PRIu64 "\n", left, right);
	return false;
}

static inline int finish(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

static inline uint64_t now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int module_unload(void)
{
	return (int)syscall(SYS_delete_module, "ascprof", O_NONBLOCK);
}

static inline int module_load_with(const char *args)
{
	int fd = open(MODULE_FILE, O_RDONLY | O_CLOEXEC);
	long ret;
	int error;

	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, args, 0);
	error = errno;
	close(fd);
	errno = error;
	return (int)ret;
}

static inline int module_load(void)
{
	return module_load_with(MODULE_ARGS);
}

/* References to the module, -1 if it is not loaded. */
static inline int module_users(void)
{
	FILE *file = fopen("/sys/module/ascprof/refcnt", "re");
	int users = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &users) != 1)
		users = -1;
	fclose(file);
	return users;
}

static inline int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t ret;

	if (fd < 0)
		bail(path);
	ret = write(fd, value, strlen(value));
	close(fd);
	return ret < 0 ? -1 : 0;
}

/* First line of a file, without its end. */
static inline char *read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	line[0] = 0;
	if (!file)
		return NULL;
	if (!fgets(line, (int)size, file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return line;
}

static inline int set_parameter(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return write_file(path, value);
}

static inline int open_control(void)
{
	int fd = open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && module_load() == 0)
		fd = open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		bail(ASCPROF_DEVICE_PATH);
	return fd;
}

static inline uint32_t source_id(int control, const char *name)
{
	struct ascprof_source source = { .index = 0 };

	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0) {
		if (!strcmp(source.name, name))
			return source.id;
		source.index++;
	}
	bail(name);
	return 0;
}

/* A request that is good as it is. */
static inline struct ascprof_stream_create good_stream(void)
{
	return (struct ascprof_stream_create) {
		.home_cpu = -1,
		.ring_bytes = 1 << 18,
		.period_ns = 10 * MS,
	};
}

static inline int make_stream(int control, const struct ascprof_stream_create *req)
{
	int fd = ioctl(control, ASCPROF_IOC_STREAM_CREATE, req);

	if (fd < 0)
		bail("STREAM_CREATE");
	return fd;
}

static inline struct ascprof_counter_add sim_counter(uint32_t source, uint64_t config)
{
	return (struct ascprof_counter_add) {
		.source_id = source,
		.config = config,
		.cpu = -1,
		.cookie = ~config,
	};
}

static inline void add_sim(int stream, uint32_t source, uint64_t config)
{
	struct ascprof_counter_add add = sim_counter(source, config);

	if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add))
		bail("COUNTER_ADD");
}

/* Both events of every HBM controller: 8 counters. */
static inline unsigned int add_hbm(int stream, uint32_t source)
{
	unsigned int unit;

	for (unit = 0; unit < ASCPROF_SIM_HBM_UNITS; unit++) {
		add_sim(stream, source, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, unit,
							   ASCPROF_SIM_HBM_READ));
		add_sim(stream, source, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, unit,
							   ASCPROF_SIM_HBM_WRITE));
	}
	return 2 * ASCPROF_SIM_HBM_UNITS;
}

static inline struct ascprof_stats stats_of(int stream)
{
	struct ascprof_stats stats;

	if (ioctl(stream, ASCPROF_IOC_STATS, &stats))
		bail("STATS");
	return stats;
}

/* Run until that many samples were made. */
static inline void wait_samples(int stream, uint64_t samples)
{
	int i;

	for (i = 0; i < PATIENCE; i++) {
		if (stats_of(stream).samples >= samples)
			return;
		usleep(1000);
	}
	errno = ETIMEDOUT;
	bail("samples");
}

struct ring_map {
	volatile struct ascprof_consumer_page *consumer;
	const volatile struct ascprof_producer_page *producer;
	const uint8_t *data;
	uint64_t bytes;
	uint64_t tail;
};

static inline void map_ring(struct ring_map *map, int stream, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	map->consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, stream,
			     ASCPROF_OFF_CONSUMER);
	map->producer = mmap(NULL, page, PROT_READ, MAP_SHARED, stream, ASCPROF_OFF_PRODUCER);
	map->data = mmap(NULL, 2 * bytes, PROT_READ, MAP_SHARED, stream, ASCPROF_OFF_DATA);
	if (map->consumer == MAP_FAILED || map->producer == MAP_FAILED ||
	    map->data == MAP_FAILED)
		bail("mmap");
	map->bytes = bytes;
	map->tail = 0;
}

static inline void unmap_ring(struct ring_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap((void *)map->consumer, page);
	munmap((void *)map->producer, page);
	munmap((void *)map->data, 2 * map->bytes);
}

/* The next record, or NULL when there is none; done_with() frees it. */
static inline const struct ascprof_rec *next_record(struct ring_map *map)
{
	uint64_t head = __atomic_load_n(&map->producer->head, __ATOMIC_ACQUIRE);

	if (head == map->tail)
		return NULL;
	return (const struct ascprof_rec *)(map->data + (map->tail & (map->bytes - 1)));
}

static inline void done_with(struct ring_map *map, const struct ascprof_rec *rec)
{
	map->tail += rec->len;
	__atomic_store_n(&map->consumer->tail, map->tail, __ATOMIC_RELEASE);
}

static inline short poll_for(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, timeout_ms) < 0)
		bail("poll");
	return p.revents;
}

#endif /* GUEST_H */
