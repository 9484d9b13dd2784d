// SPDX-License-Identifier: Apache-2.0
/*
 * Every ioctl: what it accepts, what it refuses, and with which error.
 */
#include "guest.h"

#define SIZED(cmd, size) _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), size)

static int control;
static uint32_t sim0, perf;

/* Two pages, the second one gone: returns the end of the first. */
static uint8_t *page_end(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		bail("mmap");
	munmap(area + page, page);
	return area + page;
}

static void test_info(void)
{
	struct { struct ascprof_info info; uint64_t more; } wide;
	struct ascprof_info info;
	uint32_t abi[2] = { 0, 0x55555555 };
	uint8_t *end = page_end();

	memset(&info, 0x55, sizeof(info));
	accepted(ioctl(control, ASCPROF_IOC_INFO, &info), "INFO");
	equal(info.abi, ASCPROF_ABI_VERSION, "INFO: abi");
	equal(info.nr_sources, 5, "INFO: perf and four simulated devices");
	equal(info.max_counters, ASCPROF_MAX_COUNTERS, "INFO: max_counters");
	equal(info.paranoid, 2, "INFO: paranoid");
	equal(info.min_period_ns, 100000, "INFO: min_period_ns for root");
	equal(info.max_period_ns, 1000000000, "INFO: max_period_ns");
	check(memchr(info.version, 0, sizeof(info.version)) && info.version[0],
	      "INFO: version is text");

	check(ioctl(control, SIZED(ASCPROF_IOC_INFO, 4), abi) == 0 &&
	      abi[0] == ASCPROF_ABI_VERSION && abi[1] == 0x55555555,
	      "INFO of 4 bytes fills 4 bytes");
	memset(&wide, 0x55, sizeof(wide));
	check(ioctl(control, SIZED(ASCPROF_IOC_INFO, sizeof(wide)), &wide) == 0 &&
	      wide.info.abi == ASCPROF_ABI_VERSION && wide.more == 0,
	      "INFO of more bytes than known: the rest is zero");
	accepted(ioctl(control, ASCPROF_IOC_INFO, end - sizeof(info)), "INFO at a page's end");
	refused(ioctl(control, ASCPROF_IOC_INFO, end - sizeof(info) + 1), EFAULT,
		"INFO one byte beyond");
	refused(ioctl(control, SIZED(ASCPROF_IOC_INFO, 0), &info), EINVAL, "INFO of no bytes");
}

static void test_numbers(void)
{
	int stream;
	struct ascprof_stream_create req = good_stream();
	char buffer[256] = "";

	stream = make_stream(control, &req);
	refused(ioctl(control, _IOR('P', 0xAF, struct ascprof_info), buffer), ENOTTY,
		"unknown number");
	refused(ioctl(control, _IOR('Q', 0xA0, struct ascprof_info), buffer), ENOTTY,
		"other type");
	refused(ioctl(control, _IOW('P', 0xA0, struct ascprof_info), buffer), ENOTTY,
		"other direction");
	refused(ioctl(control, ASCPROF_IOC_START), ENOTTY, "START of the control descriptor");
	refused(ioctl(stream, ASCPROF_IOC_INFO, buffer), ENOTTY, "INFO of a stream");
	refused(ioctl(stream, _IOW('P', 0xB1, uint64_t), buffer), ENOTTY,
		"START with an argument");
	refused(ioctl(stream, _IO('P', 0xBF)), ENOTTY, "unknown number of a stream");
	close(stream);
}

static void test_sources(void)
{
	struct { struct ascprof_source source; uint64_t more; } wide = { .more = 0 };
	struct ascprof_source source = { .index = 0 };
	unsigned int nr, sims = 0;

	for (nr = 0; ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0; nr++) {
		if (source.kind == ASCPROF_SOURCE_SIM)
			sims += source.device == (int)sims && source.nr_events == 70 &&
				source.flags == (ASCPROF_SOURCE_F_ALIVE | ASCPROF_SOURCE_F_NPU);
		source.index = nr + 1;
	}
	check(errno == EINVAL && nr == 5, "SOURCE_GET: five, then EINVAL");
	equal(sims, 4, "SOURCE_GET: simulated devices 0 to 3");
	source.index = UINT32_MAX;
	refused(ioctl(control, ASCPROF_IOC_SOURCE_GET, &source), EINVAL, "SOURCE_GET: index -1");
	check(ioctl(control, SIZED(ASCPROF_IOC_SOURCE_GET, sizeof(wide)), &wide) == 0 &&
	      wide.source.id, "SOURCE_GET: unknown bytes zero");
	wide.more = 1ULL << 63;
	refused(ioctl(control, SIZED(ASCPROF_IOC_SOURCE_GET, sizeof(wide)), &wide), E2BIG,
		"SOURCE_GET: unknown byte set");
	refused(ioctl(control, ASCPROF_IOC_SOURCE_GET, NULL), EFAULT, "SOURCE_GET: no argument");
}

static void test_events(void)
{
	struct ascprof_event event = { .source_id = sim0 }, other;
	unsigned int i, k, good = 0, twins = 0;

	for (i = 0; i < 70; i++) {
		event = (struct ascprof_event) { .source_id = sim0, .index = i };
		if (ioctl(control, ASCPROF_IOC_EVENT_GET, &event))
			break;
		good += event.name[0] && event.unit[0] && event.scale_num == (event.event_class ==
			ASCPROF_CLASS_HBM ? 32 : event.scale_num) && event.scale_den == 1;
		for (k = 0; k < i; k++) {
			other = (struct ascprof_event) { .source_id = sim0, .index = k };
			ioctl(control, ASCPROF_IOC_EVENT_GET, &other);
			twins += !strcmp(other.name, event.name) || other.config == event.config;
		}
	}
	equal(good, 70, "EVENT_GET: every event has name, unit and scale");
	equal(twins, 0, "EVENT_GET: names and configs differ");
	event = (struct ascprof_event) { .source_id = sim0, .index = 70 };
	refused(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), EINVAL, "EVENT_GET: index 70");
	event = (struct ascprof_event) { .source_id = perf };
	refused(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), EINVAL, "EVENT_GET of perf");
	event = (struct ascprof_event) { .source_id = 4711 };
	refused(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), ENOENT, "EVENT_GET: no such source");
}

static void bad_stream(struct ascprof_stream_create req, int error, const char *what)
{
	int fd = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);

	refused(fd, error, what);
	if (fd >= 0)
		close(fd);
}

#define BAD_STREAM(member, value, error) do { \
	struct ascprof_stream_create req_ = good_stream(); \
	req_.member = (value); \
	bad_stream(req_, error, "STREAM_CREATE: " #member " " #value); \
} while (0)

static void test_create(void)
{
	struct { struct ascprof_stream_create req; uint64_t more; } wide = { good_stream(), 1 };
	struct ascprof_stream_create req = good_stream();
	int fd;

	BAD_STREAM(flags, 4, EINVAL);
	BAD_STREAM(home_cpu, -2, EINVAL);
	BAD_STREAM(home_cpu, 100000, EINVAL);
	BAD_STREAM(ring_bytes, 0, EINVAL);
	BAD_STREAM(ring_bytes, 2048, EINVAL);
	BAD_STREAM(ring_bytes, 12288, EINVAL);
	BAD_STREAM(ring_bytes, 128 << 20, EINVAL);
	BAD_STREAM(ring_bytes, 1ULL << 63, EINVAL);
	BAD_STREAM(watermark, (1 << 18) + 1, EINVAL);
	BAD_STREAM(period_ns, 0, EINVAL);
	BAD_STREAM(period_ns, 99999, EINVAL);
	BAD_STREAM(period_ns, 1000000001, EINVAL);

	refused(ioctl(control, SIZED(ASCPROF_IOC_STREAM_CREATE, sizeof(wide)), &wide), E2BIG,
		"STREAM_CREATE: unknown byte set");
	refused(ioctl(control, SIZED(ASCPROF_IOC_STREAM_CREATE, 8), &wide), EINVAL,
		"STREAM_CREATE: 8 bytes, so no ring");
	fd = ioctl(control, SIZED(ASCPROF_IOC_STREAM_CREATE, 32), &req);
	check(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC),
	      "STREAM_CREATE: without the last member; closes on exec");
	close(fd);
	req.home_cpu = 0;
	req.watermark = req.ring_bytes;
	fd = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	check(fd >= 0, "STREAM_CREATE: home CPU 0, watermark of the whole ring");
	close(fd);
}

#define BAD_COUNTER(member, value, error) do { \
	struct ascprof_counter_add add_ = sim_counter(sim0, llc); \
	add_.member = (value); \
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add_), error, \
		"COUNTER_ADD: " #member " " #value); \
} while (0)

static void test_add(void)
{
	const uint64_t llc = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 1, 0x20);
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);
	struct ascprof_counter_add add = sim_counter(sim0, llc);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ascprof_counter_add *frozen;
	int i;

	BAD_COUNTER(source_id, 0, ENOENT);
	BAD_COUNTER(source_id, 4711, ENOENT);
	BAD_COUNTER(config, 0, ENOENT);
	BAD_COUNTER(config, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 2, 0x20), ENOENT);
	BAD_COUNTER(config, llc | 1ULL << 63, ENOENT);
	BAD_COUNTER(perf_type, 1, EINVAL);
	BAD_COUNTER(config1, 99, EINVAL);
	BAD_COUNTER(config2, 1, EINVAL);
	BAD_COUNTER(cpu, 0, EINVAL);
	BAD_COUNTER(scale_num, 1, EINVAL);
	BAD_COUNTER(scale_den, 1, EINVAL);
	BAD_COUNTER(unit[0], 'x', EINVAL);
	equal(stats_of(stream).nr_counters, 0, "refused counters are not there");

	frozen = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (frozen == MAP_FAILED)
		bail("mmap");
	*frozen = add;
	mprotect(frozen, page, PROT_READ);
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, frozen), EFAULT,
		"COUNTER_ADD: result cannot be stored");
	equal(stats_of(stream).nr_counters, 0, "... and leaves no counter");

	for (i = 0; i < ASCPROF_MAX_COUNTERS; i++) {
		add = sim_counter(sim0, llc);
		add.slot = 77;
		if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) || add.slot != (uint32_t)i)
			break;
	}
	equal((uint64_t)i, ASCPROF_MAX_COUNTERS, "COUNTER_ADD: slots count up");
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), ENOSPC, "COUNTER_ADD: one too many");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START with all counters");
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	close(stream);

	req.ring_bytes = page;
	stream = make_stream(control, &req);
	for (i = 0; i < 64 * (int)(page / 4096); i++)
		add_sim(stream, sim0, llc);
	refused(ioctl(stream, ASCPROF_IOC_START), ENOSPC, "START: ring too small for its counters");
	equal(stats_of(stream).state, ASCPROF_STATE_IDLE, "... and the stream is idle");
	close(stream);
}

static void test_life(void)
{
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);
	struct ascprof_counter_add add;
	struct ascprof_stats stats;

	refused(ioctl(stream, ASCPROF_IOC_START), EINVAL, "START without counters");
	refused(ioctl(stream, ASCPROF_IOC_STOP), EINVAL, "STOP of an idle stream");
	refused(ioctl(stream, ASCPROF_IOC_KICK), EINVAL, "KICK of an idle stream");
	add_hbm(stream, sim0);
	accepted(ioctl(stream, ASCPROF_IOC_START), "START");
	refused(ioctl(stream, ASCPROF_IOC_START), EBUSY, "START twice");
	add = sim_counter(sim0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0));
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), EBUSY, "COUNTER_ADD while running");
	equal(stats_of(stream).state, ASCPROF_STATE_RUNNING, "STATS: running");
	accepted(ioctl(stream, ASCPROF_IOC_KICK), "KICK");
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	stats = stats_of(stream);
	equal(stats.state, ASCPROF_STATE_STOPPED, "STATS: stopped");
	equal(stats.nr_counters, 8, "STATS: counters");
	check(stats.samples >= 3, "STATS: samples of START, KICK and STOP");
	refused(ioctl(stream, ASCPROF_IOC_STOP), EINVAL, "STOP twice");
	refused(ioctl(stream, ASCPROF_IOC_KICK), EINVAL, "KICK of a stopped stream");
	check(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) == 0 && add.slot == 8,
	      "COUNTER_ADD after STOP");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START again");
	check(stats_of(stream).samples > stats.samples, "STATS: totals go on");
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP again");
	refused(ioctl(stream, ASCPROF_IOC_STATS, NULL), EFAULT, "STATS: no argument");
	close(stream);
}

static void test_limits(void)
{
	struct ascprof_stream_create req = good_stream();
	int fds[33], nr, i;

	for (nr = 0; nr < 33; nr++) {
		fds[nr] = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
		if (fds[nr] < 0)
			break;
	}
	check(nr == 32 && errno == EDQUOT, "32 streams of one user, then EDQUOT");
	for (i = 0; i < nr; i++)
		close(fds[i]);

	set_parameter("max_total_bytes", "262144");
	fds[0] = make_stream(control, &req);
	bad_stream(req, ENOMEM, "STREAM_CREATE: rings of the module used up");
	close(fds[0]);
	fds[0] = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	check(fds[0] >= 0, "... and free again after close");
	close(fds[0]);
	set_parameter("max_total_bytes", "536870912");

	set_parameter("max_ring_bytes", "131072");
	bad_stream(req, EINVAL, "STREAM_CREATE: larger than max_ring_bytes");
	set_parameter("max_ring_bytes", "67108864");

	refused(set_parameter("paranoid", "3"), EINVAL, "paranoid 3");
	refused(set_parameter("paranoid", "-1"), EINVAL, "paranoid -1");
}

int main(void)
{
	control = open_control();
	sim0 = source_id(control, "sim0");
	perf = source_id(control, "perf");

	test_info();
	test_numbers();
	test_sources();
	test_events();
	test_create();
	test_add();
	test_life();
	test_limits();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
