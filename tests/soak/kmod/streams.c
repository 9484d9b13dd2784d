// SPDX-License-Identifier: Apache-2.0
/*
 * What the processes of a round do, over and over: a stream that is read well, by one or by
 * several; one whose reader lies; a source that is fed. The module may be away, sources and
 * CPUs come and go, signals interrupt. Whatever could be started has to balance in the end.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "soak.h"
#include "tests/qemu/guest/account.h"

#define READERS		3
#define NR_PMUS		3

static const struct {
	const char *name;
	uint64_t config;
} pmus[NR_PMUS] = {
	{ "hisi_sccl1_ddrc0", 1 }, { "hisi_sccl3_l3c0", 0 }, { "smmuv3_pmcg_148020", 2 },
};

/* A stream and what is known of it. */
struct owned {
	int fd;
	struct ascprof_stream_create req;
	bool poked;	/* it counts something that may ask for samples */
	struct account account;
};

static bool refusal(long result)
{
	if (result < 0)
		count(&soak->refused, 1);
	return result < 0;
}

static pid_t child_of_mine(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		bail("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	return pid;
}

static int wait_for_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			bail("waitpid");
	return status;
}

static bool perf_counter(struct dice *dice, struct ascprof_counter_add *add)
{
	unsigned int which = pick(dice, NR_PMUS + 2);
	char path[128], line[32];

	add->scale_num = 1;
	add->scale_den = 1;
	strcpy(add->unit, "events");
	if (which >= NR_PMUS) {
		/*
		 * The clock of a CPU. Page faults and the like take a lock when they are made, or made
		 * anew after their CPU was away, that is held while a PMU is unregistered.
		 */
		add->perf_type = 1;
		add->cpu = (int)pick(dice, 2);
		return true;
	}
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmus[which].name);
	if (!read_line(path, line, sizeof(line)))
		return false;
	add->perf_type = (uint32_t)strtoul(line, NULL, 10);
	add->config = pmus[which].config;
	add->cpu = 0;
	return true;
}

/* Any counter of any source, or of the newest; false: it went away before it was added. */
static bool add_one(struct dice *dice, int control, struct owned *s, bool newest)
{
	struct ascprof_counter_add add;
	struct ascprof_source source = { .index = 0 };
	struct ascprof_event event = { .index = 0 };
	struct ascprof_info info;
	int lock = -1;
	bool added;

	if (ioctl(control, ASCPROF_IOC_INFO, &info))
		bail("INFO");
	source.index = newest ? info.nr_sources - 1 : pick(dice, info.nr_sources);
	if (refusal(ioctl(control, ASCPROF_IOC_SOURCE_GET, &source)))
		return false;
	add = sim_counter(source.id, 0);
	if (source.kind == ASCPROF_SOURCE_PERF) {
		if (!perf_counter(dice, &add))
			return false;
	} else {
		event.source_id = source.id;
		event.index = pick(dice, source.nr_events);
		if (refusal(ioctl(control, ASCPROF_IOC_EVENT_GET, &event)))
			return false;
		add.config = event.config;
	}
	if (source.kind == ASCPROF_SOURCE_PERF)
		lock = lock_pmus(LOCK_SH);
	added = !refusal(ioctl(s->fd, ASCPROF_IOC_COUNTER_ADD, &add));
	if (lock >= 0)
		close(lock);
	if (!added)
		return false;
	s->poked |= source.kind == ASCPROF_SOURCE_MMIO;
	return true;
}

/* A stream with some counters, not mapped and not started. */
static bool own(struct dice *dice, struct owned *s)
{
	static const uint64_t periods[] = { MS / 2, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 100 * MS };
	int control = open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	/* what one process feeds is alone now and then, so that the stream loses its last source */
	bool lone = !pick(dice, 3);
	unsigned int counters = lone ? 1 : 1 + pick(dice, 12), added = 0;
	bool capable = geteuid() == 0;

	if (control < 0)
		return false;
	memset(s, 0, sizeof(*s));
	s->req = good_stream();
	s->req.flags = pick(dice, 4);
	s->req.home_cpu = (int)pick(dice, 3) - 1;
	s->req.ring_bytes = 4096u << pick(dice, 8);
	s->req.period_ns = periods[capable ? pick(dice, 6) : 3 + pick(dice, 3)];
	s->req.max_latency_ns = pick(dice, 3) ? 20 * MS : 0;
	s->fd = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &s->req);
	if (refusal(s->fd)) {
		close(control);
		return false;
	}
	count(&soak->opened, 1);
	while (counters--)
		added += add_one(dice, control, s, lone);
	close(control);
	if (!added)
		close(s->fd);
	return added;
}

static void check_run(struct owned *s, const char *what)
{
	struct account *a = &s->account;
	struct ascprof_stats stats = stats_of(s->fd);

	count(&soak->runs, 1);
	count(&soak->samples, a->samples);
	count(&soak->lost, a->lost_samples);
	count(&soak->missed, account_missed(a));
	count(&soak->throttled, account_throttled(a));
	count(&soak->users, a->users);
	count(&soak->gone, stats.state == ASCPROF_STATE_REVOKED);
	if (!account_balances(a, s->req.period_ns)) {
		wrong("%s: it does not balance; %" PRIu64 " gaps, %" PRIu64 " stopped, %" PRIu64 " kicks, TICKS: %"
		      PRIu64 " samples after %" PRIu64, what, a->gaps, a->stopped, a->kicks,
		      (uint64_t)a->told.samples, (uint64_t)a->before.samples);
		account_print(a, s->req.period_ns);
	}
	if (stats.samples != a->told.samples || stats.missed_ticks != a->told.missed ||
	    stats.throttled_ticks != a->told.throttled)
		wrong("%s: STATS and the last TICKS differ", what);
	if (a->user_gaps > a->lost_records - a->lost_samples)
		wrong("%s: %" PRIu64 " USER records are missing, %" PRIu64 " are told of", what,
		      a->user_gaps, a->lost_records - a->lost_samples);
	if (stats.state != ASCPROF_STATE_STOPPED && stats.state != ASCPROF_STATE_REVOKED)
		wrong("%s: state %u after STOP", what, stats.state);
}

/* A child that has all that its parent has, and goes in one of its ways. */
static void fork_one(struct dice *dice, struct owned *s, struct ring_map *map)
{
	bool killed = pick(dice, 2);
	pid_t pid = child_of_mine();
	uint64_t sum = 0, i;

	if (pid == 0) {
		for (i = 0; i < map->bytes; i += 512)
			sum += map->data[i];
		for (i = 0; i < 10; i++)
			sum += stats_of(s->fd).samples;
		if (killed)
			kill(getpid(), SIGKILL);
		_exit(sum == UINT64_MAX);
	}
	count(&soak->forks, 1);
	wait_for_child(pid);
}

static bool start(struct owned *s, bool kicked)
{
	account_begin(&s->account);
	s->account.kicked = kicked || s->poked;
	return !refusal(ioctl(s->fd, ASCPROF_IOC_START));
}

static void stop(struct owned *s, const char *what)
{
	if (ioctl(s->fd, ASCPROF_IOC_STOP))
		wrong("%s: STOP: %s", what, strerror(errno));
}

/* One reader that maps the ring. It may be slow, or take nothing before STOP, and may ask for samples. */
static bool run_mapped(struct dice *dice, struct owned *s, struct ring_map *map)
{
	uint64_t end = now_of(CLOCK_MONOTONIC) + (20 + pick(dice, 1500)) * MS;
	bool kicks = !pick(dice, 3), lazy = !pick(dice, 4);

	if (!start(s, kicks))
		return false;
	while (now_of(CLOCK_MONOTONIC) < end && !soak->stop) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };
		unsigned int what = pick(dice, 100);

		if (what < 60)
			poll(&p, 1, 20);
		else if (what < 75)
			usleep(pick(dice, 30000));	/* too long for a small ring */
		else if (what < 78)
			fork_one(dice, s, map);
		else if (kicks)
			ioctl(s->fd, ASCPROF_IOC_KICK);
		if (what < 60 && p.revents & POLLERR)
			wrong("mapped: at fault");
		if (what < 60 && !lazy)
			count_records(&s->account, map);
	}
	stop(s, "mapped");
	count_records(&s->account, map);
	check_run(s, "mapped");
	return true;
}

static void session_mapped(struct dice *dice)
{
	struct ring_map map;
	struct owned s;

	if (!own(dice, &s))
		return;
	map_ring(&map, s.fd, s.req.ring_bytes);
	while (run_mapped(dice, &s, &map) && pick(dice, 2) && !soak->stop)
		;
	/* in either order, and now and then while it runs */
	if (!pick(dice, 4))
		ioctl(s.fd, ASCPROF_IOC_START);
	if (pick(dice, 2)) {
		close(s.fd);
		unmap_ring(&map);
	} else {
		unmap_ring(&map);
		close(s.fd);
	}
}

/* Until there is nothing any more. */
static void read_all(int fd, struct account *a)
{
	static uint64_t buffer[4096];
	ssize_t got, at;

	while ((got = read(fd, buffer, sizeof(buffer))) != 0) {
		if (got < 0 && errno != EINTR) {
			wrong("read: %s", strerror(errno));
			return;
		}
		for (at = 0; at < got; ) {
			const struct ascprof_rec *rec = (const void *)((char *)buffer + at);

			count_record(a, rec);
			at += rec->len;
		}
	}
}

/* What several readers got is one account. The order of samples and of USER records is nobody's. */
static void merge(struct account *to, const struct account *from)
{
	to->samples += from->samples;
	to->kicks += from->kicks;
	to->lasts += from->lasts;
	to->lost_records += from->lost_records;
	to->lost_samples += from->lost_samples;
	to->users += from->users;
	to->stopped += from->stopped;
	if (from->mono_first && (!to->mono_first || from->mono_first < to->mono_first))
		to->mono_first = from->mono_first;
	if (from->mono_last > to->mono_last)
		to->mono_last = from->mono_last;
	if (from->told.t_raw > to->told.t_raw)
		to->told = from->told;
}

/* Several processes that read one stream: each record comes to one of them. */
static void session_shared(struct dice *dice)
{
	unsigned int nr = 1 + pick(dice, READERS), i;
	struct account *parts;
	pid_t pids[READERS];
	struct owned s;

	if (!own(dice, &s))
		return;
	parts = mmap(NULL, sizeof(*parts) * READERS, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (parts == MAP_FAILED)
		bail("mmap");
	if (!start(&s, false))
		goto out;
	for (i = 0; i < nr; i++) {
		pids[i] = child_of_mine();
		if (pids[i] == 0) {
			read_all(s.fd, &parts[i]);
			_exit(0);
		}
	}
	for (i = 10 + pick(dice, 100); i && !soak->stop; i--)
		usleep(10000);
	stop(&s, "shared");
	for (i = 0; i < nr; i++) {
		if (wait_for_child(pids[i]))
			wrong("shared: a reader did not come back");
		merge(&s.account, &parts[i]);
	}
	/* of a stream without a source readers leave at once */
	memset(parts, 0, sizeof(*parts));
	read_all(s.fd, parts);
	merge(&s.account, parts);
	check_run(&s, "shared");
	count(&soak->shared, nr > 1);
out:
	munmap(parts, sizeof(*parts) * READERS);
	close(s.fd);
}

/* A reader that lies about what it has read. */
static void session_liar(struct dice *dice)
{
	struct ring_map map;
	struct owned s;
	unsigned int lies = 1 + pick(dice, 40);

	if (!own(dice, &s))
		return;
	map_ring(&map, s.fd, s.req.ring_bytes);
	if (!start(&s, false))
		goto out;
	while (lies-- && !soak->stop) {
		switch (pick(dice, 4)) {
		case 0: map.consumer->tail = roll(dice); break;
		case 1: map.consumer->tail = map.producer->head; break;
		case 2: map.consumer->tail -= 8; break;
		default: map.consumer->tail += 8 * pick(dice, 16); break;
		}
		usleep(pick(dice, 3000));
	}
	if (stats_of(s.fd).state == ASCPROF_STATE_FAULT) {
		count(&soak->faults, 1);
		if (ioctl(s.fd, ASCPROF_IOC_STOP) == 0 || errno != EIO ||
		    ioctl(s.fd, ASCPROF_IOC_START) == 0 || errno != EIO)
			wrong("liar: the stream is used as if nothing were");
		if (!(poll_for(s.fd, 0) & POLLERR))
			wrong("liar: poll does not say it");
	}
out:
	unmap_ring(&map);
	close(s.fd);
}

/* One more sample of each counter, or up to three. */
static bool feed(struct dice *dice, int fd, uint32_t nr, uint64_t *value)
{
	static uint64_t words[3 * 16];
	uint32_t len = (uint32_t)sizeof(struct ascprof_user_sample) + 8 * nr, batch = 1 + pick(dice, 3), i, k;
	uint64_t now = now_of(CLOCK_MONOTONIC_RAW);

	for (i = 0; i < batch; i++) {
		struct ascprof_user_sample *s = (void *)((char *)words + i * len);

		s->len = len;
		s->nr = nr;
		s->t_raw = now - (batch - 1 - i);
		s->t_device = 0;
		for (k = 0; k < nr; k++)
			s->value[k] = ++*value;
	}
	if (write(fd, words, batch * len) != (ssize_t)(batch * len)) {
		wrong("write into a source: %s", strerror(errno));
		return false;
	}
	count(&soak->fed, batch);
	*value += 1000;
	return true;
}

static void session_feeder(struct dice *dice)
{
	struct ascprof_event events[4] = { { .index = 0 } };
	struct ascprof_user_create req = {
		.device = -1, .numa_node = -1, .nr_counters = 1 + pick(dice, 4),
		.counter_size = sizeof(events[0]), .counters = (uintptr_t)events,
	};
	int control = open(ASCPROF_DEVICE_PATH, O_RDWR | O_CLOEXEC), fd;
	struct ascprof_user_stats stats;
	unsigned int times = 50 + pick(dice, 400);
	uint64_t value = 0;

	if (control < 0)
		return;
	for (uint32_t i = 0; i < req.nr_counters; i++) {
		events[i].event_class = ASCPROF_CLASS_OTHER;
		events[i].config = i;
		events[i].scale_num = 1;
		events[i].scale_den = 1;
		strcpy(events[i].unit, "events");
		snprintf(events[i].name, sizeof(events[i].name), "counter%u", i);
	}
	snprintf(req.name, sizeof(req.name), "soak-%d", (int)getpid());
	fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
	close(control);
	if (refusal(fd))
		return;
	while (times-- && !soak->stop && feed(dice, fd, req.nr_counters, &value))
		usleep(pick(dice, 4000));
	if (ioctl(fd, ASCPROF_IOC_USER_STATS, &stats) || stats.refused)
		wrong("feeder: %" PRIu64 " of its samples were refused", (uint64_t)stats.refused);
	close(fd);
}

static unsigned int open_descriptors(void)
{
	unsigned int nr = 0;
	int fd;

	for (fd = 0; fd < 64; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/**
 * work() - until the round is over
 * @dice: what happens
 * @privileged: root, or else an ordinary user
 */
void work(struct dice *dice, bool privileged)
{
	unsigned int before = open_descriptors();

	if (!privileged && (setgid(1000) || setuid(1000)))
		bail("setuid");
	while (!soak->stop) {
		unsigned int what = pick(dice, 100);

		if (what < 45)
			session_mapped(dice);
		else if (what < 70)
			session_shared(dice);
		else if (what < 80)
			session_liar(dice);
		else if (privileged)
			session_feeder(dice);
		usleep(pick(dice, 20000));
	}
	if (open_descriptors() != before)
		wrong("%u descriptors, %u before", open_descriptors(), before);
}
