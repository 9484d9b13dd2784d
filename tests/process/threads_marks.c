// SPDX-License-Identifier: Apache-2.0
/*
 * Marks at full speed from 1, 2 and 8 threads: threads_marks [TOTAL]
 *
 * Every call that returned success is a row of its thread, every other one is
 * counted as dropped, exactly; with ASCPROF_ON_FULL=wait none is dropped. Without
 * TOTAL as many as a check has time for; the campaign takes 10 million.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define THREADS_MAX 8
#define TOTAL (T_SANITIZED ? 100000u : 600000u)

static struct marker {
	pthread_t thread;
	uint32_t tid;
	unsigned long marks, accepted, rows;
} marker[THREADS_MAX];

struct round {
	unsigned int threads;
	unsigned long total;
	const char *on_full;
	const char *dir;
};

static atomic_uint ready;
static unsigned int threads;

static void *mark(void *arg)
{
	struct marker *m = arg;
	void *stamp = t_stamp("a mark at full speed");

	m->tid = (uint32_t)syscall(SYS_gettid);
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < threads)
		;
	for (unsigned long i = 0; i < m->marks; i++) {
		aclError code = aclprofMark(stamp);

		m->accepted += !code;
		if (code)
			t_code(code, ACL_ERROR_PROFILING_FAILURE);
	}
	aclprofDestroyStamp(stamp);
	return NULL;
}

static void count_row(const struct row_tx *row)
{
	for (unsigned int i = 0; i < threads; i++) {
		if (marker[i].tid == row->tid) {
			marker[i].rows++;
			return;
		}
	}
	t_check(false, "a row of thread %u", row->tid);
}

/* One slice at a time: all of them may be more than there is memory. */
static void count_rows(const char *prof)
{
	static struct row_tx row[8192];
	FILE *file;
	size_t n;

	for (unsigned int k = 0;; k++) {
		file = fopen(t_path("%s/host/data/aging.additional.msproftx.slice_%u", prof, k), "r");
		if (!file)
			return;
		while ((n = fread(row, sizeof(row[0]), 8192, file)))
			for (size_t i = 0; i < n; i++)
				count_row(&row[i]);
		fclose(file);
	}
}

static void one(const void *arg)
{
	const struct round *r = arg;
	unsigned long accepted = 0, marks = 0;
	struct prof_account account;
	aclprofConfig *config;
	const char *prof;

	threads = r->threads;
	setenv("ASCPROF_ON_FULL", r->on_full, 1);
	setenv("ASCPROF_LOG", "off", 1);
	config = t_start(r->dir);
	for (unsigned int i = 0; i < threads; i++) {
		marker[i].marks = r->total / threads;
		if (pthread_create(&marker[i].thread, NULL, mark, &marker[i]))
			abort();
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(marker[i].thread, NULL);
	t_stop(config);

	prof = prof_only(r->dir);
	prof_account(&account, prof, "mark");
	count_rows(prof);
	for (unsigned int i = 0; i < threads; i++) {
		t_equal(marker[i].rows, marker[i].accepted, "rows of thread %u, which made as many marks", i);
		accepted += marker[i].accepted;
		marks += marker[i].marks;
	}
	t_equal(account.produced, marks, "produced");
	t_equal(account.written, accepted, "written");
	t_equal(account.dropped, marks - accepted, "dropped");
	if (!strcmp(r->on_full, "wait"))
		t_equal(account.dropped, 0, "dropped, though every mark waits");
	t_equal(prof_export(prof), 0, "status of ascprof export");
	printf("marks: %u threads, %s: %lu made, %lu written, %lu dropped\n", threads, r->on_full, marks,
	       account.written, account.dropped);
}

int main(int argc, char **argv)
{
	static const unsigned int counts[] = { 1, 2, 8 };
	static const char *const ways[] = { "drop", "wait" };
	unsigned long total = argc > 1 ? strtoul(argv[1], NULL, 10) : TOTAL;
	unsigned int cases = 0, failures = 0;

	for (size_t w = 0; w < 2; w++) {
		for (size_t i = 0; i < 3; i++) {
			const char *dir = t_dir();
			struct round r = { counts[i], total, ways[w], dir };

			cases++;
			failures += t_child(one, &r) != 0;
			t_remove(dir);
		}
	}
	printf("campaign-marks: %u cases, %u failures\n", cases, failures);
	t_equal(failures, 0, "failures");
	return t_end();
}
