/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of ascprof top: they fit their screen, whatever comes from elsewhere. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/top.h"

static struct metric list[] = {
	{ .group = "npu 0 (sim0, simulated numbers)", .name = "llc-read-hit", .unit = "%", .by = "module", .why = "",
	  .kind = METRIC_SHARE, .now = 50, .fresh = true, .intervals = 3 },
	{ .group = "npu 0 (sim0, simulated numbers)", .name = "memory-read", .unit = "bytes", .by = "module", .why = "",
	  .kind = METRIC_RATE, .now = 12.5e9, .fresh = true, .intervals = 3 },
	{ .group = "npu 0 (sim0, simulated numbers)", .name = "soc0_l2_level", .unit = "level", .by = "module",
	  .why = "", .kind = METRIC_LEVEL, .now = 7, .fresh = true, .intervals = 3 },
	{ .group = "socket 0", .name = "DDR-controller-flux-rd", .unit = "bytes", .by = "perf_event_open",
	  .why = "no right to (kernel.perf_event_paranoid is 2; CAP_PERFMON)", .kind = METRIC_RATE },
};

static struct top_session sessions[2] = {
	{ .pid = 4194303, .comm = "a\033[2J\nlong name of it", .path = "/somewhere/\xff/PROF_000001_x", .records = 1234567890,
	  .dropped = 12, .open = 3, .bytes = 51200000, .rate = 123456 },
	{ .pid = 7, .comm = "other", .path = "/somewhere/PROF_000002_x", .records = 5, .rate = -1 },
};

static struct counters counters = { .lost = 0 };
static struct metrics metrics = { .list = list, .nr = 4 };
static struct top_sessions running = { .list = sessions, .nr = 2 };
static struct top_history history[4];

static char *drawn(struct top_view *v)
{
	const struct top_state state = { &counters, &metrics, history, &running };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	v->when = "12:34:56";
	v->interval = 1;
	top_draw(out, v, &state);
	fclose(out);
	assert_int_equal(strlen(text), len);
	return text;
}

/* Columns of a line: escape sequences have none, characters of UTF-8 have one. */
static unsigned int columns(const char *from, const char *to)
{
	unsigned int n = 0;

	while (from < to) {
		if (*from == '\033') {
			from += strcspn(from, "HJKhlm") + 1;
			continue;
		}
		n += (*from & 0xc0) != 0x80 && *from != '\r';
		from++;
	}
	return n;
}

static unsigned int fits(const char *text, unsigned int most)
{
	unsigned int lines = 1;

	for (;;) {
		const char *end = strchr(text, '\n'), *to = end ? end : text + strlen(text);

		if (columns(text, to) > most)
			fail_msg("%u columns: %.*s", columns(text, to), (int)(to - text), text);
		if (!end)
			return lines;
		lines++;
		text = end + 1;
	}
}

static void screens(void **state)
{
	static const unsigned int sizes[][2] = { { 24, 80 }, { 60, 200 }, { 10, 40 }, { 4, 20 }, { 2, 5 }, { 24, 130 } };

	(void)state;
	for (unsigned int m = 0; m < 4; m++)
		for (unsigned int i = 0; i < 300; i++)
			top_history_add(&history[m], i % 100);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int how = 0; how < 8; how++) {
			struct top_view v = {
				.rows = sizes[i][0], .columns = sizes[i][1], .escapes = true, .colour = how & 1,
				.utf8 = how & 2, .all = how & 4,
			};
			char *text = drawn(&v);

			assert_in_range(fits(text, v.columns), 1, v.rows > 3 ? v.rows : 3);
			assert_true(v.colour || (!strstr(text, "\033[3")));
			for (const char *p = text; !v.utf8 && *p; p++)
				assert_true((unsigned char)*p < 128);
			assert_null(strstr(text, "\033[2J"));
			free(text);
		}
	}
}

static void contents(void **state)
{
	struct top_view v = { .columns = 200 };
	char *text = drawn(&v);

	(void)state;
	assert_non_null(strstr(text, "every 1.0 s - 2 sessions, 12 dropped"));
	assert_non_null(strstr(text, "npu 0 (sim0, simulated numbers)\n"));
	assert_non_null(strstr(text, "  memory-read               12500.0 MB/s"));
	assert_non_null(strstr(text, "  DDR-controller-flux-rd not counted: no right to"));
	assert_non_null(strstr(text, "4194303 a?[2J?long n"));
	assert_non_null(strstr(text, " 1234567890     123456       12      3      51.2  /somewhere/?/PROF_000001_x\n"));
	assert_non_null(strstr(text, "          5          -        0      0"));
	assert_null(strstr(text, "soc0_l2_level"));
	assert_null(strchr(text, '\033'));
	free(text);
	v.all = true;
	text = drawn(&v);
	assert_non_null(strstr(text, "soc0_l2_level"));
	free(text);
}

static void scrolled(void **state)
{
	struct top_view v = { .rows = 6, .columns = 80, .escapes = true, .scroll = 3 };
	char *text = drawn(&v);

	(void)state;
	/* group, two metrics, then: */
	assert_null(strstr(text, "memory-read"));
	assert_non_null(strstr(text, "socket 0"));
	assert_int_equal(v.lines, 8);
	free(text);
	v = (struct top_view){ .rows = 24, .columns = 80, .escapes = true, .help = true };
	text = drawn(&v);
	assert_non_null(strstr(text, "Ctrl-C"));
	assert_null(strstr(text, "memory-read"));
	free(text);
}

/* Where there is no terminal it is of the usual size; the locale is the first that is set. */
static void terminal(void **state)
{
	static const struct { const char *all, *lang; bool utf8; } cases[] = {
		{ "C", "en_US.UTF-8", false }, { "", "en_US.UTF-8", true }, { "de_DE.utf8", "C", true }, { "", "", false },
	};
	unsigned int rows = 1, columns = 1;
	int saved = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);

	(void)state;
	dup2(null, STDOUT_FILENO);
	top_terminal_size(&rows, &columns);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(null);
	assert_int_equal(rows, 24);
	assert_int_equal(columns, 80);
	unsetenv("LC_CTYPE");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("LC_ALL", cases[i].all, 1);
		setenv("LANG", cases[i].lang, 1);
		assert_int_equal(top_terminal_utf8(), cases[i].utf8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens), cmocka_unit_test(contents), cmocka_unit_test(scrolled), cmocka_unit_test(terminal),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
