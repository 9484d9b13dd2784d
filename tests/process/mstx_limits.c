// SPDX-License-Identifier: Apache-2.0
/*
 * Events of many rows where there is too little room: in the ring, in a file
 * that may not grow, below a storage limit. An event is there with all its rows
 * or not at all, and the accounts, in events, are even.
 */
#include "mstx.h"

#include <sys/resource.h>

#include <mstx/ms_tools_ext.h>

#define TEXT 1500 /* ten rows */
#define HUGE_TEXT 65535
#define EVENTS 2000

static char text[HUGE_TEXT + 1];

static void set_text(size_t length)
{
	memset(text, 't', length);
	text[length] = 0;
}

/* Every event in the files is whole, and the account has their number. */
static struct mstx_account check(const char *prof, size_t length, unsigned long long produced)
{
	struct mstx_account marks = mstx_account(prof, "mstx_mark");
	struct mstx_events all;

	mstx_read(&all, prof);
	for (size_t i = 0; i < all.count; i++)
		t_equal((long long)strlen(all.event[i].message), (long long)length, "bytes of event %zu", i);
	t_equal((long long)marks.produced, (long long)produced, "produced");
	t_equal((long long)marks.written, (long long)all.count, "written");
	mstx_free(&all);
	return marks;
}

static void ring_full(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct mstx_account marks;

	set_text(HUGE_TEXT);
	t_stderr_begin();
	for (int i = 0; i < EVENTS; i++)
		mstxMarkA(text, NULL);
	t_stderr_end();
	t_stop(config);
	prof_check(dir, "--dropped", NULL);
	marks = check(prof_only(dir), HUGE_TEXT, EVENTS);
	t_check(marks.written, "nothing written");
	printf("64 KiB messages: %llu of %d found no room in the ring\n", marks.ring_full, EVENTS);
}

/* Slices may not grow beyond a size that cuts events. */
static void file_limit(const void *backend)
{
	const char *dir = t_dir();
	struct rlimit limit = { 1000000, 1000000 };
	struct mstx_account marks;
	aclprofConfig *config;

	setenv("ASCPROF_IO", backend, 1);
	set_text(TEXT);
	t_check(!setrlimit(RLIMIT_FSIZE, &limit), "setrlimit");
	config = t_start(dir);
	t_stderr_begin();
	for (int i = 0; i < EVENTS; i++) {
		mstxMarkA(text, NULL);
		if (i % 100 == 0)
			t_sleep_us(5000);
	}
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_stderr_end();
	aclprofDestroyConfig(config);
	t_code(aclprofFinalize(), 0);
	prof_check(dir, "--dropped --error", NULL);
	marks = check(prof_only(dir), TEXT, EVENTS);
	t_check(marks.written && marks.write_error, "%s: %llu written, %llu lost", (const char *)backend,
		marks.written, marks.write_error);
}

static void storage_limit(void)
{
	const char *dir = t_dir();
	const int events = 100000; /* 244 MiB */
	struct mstx_account marks;
	aclprofConfig *config;

	set_text(TEXT);
	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_STORAGE_LIMIT, "200MB"), 0);
	config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_code(aclprofStart(config), 0);
	for (int i = 0; i < events; i++) {
		mstxMarkA(text, NULL);
		if (i % 5000 == 4999)
			t_sleep_us(50000);
	}
	t_stop(config);
	prof_check(dir, "--dropped --aged", NULL);
	marks = check(prof_only(dir), TEXT, (unsigned long long)events);
	t_check(marks.aged, "nothing was aged: %llu written, %llu found no room", marks.written, marks.ring_full);
	t_check(marks.written * 10 * sizeof(struct row_tx) <= 200ULL << 20, "%llu written is above the limit",
		marks.written);
}

int main(void)
{
	ring_full();
	t_equal(t_child(file_limit, "io_uring"), T_PASS, "io_uring");
	t_equal(t_child(file_limit, "pwritev"), T_PASS, "pwritev");
	storage_limit();
	return t_end();
}
