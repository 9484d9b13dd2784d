// SPDX-License-Identifier: Apache-2.0
/*
 * The perf source: counters that count, counters that are refused, and who may
 * have which.
 */
#include <sched.h>
#include <sys/klog.h>

#include "guest.h"

#define TYPE_HARDWARE		0
#define TYPE_SOFTWARE		1
#define TYPE_TRACEPOINT		2
#define TYPE_BREAKPOINT		5
#define SW_CPU_CLOCK		0
#define SW_PAGE_FAULTS		2
#define FAULTS			200
#define PERF_PARANOID		"/proc/sys/kernel/perf_event_paranoid"
#define NOBODY			65534

static int control;
static uint32_t perf, sim0;

static struct ascprof_counter_add perf_counter(uint32_t type, uint64_t config)
{
	return (struct ascprof_counter_add) {
		.source_id = perf,
		.perf_type = type,
		.config = config,
		.scale_num = 1,
		.scale_den = 1,
		.unit = "events",
	};
}

static void fault_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile uint8_t *area = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (area == MAP_FAILED)
		bail("mmap");
	for (i = 0; i < FAULTS; i++)
		area[(size_t)i * page] = 1;
	munmap((void *)area, FAULTS * page);
}

static const struct ascprof_rec_sample *sample_after(struct ring_map *map, uint16_t flag)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(map))) {
		if (rec->type == ASCPROF_REC_SAMPLE && (!flag || rec->flags & flag))
			return (const struct ascprof_rec_sample *)rec;
		done_with(map, rec);
	}
	errno = ENODATA;
	bail("sample");
	return NULL;
}

static void test_counts(void)
{
	struct ascprof_counter_add faults = perf_counter(TYPE_SOFTWARE, SW_PAGE_FAULTS);
	struct ascprof_counter_add clock = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	struct ascprof_stream_create req = good_stream();
	const struct ascprof_rec_sample *s;
	uint64_t before[6], after[6];
	struct ring_map map;
	cpu_set_t cpu0;
	int stream;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	sched_setaffinity(0, sizeof(cpu0), &cpu0);

	req.flags = ASCPROF_STREAM_F_TIMES;
	stream = make_stream(control, &req);
	map_ring(&map, stream, req.ring_bytes);
	check(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &faults) == 0 && faults.slot == 0,
	      "page faults of CPU 0");
	check(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &clock) == 0 && clock.slot == 1,
	      "clock of CPU 0");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START");
	s = sample_after(&map, 0);
	check(s->nr == 2 && s->bad == 0 && s->h.len == sizeof(*s) + 48, "values come in threes");
	memcpy(before, s->value, sizeof(before));
	done_with(&map, &s->h);
	fault_pages();
	ioctl(stream, ASCPROF_IOC_KICK);
	s = sample_after(&map, ASCPROF_SAMPLE_F_KICK);
	memcpy(after, s->value, sizeof(after));
	check(after[0] - before[0] >= FAULTS, "every page fault was counted");
	check(after[3] > before[3], "the clock went on");
	check(after[1] > before[1] && after[2] > before[2], "enabled and running grow");
	check(after[2] <= after[1] && after[5] <= after[4], "running is within enabled");
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	unmap_ring(&map);
	close(stream);
}

/* In an emulated PC there is no such counter, on emulated arm64 there is one. */
static void test_hardware(void)
{
	struct ascprof_counter_add cycles = perf_counter(TYPE_HARDWARE, 0);
	struct ascprof_stream_create req = good_stream();
	const struct ascprof_rec_sample *s;
	struct ring_map map;
	uint64_t first;
	int stream = make_stream(control, &req);

	if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &cycles)) {
		check(errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV,
		      "no hardware counter here: %s", strerror(errno));
		close(stream);
		return;
	}
	map_ring(&map, stream, req.ring_bytes);
	accepted(ioctl(stream, ASCPROF_IOC_START), "START with a hardware counter");
	s = sample_after(&map, 0);
	first = s->value[0];
	done_with(&map, &s->h);
	wait_samples(stream, 4);
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	s = sample_after(&map, ASCPROF_SAMPLE_F_LAST);
	check(s->bad == 0 && s->value[0] > first, "hardware cycles of CPU 0 count");
	unmap_ring(&map);
	close(stream);
}

static void no_counter(int stream, struct ascprof_counter_add add, int error, const char *what)
{
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), error, what);
}

static void test_refused(void)
{
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);
	struct ascprof_counter_add add;

	no_counter(stream, perf_counter(TYPE_TRACEPOINT, 1), EOPNOTSUPP, "tracepoint");
	no_counter(stream, perf_counter(TYPE_BREAKPOINT, 0), EOPNOTSUPP, "breakpoint");
	no_counter(stream, perf_counter(4711, 0), ENOENT, "no such PMU");
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	add.cpu = -1;
	no_counter(stream, add, EINVAL, "cpu -1");
	add.cpu = 100000;
	no_counter(stream, add, EINVAL, "cpu 100000");
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	add.scale_den = 0;
	no_counter(stream, add, EINVAL, "scale_den 0");
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	add.scale_num = 0;
	no_counter(stream, add, EINVAL, "scale_num 0");
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	memset(add.unit, 'x', sizeof(add.unit));
	no_counter(stream, add, EINVAL, "unit without an end");
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	memcpy(add.unit, "a\033[2J", 6);
	no_counter(stream, add, EINVAL, "unit with control characters");
	equal(stats_of(stream).nr_counters, 0, "none of these is there");
	close(stream);
}

/* What an ordinary user gets, with a descriptor of the device in hand. */
static void as_nobody(void)
{
	struct ascprof_counter_add add;
	struct ascprof_stream_create req = good_stream();
	struct ascprof_info info;
	int stream, ret = 0, i;

	if (setgid(NOBODY) || setuid(NOBODY))
		bail("setuid");
	refused(open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC), EACCES, "nobody: open");
	check(ioctl(control, ASCPROF_IOC_INFO, &info) == 0 && info.min_period_ns == 10 * MS,
	      "nobody: shortest period 10 ms");
	req.period_ns = 10 * MS - 1;
	refused(ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req), EACCES, "nobody: shorter period");
	req.period_ns = 10 * MS;
	stream = make_stream(control, &req);
	add = perf_counter(TYPE_SOFTWARE, SW_CPU_CLOCK);
	if (info.paranoid > 0)
		no_counter(stream, add, EACCES, "nobody: software counter");
	else
		accepted(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add),
			 "nobody: software counter at level 0");
	no_counter(stream, perf_counter(TYPE_TRACEPOINT, 1), EOPNOTSUPP, "nobody: tracepoint");
	add = sim_counter(sim0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0));
	accepted(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), "nobody: simulated counter");
	accepted(ioctl(stream, ASCPROF_IOC_START), "nobody: START");
	for (i = 0; i < 1000 && (ret = ioctl(stream, ASCPROF_IOC_KICK)) == 0; i++)
		;
	refused(ret, EAGAIN, "nobody: KICK faster than 10 ms");
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "nobody: STOP");
	close(stream);
}

/* The child counts its lines on from where we are, and its exit code tells how many. */
static void test_nobody(const char *paranoid)
{
	pid_t child;
	int status = 0;

	set_parameter("paranoid", paranoid);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		int lines = tap_count, failed = tap_failed;

		as_nobody();
		_exit(tap_count - lines + (tap_failed > failed ? 128 : 0));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("fork");
	set_parameter("paranoid", "2");
	if (WIFEXITED(status))
		tap_count += WEXITSTATUS(status) & 127;
	check(WIFEXITED(status) && WEXITSTATUS(status) == 9, "nobody at level %s", paranoid);
}

/* A fast stream of root in the hands of another does not give its rate away. */
static void test_passed_on(void)
{
	struct ascprof_stream_create req = good_stream();
	pid_t child;
	int status = 0, stream;

	req.period_ns = MS;
	stream = make_stream(control, &req);
	child = fork();
	if (child == 0) {
		struct ascprof_counter_add add =
			sim_counter(sim0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0));

		if (setuid(NOBODY))
			_exit(2);
		_exit(!(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) < 0 && errno == EACCES));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("fork");
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	      "nobody cannot add to a stream that is too fast for nobody");
	close(stream);
}

/* Lines of the kernel's log with these words. */
static unsigned int logged(const char *words)
{
	static char text[1 << 17];
	int len = klogctl(3, text, sizeof(text) - 1);
	unsigned int nr = 0;
	const char *at = text;

	if (len < 0)
		bail("kernel log");
	text[len] = 0;
	while ((at = strstr(at, words))) {
		nr++;
		at++;
	}
	return nr;
}

int main(void)
{
	/* loaded anew, it has refused nobody yet */
	if (module_users() >= 0 && module_unload())
		bail("unload");
	control = open_control();
	perf = source_id(control, "perf");
	sim0 = source_id(control, "sim0");
	test_counts();
	test_hardware();
	test_refused();
	test_passed_on();
	test_nobody("2");
	test_nobody("1");
	/* perf has a setting of its own, which has to agree */
	write_file(PERF_PARANOID, "0");
	test_nobody("0");
	write_file(PERF_PARANOID, "2");
	equal(logged("was refused a counter"), 1, "the first refusal is explained in the log, and no other");
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
