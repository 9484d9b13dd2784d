// SPDX-License-Identifier: Apache-2.0
/*
 * PMUs of a Kunpeng server, made up by ascprof_fakepmu.ko: found in sysfs by the
 * library, streamed by the module, and counted exactly. Each read of such a counter
 * adds one step that follows from its config words, so that values tell how often it
 * was read and whether every word arrived.
 */
#include <sched.h>

#include "collect/pmus.h"
#include "guest.h"

#define FAKE_FILE	"/mod/ascprof_fakepmu.ko"
#define FAKE_COUNTERS	"/sys/module/ascprof_fakepmu/parameters/counters"
#define BDF		0x8100
#define SAMPLES		100

static int control;
static uint32_t perf;
static struct pmus found;

static void load_fakes(void)
{
	int fd = open(FAKE_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		bail(FAKE_FILE);
	close(fd);
}

static uint64_t step_of(const struct pmus_counter *c)
{
	uint64_t id = 0;

	if (!strncmp(c->pmu, "hisi_pcie", 9))
		id = c->config[2] >> 16;
	else if (!strncmp(c->pmu, "smmuv3", 6))
		id = (uint32_t)c->config[1];
	else if (!strncmp(c->pmu, "hns3", 4))
		id = c->config[1] >> 52;
	return 1 + c->config[0] + 1000 * id;
}

static const struct pmus_counter *get(const char *pmu, const char *event)
{
	unsigned int i;

	for (i = 0; i < found.nr; i++)
		if (!strcmp(found.counters[i].pmu, pmu) && !strcmp(found.counters[i].event, event))
			return &found.counters[i];
	errno = ENOENT;
	bail(event);
	return NULL;
}

static int add_counter(int stream, const struct pmus_counter *c)
{
	struct ascprof_counter_add add = {
		.source_id = perf,
		.perf_type = c->type,
		.config = c->config[0],
		.config1 = c->config[1],
		.config2 = c->config[2],
		.cpu = c->cpu,
		.scale_num = c->scale_num,
		.scale_den = c->scale_den,
	};

	snprintf(add.unit, sizeof(add.unit), "%s", c->unit);
	return ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add);
}

static void test_discovery(void)
{
	struct pmus_query query = { .npu = true, .at = { .bus = BDF >> 8 } };
	const struct pmus_counter *c;

	equal((uint64_t)pmus_find(&query, &found), 0, "PMUs are found in /sys");
	check(found.nr >= 30, "... with %u counters", found.nr);
	c = get("hisi_pcie0_core0", "rx_mrd_flux");
	check(c->config[2] == (uint64_t)BDF << 16 && c->scale_num == 4, "PCIe root: for the NPU alone");
	c = get("smmuv3_pmcg_148020", "transaction");
	check(c->config[1] == (1ULL << 33 | BDF), "SMMU: for the NPU's stream alone");
	c = get("hisi_sccl1_ddrc0", "flux_rd");
	check(c->config[0] == 1 && c->scale_num == 32 && !strcmp(c->unit, "bytes"),
	      "DDR: 32 bytes per count");
}

/* Every PMU has eight counters: as many of its events as it takes. */
static unsigned int add_all(int stream, const struct pmus_counter *slots[])
{
	unsigned int i, nr = 0, of_pmu = 0;

	for (i = 0; i < found.nr; i++) {
		const struct pmus_counter *c = &found.counters[i];

		if (!strncmp(c->what, "CPU", 3))
			continue;
		of_pmu = nr && !strcmp(slots[nr - 1]->pmu, c->pmu) ? of_pmu + 1 : 1;
		if (of_pmu > 8)
			continue;
		if (add_counter(stream, c)) {
			printf("# %s/%s/\n", c->pmu, c->event);
			bail("COUNTER_ADD");
		}
		slots[nr++] = c;
	}
	return nr;
}

static void test_values(uint32_t flags)
{
	const char *name = flags ? "with times" : "without times";
	const struct pmus_counter *slots[PMUS_MAX];
	static uint64_t last[PMUS_MAX];
	uint64_t wrong = 0, times = 0, span = 0, samples = 0, configs = 0, units = 0, late = 0;
	struct ascprof_stream_create req = good_stream();
	const struct ascprof_rec *rec;
	unsigned int nr, i, width = flags ? 3 : 1;
	struct ring_map map;
	int stream;

	req.flags = flags;
	req.ring_bytes = 1 << 20;
	stream = make_stream(control, &req);
	nr = add_all(stream, slots);
	map_ring(&map, stream, req.ring_bytes);
	accepted(ioctl(stream, ASCPROF_IOC_START), name);
	wait_samples(stream, SAMPLES);
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	while ((rec = next_record(&map))) {
		const struct ascprof_rec_sample *s = (const void *)rec;
		const struct ascprof_rec_config *config = (const void *)rec;

		if (rec->type == ASCPROF_REC_CONFIG) {
			const struct pmus_counter *c = slots[config->slot];

			configs++;
			units += config->cpu == c->cpu && config->scale_num == c->scale_num &&
				 !strcmp(config->unit, c->unit);
		}
		if (rec->type == ASCPROF_REC_SAMPLE) {
			late += s->bad;
			span += s->span_ns > 0;
			for (i = 0; i < nr; i++) {
				const uint64_t *v = (const uint64_t *)s->value + (size_t)i * width;

				wrong += samples && v[0] - last[i] != step_of(slots[i]);
				last[i] = v[0];
				if (flags)
					times += v[2] == 0 || v[1] != v[2];
			}
			samples++;
		}
		done_with(&map, rec);
	}
	check(samples >= SAMPLES, "%s: %u counters of all PMUs in one stream", name, nr);
	equal(configs, nr, "... CONFIG for each");
	equal(units, nr, "... with its CPU, scale and unit");
	equal(late, 0, "... all of them always readable");
	equal(wrong, 0, "... each read once per sample, with every config word");
	equal(times, 0, "... running as long as enabled");
	equal(span, samples, "... and every sample tells its span");
	unmap_ring(&map);
	close(stream);
}

static void test_no_room(void)
{
	struct ascprof_stream_create req = good_stream();
	const struct pmus_counter *c = get("hisi_sccl1_ddrc0", "flux_rd");
	int stream = make_stream(control, &req);
	int i;

	for (i = 0; i < 9; i++)
		accepted(add_counter(stream, c), "COUNTER_ADD");
	refused(ioctl(stream, ASCPROF_IOC_START), EBUSY, "START with nine events on eight counters");
	equal(stats_of(stream).state, ASCPROF_STATE_IDLE, "... and the stream is idle");
	close(stream);
	/* what START had begun was undone */
	stream = make_stream(control, &req);
	for (i = 0; i < 8; i++)
		if (add_counter(stream, c))
			bail("COUNTER_ADD");
	accepted(ioctl(stream, ASCPROF_IOC_START), "eight are free again");
	close(stream);
}

/* The next STATE record of that kind; samples on the way are looked at by @seen. */
static uint64_t wait_state(struct ring_map *map, uint32_t what, void (*seen)(const struct ascprof_rec_sample *s))
{
	const struct ascprof_rec *rec;
	int i;

	for (i = 0; i < PATIENCE; i++) {
		while ((rec = next_record(map))) {
			const struct ascprof_rec_state *state = (const void *)rec;
			uint64_t arg = rec->type == ASCPROF_REC_STATE ? state->arg : 0;
			bool hit = rec->type == ASCPROF_REC_STATE && state->what == what;

			if (seen && rec->type == ASCPROF_REC_SAMPLE)
				seen((const void *)rec);
			done_with(map, rec);
			if (hit)
				return arg;
		}
		usleep(1000);
	}
	errno = ETIMEDOUT;
	bail("STATE");
	return 0;
}

static uint64_t bad_samples, good_samples, zeroes;

static void watch(const struct ascprof_rec_sample *s)
{
	if (s->bad) {
		bad_samples++;
		zeroes += s->value[0] == 0;
	} else {
		good_samples++;
	}
}

/* A PMU that takes an event's place away: it says so, and when it is back. */
static void test_crowded_out(void)
{
	struct ascprof_stream_create req = good_stream();
	const struct pmus_counter *c = get("hisi_sccl1_ddrc0", "flux_rd");
	int stream = make_stream(control, &req), other;
	struct ring_map map;
	uint64_t arg;

	map_ring(&map, stream, req.ring_bytes);
	if (add_counter(stream, c))
		bail("COUNTER_ADD");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START");
	wait_samples(stream, 3);
	write_file(FAKE_COUNTERS, "0");
	/* another event of that PMU makes perf place all of them anew */
	other = make_stream(control, &req);
	if (add_counter(other, get("hisi_sccl1_ddrc0", "flux_wr")))
		bail("COUNTER_ADD");
	refused(ioctl(other, ASCPROF_IOC_START), EBUSY, "no counter left for another stream");

	bad_samples = good_samples = zeroes = 0;
	arg = wait_state(&map, ASCPROF_WHAT_COUNTER_FAILED, watch);
	check(ASCPROF_WHAT_SLOT(arg) == 0 && ASCPROF_WHAT_DETAIL(arg) == EBUSY,
	      "a counter that lost its place: STATE with EBUSY");
	equal(bad_samples, 0, "... before the first sample without it");
	wait_samples(stream, stats_of(stream).samples + 5);
	write_file(FAKE_COUNTERS, "8");
	arg = wait_state(&map, ASCPROF_WHAT_COUNTER_BACK, watch);
	check(ASCPROF_WHAT_SLOT(arg) == 0 && ASCPROF_WHAT_DETAIL(arg) == (uint32_t)c->cpu,
	      "... and back: STATE with its CPU");
	check(bad_samples >= 4 && zeroes == bad_samples, "... samples between are marked bad");
	wait_samples(stream, stats_of(stream).samples + 3);
	good_samples = bad_samples = 0;
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	wait_state(&map, ASCPROF_WHAT_STOP, watch);
	check(good_samples >= 3 && !bad_samples, "... samples after are good");
	unmap_ring(&map);
	close(other);
	close(stream);
}

static int set_online(int cpu, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	if (access(path, W_OK))
		return -1;
	return write_file(path, value);
}

/* The CPU that serves a PMU goes offline: its driver moves the events, we follow. */
static void test_follow(void)
{
	struct ascprof_stream_create req = good_stream();
	const struct pmus_counter *moves = get("hisi_sccl3_l3c0", "rd_cpipe");
	struct ascprof_counter_add fixed = { .source_id = perf, .perf_type = 1, .config = 0, .cpu = 1,
					     .scale_num = 1, .scale_den = 1, .unit = "ns" };
	const struct ascprof_rec *rec;
	uint64_t before = 0, value = 0, arg;
	struct ring_map map;
	int stream;

	if (moves->cpu != 1 || set_online(1, "1")) {
		printf("# no second CPU that can go offline\n");
		return;
	}
	req.flags = 0;
	stream = make_stream(control, &req);
	map_ring(&map, stream, req.ring_bytes);
	if (add_counter(stream, moves) || ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &fixed))
		bail("COUNTER_ADD");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START with counters of CPU 1");
	wait_samples(stream, 5);
	check(set_online(1, "0") == 0, "CPU 1 goes offline");
	for (;;) {
		arg = wait_state(&map, ASCPROF_WHAT_COUNTER_FAILED, NULL);
		if (ASCPROF_WHAT_SLOT(arg) == 1)
			break;
	}
	check(ASCPROF_WHAT_DETAIL(arg) == ENODEV || ASCPROF_WHAT_DETAIL(arg) == EAGAIN,
	      "... the counter bound to it fails visibly");
	wait_samples(stream, stats_of(stream).samples + 5);
	while ((rec = next_record(&map))) {
		const struct ascprof_rec_sample *s = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE) {
			before = value;
			value = s->value[0];
		}
		done_with(&map, rec);
	}
	equal(value - before, step_of(moves), "... the uncore counter counts on, on another CPU");
	check(set_online(1, "1") == 0, "CPU 1 is back");
	for (;;) {
		arg = wait_state(&map, ASCPROF_WHAT_COUNTER_BACK, NULL);
		if (ASCPROF_WHAT_SLOT(arg) == 1)
			break;
	}
	equal(ASCPROF_WHAT_DETAIL(arg), 1, "... and so is its counter");
	wait_samples(stream, stats_of(stream).samples + 3);
	accepted(ioctl(stream, ASCPROF_IOC_STOP), "STOP");
	before = value = 0;
	while ((rec = next_record(&map))) {
		const struct ascprof_rec_sample *s = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE) {
			before += s->bad;
			before += s->value[1] < value;
			value = s->value[1];
		}
		done_with(&map, rec);
	}
	equal(before, 0, "... counting on from where it was");
	unmap_ring(&map);
	close(stream);

	/* between STOP and START: the events are made anew */
	stream = make_stream(control, &req);
	if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &fixed))
		bail("COUNTER_ADD");
	set_online(1, "0");
	refused(ioctl(stream, ASCPROF_IOC_START), ENODEV, "START with the CPU offline");
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &fixed), ENODEV, "COUNTER_ADD with the CPU offline");
	set_online(1, "1");
	accepted(ioctl(stream, ASCPROF_IOC_START), "START when it is back");
	close(stream);
}

int main(void)
{
	control = open_control();
	perf = source_id(control, "perf");
	load_fakes();
	test_discovery();
	test_values(0);
	test_values(ASCPROF_STREAM_F_TIMES);
	test_no_room();
	test_crowded_out();
	test_follow();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	check(syscall(SYS_delete_module, "ascprof_fakepmu", O_NONBLOCK) == 0,
	      "nor to that of the PMUs");
	return finish();
}
