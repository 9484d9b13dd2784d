// SPDX-License-Identifier: Apache-2.0
/*
 * A counter window in a BAR: which devices are taken, what their registers
 * become, interrupts, and how a device goes. Needs the model of the device.
 */
#include <pthread.h>

#include "model.h"

#define NR		4	/* counters of the model */
#define NR_COUNTS	3	/* of them that count */
#define TRACE		"/sys/kernel/tracing/"
#define TRACE_WORK	TRACE "events/workqueue/workqueue_execute_start/enable"

static int control;
static char address[32];
static char source_name[ASCPROF_NAME_LEN];

/* What a stream of all counters showed. */
struct view {
	int stream;
	struct ring_map map;
	uint64_t ring_bytes;
	uint64_t value[NR];	/* newest sample without a bad counter */
	uint64_t samples;
	uint64_t kicks;
	uint64_t bad;
	uint64_t shrunk;
	uint64_t gone;
	uint64_t fresh;		/* notices of new sources */
};

static int driver_file(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DRIVER "%s", name);
	return write_file(path, text);
}

static bool bound(void)
{
	return driven(address);
}

static bool present(void)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DEVICES "%s", address);
	return access(path, F_OK) == 0;
}

static bool wait_for(bool (*what)(void), bool wanted)
{
	int i;

	for (i = 0; i < PATIENCE / 10; i++) {
		if (what() == wanted)
			return true;
		usleep(10000);
	}
	return false;
}

static bool listed(void)
{
	struct ascprof_source source;

	return source_by_name(control, source_name, &source);
}

static void view_open(struct view *v, uint64_t period, uint32_t flags)
{
	struct ascprof_stream_create req = good_stream();
	uint32_t id = source_id(control, source_name);
	uint64_t i;

	memset(v, 0, sizeof(*v));
	req.period_ns = period;
	req.flags = flags;
	v->ring_bytes = req.ring_bytes;
	v->stream = make_stream(control, &req);
	for (i = 0; i < NR; i++)
		add_sim(v->stream, id, i);
	map_ring(&v->map, v->stream, req.ring_bytes);
	if (ioctl(v->stream, ASCPROF_IOC_START))
		bail("START");
}

static void view_sample(struct view *v, const struct ascprof_rec_sample *sample)
{
	int i;

	v->samples++;
	v->kicks += !!(sample->h.flags & ASCPROF_SAMPLE_F_KICK);
	v->bad += sample->bad;
	if (sample->bad)
		return;
	for (i = 0; i < NR; i++) {
		v->shrunk += i < NR_COUNTS && sample->value[i] < v->value[i];
		v->value[i] = sample->value[i];
	}
}

static void view_read(struct view *v)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(&v->map))) {
		const struct ascprof_rec_state *state = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE)
			view_sample(v, (const void *)rec);
		if (rec->type == ASCPROF_REC_STATE) {
			v->gone += state->what == ASCPROF_WHAT_SOURCE_GONE;
			v->fresh += state->what == ASCPROF_WHAT_SOURCE_NEW;
		}
		done_with(&v->map, rec);
	}
}

/* One sample now. */
static void view_kick(struct view *v)
{
	if (ioctl(v->stream, ASCPROF_IOC_KICK))
		bail("KICK");
	view_read(v);
}

static void view_close(struct view *v)
{
	unmap_ring(&v->map);
	close(v->stream);
}

static void test_parameters(void)
{
	if (module_users() >= 0 && module_unload())
		bail("unload");
	refused(module_load_with("mmio_ids=1af4"), EINVAL, "mmio_ids=1af4");
	refused(module_load_with("mmio_ids=zzzz:1110"), EINVAL, "mmio_ids=zzzz:1110");
	refused(module_load_with("mmio_bar=6"), EINVAL, "mmio_bar=6");
	reload("sim=1 mmio_bar=2");
	control = open_control();
	check(!bound(), "a device that nobody named is not taken");
	equal(sources_of_kind(control, ASCPROF_SOURCE_MMIO), 0, "... and is no source");
	close(control);
}

static void test_nonsense(void)
{
	uint64_t total[3];
	unsigned int n, taken = 0;

	reload("sim=1 mmio_bar=2");
	control = open_control();
	model("bad 0");
	accepted(driver_file("new_id", MODEL_ID), "new_id names the device");
	check(!bound(), "a window of zeroes is not taken");
	for (n = 1; model_says(total, "bad %u", n); n++) {
		if (driver_file("bind", address) == 0) {
			printf("# window %u was taken\n", n);
			driver_file("unbind", address);
			taken++;
		}
	}
	check(n > 20, "%u windows that make no sense", n);
	equal(taken, 0, "... none of them is taken");
	equal(sources_of_kind(control, ASCPROF_SOURCE_MMIO), 0, "... none is a source");
	model("good");
	accepted(driver_file("bind", address), "a good one is taken");
	check(listed(), "... and is a source");
	close(control);

	reload("sim=1 mmio_bar=0 mmio_ids=1af4:1110");
	check(!bound(), "the wrong BAR: not taken");
	reload("sim=1 mmio_bar=3 mmio_ids=1af4:1110");
	check(!bound(), "a BAR that is not there: not taken");
}

static void test_source(void)
{
	static const char *const names[NR] = { "count32", "count48", "count64", "level" };
	struct ascprof_source source;
	unsigned int domain, bus, slot, function, i, good = 0;
	struct ascprof_counter_add add;
	struct view v;

	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	check(bound(), "mmio_ids names the device");
	if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		bail(address);
	check(source_by_name(control, source_name, &source) &&
	      source.kind == ASCPROF_SOURCE_MMIO && source.nr_events == NR &&
	      source.device == -1 && source.flags == ASCPROF_SOURCE_F_ALIVE &&
	      source.pci_addr == (domain << 16 | bus << 8 | slot << 3 | function),
	      "SOURCE_GET describes it");
	for (i = 0; i < NR; i++) {
		struct ascprof_event event = { .source_id = source.id, .index = i };

		good += ioctl(control, ASCPROF_IOC_EVENT_GET, &event) == 0 &&
			!strcmp(event.name, names[i]) && !strcmp(event.unit, "bytes") &&
			event.config == i && event.scale_num == 32 && event.scale_den == 1 &&
			event.event_class == ASCPROF_CLASS_HBM &&
			event.value_kind == (i == 3 ? ASCPROF_VALUE_GAUGE : ASCPROF_VALUE_COUNT);
	}
	equal(good, NR, "EVENT_GET describes its counters");

	view_open(&v, 1000 * MS, 0);
	ioctl(v.stream, ASCPROF_IOC_STOP);
	add = sim_counter(source.id, NR);
	refused(ioctl(v.stream, ASCPROF_IOC_COUNTER_ADD, &add), ENOENT, "COUNTER_ADD beyond the last");
	add = sim_counter(source.id, 0);
	add.config1 = 1;
	refused(ioctl(v.stream, ASCPROF_IOC_COUNTER_ADD, &add), EINVAL, "COUNTER_ADD with config1");
	view_close(&v);
	close(control);
}

/* Registers at their ends; what they count from there on. */
static void test_wraps(void)
{
	static const uint64_t ends[NR_COUNTS] = { 0xffffffff, 0xffffffffffff, 0xfffffffffffffff0 };
	uint64_t total[3], before[NR];
	struct view v;
	int i, k, wrong = 0;

	if (module_users() >= 0 && module_unload())
		bail("unload");
	model("good");
	for (i = 0; i < NR_COUNTS; i++)
		model_says(total, "set %d %" PRIu64, i, ends[i]);
	model("set 3 4711");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	view_open(&v, 1000 * MS, 0);
	view_kick(&v);
	for (i = 0; i < NR_COUNTS; i++)
		wrong += v.value[i] != ends[i];
	equal((uint64_t)wrong, 0, "registers begin with what they show");
	equal(v.value[3], 4711, "a level is what it is");
	for (k = 0; k < 40; k++) {
		memcpy(before, v.value, sizeof(before));
		/* the 64-bit register goes on below its end: that one has no wrap to follow */
		model_says(total, "add 0 %d", 100000 + k);
		model_says(total, "add 1 %d", 200000 + k);
		model_says(total, "add 2 0");
		usleep(2000);
		view_kick(&v);
		wrong += v.value[0] - before[0] != 100000u + (unsigned int)k ||
			 v.value[1] - before[1] != 200000u + (unsigned int)k;
	}
	equal((uint64_t)wrong, 0, "what they count over a wrap is exact");
	equal(v.bad, 0, "... with no bad counter");
	equal(v.shrunk, 0, "... and none ever goes down");

	model("set 0 5");
	usleep(1000);
	view_kick(&v);
	check(v.bad == 1, "a register that was reset is bad once");
	memcpy(before, v.value, sizeof(before));
	model("add 0 7");
	usleep(1000);
	view_kick(&v);
	equal(v.value[0] - before[0], 7, "... and counts on from there");
	view_close(&v);
	close(control);
}

/*
 * The longest period, and registers that wrap faster than that. Whether they are
 * looked at in time depends on the machine below; what is late is flagged, and
 * then tried again.
 */
static void test_refresh(void)
{
	uint64_t from[3], to[3], before[NR];
	struct view v;
	int i, tries, wrong, missed = 0;

	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	/* nobody looks for long: that is no wrap that anybody lost */
	model("run 8000000000");
	sleep(2);
	for (tries = 0; tries < 5; tries++) {
		model_says(from, "halt");
		view_open(&v, 1000 * MS, 0);
		view_kick(&v);
		check(v.bad == 0, "nothing is bad at first");
		memcpy(before, v.value, sizeof(before));
		model("run 8000000000");
		sleep(4);
		model_says(to, "halt");
		usleep(10000);
		view_kick(&v);
		wrong = 0;
		for (i = 0; i < NR_COUNTS; i++)
			wrong += v.value[i] - before[i] != to[i] - from[i];
		check(wrong == 0 || v.bad > 0, "no wrap is lost unseen");
		missed = wrong || v.bad;
		view_close(&v);
		if (!missed)
			break;
	}
	check(!missed, "8 * 10^9 counts per second, 32 bits, a second between samples: exact");
	check(to[0] - from[0] > 0x200000000ull, "... over several wraps");
	close(control);
}

/* How often the registers were looked at, as far as the kernel traces it. */
static unsigned int looks(void)
{
	FILE *file = fopen(TRACE "trace", "re");
	unsigned int nr = 0;
	char line[256];

	if (!file)
		bail(TRACE "trace");
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, "refresh_work") != NULL;
	fclose(file);
	return nr;
}

/* A stream that is closed while it runs leaves nobody behind who looks at registers. */
static void test_closed(void)
{
	struct view v;
	unsigned int seen = 0, tries;

	if (access(TRACE_WORK, W_OK)) {
		printf("# this kernel does not trace work\n");
		return;
	}
	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	write_file(TRACE_WORK, "1");
	view_open(&v, 1000 * MS, 0);
	for (tries = 0; tries < PATIENCE && looks() < 2; tries++)
		usleep(1000);
	check(looks() >= 2, "registers are looked at while a stream counts them");
	view_close(&v);
	/* one look may be under way; what is late may be late */
	for (tries = 0; tries < 10; tries++) {
		seen = looks();
		sleep(1);
		if (looks() == seen)
			break;
	}
	equal(looks(), seen, "... and no more when it was closed without STOP");
	write_file(TRACE_WORK, "0");
	write_file(TRACE "trace", "");
	close(control);
}

static void test_interrupts(void)
{
	struct ascprof_stats stats;
	struct view v, other;
	int i;

	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	view_open(&v, 1000 * MS, 0);
	view_open(&other, 1000 * MS, 0);
	model("irq 1");
	for (i = 0; i < 1000 && (!v.kicks || !other.kicks); i++) {
		usleep(1000);
		view_read(&v);
		view_read(&other);
	}
	check(v.kicks && other.kicks, "an interrupt makes every stream take a sample");
	for (i = 0; i < 20; i++)
		model("irq 500");
	usleep(100000);
	view_read(&v);
	check(v.kicks > 1 && v.kicks < 10000, "a storm makes fewer samples than interrupts");
	ioctl(v.stream, ASCPROF_IOC_STOP);
	view_read(&v);
	stats = stats_of(v.stream);
	equal(v.samples + stats.lost_samples, stats.samples, "... and all are accounted for");
	model("irq 100");
	view_close(&v);
	view_close(&other);
	close(control);
}

/* The port of the slot reports errors, the kernel counts them, and so does a stream. */
static void test_errors(void)
{
	static const char file[] = "aer_dev_nonfatal";
	struct ascprof_stream_create req = good_stream();
	char port[32], name[ASCPROF_NAME_LEN];
	const struct ascprof_rec *rec;
	uint64_t before, value = 0;
	struct ring_map map;
	int stream, i;

	if (!find_device("0x1b36", "0x000c", port, sizeof(port)))
		bail("no port");
	before = aer_total(port, file);
	if (before == UINT64_MAX) {
		printf("# this kernel does not count errors\n");
		return;
	}
	reload("sim=1 pci_ids=" PORT_ID);
	control = open_control();
	snprintf(name, sizeof(name), "pci-%s", port);
	stream = make_stream(control, &req);
	add_sim(stream, source_id(control, name), ASCPROF_PCI_AER_NONFATAL);
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	model("error");
	for (i = 0; i < PATIENCE && aer_total(port, file) == before; i++)
		usleep(1000);
	equal(aer_total(port, file), before + 1, "the kernel counts an error of the port");
	usleep(150000);		/* facts are kept for a while */
	if (ioctl(stream, ASCPROF_IOC_KICK))
		bail("KICK");
	while ((rec = next_record(&map))) {
		const struct ascprof_rec_sample *sample = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE && !sample->bad)
			value = sample->value[0];
		done_with(&map, rec);
	}
	equal(value, before + 1, "... and so does a stream");
	unmap_ring(&map);
	close(stream);
	close(control);
}

/* The device says ones to everything, as one does that is not there. */
static void test_ones(void)
{
	struct view v, mixed;
	uint32_t id;

	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	id = source_id(control, source_name);
	view_open(&v, 10 * MS, 0);
	view_open(&mixed, 10 * MS, 0);
	ioctl(mixed.stream, ASCPROF_IOC_STOP);
	add_sim(mixed.stream, source_id(control, "sim0"),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ));
	ioctl(mixed.stream, ASCPROF_IOC_START);
	wait_samples(v.stream, 3);

	model("ones");
	check(poll_for(v.stream, PATIENCE) & POLLHUP, "ones: POLLHUP");
	view_read(&v);
	equal(v.gone, 1, "... and a STATE record");
	equal(v.map.producer->state, ASCPROF_STATE_REVOKED, "... the stream is revoked");
	equal(v.shrunk, 0, "... no number was made of them");
	check(!listed(), "... the source is gone");
	wait_samples(mixed.stream, stats_of(mixed.stream).samples + 2);
	view_read(&mixed);
	equal(mixed.gone, 1, "a stream with another source is told");
	equal(mixed.map.producer->state, ASCPROF_STATE_RUNNING, "... and goes on");
	ioctl(v.stream, ASCPROF_IOC_STOP);
	refused(ioctl(v.stream, ASCPROF_IOC_START), ENODEV, "START without the device");

	model("back");
	accepted(driver_file("unbind", address), "unbind");
	accepted(driver_file("bind", address), "bind");
	check(listed() && source_id(control, source_name) > id, "it is a source again, a new one");
	view_close(&v);
	view_close(&mixed);
	close(control);
}

/* Out of the slot: by the machine if the guest understands that, else by hand. */
static bool by_hand;

static void take_out(void)
{
	char path[256];

	if (!by_hand) {
		model("unplug");
		return;
	}
	snprintf(path, sizeof(path), PCI_DEVICES "%s/remove", address);
	write_file(path, "1");
}

static void put_in(void)
{
	if (by_hand)
		write_file("/sys/bus/pci/rescan", "1");
	else
		model("plug");
}

static bool have_slots(void)
{
	DIR *dir = opendir("/sys/bus/pci/slots");
	struct dirent *d;
	bool found = false;

	while (dir && (d = readdir(dir)))
		found |= d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return found;
}

static void test_removal(void)
{
	struct ascprof_stream_create req = good_stream();
	struct view v, notice;
	uint32_t id;
	int round;

	by_hand = getenv("BY_HAND") || !have_slots();
	printf("# the device is taken out by %s\n", by_hand ? "the guest" : "the machine");
	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110 pci_ids=1af4:1110");
	control = open_control();
	memset(&notice, 0, sizeof(notice));
	req.flags = ASCPROF_STREAM_F_NOTICE;
	notice.stream = make_stream(control, &req);
	add_sim(notice.stream, source_id(control, "sim0"),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ));
	map_ring(&notice.map, notice.stream, req.ring_bytes);
	if (ioctl(notice.stream, ASCPROF_IOC_START))
		bail("START");
	for (round = 1; round <= 2; round++) {
		equal(sources_of_kind(control, ASCPROF_SOURCE_PCI), 1, "it is in the inventory");
		id = source_id(control, source_name);
		view_open(&v, MS, 0);
		wait_samples(v.stream, 3);
		take_out();
		check(wait_for(present, false), "the device is out");
		check(poll_for(v.stream, PATIENCE) & POLLHUP, "... POLLHUP");
		view_read(&v);
		equal(v.gone, 1, "... and a STATE record");
		check(!listed(), "... the source is gone");
		equal(sources_of_kind(control, ASCPROF_SOURCE_PCI), 0, "... from the inventory too");
		accepted(ioctl(v.stream, ASCPROF_IOC_STOP), "... STOP");
		put_in();
		check(wait_for(listed, true), "the device is in again, and a source");
		check(source_id(control, source_name) > id, "... a new one");
		view_close(&v);
		view_read(&notice);
		equal(notice.gone, 2 * (uint64_t)round, "who wants to know was told of both going");
		equal(notice.fresh, 2 * (uint64_t)round, "... and of both coming");
	}
	view_close(&notice);
	close(control);
}

/* ---- races -------------------------------------------------------------- */

static volatile bool race_over;
static uint64_t race_streams;

static void *race_streamer(void *arg)
{
	struct ascprof_stream_create req = good_stream();
	uint64_t i;

	(void)arg;
	req.period_ns = MS / 10;
	while (!race_over) {
		struct ascprof_source source;
		int stream;

		if (!source_by_name(control, source_name, &source))
			continue;
		stream = ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
		if (stream < 0)
			continue;
		for (i = 0; i < NR; i++) {
			struct ascprof_counter_add add = sim_counter(source.id, i);

			ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add);
		}
		if (ioctl(stream, ASCPROF_IOC_START) == 0) {
			__atomic_add_fetch(&race_streams, 1, __ATOMIC_RELAXED);
			usleep(2000);
		}
		close(stream);
	}
	return NULL;
}

static void test_races(void)
{
	pthread_t thread[3];
	int i, bad = 0;

	model("good");
	reload("sim=1 mmio_bar=2 mmio_ids=1af4:1110");
	control = open_control();
	model("run 1000000000");
	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, race_streamer, NULL);
	for (i = 0; i < 60; i++) {
		bad += driver_file("unbind", address) != 0;
		bad += driver_file("bind", address) != 0;
		usleep(5000);
	}
	race_over = true;
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	model("halt");
	equal((uint64_t)bad, 0, "bound and unbound 60 times while streams come and go");
	check(race_streams > 0, "... that did run");
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
}

static void test_override(void)
{
	struct view v;

	model("good");
	reload("sim=1 mmio_bar=2");
	control = open_control();
	check(!bound(), "nobody named it");
	driver_override(address, "ascprof");
	accepted(driver_file("bind", address), "driver_override names the device");
	view_open(&v, 10 * MS, 0);
	wait_samples(v.stream, 3);
	refused(module_unload(), EWOULDBLOCK, "unload with a stream");
	view_close(&v);
	close(control);
	accepted(module_unload(), "unload while the device is bound");
	check(!bound(), "... sets it free");
	driver_override(address, "\n");
	if (module_load())
		bail("load");
}

int main(void)
{
	if (!find_device("0x1af4", "0x1110", address, sizeof(address))) {
		puts("1..0 # SKIP no device with a counter window");
		return 77;
	}
	snprintf(source_name, sizeof(source_name), "mmio-%s", address);
	model_open();

	test_parameters();
	test_nonsense();
	test_source();
	test_wraps();
	test_refresh();
	test_closed();
	test_interrupts();
	test_errors();
	test_ones();
	test_removal();
	test_races();
	test_override();
	return finish();
}
