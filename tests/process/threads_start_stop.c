// SPDX-License-Identifier: Apache-2.0
/*
 * Eight threads annotate while a ninth starts and stops 200 times. Each call
 * that returned 0 is one row in one directory; each that found no room is
 * counted as dropped there; the rest was refused for want of a session. The same
 * where membarrier(2) is refused.
 */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define THREADS 8
#define SESSIONS 200
#define BUDGET 100 /* rounds of a thread in one session; bounds the data of a slow machine */

static atomic_uint session; /* number of Starts; SESSIONS + 1: all is over */

struct counts {
	unsigned int written; /* returned 0 */
	unsigned int dropped; /* returned 500005 */
};

static struct worker {
	pthread_t thread;
	unsigned int number;
	struct counts of[3]; /* by event */
	unsigned char *seen; /* rows of each sequence number, all kinds */
	unsigned int next;
	unsigned int session, left;
} workers[THREADS];

static void count(struct worker *w, enum row_tx_event event, aclError code)
{
	switch (code) {
	case ACL_SUCCESS:
		w->of[event].written++;
		break;
	case ACL_ERROR_PROFILING_FAILURE:
		w->of[event].dropped++;
		break;
	case ACL_ERROR_PROF_NOT_RUN:
		break;
	default:
		t_check(false, "event %d returned %d: %s", event, code, ascprof_last_error());
	}
}

static void annotate(struct worker *w)
{
	uint32_t id;
	char text[32];
	void *stamp = aclprofCreateStamp();
	aclError code;

	if (!stamp) {
		w->left++;
		t_sleep_us(20);
		return;
	}
	snprintf(text, sizeof(text), "%u %u", w->number, w->next++);
	code = aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text));
	t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROF_NOT_RUN, "message: %d", code);
	if (!code) {
		count(w, ROW_TX_MARK, aclprofMark(stamp));
		if (aclprofPush(stamp) == ACL_SUCCESS)
			count(w, ROW_TX_PUSH_POP, aclprofPop());
		if (aclprofRangeStart(stamp, &id) == ACL_SUCCESS)
			count(w, ROW_TX_RANGE, aclprofRangeStop(id));
	}
	aclprofDestroyStamp(stamp);
	if (w->next % 8 == 0)
		t_sleep_us(100);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int now;

	while ((now = atomic_load(&session)) <= SESSIONS) {
		if (w->session != now)
			w->left = BUDGET;
		w->session = now;
		if (w->left) {
			w->left--;
			annotate(w);
		} else {
			t_sleep_us(50);
		}
	}
	return NULL;
}

/* A thread and number that come with one kind of row at most once. */
static void check_rows(const char *dir)
{
	struct prof_list list;

	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++) {
		struct prof_rows rows;

		prof_rows(&rows, list.path[i]);
		for (size_t j = 0; j < rows.count; j++) {
			unsigned int number, sequence;

			if (sscanf(rows.row[j].message, "%u %u", &number, &sequence) != 2 ||
			    number >= THREADS || sequence >= workers[number].next) {
				t_check(false, "row with the message '%s'", rows.row[j].message);
				continue;
			}
			t_check(!(workers[number].seen[sequence] & 1u << rows.row[j].event),
				"%u %u was written twice", number, sequence);
			workers[number].seen[sequence] |= (unsigned char)(1u << rows.row[j].event);
		}
		prof_rows_free(&rows);
	}
	prof_free(&list);
}

static void check_kind(enum row_tx_event event, const char *name, unsigned long written,
		       unsigned long dropped)
{
	unsigned long expected = 0, lost = 0;

	for (int i = 0; i < THREADS; i++) {
		expected += workers[i].of[event].written;
		lost += workers[i].of[event].dropped;
	}
	t_equal(written, (long long)expected, "%s written, by the calls' results", name);
	t_equal(dropped, (long long)lost, "%s dropped, by the calls' results", name);
	t_check(expected, "no %s was recorded", name);
}

static void run(const void *arg)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	struct prof_totals totals;
	unsigned int random = 1;

	if (*(const bool *)arg && !t_refuse(SYS_membarrier, SYS_membarrier, ENOSYS))
		t_skip("no seccomp filter can be installed");
	t_code(t_init(dir), 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	t_stderr_begin();
	for (int i = 0; i < SESSIONS; i++) {
		atomic_fetch_add(&session, 1);
		t_equal(aclprofStart(config), 0, "Start %d (%s)", i, ascprof_last_error());
		t_sleep_us(t_random(&random, 2000));
		t_equal(aclprofStop(config), 0, "Stop %d (%s)", i, ascprof_last_error());
	}
	t_stderr_end();
	atomic_store(&session, SESSIONS + 1);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);

	prof_check(dir, "--dropped", &totals);
	t_equal(totals.dirs, SESSIONS, "directories");
	check_kind(ROW_TX_MARK, "marks", totals.mark.written, totals.mark.dropped);
	check_kind(ROW_TX_PUSH_POP, "pushes", totals.push_pop.written, totals.push_pop.dropped);
	check_kind(ROW_TX_RANGE, "ranges", totals.range.written, totals.range.dropped);
	for (unsigned int i = 0; i < THREADS; i++)
		workers[i].seen = calloc(workers[i].next + 1, 1);
	check_rows(dir);
	for (unsigned int i = 0; i < THREADS; i++)
		free(workers[i].seen);
}

int main(void)
{
	static const bool without[] = { false, true };
	int status;

	t_equal(t_child(run, &without[0]), 0, "status");
	/* kernels and containers without membarrier(2) */
	status = t_child(run, &without[1]);
	t_check(status == 0 || status == T_SKIP, "status without membarrier: %d", status);
	return t_end();
}
