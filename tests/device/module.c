// SPDX-License-Identifier: Apache-2.0
#include "tests/device/module.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "uapi/ascprof.h"

#define SOURCE_ID 7

static const struct ascprof_event events[MODULE_COUNTERS] = {
	{ .event_class = ASCPROF_CLASS_LLC, .config = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 0, 0), .name = "llc" },
	{ .event_class = ASCPROF_CLASS_HBM, .config = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0), .name = "read" },
	{ .event_class = ASCPROF_CLASS_HBM, .config = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 1), .name = "write" },
	{ .event_class = ASCPROF_CLASS_ACC, .config = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_ACC, 0, 0), .name = "acc" },
};

/* The descriptor is one that poll() finds unready; what is mapped lies in `memory`. */
static struct stream {
	int fd, memory;
	uint32_t nr, state;
	uint64_t ring_bytes, samples, head;
} stream = { -1, -1, 0, 0, 0, 0, 0 };

/* Not by mmap(), which the test has replaced. */
static void *map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

void module_close(void)
{
	if (stream.memory >= 0)
		close(stream.memory);
	stream = (struct stream){ .fd = -1, .memory = -1 };
}

static int create(const struct ascprof_stream_create *arg)
{
	long page = sysconf(_SC_PAGESIZE);

	module_close();
	stream = (struct stream){
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .memory = memfd_create("stream", MFD_CLOEXEC),
		.ring_bytes = arg->ring_bytes,
	};
	if (stream.fd < 0 || stream.memory < 0 || ftruncate(stream.memory, 2 * page + (off_t)arg->ring_bytes)) {
		errno = ENOMEM;
		return -1;
	}
	return stream.fd;
}

bool module_is_stream(int fd)
{
	return fd >= 0 && fd == stream.fd;
}

void *module_map(size_t bytes, int protection, off_t offset)
{
	off_t page = sysconf(_SC_PAGESIZE);
	char *at;

	if ((uint64_t)offset != ASCPROF_OFF_DATA)
		return map(NULL, bytes, protection, MAP_SHARED, stream.memory,
			   (uint64_t)offset == ASCPROF_OFF_PRODUCER ? page : 0);
	at = map(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int half = 0; half < 2 && at != MAP_FAILED; half++)
		if (map(at + (size_t)half * bytes / 2, bytes / 2, protection, MAP_SHARED | MAP_FIXED, stream.memory,
			2 * page) == MAP_FAILED)
			return MAP_FAILED;
	return at;
}

static uint64_t raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Every counter grows by a thousand from sample to sample. */
static int put_sample(uint32_t state)
{
	union {
		struct ascprof_rec_sample r;
		uint64_t words[sizeof(struct ascprof_rec_sample) / sizeof(uint64_t) + MODULE_COUNTERS];
	} sample = { .r = { .h = { .type = ASCPROF_REC_SAMPLE }, .t_raw = raw_ns(), .nr = (uint16_t)stream.nr } };
	long page = sysconf(_SC_PAGESIZE);
	uint64_t head;

	sample.r.h.len = (uint32_t)(sizeof(sample.r) + stream.nr * sizeof(uint64_t));
	sample.r.seq = stream.samples++;
	for (uint32_t i = 0; i < stream.nr; i++)
		sample.words[sizeof(sample.r) / sizeof(uint64_t) + i] = 1000 * stream.samples;
	head = stream.head + sample.r.h.len;
	if (pwrite(stream.memory, &sample, sample.r.h.len, 2 * page + (off_t)stream.head) < 0 ||
	    pwrite(stream.memory, &head, sizeof(head), page) < 0)
		return -1;
	stream.head = head;
	stream.state = state;
	return 0;
}

static int get_event(struct ascprof_event *e)
{
	uint32_t source = e->source_id, index = e->index;

	if (source != SOURCE_ID || index >= MODULE_COUNTERS) {
		errno = EINVAL;
		return -1;
	}
	*e = events[index];
	e->source_id = source;
	e->index = index;
	e->scale_num = e->scale_den = 1;
	return 0;
}

bool module_is_asked(unsigned long request)
{
	return _IOC_TYPE(request) == 'P' && _IOC_NR(request) >= _IOC_NR(ASCPROF_IOC_INFO);
}

int module_ioctl(unsigned long request, void *arg)
{
	switch (request) {
	case ASCPROF_IOC_INFO:
		*(struct ascprof_info *)arg = (struct ascprof_info){ .abi = ASCPROF_ABI_VERSION, .nr_sources = 1 };
		return 0;
	case ASCPROF_IOC_SOURCE_GET:
		*(struct ascprof_source *)arg = (struct ascprof_source){
			.id = SOURCE_ID, .kind = ASCPROF_SOURCE_USER, .numa_node = -1, .nr_events = MODULE_COUNTERS,
			.flags = ASCPROF_SOURCE_F_ALIVE | ASCPROF_SOURCE_F_NPU, .name = "standin",
		};
		return 0;
	case ASCPROF_IOC_EVENT_GET:
		return get_event(arg);
	case ASCPROF_IOC_STREAM_CREATE:
		return create(arg);
	case ASCPROF_IOC_COUNTER_ADD:
		((struct ascprof_counter_add *)arg)->slot = stream.nr++;
		return 0;
	case ASCPROF_IOC_START:
		return put_sample(ASCPROF_STATE_RUNNING);
	case ASCPROF_IOC_STOP:
		return put_sample(ASCPROF_STATE_STOPPED);
	case ASCPROF_IOC_STATS:
		*(struct ascprof_stats *)arg = (struct ascprof_stats){
			.state = stream.state, .nr_counters = stream.nr, .samples = stream.samples, .head = stream.head,
		};
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}
