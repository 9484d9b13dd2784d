// SPDX-License-Identifier: Apache-2.0
/*
 * Random ioctls: mostly valid structures with a few words changed, now and then another
 * size, another pointer, another number.
 */
#include "hostile.h"

#define MAX_SOURCES	64
#define MAX_EVENTS	1024

static struct ascprof_source sources[MAX_SOURCES];
static unsigned int nr_sources;
static struct ascprof_event events[MAX_EVENTS];
static unsigned int nr_events;
static uint8_t *edge;		/* the end of readable memory */
static uint8_t *frozen;		/* read-only */

/* What there is to ask for. */
void ioctls_learn(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int control = open_control();
	uint32_t k;

	for (nr_sources = 0; nr_sources < MAX_SOURCES; nr_sources++) {
		struct ascprof_source *source = &sources[nr_sources];

		source->index = nr_sources;
		if (ioctl(control, ASCPROF_IOC_SOURCE_GET, source))
			break;
		for (k = 0; k < source->nr_events && nr_events < MAX_EVENTS; k++) {
			events[nr_events].source_id = source->id;
			events[nr_events].index = k;
			nr_events += !ioctl(control, ASCPROF_IOC_EVENT_GET, &events[nr_events]);
		}
	}
	close(control);
	if (!nr_sources || !nr_events)
		bail("nothing to ask for");
	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	frozen = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (edge == MAP_FAILED || frozen == MAP_FAILED)
		bail("mmap");
	munmap(edge + page, page);
	edge += page;
}

static uint64_t odd_value(struct dice *dice)
{
	switch (pick(dice, 8)) {
	case 0: return 0;
	case 1: return 1;
	case 2: return UINT64_MAX;
	case 3: return UINT32_MAX;
	case 4: return 1ULL << pick(dice, 64);
	case 5: return (1ULL << pick(dice, 64)) - 1;
	case 6: return pick(dice, 1024);
	default: return roll(dice);
	}
}

static void valid_create(struct dice *dice, struct ascprof_stream_create *req)
{
	static const uint64_t periods[] = { MS / 10, MS / 2, MS, 10 * MS, 100 * MS, 1000 * MS };

	*req = good_stream();
	req->ring_bytes = 4096ULL << pick(dice, shared->storm ? 2 : 7);
	req->period_ns = periods[shared->storm ? 5 : pick(dice, 6)];
	req->flags = pick(dice, 4) ? 0 : ASCPROF_STREAM_F_TIMES;
	req->home_cpu = (int)pick(dice, 4) - 1;
	req->watermark = pick(dice, 2) ? 0 : 1 + pick(dice, (unsigned int)req->ring_bytes);
	req->max_latency_ns = pick(dice, 2) ? 0 : MS;
}

static void valid_counter(struct dice *dice, struct ascprof_counter_add *add)
{
	const struct ascprof_source *source = &sources[pick(dice, nr_sources)];
	const struct ascprof_event *event = &events[pick(dice, nr_events)];

	memset(add, 0, sizeof(*add));
	if (source->kind == ASCPROF_SOURCE_PERF && pick(dice, 2)) {
		add->source_id = source->id;
		add->perf_type = pick(dice, 8) ? 1 : pick(dice, 24);
		add->config = pick(dice, 12);
		add->cpu = (int)pick(dice, 3);
		add->scale_num = 1;
		add->scale_den = 1;
		strcpy(add->unit, "events");
	} else {
		*add = sim_counter(event->source_id, event->config);
	}
}

/* A structure, its ioctl, and which operation that is. */
static enum op valid_call(struct dice *dice, void *arg, unsigned long *cmd)
{
	struct ascprof_source *source = arg;
	struct ascprof_event *event = arg;
	unsigned int what = pick(dice, 100);

	memset(arg, 0, 512);
	/* what makes threads and rings takes a thousand times as long as the rest */
	if (shared->storm && (what < 26 ? what >= 22 : what >= 56 && what < 68) && pick(dice, 20))
		what = 80;
	if (what < 6) {
		*cmd = ASCPROF_IOC_INFO;
		return OP_INFO;
	}
	if (what < 12) {
		source->index = pick(dice, nr_sources + 1);
		*cmd = ASCPROF_IOC_SOURCE_GET;
		return OP_SOURCE_GET;
	}
	if (what < 22) {
		*event = events[pick(dice, nr_events)];
		*cmd = ASCPROF_IOC_EVENT_GET;
		return OP_EVENT_GET;
	}
	if (what < 26) {
		valid_create(dice, arg);
		*cmd = ASCPROF_IOC_STREAM_CREATE;
		return OP_STREAM_CREATE;
	}
	if (what < 56) {
		valid_counter(dice, arg);
		*cmd = ASCPROF_IOC_COUNTER_ADD;
		return OP_COUNTER_ADD;
	}
	if (what < 62) {
		*cmd = ASCPROF_IOC_START;
		return OP_START;
	}
	if (what < 68) {
		*cmd = ASCPROF_IOC_STOP;
		return OP_STOP;
	}
	if (what < 78) {
		*cmd = ASCPROF_IOC_KICK;
		return OP_KICK;
	}
	if (what < 94) {
		*cmd = ASCPROF_IOC_STATS;
		return OP_STATS;
	}
	*cmd = _IOC(pick(dice, 4), pick(dice, 8) ? 'P' : pick(dice, 256), 0xA0 + pick(dice, 48),
		    pick(dice, 256));
	return OP_UNKNOWN;
}

static void mutate(struct dice *dice, uint8_t *arg, size_t size)
{
	unsigned int n = pick(dice, 4);
	size_t words = size / 4;

	while (n-- && words) {
		size_t at = 4 * (size_t)pick(dice, (unsigned int)words);
		uint64_t value = odd_value(dice);

		memcpy(arg + at, &value, at + 8 <= size && pick(dice, 2) ? 8 : 4);
	}
}

static unsigned long other_size(struct dice *dice, unsigned long cmd)
{
	static const unsigned int sizes[] = { 0, 1, 4, 7, 8, 16, 32, 64, 128, 256, 511 };

	return _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), sizes[pick(dice, 11)]);
}

/* Where the argument lies: nearly always where it can be used. */
static void *place(struct dice *dice, uint8_t *arg, size_t size)
{
	switch (pick(dice, 40)) {
	case 0: return NULL;
	case 1: return frozen;
	case 2: return edge - (size ? pick(dice, (unsigned int)size) : 0);
	case 3: return edge;
	case 4: return (void *)roll(dice);
	default: return arg;
	}
}

/* A stream of the pool goes, another comes. */
static void replace(struct dice *dice, int *pool, int fd)
{
	int old = __atomic_exchange_n(&pool[pick(dice, POOL)], fd, __ATOMIC_ACQ_REL);

	if (old >= 0)
		noted(OP_CLOSE, close(old));
}

/*
 * control is the control descriptor, pool holds streams or -1. A descriptor may be another
 * one by the time it is used: that is part of the game.
 */
void random_ioctl(struct dice *dice, int control, int *pool)
{
	uint8_t arg[512] __attribute__((aligned(8)));
	unsigned long cmd;
	enum op op = valid_call(dice, arg, &cmd);
	bool of_stream = op >= OP_COUNTER_ADD && (op != OP_UNKNOWN || pick(dice, 2));
	int fd = of_stream ? __atomic_load_n(&pool[pick(dice, POOL)], __ATOMIC_ACQUIRE) : control;
	long ret;

	if (!pick(dice, 200))
		fd = of_stream ? control : pool[0];
	if (fd < 0)
		op = OP_STREAM_CREATE, cmd = ASCPROF_IOC_STREAM_CREATE, fd = control,
			valid_create(dice, (void *)arg);
	else if (pick(dice, 2))
		mutate(dice, arg, _IOC_SIZE(cmd));
	if (!pick(dice, 10))
		cmd = other_size(dice, cmd);
	ret = noted(op, ioctl(fd, cmd, place(dice, arg, _IOC_SIZE(cmd))));
	if (op == OP_STREAM_CREATE && ret >= 0)
		replace(dice, pool, (int)ret);
}
