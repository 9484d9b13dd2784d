// SPDX-License-Identifier: Apache-2.0
/*
 * Eight threads mark, range and change domains while one starts and stops
 * sessions: every event is in one session, mark ids are used once, and the
 * accounts are even.
 */
#include "mstx.h"

#include <pthread.h>
#include <stdatomic.h>

#include <mstx/ms_tools_ext.h>

#define THREADS 8
#define SESSIONS 12
#define HANDED 64
#define LINE 700

static atomic_bool ended;
static _Atomic mstxRangeId handed[HANDED]; /* by one thread, to end by another */
static char line[LINE + 1];

static const char *some_text(unsigned int *state)
{
	/* short, longer than a row, longer than a range keeps in place */
	static const unsigned int lengths[] = { 5, 40, 127, 200, 256, 300, LINE };

	return line + LINE - lengths[t_random(state, sizeof(lengths) / sizeof(lengths[0]))];
}

static void hand_over(unsigned int *state)
{
	mstxRangeId id = atomic_exchange(&handed[t_random(state, HANDED)], mstxRangeStartA(some_text(state), NULL));

	mstxRangeEnd(id);
}

static void in_domain(unsigned int *state)
{
	char name[16];
	mstxDomainHandle_t domain;
	mstxRangeId id;

	snprintf(name, sizeof(name), "domain %u", t_random(state, 20));
	domain = mstxDomainCreateA(name);
	t_check(domain, "no domain %s", name);
	id = mstxDomainRangeStartA(domain, some_text(state), NULL);
	mstxDomainMarkA(domain, some_text(state), NULL);
	mstxDomainRangeEnd(domain, id);
	if (!t_random(state, 50))
		mstxDomainDestroy(domain);
}

static void *annotate(void *arg)
{
	unsigned int state = (unsigned int)(uintptr_t)arg;

	while (!atomic_load(&ended)) {
		switch (t_random(&state, 4)) {
		case 0:
			mstxMarkA(some_text(&state), NULL);
			break;
		case 1:
			mstxRangeEnd(mstxRangeStartA(some_text(&state), NULL));
			break;
		case 2:
			hand_over(&state);
			break;
		default:
			in_domain(&state);
		}
		if (!t_random(&state, 16))
			t_sleep_us(200);
	}
	return NULL;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct mstx_event *)a)->head.mark_id, y = ((const struct mstx_event *)b)->head.mark_id;

	return (x > y) - (x < y);
}

static void check(const char *prof)
{
	struct mstx_account marks = mstx_account(prof, "mstx_mark"), ranges = mstx_account(prof, "mstx_range");
	struct mstx_events all;

	mstx_read(&all, prof);
	t_equal((long long)marks.written, (long long)mstx_count(&all, ROW_TX_MARK), "marks");
	t_equal((long long)ranges.written, (long long)mstx_count(&all, ROW_TX_RANGE), "ranges");
	t_check(marks.written && ranges.written, "nothing recorded");
	t_check(ranges.open <= HANDED + 2 * THREADS * 20, "%llu open ranges", ranges.open);
	if (all.count)
		qsort(all.event, all.count, sizeof(*all.event), by_id);
	for (size_t i = 0; i < all.count; i++) {
		const struct mstx_event *e = &all.event[i];
		size_t len = strlen(e->message);
		char number[32];

		t_check(!i || e->head.mark_id != e[-1].head.mark_id, "a mark id twice");
		t_check(len <= LINE && !strcmp(e->message, line + LINE - len), "message '%.40s'", e->message);
		snprintf(number, sizeof(number), "%llu:", (unsigned long long)e->head.domain);
		t_check(strstr(all.names, number), "no name of domain %s", number);
	}
	mstx_free(&all);
}

int main(void)
{
	const char *dir = t_dir();
	pthread_t threads[THREADS];
	struct prof_list list;

	for (int i = 0; i < LINE; i++)
		line[i] = (char)('a' + i % 26);
	t_stderr_begin(); /* of ranges that a session left behind */
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, annotate, (void *)(i + 1));
	for (int i = 0; i < SESSIONS; i++) {
		aclprofConfig *config = t_start(dir);

		t_sleep_us(100000);
		t_stop(config);
	}
	atomic_store(&ended, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	t_stderr_end();
	prof_check(dir, "--dropped", NULL);
	prof_find(&list, dir);
	t_equal((long long)list.count, SESSIONS, "directories");
	for (size_t i = 0; i < list.count; i++)
		check(list.path[i]);
	prof_free(&list);
	return t_end();
}
