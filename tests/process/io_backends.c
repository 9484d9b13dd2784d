// SPDX-License-Identifier: Apache-2.0
/* ASCPROF_IO: both ways of writing give the same rows, and ascprof.json names the way. */
#include "prof.h"
#include "t.h"

#define MARKS 50000

struct recording {
	const char *backend;
	const char *dir;
};

static void record(const void *arg)
{
	const struct recording *r = arg;
	aclprofConfig *config;
	char text[32];
	void *stamp;

	setenv("ASCPROF_IO", r->backend, 1);
	config = t_start(r->dir);
	stamp = t_stamp("");
	for (unsigned int i = 0; i < MARKS; i++) {
		snprintf(text, sizeof(text), "mark %u", i);
		t_code(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0);
		t_code(aclprofMark(stamp), 0);
	}
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

/* Same as row but for times and threads, which are the only differences allowed. */
static bool same(const struct row_tx *a, const struct row_tx *b)
{
	struct row_tx x = *a, y = *b;

	x.stamp = y.stamp = x.start = y.start = x.end = y.end = 0;
	x.pid = y.pid = x.tid = y.tid = x.report_tid = y.report_tid = 0;
	return !memcmp(&x, &y, sizeof(x));
}

int main(void)
{
	struct recording way[2] = { { "pwritev", t_dir() }, { "io_uring", t_dir() } };
	struct prof_totals totals;
	struct prof_rows rows[2];

	for (int i = 0; i < 2; i++) {
		t_equal(t_child(record, &way[i]), 0, "status with %s", way[i].backend);
		prof_check(way[i].dir, "", &totals);
		if (i == 1 && !strcmp(totals.backend, "pwritev"))
			t_skip(t_path("io_uring: %s", totals.reason));
		t_check(!strcmp(totals.backend, way[i].backend), "written with %s, expected %s",
			totals.backend, way[i].backend);
		prof_rows(&rows[i], prof_only(way[i].dir));
	}
	t_equal(rows[0].count, MARKS, "rows with pwritev");
	t_equal(rows[1].count, MARKS, "rows with io_uring");
	for (size_t i = 0; i < rows[0].count && i < rows[1].count; i++)
		t_check(same(&rows[0].row[i], &rows[1].row[i]), "rows %zu differ: '%s' and '%s'", i,
			rows[0].row[i].message, rows[1].row[i].message);
	for (int i = 0; i < 2; i++)
		prof_rows_free(&rows[i]);
	return t_end();
}
