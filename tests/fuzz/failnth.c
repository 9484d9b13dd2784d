// SPDX-License-Identifier: Apache-2.0
/*
 * Fails each allocation of each operation in turn: the first one, the second one, until
 * the operation makes no allocation more. Whatever it returns, nothing may be left behind.
 */
#include "hostile.h"

#define RING	16384
#define MOST	4000	/* allocations of one operation */
#define HOST_BRIDGE	"8086:29c0"	/* of QEMU's q35 */
#define MANY	1000000	/* more than any has */

struct state {
	int control;
	int stream;
	int fed;		/* user source, or -1 */
	uint32_t fed_id;
	void *map;
	size_t mapped;
	long bound;		/* what window_bind() returned */
};

struct operation {
	const char *name;
	bool started;		/* wants a running stream */
	long (*run)(struct state *s);
	void (*undo)(struct state *s);
};

static uint32_t sim0, perf;

static long run_open(struct state *s)
{
	(void)s;
	return open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC);
}

static long run_info(struct state *s)
{
	struct ascprof_info info;

	return ioctl(s->control, ASCPROF_IOC_INFO, &info);
}

static long run_source(struct state *s)
{
	struct ascprof_source source = { .index = 0 };

	return ioctl(s->control, ASCPROF_IOC_SOURCE_GET, &source);
}

static long run_event(struct state *s)
{
	struct ascprof_event event = { .source_id = sim0 };

	return ioctl(s->control, ASCPROF_IOC_EVENT_GET, &event);
}

static long run_create(struct state *s)
{
	struct ascprof_stream_create req = good_stream();

	req.ring_bytes = RING;
	return ioctl(s->control, ASCPROF_IOC_STREAM_CREATE, &req);
}

static long run_add_sim(struct state *s)
{
	struct ascprof_counter_add add = sim_counter(sim0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0));

	return ioctl(s->stream, ASCPROF_IOC_COUNTER_ADD, &add);
}

static long run_add_perf(struct state *s)
{
	struct ascprof_counter_add add = {
		.source_id = perf, .perf_type = 1, .config = 0, .cpu = 0, .scale_num = 1,
		.scale_den = 1, .unit = "ns",
	};

	return ioctl(s->stream, ASCPROF_IOC_COUNTER_ADD, &add);
}

static long run_start(struct state *s)
{
	return ioctl(s->stream, ASCPROF_IOC_START);
}

static long run_stop(struct state *s)
{
	return ioctl(s->stream, ASCPROF_IOC_STOP);
}

static long run_kick(struct state *s)
{
	return ioctl(s->stream, ASCPROF_IOC_KICK);
}

static long run_stats(struct state *s)
{
	struct ascprof_stats stats;

	return ioctl(s->stream, ASCPROF_IOC_STATS, &stats);
}

static long run_read(struct state *s)
{
	static uint8_t buffer[4096];

	return read(s->stream, buffer, sizeof(buffer));
}

static long run_poll(struct state *s)
{
	struct pollfd p = { .fd = s->stream, .events = POLLIN };

	return poll(&p, 1, 1);
}

static long map_area(struct state *s, uint64_t offset, size_t size, int prot)
{
	s->mapped = size;
	s->map = mmap(NULL, size, prot, MAP_SHARED, s->stream, (off_t)offset);
	return s->map == MAP_FAILED ? -1 : 0;
}

static long run_map_consumer(struct state *s)
{
	return map_area(s, ASCPROF_OFF_CONSUMER, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
}

static long run_map_data(struct state *s)
{
	return map_area(s, ASCPROF_OFF_DATA, 2 * RING, PROT_READ);
}

static void undo_map(struct state *s)
{
	if (s->map != MAP_FAILED)
		munmap(s->map, s->mapped);
}

/* A source of one counter that a process feeds. */
static long run_user(struct state *s)
{
	struct ascprof_event event = {
		.event_class = ASCPROF_CLASS_OTHER, .scale_num = 1, .scale_den = 1, .unit = "events",
		.name = "one",
	};
	struct ascprof_user_create req = {
		.device = -1, .numa_node = -1, .nr_counters = 1, .counter_size = sizeof(event),
		.counters = (uintptr_t)&event, .name = "fed",
	};

	return ioctl(s->control, ASCPROF_IOC_USER_CREATE, &req);
}

static long run_add_user(struct state *s)
{
	struct ascprof_counter_add add = sim_counter(s->fed_id, 0);

	return ioctl(s->stream, ASCPROF_IOC_COUNTER_ADD, &add);
}

static long run_bind(struct state *s)
{
	s->bound = window_bind();
	return s->bound;
}

static void undo_bind(struct state *s)
{
	window_unbind(s->bound);
}

/* With a device on the bus that is listed as an NPU, so that all of that is made too. */
static long run_load(struct state *s)
{
	(void)s;
	return module_load_with(MODULE_ARGS " pci_ids=" HOST_BRIDGE);
}

static const struct operation operations[] = {
	{ "open", false, run_open, NULL },
	{ "INFO", false, run_info, NULL },
	{ "SOURCE_GET", false, run_source, NULL },
	{ "EVENT_GET", false, run_event, NULL },
	{ "STREAM_CREATE", false, run_create, NULL },
	{ "COUNTER_ADD sim", false, run_add_sim, NULL },
	{ "COUNTER_ADD perf", false, run_add_perf, NULL },
	{ "USER_CREATE", false, run_user, NULL },
	{ "COUNTER_ADD user", false, run_add_user, NULL },
	{ "START", false, run_start, NULL },
	{ "KICK", true, run_kick, NULL },
	{ "STATS", true, run_stats, NULL },
	{ "read", true, run_read, NULL },
	{ "poll", true, run_poll, NULL },
	{ "mmap consumer", true, run_map_consumer, undo_map },
	{ "mmap data", true, run_map_data, undo_map },
	{ "STOP", true, run_stop, NULL },
};

static const struct operation binding = { "bind a window", false, run_bind, undo_bind };
static const struct operation loading = { "load the module", false, run_load, NULL };

/* Arms the n-th allocation of this thread; disarms and says whether it was reached. */
static void arm(int fd, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fd, text, (size_t)length, 0) != length)
		bail("fail-nth");
}

static bool disarm(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		bail("fail-nth");
	arm(fd, 0);
	return atoi(text) == 0;
}

/*
 * Allocations before the module is asked anything: room for it, its relocation. They are the
 * kernel's own, which complains aloud when they fail. A parameter that makes no sense ends
 * loading right behind them.
 */
static unsigned int allocations_before(int nth)
{
	char text[16] = "";

	if (module_unload())
		bail("unload");
	arm(nth, MANY);
	if (module_load_with("seed=nonsense") == 0) {
		errno = EPROTO;
		bail("load with a parameter that makes no sense");
	}
	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		bail("fail-nth");
	arm(nth, 0);
	if (module_load())
		bail("load");
	return MANY - (unsigned int)atoi(text);
}

static void set_up(struct state *s, const struct operation *op)
{
	struct ascprof_stream_create req = good_stream();

	req.ring_bytes = RING;
	s->control = open_control();
	s->stream = make_stream(s->control, &req);
	add_hbm(s->stream, sim0);
	if (op->run == run_add_user) {
		s->fed = (int)run_user(s);
		if (s->fed < 0)
			bail("USER_CREATE");
		s->fed_id = source_id(s->control, "fed");
	}
	if (op->started && ioctl(s->stream, ASCPROF_IOC_START))
		bail("START");
}

static void fail_each(int nth, const struct operation *op, verdict say)
{
	unsigned int errors[MAX_ERRNO] = { 0 };
	struct state s = { .control = -1, .stream = -1, .fed = -1 };
	bool hit = false, module = op == &loading;
	unsigned int n = module ? allocations_before(nth) : 1, injected = 0;
	int error, last = 0;
	long ret;

	for (; n < MOST; n++) {
		if (module) {
			if (module_unload())
				bail("unload");
		} else {
			set_up(&s, op);
		}
		arm(nth, n);
		ret = op->run(&s);
		last = error = ret < 0 ? errno : 0;
		hit = disarm(nth);
		injected += hit;
		errors[error < MAX_ERRNO ? error : MAX_ERRNO - 1]++;
		if (op->undo)
			op->undo(&s);
		else if (ret >= 0 && (op->run == run_open || op->run == run_create || op->run == run_user))
			close((int)ret);
		if (module && ret < 0 && run_load(&s))
			bail("load after a failure");
		if (!module) {
			close(s.stream);
			close(s.control);
			if (s.fed >= 0)
				close(s.fed);
		}
		if (!hit)
			break;
	}
	shared->injected += injected;
	printf("# %-18s %6u failed allocations:", op->name, injected);
	for (error = 0; error < MAX_ERRNO; error++)
		if (errors[error])
			printf(" %s %u", error ? strerrorname_np(error) : "ok", errors[error]);
	printf("\n");
	/* binding would make no allocation here if the kernel left it to another thread */
	say(n < MOST && !hit && !last && (op != &binding || injected > 50), op->name);
}

static void injection(const char *which)
{
	static const char *const settings[][2] = {
		{ "verbose", "0" }, { "ignore-gfp-wait", "0" }, { "probability", "0" },
		{ "ignore-gfp-highmem", "0" }, { "min-order", "0" },
	};
	char path[128];
	unsigned int i;

	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", which, settings[i][0]);
		if (access(path, F_OK) == 0)
			write_file(path, settings[i][1]);
	}
}

/*
 * with_module: also while the module is loaded, which takes most of the time. Tells of each
 * operation whether it works once no allocation fails. false: the kernel has no fault injection.
 */
bool fail_every_allocation(bool with_module, verdict say)
{
	int nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	int control = open_control();
	unsigned int i;

	if (nth < 0 || access("/sys/kernel/debug/failslab", F_OK)) {
		close(control);
		return false;
	}
	sim0 = source_id(control, "sim0");
	perf = source_id(control, "perf");
	close(control);
	injection("failslab");
	injection("fail_page_alloc");
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		fail_each(nth, &operations[i], say);
	if (window_prepare()) {
		control = open_control();
		sim0 = source_id(control, "sim0");
		close(control);
		fail_each(nth, &binding, say);
		window_over();
	} else {
		printf("# there is no device with a counter window\n");
	}
	if (with_module)
		fail_each(nth, &loading, say);
	close(nth);
	return true;
}
