// SPDX-License-Identifier: Apache-2.0
/*
 * Limits of a user: pinned memory by RLIMIT_MEMLOCK and its allowance, the memory
 * cgroup, and descriptors. What sysfs and the tracepoints say about streams.
 */
#include <sys/mount.h>
#include <sys/resource.h>

#include "guest.h"

#define NOBODY	65534
#define SYSFS	"/sys/kernel/ascprof/"
#define TRACE	"/sys/kernel/tracing/"

static int control;
static uint32_t sim0;

/* In KiB, from /proc/self/status. */
static long pinned(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	long kib = -1;

	if (!file)
		bail("/proc/self/status");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %ld kB", &kib) == 1)
			break;
	fclose(file);
	return kib;
}

static void limit_memlock(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		bail("setrlimit");
}

static void as_nobody(void)
{
	struct ascprof_stream_create req = good_stream();
	long before = pinned();
	int first, second, i;

	limit_memlock(0);
	if (setgid(NOBODY) || setuid(NOBODY))
		bail("setuid");
	/* 256 KiB and two pages fit into the allowance of 300 KiB, not twice */
	first = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	accepted(first, "nobody, RLIMIT_MEMLOCK 0: a ring within the allowance");
	equal((uint64_t)(pinned() - before), 264, "... is in VmPin, 256 KiB and two pages");
	second = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	refused(second, EPERM, "... a second one is not");
	equal((uint64_t)(pinned() - before), 264, "... and left nothing there");
	close(first);
	equal((uint64_t)(pinned() - before), 0, "... close takes it off");
	for (i = 0; i < 100; i++) {
		first = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
		if (first < 0)
			break;
		close(first);
	}
	equal((uint64_t)i, 100, "... a hundred times");
}

static void as_nobody_limited(void)
{
	struct ascprof_stream_create req = good_stream();
	int first;

	limit_memlock(300 << 10);
	if (setgid(NOBODY) || setuid(NOBODY))
		bail("setuid");
	first = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	accepted(first, "nobody, no allowance: a ring within RLIMIT_MEMLOCK");
	req.ring_bytes = 64 << 10;
	refused(ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req), EPERM, "... and no more");
}

/* In a child; its exit code is the number of its lines. */
static void in_child(void (*fn)(void), int lines, const char *what)
{
	int status = 0, begin = tap_count, failed = tap_failed;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		fn();
		_exit(tap_count - begin + (tap_failed > failed ? 128 : 0));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("fork");
	if (WIFEXITED(status))
		tap_count += WEXITSTATUS(status) & 127;
	check(WIFEXITED(status) && WEXITSTATUS(status) == lines, "%s", what);
}

static void test_memlock(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char value[32];

	snprintf(value, sizeof(value), "%ld", 300 / cpus);
	set_parameter("mlock_kb", value);
	in_child(as_nobody, 6, "allowance");
	set_parameter("mlock_kb", "0");
	in_child(as_nobody_limited, 2, "RLIMIT_MEMLOCK");
	set_parameter("mlock_kb", "516");
}

#define CGROUPS	"/tmp/cgroups"

static long long charged(void)
{
	FILE *file = fopen(CGROUPS "/ours/memory.current", "re");
	long long bytes = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%lld", &bytes) != 1)
		bytes = -1;
	fclose(file);
	return bytes;
}

/* A ring is on the account of the cgroup that its maker is in. */
static void test_cgroup(void)
{
	struct ascprof_stream_create req = good_stream();
	long long before, during, after;
	int stream;

	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL)) {
		printf("# no cgroups on this kernel\n");
		return;
	}
	if (access(CGROUPS "/cgroup.subtree_control", W_OK) ||
	    write_file(CGROUPS "/cgroup.subtree_control", "+memory") ||
	    mkdir(CGROUPS "/ours", 0755)) {
		printf("# no memory controller on this kernel\n");
		umount(CGROUPS);
		return;
	}
	write_file(CGROUPS "/ours/cgroup.procs", "0");
	req.ring_bytes = 16 << 20;
	before = charged();
	stream = make_stream(control, &req);
	during = charged();
	close(stream);
	after = charged();
	check(before >= 0 && during - before >= 16 << 20, "cgroup: a ring of 16 MiB is charged");
	check(during - after >= 15 << 20, "... and no more when it is closed");
	write_file(CGROUPS "/cgroup.procs", "0");
	rmdir(CGROUPS "/ours");
	umount(CGROUPS);
}

static bool reads(const char *file, const char *want)
{
	char path[256], got[128];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), SYSFS "%s", file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, got, sizeof(got) - 1);
	close(fd);
	if (len < 0)
		return false;
	got[len] = '\0';
	if (!strncmp(got, want, strlen(want)) && got[strlen(want)] == '\n')
		return true;
	printf("# %s: %s", file, got);
	return false;
}

/* The newest stream is the one with the highest number. */
static int newest(void)
{
	char path[64];
	int i, found = -1;

	for (i = 0; i < 4096; i++) {
		snprintf(path, sizeof(path), SYSFS "streams/%d", i);
		if (access(path, F_OK) == 0)
			found = i;
	}
	return found;
}

static bool source_shows(uint32_t id, const char *file, const char *want)
{
	char path[64];

	snprintf(path, sizeof(path), "sources/%u/%s", id, file);
	return reads(path, want);
}

static bool shows(int number, const char *file, const char *want)
{
	char path[64];

	snprintf(path, sizeof(path), "streams/%d/%s", number, file);
	return reads(path, want);
}

static void test_sysfs(void)
{
	struct ascprof_stream_create req = good_stream();
	struct ascprof_info info;
	struct ascprof_source source = { .index = 0 };
	char path[64], want[32], events[32];
	int stream, number;

	req.period_ns = 1000 * MS;	/* the longest: it cannot be throttled */
	if (ioctl(control, ASCPROF_IOC_INFO, &info))
		bail("INFO");
	check(reads("version", info.version) && reads("abi", "1"), "sysfs: version and abi");
	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0 && source.id != sim0)
		source.index++;
	snprintf(events, sizeof(events), "%u", source.nr_events);
	check(source_shows(sim0, "name", "sim0") && source_shows(sim0, "kind", "sim") &&
	      source_shows(sim0, "device", "0") && source_shows(sim0, "alive", "1") &&
	      source_shows(sim0, "numa_node", "-1") && source_shows(sim0, "nr_events", events),
	      "sysfs: source sim0");
	sim0 = source_id(control, "perf");
	check(source_shows(sim0, "kind", "perf") && source_shows(sim0, "nr_events", "0"),
	      "sysfs: source perf");
	sim0 = source_id(control, "sim0");
	equal((uint64_t)newest(), (uint64_t)-1, "sysfs: no stream");
	stream = make_stream(control, &req);
	number = newest();
	check(shows(number, "state", "idle") && shows(number, "uid", "0") &&
	      shows(number, "ring_bytes", "262144") && shows(number, "nr_counters", "0"),
	      "sysfs: an idle stream");
	add_hbm(stream, sim0);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	check(shows(number, "state", "running") && shows(number, "nr_counters", "8") &&
	      shows(number, "period_ns", "1000000000") && shows(number, "lost_samples", "0"),
	      "sysfs: a running stream");
	wait_samples(stream, 5);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	snprintf(want, sizeof(want), "%" PRIu64, (uint64_t)stats_of(stream).samples);
	check(shows(number, "state", "stopped") && shows(number, "samples", want),
	      "sysfs: a stopped stream");
	snprintf(path, sizeof(path), SYSFS "streams/%d/samples", number);
	number = open(path, O_RDONLY | O_CLOEXEC);
	close(stream);
	refused(read(number, want, sizeof(want)), ENODEV, "sysfs: a file held open after its stream");
	close(number);
	equal((uint64_t)newest(), (uint64_t)-1, "sysfs: gone with the descriptor");
}

/* No descriptor is left: nothing is made that nobody could close. */
static void test_no_descriptor(void)
{
	struct ascprof_event counter = { .event_class = ASCPROF_CLASS_OTHER, .scale_num = 1, .scale_den = 1,
					 .unit = "events", .name = "counter" };
	struct ascprof_user_create source = {
		.device = -1, .numa_node = -1, .nr_counters = 1, .counter_size = sizeof(counter),
		.counters = (uintptr_t)&counter, .name = "nobody",
	};
	struct ascprof_stream_create req = good_stream();
	struct ascprof_info before, after;
	struct rlimit limit, none;
	int next = dup(control);

	if (next < 0 || getrlimit(RLIMIT_NOFILE, &limit) || ioctl(control, ASCPROF_IOC_INFO, &before))
		bail("limits");
	close(next);
	none = limit;
	none.rlim_cur = (rlim_t)next;
	if (setrlimit(RLIMIT_NOFILE, &none))
		bail("setrlimit");
	refused(ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req), EMFILE, "STREAM_CREATE without a descriptor");
	refused(ioctl(control, ASCPROF_IOC_USER_CREATE, &source), EMFILE, "USER_CREATE without a descriptor");
	if (setrlimit(RLIMIT_NOFILE, &limit) || ioctl(control, ASCPROF_IOC_INFO, &after))
		bail("limits");
	equal((uint64_t)newest(), (uint64_t)-1, "... no stream was made");
	equal(after.nr_sources, before.nr_sources, "... no source either");
}

static unsigned int traced(const char *what)
{
	FILE *file = fopen(TRACE "trace", "re");
	char line[512];
	unsigned int nr = 0;

	if (!file)
		bail("trace");
	while (fgets(line, sizeof(line), file))
		nr += line[0] != '#' && strstr(line, what) != NULL;
	fclose(file);
	return nr;
}

static void test_trace(void)
{
	struct ascprof_stream_create req = good_stream();
	int stream;

	if (access(TRACE "events/ascprof/enable", W_OK)) {
		printf("# no event tracing on this kernel\n");
		return;
	}
	write_file(TRACE "events/ascprof/enable", "1");
	req.ring_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	req.period_ns = MS;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	while (stats_of(stream).lost_samples < 3)
		usleep(1000);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	write_file(TRACE "events/ascprof/enable", "0");
	equal(traced("ascprof_start: stream="), 1, "trace: start");
	equal(traced("ascprof_stop: stream="), 1, "trace: stop");
	equal(traced("ascprof_overrun: stream="), stats_of(stream).lost_records,
	      "trace: one overrun per lost record");
	close(stream);
}

int main(void)
{
	control = open_control();
	sim0 = source_id(control, "sim0");
	test_memlock();
	test_cgroup();
	test_sysfs();
	test_no_descriptor();
	test_trace();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
