// SPDX-License-Identifier: Apache-2.0
/*
 * `ascprof bridge`, with a stand-in for the vendor's library: one owner of the
 * channels, many readers, and numbers that are known beforehand.
 */
#include <signal.h>

#include "guest.h"
#include "tests/hal/model.h"

#define LIBRARY		"/bin/libascend_hal.so"
#define PERIOD_MS	10
#define RECORDS		40	/* of each reader at least */
#define SLOTS		16

static int control;

static pid_t run_bridge(const char *library, const char *output)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(9);
	execl("/bin/ascprof", "ascprof", "bridge", "-L", library, "-p", "10", NULL);
	_exit(9);
}

static int exit_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		bail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool find_source(const char *name, struct ascprof_source *source)
{
	int i;

	for (i = 0; i < PATIENCE / 10; i++) {
		memset(source, 0, sizeof(*source));
		while (ioctl(control, ASCPROF_IOC_SOURCE_GET, source) == 0) {
			if (!strcmp(source->name, name))
				return true;
			source->index++;
		}
		usleep(10000);
	}
	return false;
}

static bool in_output(const char *path, const char *text)
{
	static char all[8192];
	FILE *file = fopen(path, "re");
	size_t len;

	if (!file)
		return false;
	len = fread(all, 1, sizeof(all) - 1, file);
	fclose(file);
	all[len] = 0;
	return strstr(all, text);
}

/* One stream that counts a whole source, and something of the machine's. */
struct reader {
	int stream;
	struct ring_map map;
	uint32_t source;
	unsigned int nr;
	uint64_t config[SLOTS * 4];
	uint64_t records, wrong, lost, gone;
	bool have_last;
	uint64_t last[SLOTS * 4];
	uint64_t last_period, last_raw;
};

static void open_reader(struct reader *r, const char *name, uint64_t period)
{
	struct ascprof_stream_create req = good_stream();
	struct ascprof_source source;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	if (!find_source(name, &source))
		bail(name);
	req.period_ns = period;
	r->stream = make_stream(control, &req);
	r->source = source.id;
	for (i = 0; i < source.nr_events; i++) {
		struct ascprof_event event = { .source_id = source.id, .index = i };

		if (ioctl(control, ASCPROF_IOC_EVENT_GET, &event))
			bail("EVENT_GET");
		add_sim(r->stream, source.id, event.config);
		r->config[r->nr++] = event.config;
	}
	map_ring(&r->map, r->stream, req.ring_bytes);
	if (ioctl(r->stream, ASCPROF_IOC_START))
		bail("START");
}

/* Which period a record is of, by the clock of the device. */
static uint64_t period_of(const struct reader *r, const char *name, uint64_t t_device)
{
	(void)r;
	if (!strcmp(name, "npu0-ddr"))
		return (t_device - MODEL_DDR_FIRST) / (PERIOD_MS * 1000);
	if (!strcmp(name, "npu0-aicore"))
		return (t_device - MODEL_TICKS_FIRST) / (PERIOD_MS * (MODEL_HZ / 1000));
	return t_device / (PERIOD_MS * 1000);
}

static uint32_t aicore_index(uint32_t event)
{
	static const uint32_t codes[] = { 0x08, 0x0a, 0x09, 0x0b, 0x0c, 0x0d, 0x54, 0x55 };
	uint32_t i;

	for (i = 0; i < 8 && codes[i] != event; i++)
		;
	return i;
}

/* What a counter grows by in the periods after `from`, `to` included. */
static uint64_t expected(enum model_kind kind, uint64_t config, uint64_t from, uint64_t to)
{
	uint32_t unit = (uint32_t)(config >> 16 & 0xffff), event = (uint32_t)(config & 0xffff);
	uint64_t sum = 0;

	if (kind == MODEL_KIND_AICORE)
		event = aicore_index(event);
	while (from < to)
		sum += model_count(kind, unit, event, ++from);
	return sum;
}

static void look(struct reader *r, const struct ascprof_rec_user *rec, const char *name,
		 enum model_kind kind)
{
	uint64_t period = period_of(r, name, rec->t_device);
	unsigned int i;

	r->records++;
	r->wrong += rec->nr != r->nr || rec->source_id != r->source || rec->t_raw > rec->t_taken ||
		    rec->t_raw <= r->last_raw;
	for (i = 0; i < r->nr && i < rec->nr; i++) {
		if (r->have_last)
			r->wrong += rec->value[i] - r->last[i] !=
				    expected(kind, r->config[i], r->last_period, period);
		r->last[i] = rec->value[i];
	}
	r->wrong += r->have_last && period != r->last_period + 1;
	r->have_last = true;
	r->last_period = period;
	r->last_raw = rec->t_raw;
}

static void look_all(struct reader *r, const char *name, enum model_kind kind)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(&r->map))) {
		const struct ascprof_rec_state *state = (const void *)rec;

		if (rec->type == ASCPROF_REC_USER)
			look(r, (const void *)rec, name, kind);
		if (rec->type == ASCPROF_REC_LOST)
			r->lost += ((const struct ascprof_rec_lost *)rec)->records;
		r->gone += rec->type == ASCPROF_REC_STATE && state->what == ASCPROF_WHAT_SOURCE_GONE;
		done_with(&r->map, rec);
	}
}

static void close_reader(struct reader *r)
{
	unmap_ring(&r->map);
	close(r->stream);
}

/* A chip with the newer scheduler has its AI cores in another channel. */
static void test_stars(void)
{
	static struct reader reader;
	pid_t bridge;
	int tries;

	setenv("HAL_MODEL", "stars pieces", 1);
	bridge = run_bridge(LIBRARY, "/tmp/stars");
	open_reader(&reader, "npu0-aicore", 10 * MS);
	equal(reader.nr, MODEL_CORES * 9, "npu0-aicore of another channel");
	for (tries = 0; tries < PATIENCE / 10 && reader.records < RECORDS; tries++) {
		look_all(&reader, "npu0-aicore", MODEL_KIND_AICORE);
		usleep(10000);
	}
	kill(bridge, SIGTERM);
	equal((uint64_t)exit_of(bridge), 0, "... SIGTERM ends the bridge");
	look_all(&reader, "npu0-aicore", MODEL_KIND_AICORE);
	check(reader.records >= RECORDS, "... samples came");
	equal(reader.wrong, 0, "... every count is right");
	close_reader(&reader);
}

int main(void)
{
	static const struct {
		const char *name;
		enum model_kind kind;
		unsigned int counters;
	} sources[] = {
		{ "npu0-hbm", MODEL_KIND_HBM, MODEL_HBM * 2 },
		{ "npu0-ddr", MODEL_KIND_DDR, MODEL_DDR * 2 },
		{ "npu0-llc", MODEL_KIND_LLC, MODEL_LLC * 8 },
		{ "npu0-aicore", MODEL_KIND_AICORE, MODEL_CORES * 9 },
	};
	static struct reader readers[4], others[2];
	struct ascprof_source source;
	pid_t bridge, second;
	int i, tries;

	if (access(LIBRARY, R_OK) || access("/bin/ascprof", X_OK)) {
		puts("1..0 # SKIP no stand-in for the vendor's library");
		return 77;
	}
	control = open_control();
	equal((uint64_t)exit_of(run_bridge("/nowhere/libascend_hal.so", "/tmp/none")), 1,
	      "no library: exit code");
	check(in_output("/tmp/none", "/nowhere/libascend_hal.so"), "... and a line that names it");

	bridge = run_bridge(LIBRARY, "/tmp/bridge");
	for (i = 0; i < 4; i++) {
		open_reader(&readers[i], sources[i].name, 10 * MS);
		equal(readers[i].nr, sources[i].counters, sources[i].name);
	}
	check(find_source("npu0-soc", &source) && source.nr_events == MODEL_ACC * 4 + 2 &&
	      source.kind == ASCPROF_SOURCE_USER && source.device == 0, "npu0-soc");
	open_reader(&others[0], "npu0-hbm", MS);
	open_reader(&others[1], "npu0-hbm", 1000 * MS);

	second = run_bridge(LIBRARY, "/tmp/second");
	equal((uint64_t)exit_of(second), 1, "a second bridge finds the sources taken");
	check(in_output("/tmp/second", "File exists"), "... and says so");

	for (tries = 0; tries < PATIENCE / 10; tries++) {
		bool enough = true;

		for (i = 0; i < 4; i++) {
			look_all(&readers[i], sources[i].name, sources[i].kind);
			enough &= readers[i].records >= RECORDS;
		}
		for (i = 0; i < 2; i++) {
			look_all(&others[i], "npu0-hbm", MODEL_KIND_HBM);
			enough &= others[i].records >= RECORDS;
		}
		if (enough)
			break;
		usleep(10000);
	}
	kill(bridge, SIGTERM);
	equal((uint64_t)exit_of(bridge), 0, "SIGTERM ends the bridge");
	for (i = 0; i < 4; i++) {
		look_all(&readers[i], sources[i].name, sources[i].kind);
		check(readers[i].records >= RECORDS, "%s: samples came", sources[i].name);
		equal(readers[i].lost, 0, "... this reader was quick enough");
		equal(readers[i].wrong, 0, "... every count is right, every period is there");
		equal(readers[i].gone, 1, "... a STATE record when the bridge ends");
		check(poll_for(readers[i].stream, PATIENCE) & POLLHUP, "... and POLLHUP");
		close_reader(&readers[i]);
	}
	for (i = 0; i < 2; i++) {
		look_all(&others[i], "npu0-hbm", MODEL_KIND_HBM);
		check(others[i].records >= RECORDS && others[i].wrong == 0 && others[i].gone == 1,
		      "another reader of npu0-hbm has all of it too");
		close_reader(&others[i]);
	}
	check(in_output("/tmp/bridge", " 0 refused, 0 not understood, 0 of counters that came late"),
	      "the bridge lost nothing");
	check(in_output("/tmp/bridge", "npu0-soc: "), "the bridge reports on each channel");
	test_stars();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
