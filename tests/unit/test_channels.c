// SPDX-License-Identifier: Apache-2.0
/* The table of channels, and one channel's buffers, with a driver of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "collect/channel.h"
#include "collect/channels.h"

#include "tests/unit/channel_configs.h"

#include <cmocka.h> /* after those who have a function fail() */

#define ROW 20u
#define LINE "123:000000456 1 2 3\n"

/* What the driver still has to give, in pieces of `piece` bytes; records are numbered. */
static struct {
	uint64_t given, left;
	size_t piece;
	int error; /* after the rest */
	bool text;
} driver;

static char byte_at(uint64_t at)
{
	return driver.text ? LINE[at % (sizeof(LINE) - 1)] : (char)(at / ROW * 31 + at % ROW);
}

static int driver_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size)
{
	uint64_t len = driver.left;

	assert_int_equal(device, 3);
	assert_int_equal(channel, HAL_DDR);
	if (!len)
		return driver.error;
	if (len > size)
		len = size;
	if (len > driver.piece)
		len = driver.piece;
	for (uint64_t i = 0; i < len; i++)
		buffer[i] = byte_at(driver.given + i);
	driver.given += len;
	driver.left -= len;
	return (int)len;
}

static const struct hal hal = { .read = driver_read };

static const struct channel_def *def_of(enum hal_channel id)
{
	for (unsigned int i = 0; i < channel_count; i++)
		if (channel_defs[i].id == id)
			return &channel_defs[i];
	fail_msg("no channel %d", id);
	return NULL;
}

struct fixture {
	struct channel c;
	struct channel_wake wake;
};

static void open_channel(struct fixture *f, bool text, uint64_t bytes, size_t piece)
{
	memset(&driver, 0, sizeof(driver));
	driver.left = bytes;
	driver.piece = piece;
	driver.text = text;
	memset(f, 0, sizeof(*f));
	f->wake.fd = eventfd(0, EFD_NONBLOCK);
	assert_int_equal(channel_init(&f->c, def_of(HAL_DDR), &hal, 3, text ? CHANNEL_TEXT : ROW, &f->wake), 0);
}

static void close_channel(struct fixture *f)
{
	channel_destroy(&f->c);
	close(f->wake.fd);
}

/* @len bytes are whole records, numbered on from the one at byte @from. */
static void check_bytes(const char *data, size_t len, uint64_t from)
{
	assert_int_equal(len % (driver.text ? sizeof(LINE) - 1 : ROW), 0);
	for (size_t i = 0; i < len; i++)
		if (data[i] != byte_at(from + i))
			fail_msg("byte %zu is not that of the driver", i);
}

/* Nothing is lost, whatever pieces it comes in; parts wait for the rest. */
static void pieces(bool text)
{
	static const size_t sizes[] = { 1, 7, 19, 20, 21, 4096 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture f;
		uint64_t taken = 0;
		const char *data;
		size_t len;

		open_channel(&f, text, 0, sizes[i]);
		for (int turn = 0; turn < 50; turn++) {
			driver.left = 33;
			channel_read(&f.c);
			len = channel_take(&f.c, &data, true);
			check_bytes(data, len, taken);
			taken += len;
		}
		channel_finish(&f.c);
		assert_int_equal(f.c.seen.read, 50 * 33);
		assert_int_equal(f.c.seen.no_room, 0);
		assert_int_equal(taken + f.c.seen.torn, f.c.seen.read);
		assert_true(f.c.seen.torn < ROW);
		close_channel(&f);
	}
}

static void records_in_pieces(void **state)
{
	(void)state;
	pieces(false);
}

static void lines_in_pieces(void **state)
{
	(void)state;
	pieces(true);
}

/* A full buffer: whole records are lost and counted, and what comes after room is there is whole. */
static void overflow(bool text, size_t piece)
{
	const uint64_t all = 3ull * CHANNEL_BUFFER + 1234567;
	struct fixture f;
	const char *data;
	uint64_t kept, after;
	size_t len;

	open_channel(&f, text, all, piece);
	channel_read(&f.c);
	kept = channel_take(&f.c, &data, true);
	check_bytes(data, kept, 0);
	assert_true(kept <= CHANNEL_BUFFER && kept > CHANNEL_BUFFER - ROW);
	assert_int_equal(f.c.seen.read, all);
	/* the next record, whose first bytes were lost, is lost as a whole */
	driver.left = 1000;
	channel_read(&f.c);
	len = channel_take(&f.c, &data, true);
	after = (all + ROW - 1) / ROW * ROW;
	check_bytes(data, len, after);
	channel_finish(&f.c);
	assert_int_equal(f.c.seen.read, all + 1000);
	assert_int_equal(f.c.seen.read, kept + len + f.c.seen.no_room + f.c.seen.torn);
	assert_int_equal(len, (all + 1000 - after) / ROW * ROW);
	close_channel(&f);
}

static void records_that_find_no_room(void **state)
{
	(void)state;
	overflow(false, 1 << 20);
	overflow(false, 4097);
}

static void lines_that_find_no_room(void **state)
{
	(void)state;
	overflow(true, 1 << 20);
	overflow(true, 4097);
}

/* The flusher is told once, and again when it is urgent. */
static void wakes(void **state)
{
	struct fixture f;
	const char *data;
	uint64_t n;

	(void)state;
	open_channel(&f, false, 100, 100);
	channel_read(&f.c);
	driver.left = 100;
	channel_read(&f.c);
	assert_int_equal(read(f.wake.fd, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 1);
	assert_false(f.wake.urgent);
	driver.left = CHANNEL_BUFFER / 2 + 100;
	driver.piece = CHANNEL_BUFFER;
	channel_read(&f.c);
	assert_true(f.wake.urgent);
	assert_int_equal(read(f.wake.fd, &n, sizeof(n)), sizeof(n));
	/* that nothing came wakes nobody */
	channel_take(&f.c, &data, true);
	f.wake.told = false;
	channel_read(&f.c);
	assert_int_equal(read(f.wake.fd, &n, sizeof(n)), -1);
	close_channel(&f);
}

static void errors_end_it(void **state)
{
	struct fixture f;
	const char *data;

	(void)state;
	open_channel(&f, false, 5 * ROW, 4096);
	driver.error = -1;
	channel_read(&f.c);
	driver.left = ROW; /* which is asked for no more */
	channel_read(&f.c);
	assert_int_equal(channel_take(&f.c, &data, true), 5 * ROW);
	assert_int_equal(f.c.seen.error, -1);
	close_channel(&f);
}

/* At the end the flusher reads until the buffer is full, and loses nothing. */
static void the_rest_is_read_without_loss(void **state)
{
	const uint64_t all = 2ull * CHANNEL_BUFFER + 40;
	struct fixture f;
	uint64_t taken = 0;
	const char *data;
	size_t len;

	(void)state;
	open_channel(&f, false, all, 1 << 20);
	while (channel_fill(&f.c)) {
		len = channel_take(&f.c, &data, true);
		check_bytes(data, len, taken);
		taken += len;
	}
	channel_finish(&f.c);
	assert_int_equal(f.c.seen.no_room, 0);
	assert_int_equal(taken, all / ROW * ROW);
	close_channel(&f);
}

/* ---- the table ---- */

static const unsigned int versions[] = { 0, 1, 2, 3, 4, 5, 7, 8, 11, 15, 16 };

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

static struct settings everything(void)
{
	return (struct settings){ .hardware_mem_hz = 100, .io_hz = 100, .interconnection_hz = 50, .dvpp_hz = 100,
				  .low_power_hz = 100 };
}

static void each_channel_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < channel_count; i++) {
		assert_true(channel_defs[i].id > 0 && channel_defs[i].id < HAL_CHANNELS);
		assert_true(channel_defs[i].families & CHIP_ALL);
		for (unsigned int k = 0; k < i; k++) {
			assert_int_not_equal(channel_defs[i].id, channel_defs[k].id);
			assert_string_not_equal(channel_defs[i].name, channel_defs[k].name);
		}
	}
}

/* For every chip and both ways of counting: rows divide a slice, configurations fit, files have one kind of row. */
static void every_configuration(void **state)
{
	const struct settings settings = everything();

	(void)state;
	for (size_t v = 0; v < 2 * VERSIONS; v++) {
		struct channel_ask ask = {
			.bits = UINT64_MAX,
			.settings = &settings,
			.chip = chip_of(versions[v / 2]),
			.metrics = ACL_AICORE_PIPE_UTILIZATION,
			.sample_ms = v % 2 ? 10 : 0,
			.nr_mpam = 3,
		};

		assert_non_null(ask.chip);
		for (unsigned int i = 0; i < channel_count; i++) {
			const struct channel_def *def = &channel_defs[i];
			uint8_t data[CHANNEL_CONFIG_MAX + 1];
			unsigned int period = 12345;
			uint32_t size, row;

			if (!channel_wanted(def, &ask))
				continue;
			memset(data, 0xee, sizeof(data));
			size = def->configure(&ask, &period, data);
			row = def->row_bytes(&ask);
			assert_true(size <= CHANNEL_CONFIG_MAX);
			assert_int_equal(data[size], 0xee);
			assert_true(period <= 1000);
			assert_true(row >= 1 && row <= 1024);
			for (unsigned int k = 0; k < i; k++)
				if (channel_wanted(&channel_defs[k], &ask) && !strcmp(channel_defs[k].file, def->file))
					assert_int_equal(channel_defs[k].row_bytes(&ask), row);
		}
	}
}

/* What each channel's driver is told, word by word: nothing else, and all of it. */
static void configurations(void **state)
{
	enum { LINES = sizeof(channel_configs) / sizeof(channel_configs[0]) };
	static const unsigned int numbers[] = { 1, 3, 5, 7, 15 };
	const struct settings settings = everything();
	unsigned int told = 0;

	(void)state;
	for (size_t k = 0; k < 10; k++) {
		const struct channel_ask ask = {
			.bits = UINT64_MAX, .settings = &settings, .chip = chip_of(numbers[k / 2]), .core_mask = 0x1f,
			.metrics = ACL_AICORE_PIPE_UTILIZATION, .sample_ms = k % 2 ? 20 : 0, .nr_mpam = 3, .mpam = { 1, 2, 3 },
		};

		for (unsigned int i = 0; i < channel_count; i++) {
			uint32_t data[CHANNEL_CONFIG_MAX / 4] = { 0 }, size;
			unsigned int period = 0, at = 0;
			char line[1024];
			int len, head;

			if (!channel_wanted(&channel_defs[i], &ask))
				continue;
			size = channel_defs[i].configure(&ask, &period, (uint8_t *)data);
			head = snprintf(line, sizeof(line), "%u %u ", numbers[k / 2], ask.sample_ms);
			len = head + snprintf(line + head, sizeof(line) - (size_t)head, "%s %u", channel_defs[i].name, period);
			for (uint32_t w = 0; w < (size + 3) / 4; w++)
				len += snprintf(line + len, sizeof(line) - (size_t)len, " %x", data[w]);
			if (size % 4)
				snprintf(line + len, sizeof(line) - (size_t)len, " +%u", size % 4);
			while (at < LINES && strcmp(strchr(strchr(channel_configs[at], ' ') + 1, ' ') + 1, line + head))
				at++;
			if (at == LINES)
				fail_msg("not expected: %s", line);
			told += !strcmp(channel_configs[at], line);
		}
	}
	assert_int_equal(told, LINES);
}

static void nothing_is_wanted_unasked(void **state)
{
	const struct settings none = { 0 };
	struct channel_ask ask = { .settings = &none, .metrics = ACL_AICORE_NONE };

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		ask.chip = chip_of(versions[v]);
		for (unsigned int i = 0; i < channel_count; i++)
			assert_false(channel_wanted(&channel_defs[i], &ask));
	}
	ask.bits = ACL_PROF_AICORE_METRICS; /* of no group */
	for (unsigned int i = 0; i < channel_count; i++)
		assert_false(channel_wanted(&channel_defs[i], &ask));
}

static void periods_are_within_limits(void **state)
{
	static const struct {
		uint32_t hz;
		unsigned int memory, links;
	} cases[] = { { 1, 1000, 1000 }, { 50, 20, 20 }, { 100, 10, 10 } };
	uint8_t data[CHANNEL_CONFIG_MAX];
	unsigned int period;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct settings s = { .hardware_mem_hz = cases[i].hz, .interconnection_hz = cases[i].hz };
		const struct channel_ask ask = { .settings = &s, .chip = chip_of(5) };

		def_of(HAL_HBM)->configure(&ask, &period, data);
		assert_int_equal(period, cases[i].memory);
		def_of(HAL_HCCS)->configure(&ask, &period, data);
		assert_int_equal(period, cases[i].links);
	}
}

static void groups_of_events(void **state)
{
	char text[128];
	const struct chip_metrics *m;
	const uint16_t *events;

	(void)state;
	m = chip_metrics_of(chip_of(5), ACL_AICORE_PIPE_UTILIZATION);
	chip_events_text(m->event, m->nr, text, sizeof(text));
	assert_string_equal(text, "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55");
	m = chip_metrics_of(chip_of(7), ACL_AICORE_MEMORY_UB);
	chip_events_text(m->event, m->nr, text, sizeof(text));
	assert_string_equal(text, "0x37,0x38,0x1a5,0x1a6,0x17f,0x180,0x191");
	assert_null(chip_metrics_of(chip_of(1), ACL_AICORE_MEMORY_ACCESS));
	assert_non_null(chip_metrics_of(chip_of(5), ACL_AICORE_MEMORY_ACCESS));
	chip_l2_events(chip_of(15), &events);
	chip_events_text(events, 6, text, sizeof(text));
	assert_string_equal(text, "0x00,0x81,0x82,0x83,0x74,0x75");
	assert_null(chip_of(6));
	assert_null(chip_of(99));
}

/* docs/hardware.md has a row for each channel, with its number, file and chips; and no other. */
static void all_are_in_the_documents(void **state)
{
	static const char *const families[] = { "310", "910", "310P", "910B", "310B", "950" };
	static char text[64 << 10];
	unsigned int rows = 0;
	char path[512];
	size_t len;
	FILE *f;

	(void)state;
	if (!getenv("TOP"))
		skip();
	snprintf(path, sizeof(path), "%s/docs/hardware.md", getenv("TOP"));
	f = fopen(path, "re");
	assert_non_null(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	for (unsigned int i = 0; i < channel_count; i++) {
		const struct channel_def *def = &channel_defs[i];
		char begin[64], end[128], chips[64] = "all";
		const char *line, *row_end;
		size_t n = 0;

		for (unsigned int k = 0; def->families != CHIP_ALL && k < sizeof(families) / sizeof(families[0]); k++)
			if (def->families & 1u << k)
				n += (size_t)snprintf(chips + n, sizeof(chips) - n, "%s%s", n ? ", " : "", families[k]);
		snprintf(begin, sizeof(begin), "\n| `%s` | %d | `ACL_PROF_", def->name, def->id);
		n = (size_t)snprintf(end, sizeof(end), " | `%s` | %s |", def->file, chips);
		line = strstr(text, begin);
		row_end = line ? strchr(line + 1, '\n') : NULL;
		if (!row_end || (size_t)(row_end - line) < n || strncmp(row_end - n, end, n))
			fail_msg("no row that begins with%s and ends with%s", begin, end);
	}
	for (const char *at = text; (at = strstr(at, " | `ACL_PROF_")); at++)
		rows++;
	assert_int_equal(rows, channel_count);
}

/* Each number that a driver may give, and no other. */
static void chips(void **unused)
{
	static const char *const names[] = {
		[0] = "Ascend 310", [1] = "Ascend 910", [2] = "Ascend 310P", [3] = "Ascend 310P", [4] = "Ascend 310P",
		[5] = "Ascend 910B", [7] = "Ascend 310B", [8] = "Ascend 310B", [11] = "Ascend 310B", [15] = "Ascend 950",
		[16] = "Ascend 950", [20] = NULL,
	};

	(void)unused;
	for (unsigned int version = 0; version < sizeof(names) / sizeof(names[0]); version++) {
		const struct chip *chip = chip_of(version);

		assert_int_equal(!chip, !names[version]);
		if (chip)
			assert_string_equal(chip->name, names[version]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_in_pieces),
		cmocka_unit_test(lines_in_pieces),
		cmocka_unit_test(records_that_find_no_room),
		cmocka_unit_test(lines_that_find_no_room),
		cmocka_unit_test(wakes),
		cmocka_unit_test(errors_end_it),
		cmocka_unit_test(the_rest_is_read_without_loss),
		cmocka_unit_test(each_channel_once),
		cmocka_unit_test(every_configuration),
		cmocka_unit_test(configurations),
		cmocka_unit_test(nothing_is_wanted_unasked),
		cmocka_unit_test(periods_are_within_limits),
		cmocka_unit_test(groups_of_events),
		cmocka_unit_test(all_are_in_the_documents),
		cmocka_unit_test(chips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
