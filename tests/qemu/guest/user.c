// SPDX-License-Identifier: Apache-2.0
/*
 * A source that a process feeds: what it may write, what its readers get, how
 * it ends, and what hostile writers achieve, which is nothing.
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/uio.h>

#include "guest.h"

#define NR	3	/* counters of the source */
#define WRITES	600

static int control;
static void *volatile nowhere;

/* struct ascprof_user_sample with its values */
struct sample {
	uint32_t len;
	uint32_t nr;
	uint64_t t_raw;
	uint64_t t_device;
	uint64_t value[NR];
};

static const struct ascprof_event *good_events(void)
{
	static struct ascprof_event events[NR];
	int i;

	for (i = 0; i < NR; i++) {
		events[i] = (struct ascprof_event) {
			.event_class = ASCPROF_CLASS_HBM,
			.config = 0x700 + (uint64_t)i,
			.scale_num = 32,
			.scale_den = 1,
			.unit = "bytes",
		};
		snprintf(events[i].name, sizeof(events[i].name), "event_%d", i);
	}
	events[2].value_kind = ASCPROF_VALUE_GAUGE;
	return events;
}

static struct ascprof_user_create good_source(const char *name)
{
	struct ascprof_user_create req = {
		.device = -1,
		.numa_node = -1,
		.nr_counters = NR,
		.counter_size = sizeof(struct ascprof_event),
		.counters = (uintptr_t)good_events(),
	};

	snprintf(req.name, sizeof(req.name), "%s", name);
	return req;
}

static int make_source(const char *name)
{
	struct ascprof_user_create req = good_source(name);
	int fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);

	if (fd < 0)
		bail("USER_CREATE");
	return fd;
}

static struct ascprof_user_stats user_stats(int source)
{
	struct ascprof_user_stats stats;

	if (ioctl(source, ASCPROF_IOC_USER_STATS, &stats))
		bail("USER_STATS");
	return stats;
}

/* Sample number n; every number grows, and the time with it. */
static struct sample good_sample(uint64_t n)
{
	return (struct sample) {
		.len = sizeof(struct sample),
		.nr = NR,
		.t_raw = now_of(CLOCK_MONOTONIC_RAW),
		.t_device = 5000 + n,
		.value = { 10 * n, 20 * n, 30 * n },
	};
}

static void feed(int source, uint64_t n)
{
	struct sample sample = good_sample(n);

	if (write(source, &sample, sizeof(sample)) != sizeof(sample))
		bail("write");
}

static void add_counter(int stream, uint32_t id, unsigned int event)
{
	struct ascprof_counter_add add = sim_counter(id, 0x700 + event);

	if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add))
		bail("COUNTER_ADD");
}

static void add_counter_of_sim(int stream, uint32_t sim)
{
	add_sim(stream, sim, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ));
}

static void start(int stream)
{
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
}

#define BAD_SOURCE(change, error, what) do { \
	struct ascprof_user_create bad_req = good_source("bad"); \
	bad_req.change; \
	refused(ioctl(control, ASCPROF_IOC_USER_CREATE, &bad_req), error, "USER_CREATE: " what); \
} while (0)

static void test_create(void)
{
	struct ascprof_user_create req = good_source("npu7");
	struct ascprof_event event = { .index = 0 };
	struct ascprof_source source = { .index = 0 };
	struct ascprof_info before, after;
	int fd, other, status;

	if (ioctl(control, ASCPROF_IOC_INFO, &before))
		bail("INFO");
	BAD_SOURCE(flags = 1, EINVAL, "unknown flag");
	BAD_SOURCE(device = 64, EINVAL, "device out of range");
	BAD_SOURCE(nr_counters = 0, EINVAL, "no counters");
	BAD_SOURCE(nr_counters = 513, EINVAL, "too many counters");
	BAD_SOURCE(counter_size = 8, EINVAL, "counters too small");
	BAD_SOURCE(counter_size = 8192, EINVAL, "counters too large");
	BAD_SOURCE(counters = 0, EFAULT, "no array");
	BAD_SOURCE(counters = (uintptr_t)-4096, EFAULT, "array in the kernel");
	BAD_SOURCE(name[0] = 0, EINVAL, "no name");
	BAD_SOURCE(name[0] = '\n', EINVAL, "name not printable");
	if (ioctl(control, ASCPROF_IOC_INFO, &after))
		bail("INFO");
	equal(after.nr_sources, before.nr_sources, "none of these is there");
	req.device = 7;
	req.pci_addr = 0xc100;
	fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
	accepted(fd, "USER_CREATE");
	refused(ioctl(control, ASCPROF_IOC_USER_CREATE, &req), EEXIST, "USER_CREATE: name taken");
	check(fcntl(fd, F_GETFD) & FD_CLOEXEC, "the descriptor is closed on exec");

	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0 &&
	       strcmp(source.name, "npu7"))
		source.index++;
	check(source.kind == ASCPROF_SOURCE_USER && source.device == 7 &&
	      source.flags == (ASCPROF_SOURCE_F_ALIVE | ASCPROF_SOURCE_F_NPU) &&
	      source.nr_events == NR && source.pci_addr == 0xc100 &&
	      source.id == user_stats(fd).id, "SOURCE_GET lists it");
	event.source_id = source.id;
	event.index = 1;
	accepted(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), "EVENT_GET");
	check(event.config == 0x701 && !strcmp(event.name, "event_1"), "... describes the event");
	event.index = NR;
	refused(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), EINVAL, "EVENT_GET beyond the last");
	close(fd);
	refused(ioctl(control, ASCPROF_IOC_EVENT_GET, &event), ENOENT, "closed: it is gone");
	other = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
	check(other >= 0 && user_stats(other).id > source.id, "its name is free, its id is not");
	close(other);

	if (fork() == 0) {
		if (setuid(65534))
			_exit(2);
		fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
		_exit(!(fd < 0 && errno == EACCES));
	}
	wait(&status);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "USER_CREATE without CAP_PERFMON");

	set_parameter("max_user_sources", "0");
	BAD_SOURCE(flags = 0, EDQUOT, "limit of sources");
	set_parameter("max_user_sources", "64");
}

#define BAD_WRITE(change, error, what) do { \
	struct sample bad_sample = good_sample(100); \
	bad_sample.change; \
	refused(write(fd, &bad_sample, sizeof(bad_sample)), error, "write: " what); \
	bad++; \
} while (0)

static void test_write(void)
{
	int fd = make_source("writer");
	struct sample batch[3], sample;
	uint64_t bad = 0;
	char *page;

	feed(fd, 5);
	BAD_WRITE(len = 0, EINVAL, "length 0");
	BAD_WRITE(len = 40, EINVAL, "length of another sample");
	BAD_WRITE(len = UINT32_MAX, EINVAL, "huge length");
	BAD_WRITE(nr = NR - 1, EINVAL, "number of counters");
	BAD_WRITE(nr = UINT32_MAX, EINVAL, "huge number of counters");
	BAD_WRITE(t_raw += 3600000000000ull, ERANGE, "measured in the future");
	BAD_WRITE(t_raw = 1, ERANGE, "measured long ago");
	BAD_WRITE(t_raw = UINT64_MAX, ERANGE, "measured at the end of time");
	BAD_WRITE(value[0] = 49, ERANGE, "count that goes down");
	sample = good_sample(100);
	refused(write(fd, &sample, 8), EINVAL, "write: not even a head");
	refused(write(fd, &sample, sizeof(sample) - 8), EINVAL, "write: torn");
	refused(write(fd, nowhere, sizeof(sample)), EFAULT, "write: NULL");
	refused(write(fd, (void *)(uintptr_t)-4096, sizeof(sample)), EFAULT, "write: kernel address");
	bad += 3;		/* the kernel's own address does not get so far */
	equal((uint64_t)write(fd, &sample, 0), 0, "write of nothing");

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || munmap(page + 4096, 4096))
		bail("mmap");
	memcpy(page + 4096 - sizeof(sample) + 8, &sample, sizeof(sample) - 8);
	refused(write(fd, page + 4096 - sizeof(sample) + 8, sizeof(sample)), EFAULT,
		"write: values end in no memory");
	bad++;
	equal(user_stats(fd).samples, 1, "none of these was taken");
	equal(user_stats(fd).refused, bad, "each was counted");

	batch[0] = good_sample(6);
	usleep(1);
	batch[1] = good_sample(7);
	usleep(1);
	batch[2] = good_sample(8);
	equal((uint64_t)write(fd, batch, sizeof(batch)), sizeof(batch), "three samples in one write");
	batch[0] = good_sample(9);
	usleep(1);
	batch[1] = good_sample(10);
	batch[2] = good_sample(11);
	batch[2].nr = 0;
	equal((uint64_t)write(fd, batch, sizeof(batch)), 2 * sizeof(sample), "stops before a bad one");
	sample = good_sample(12);
	sample.value[2] = 0;
	equal((uint64_t)write(fd, &sample, sizeof(sample)), sizeof(sample), "a level may go down");
	equal(user_stats(fd).samples, 7, "samples taken");

	refused(read(fd, &sample, sizeof(sample)), EBADF, "read");
	refused(ioctl(fd, ASCPROF_IOC_START), ENOTTY, "ioctl of a stream");
	refused(ioctl(fd, ASCPROF_IOC_USER_STATS, NULL), EFAULT, "USER_STATS: no argument");
	close(fd);
}

/* What one reader saw. */
struct seen {
	uint64_t users;
	uint64_t wrong;
	uint64_t lost;
	uint64_t lost_samples;
	uint64_t samples;
	uint64_t gone;
	uint64_t last_bad;
	uint64_t last_value;
	uint64_t next_seq;
};

static void look(struct seen *seen, const struct ascprof_rec *rec, unsigned int nr)
{
	const struct ascprof_rec_user *user = (const void *)rec;
	const struct ascprof_rec_lost *lost = (const void *)rec;
	const struct ascprof_rec_state *state = (const void *)rec;
	const struct ascprof_rec_sample *sample = (const void *)rec;
	uint64_t n;
	unsigned int i;

	switch (rec->type) {
	case ASCPROF_REC_USER:
		n = user->seq + 1;
		seen->users++;
		seen->wrong += user->h.len != sizeof(*user) + 8 * nr || user->nr != nr ||
			       user->t_device != 5000 + n || user->t_raw > user->t_taken ||
			       user->seq < seen->next_seq;
		seen->next_seq = user->seq + 1;
		/* the slots have the events in reverse order */
		for (i = 0; i < nr; i++)
			seen->wrong += user->value[i] != 10 * n * (nr - i);
		break;
	case ASCPROF_REC_LOST:
		seen->lost += lost->records;
		seen->lost_samples += lost->samples;
		break;
	case ASCPROF_REC_SAMPLE:
		seen->samples++;
		seen->last_bad = sample->bad;
		seen->last_value = sample->value[0];
		break;
	case ASCPROF_REC_STATE:
		seen->gone += state->what == ASCPROF_WHAT_SOURCE_GONE;
		break;
	}
}

static void look_all(struct seen *seen, struct ring_map *map, unsigned int nr)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(map))) {
		look(seen, rec, nr);
		done_with(map, rec);
	}
}

struct reader {
	int stream;
	unsigned int nr;	/* counters */
	struct ring_map map;
	struct seen seen;
};

static void open_reader(struct reader *r, uint32_t id, unsigned int nr, uint64_t ring, uint64_t period)
{
	struct ascprof_stream_create req = good_stream();
	unsigned int i;

	memset(r, 0, sizeof(*r));
	req.ring_bytes = ring;
	req.period_ns = period;
	r->nr = nr;
	r->stream = make_stream(control, &req);
	for (i = nr; i--; )
		add_counter(r->stream, id, i);
	map_ring(&r->map, r->stream, ring);
	start(r->stream);
}

static void close_reader(struct reader *r)
{
	unmap_ring(&r->map);
	close(r->stream);
}

static void test_readers(void)
{
	static struct reader readers[4];
	struct ascprof_stats stats;
	int fd = make_source("shared");
	uint32_t id = user_stats(fd).id;
	uint64_t n;
	int i;

	open_reader(&readers[0], id, 3, 1 << 18, MS);
	open_reader(&readers[1], id, 2, 1 << 18, 10 * MS);
	open_reader(&readers[2], id, 1, 1 << 18, 1000 * MS);
	open_reader(&readers[3], id, 3, 1 << 12, 10 * MS);	/* too small for all */
	equal(user_stats(fd).readers, 4, "four streams read the source");
	check(readers[0].map.producer->samples > 0, "they take samples of their own");

	for (n = 1; n <= WRITES; n++) {
		feed(fd, n);
		if (n % 50 == 0) {
			look_all(&readers[0].seen, &readers[0].map, 3);
			usleep(1000);
		}
	}
	wait_samples(readers[0].stream, stats_of(readers[0].stream).samples + 2);
	for (i = 0; i < 4; i++) {
		struct reader *r = &readers[i];

		ioctl(r->stream, ASCPROF_IOC_STOP);
		look_all(&r->seen, &r->map, r->nr);
		stats = stats_of(r->stream);
		check(r->seen.users + r->seen.lost - r->seen.lost_samples >= WRITES,
		      "what one reader misses of what was written is in its losses");
		check(r->seen.lost ? r->seen.users < WRITES : r->seen.users == WRITES,
		      "... with no loss it misses nothing");
		equal(r->seen.samples + r->seen.lost_samples, stats.samples,
		      "... and its own samples too");
		equal(r->seen.wrong, 0, "... no record is wrong");
		check(i == 3 ? r->seen.lost > 0 : r->seen.lost == 0,
		      "... only the small ring lost some");
	}
	equal(readers[0].seen.last_value, 30 * WRITES, "a sample has the newest value");
	equal(readers[0].seen.last_bad, 0, "... of every counter");

	for (i = 0; i < 4; i++)
		close_reader(&readers[i]);
	equal(user_stats(fd).readers, 0, "nobody reads the source");
	equal(user_stats(fd).samples, WRITES, "the writer sees what was taken");
	close(fd);
}

static void test_end(void)
{
	struct ascprof_stream_create req = good_stream();
	static struct reader full, plain, mixed, idle, stopped;
	struct ascprof_counter_add add;
	int fd = make_source("ending");
	uint32_t id = user_stats(fd).id;
	uint64_t n = 0;

	open_reader(&plain, id, 3, 1 << 18, 10 * MS);
	open_reader(&full, id, 3, 1 << 12, 10 * MS);
	open_reader(&stopped, id, 3, 1 << 18, 10 * MS);
	ioctl(stopped.stream, ASCPROF_IOC_STOP);
	look_all(&stopped.seen, &stopped.map, 3);
	idle.stream = make_stream(control, &req);
	add_counter(idle.stream, id, 0);
	mixed.stream = make_stream(control, &req);
	add_counter(mixed.stream, id, 0);
	add_counter_of_sim(mixed.stream, source_id(control, "sim0"));
	map_ring(&mixed.map, mixed.stream, req.ring_bytes);
	start(mixed.stream);
	look_all(&plain.seen, &plain.map, 3);
	equal(plain.seen.last_bad, 3, "nothing was written: all counters are bad");
	while (stats_of(full.stream).lost_records == 0)
		feed(fd, ++n);
	check(!(poll_for(plain.stream, 0) & POLLHUP), "no POLLHUP while it is there");

	close(fd);
	check(poll_for(plain.stream, PATIENCE) & POLLHUP, "POLLHUP when the writer closes");
	equal(plain.map.producer->state, ASCPROF_STATE_REVOKED, "the stream is revoked");
	look_all(&plain.seen, &plain.map, 3);
	equal(plain.seen.gone, 1, "a STATE record says so");
	equal(plain.seen.users, n, "... after all that was written");
	equal((uint64_t)(uint16_t)poll_for(plain.stream, 0), POLLHUP, "read out: only POLLHUP");
	refused(ioctl(plain.stream, ASCPROF_IOC_KICK), ENODEV, "KICK of a revoked stream");
	accepted(ioctl(plain.stream, ASCPROF_IOC_STOP), "STOP of a revoked stream");
	refused(ioctl(plain.stream, ASCPROF_IOC_START), ENODEV, "START without its source");

	check(poll_for(full.stream, PATIENCE) & POLLHUP, "POLLHUP with a full ring");
	ioctl(full.stream, ASCPROF_IOC_STOP);
	look_all(&full.seen, &full.map, 3);
	equal(full.seen.gone, 1, "the STATE record found its place");
	check(full.seen.users <= n && full.seen.users + full.seen.lost - full.seen.lost_samples >= n,
	      "... and the account holds");
	check(poll_for(idle.stream, PATIENCE) & POLLHUP, "POLLHUP of an idle stream");
	refused(ioctl(idle.stream, ASCPROF_IOC_START), ENODEV, "START of an idle stream");
	check(poll_for(stopped.stream, PATIENCE) & POLLHUP, "POLLHUP of a stopped stream");
	refused(ioctl(stopped.stream, ASCPROF_IOC_START), ENODEV, "START of a stopped stream");

	wait_samples(mixed.stream, stats_of(mixed.stream).samples + 2);
	look_all(&mixed.seen, &mixed.map, 1);
	equal(mixed.seen.gone, 1, "a stream with another source is told too");
	equal(mixed.map.producer->state, ASCPROF_STATE_RUNNING, "... and goes on");
	equal(mixed.seen.last_bad, 1, "... without the counter");
	check(!(poll_for(mixed.stream, 0) & POLLHUP), "... and without POLLHUP");
	ioctl(mixed.stream, ASCPROF_IOC_STOP);

	add = sim_counter(id, 0x700);
	refused(ioctl(plain.stream, ASCPROF_IOC_COUNTER_ADD, &add), ENOENT, "COUNTER_ADD of it");
	close_reader(&plain);
	close_reader(&full);
	close_reader(&stopped);
	close_reader(&mixed);
	close(idle.stream);
}

/* A reader that waits hears of data soon, however long its period is. */
static void test_latency(void)
{
	struct ascprof_stream_create req = good_stream();
	int fd = make_source("latency"), stream;
	struct ring_map map;
	struct seen seen = { 0 };

	req.period_ns = 1000 * MS;
	req.max_latency_ns = MS;
	stream = make_stream(control, &req);
	add_counter(stream, user_stats(fd).id, 0);
	map_ring(&map, stream, req.ring_bytes);
	start(stream);
	look_all(&seen, &map, 1);
	feed(fd, 1);
	check(poll_for(stream, PATIENCE) & POLLIN, "a lone sample wakes the reader");
	unmap_ring(&map);
	close(stream);
	close(fd);
}

/* ---- races ------------------------------------------------------------- */

static volatile int race_source = -1;
static volatile bool race_over;
static uint64_t race_written, race_read;

static void *race_writer(void *arg)
{
	static uint8_t junk[1 << 17];
	unsigned int kind = (unsigned int)(uintptr_t)arg;
	uint64_t n = 0;

	memset(junk, 0xff, sizeof(junk));
	while (!race_over) {
		struct sample sample = good_sample(++n);
		struct iovec parts[2] = {
			{ &sample, 24 }, { (uint8_t *)&sample + 24, sizeof(sample) - 24 },
		};
		ssize_t ret;

		switch (kind) {
		case 0:
			ret = writev(race_source, parts, 2);
			if (ret == sizeof(sample))
				__atomic_add_fetch(&race_written, 1, __ATOMIC_RELAXED);
			break;
		case 1:
			ret = write(race_source, junk, sizeof(junk));
			break;
		case 2:
			ret = write(race_source, nowhere, n);
			break;
		default:
			ret = write(race_source, &sample, n % sizeof(sample));
			break;
		}
		if (ret == 1)
			bail("a byte was taken");
	}
	return NULL;
}

static void *race_reader(void *arg)
{
	struct ascprof_stream_create req = good_stream();
	static __thread uint64_t buffer[4096];

	(void)arg;
	while (!race_over) {
		struct ascprof_user_stats stats;
		struct ascprof_counter_add add;
		int stream;

		if (ioctl(race_source, ASCPROF_IOC_USER_STATS, &stats))
			continue;
		stream = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
		if (stream < 0)
			continue;
		add = sim_counter(stats.id, 0x700);
		if (!ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) &&
		    !ioctl(stream, ASCPROF_IOC_START) && read(stream, buffer, sizeof(buffer)) > 0)
			__atomic_add_fetch(&race_read, 1, __ATOMIC_RELAXED);
		close(stream);
	}
	return NULL;
}

static void *race_replacer(void *arg)
{
	struct ascprof_user_create req = good_source("raced");

	(void)arg;
	while (!race_over) {
		int fd, old;

		usleep(3000);
		snprintf(req.name, sizeof(req.name), "raced %llu", (unsigned long long)now_of(CLOCK_MONOTONIC_RAW));
		fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
		if (fd < 0)
			continue;
		/* the number stays the same under the writers' hands */
		old = race_source;
		if (dup2(fd, old) < 0)
			bail("dup2");
		close(fd);
	}
	return NULL;
}

static void test_races(void)
{
	pthread_t thread[8];
	unsigned int i;

	race_source = make_source("raced");
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, race_writer, (void *)(uintptr_t)i);
	for (; i < 7; i++)
		pthread_create(&thread[i], NULL, race_reader, NULL);
	pthread_create(&thread[7], NULL, race_replacer, NULL);
	sleep(5);
	race_over = true;
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	close(race_source);
	check(race_written > 0, "races: samples were written meanwhile");
	check(race_read > 0, "races: streams were read meanwhile");
}

/*
 * Streams that want to hear of other sources, and end while such come and go: who tells
 * them must not find a ring that is being freed.
 */
static volatile bool notice_over;
static uint64_t notice_streams, notice_sources;

static void *notice_streamer(void *arg)
{
	struct ascprof_stream_create req = good_stream();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t sim0 = source_id(control, "sim0");

	(void)arg;
	req.flags = ASCPROF_STREAM_F_NOTICE;
	req.ring_bytes = 1 << 23;	/* takes a while to free */
	while (!notice_over) {
		int stream = make_stream(control, &req);
		void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, stream,
				      ASCPROF_OFF_CONSUMER);

		add_counter_of_sim(stream, sim0);
		start(stream);
		if (consumer == MAP_FAILED || munmap(consumer, page))
			bail("mmap");
		close(stream);
		__atomic_add_fetch(&notice_streams, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *notice_maker(void *arg)
{
	struct ascprof_user_create req = good_source("fleeting");

	(void)arg;
	while (!notice_over) {
		int fd = ioctl(control, ASCPROF_IOC_USER_CREATE, &req);

		if (fd < 0)
			bail("USER_CREATE");
		close(fd);
		__atomic_add_fetch(&notice_sources, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void test_notices(void)
{
	pthread_t thread[3];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, i ? notice_streamer : notice_maker, NULL);
	sleep(5);
	notice_over = true;
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	check(notice_streams > 0 && notice_sources > 0,
	      "%" PRIu64 " streams ended while %" PRIu64 " sources came and went",
	      notice_streams, notice_sources);
}

/* A writer whose memory does not come, and that so never returns, is no one else's trouble. */
static void *stuck_writer(void *arg)
{
	int fd = (int)(intptr_t)arg;

	return (void *)(intptr_t)write(fd, nowhere, sizeof(struct sample));
}

static void test_stuck(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct ascprof_stream_create req = good_stream();
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC), fd, stream;
	struct uffd_msg msg;
	pthread_t thread;
	void *result;

	if (faults < 0) {
		printf("# no userfaultfd on this kernel: %s\n", strerror(errno));
		return;
	}
	fd = make_source("stuck");
	nowhere = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)nowhere;
	range.range.len = page;
	if (nowhere == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range))
		bail("userfaultfd");
	pthread_create(&thread, NULL, stuck_writer, (void *)(intptr_t)fd);
	if (read(faults, &msg, sizeof(msg)) != sizeof(msg))
		bail("the writer does not fault");

	alarm(PATIENCE / 1000);		/* what waits for the writer waits for ever */
	stream = make_stream(control, &req);
	add_counter(stream, user_stats(fd).id, 0);
	start(stream);
	wait_samples(stream, 2);
	equal(user_stats(fd).readers, 1, "a stuck writer: streams come");
	close(stream);
	equal(user_stats(fd).readers, 0, "... and go");
	alarm(0);
	close(faults);
	pthread_join(thread, &result);
	munmap(nowhere, page);
	nowhere = NULL;
	equal(user_stats(fd).refused, 1, "... and what it wrote in the end is refused");
	close(fd);
}

/* A writer that is killed is a writer that closed. */
static void test_killed(void)
{
	struct reader r;
	int fd = make_source("killed");
	uint32_t id = user_stats(fd).id;
	pid_t child;

	open_reader(&r, id, 3, 1 << 18, 10 * MS);
	child = fork();
	if (child == 0) {
		for (uint64_t n = 1; ; n++)
			feed(fd, n);
	}
	close(fd);
	wait_samples(r.stream, 3);
	check(!(poll_for(r.stream, 0) & POLLHUP), "the child keeps the source");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(poll_for(r.stream, PATIENCE) & POLLHUP, "POLLHUP when the writer is killed");
	close_reader(&r);
}

int main(void)
{
	int fd;

	control = open_control();
	test_create();
	test_write();
	test_readers();
	test_end();
	test_latency();
	test_races();
	test_notices();
	test_stuck();
	test_killed();

	fd = make_source("last");
	close(control);
	refused(module_unload(), EWOULDBLOCK, "unload with a source open");
	close(fd);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
