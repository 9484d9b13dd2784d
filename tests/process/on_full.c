// SPDX-License-Identifier: Apache-2.0
/*
 * ASCPROF_ON_FULL=wait: an annotation that finds its ring full waits for room, and
 * nothing is dropped; but not once Stop has begun, nor for a disk that has
 * failed, nor in a signal handler that interrupts it. ASCPROF_ON_LOSS=fail: Stop
 * and Finalize fail with the numbers when anything was dropped.
 */
#include "prof.h"
#include "t.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/uio.h>

#define RING (32u << 20)
#define RECORD (24 + 128) /* bytes of a mark with a message of 127 */
#define FIT (RING / RECORD) /* marks in a ring, about */

/* The program's symbols come before those of the C library: the flusher's disk. */

static atomic_bool disk_stands, disk_fails;

#pragma GCC visibility push(default)

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	ssize_t (*real)(int, const struct iovec *, int, off_t);

	while (atomic_load(&disk_stands))
		t_sleep_us(1000);
	if (atomic_load(&disk_fails)) {
		errno = EIO;
		return -1;
	}
	real = (ssize_t(*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, "pwritev");
	return real(fd, parts, count, offset);
}

#pragma GCC visibility pop

static void *stamp_of_127(void)
{
	char text[128];

	memset(text, 'w', 127);
	text[127] = 0;
	return t_stamp(text);
}

static aclprofConfig *begin(const char *dir, const char *on_full, const char *on_loss)
{
	setenv("ASCPROF_IO", "pwritev", 1);
	setenv("ASCPROF_ON_FULL", on_full, 1);
	setenv("ASCPROF_ON_LOSS", on_loss, 1);
	return t_start(dir);
}

/* A thread that marks without end, and what its calls returned. */
struct marker {
	pthread_t thread;
	unsigned int limit; /* marks; 0: until one fails */
	atomic_uint good, bad;
	atomic_bool ended;
};

static void *mark(void *arg)
{
	struct marker *m = arg;
	void *stamp = stamp_of_127();
	aclError code;

	for (unsigned int i = 0; !m->limit || i < m->limit; i++) {
		code = aclprofMark(stamp);
		atomic_fetch_add(code ? &m->bad : &m->good, 1);
		t_check(!code || code == ACL_ERROR_PROFILING_FAILURE || code == ACL_ERROR_PROF_NOT_RUN, "mark: %d",
			code);
		if (code && !m->limit)
			break;
	}
	aclprofDestroyStamp(stamp);
	atomic_store(&m->ended, true);
	return NULL;
}

static void start(struct marker *m, unsigned int limit)
{
	memset(m, 0, sizeof(*m));
	m->limit = limit;
	if (pthread_create(&m->thread, NULL, mark, m))
		abort();
}

/* Until the marker is as good as stuck. */
static void until_stuck(struct marker *m)
{
	unsigned int before;

	do {
		before = atomic_load(&m->good);
		t_sleep_us(100000);
	} while (!atomic_load(&m->ended) && (before < FIT / 2 || before != atomic_load(&m->good)));
}

static void waits(const void *dir)
{
	aclprofConfig *config = begin(dir, "wait", "fail");
	struct prof_totals totals;
	struct marker m[2];

	atomic_store(&disk_stands, true);
	for (int i = 0; i < 2; i++)
		start(&m[i], 2 * FIT);
	until_stuck(&m[0]);
	until_stuck(&m[1]);
	t_check(!atomic_load(&m[0].ended) && !atomic_load(&m[1].ended), "a full ring was not waited for");
	atomic_store(&disk_stands, false);
	for (int i = 0; i < 2; i++) {
		pthread_join(m[i].thread, NULL);
		t_equal(m[i].bad, 0, "marks of thread %d that failed", i);
	}
	t_stop(config);
	prof_check(dir, "", &totals);
	t_equal(totals.mark.written, 4 * FIT, "marks written");
}

static void *stop(void *arg)
{
	t_code(aclprofStop(arg), ACL_SUCCESS);
	return NULL;
}

static void stop_ends_it(const void *dir)
{
	aclprofConfig *config = begin(dir, "wait", "count");
	struct prof_totals totals;
	pthread_t stopper;
	struct marker m;

	atomic_store(&disk_stands, true);
	start(&m, 0);
	until_stuck(&m);
	t_check(!atomic_load(&m.ended), "a full ring was not waited for");
	t_stderr_begin();
	if (pthread_create(&stopper, NULL, stop, config))
		abort();
	pthread_join(m.thread, NULL); /* while the disk still stands */
	atomic_store(&disk_stands, false);
	pthread_join(stopper, NULL);
	t_check(strstr(t_stderr_end(), "full"), "no line that the ring is full");
	t_equal(m.bad, 1, "marks that failed");
	t_code(aclprofFinalize(), 0);
	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, m.good, "marks written");
	t_equal(totals.mark.dropped, 1, "marks dropped");
	aclprofDestroyConfig(config);
}

static void failure_ends_it(const void *dir)
{
	aclprofConfig *config = begin(dir, "wait", "count");
	struct prof_totals totals;
	struct marker m;

	atomic_store(&disk_fails, true);
	t_stderr_begin();
	start(&m, 6 * FIT);
	pthread_join(m.thread, NULL);
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_check(strstr(ascprof_last_error(), "Input/output error"), "reason: '%s'", ascprof_last_error());
	t_code(aclprofFinalize(), 0);
	t_stderr_end();
	prof_check(dir, "--dropped --error", &totals);
	t_equal(totals.mark.produced, 6 * FIT, "marks produced");
	aclprofDestroyConfig(config);
}

/* While a mark waits, its thread's handler marks, and another thread forks. */

static void *handler_stamp;
static atomic_int handler_code;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&handler_code, aclprofMark(handler_stamp));
}

static void in_child(const void *dir)
{
	aclprofConfig *config;

	atomic_store(&disk_stands, false);
	t_code(aclprofMark(handler_stamp), ACL_ERROR_PROF_NOT_RUN);
	if (T_TSAN) /* which allows no threads in a child of many */
		return;
	config = t_start(dir);
	t_code(aclprofMark(stamp_of_127()), 0);
	t_stop(config);
}

static void others_meanwhile(const void *dir)
{
	aclprofConfig *config;
	struct prof_totals totals;
	struct marker m;

	signal(SIGUSR1, on_signal);
	config = begin(dir, "wait", "count");
	handler_stamp = stamp_of_127();
	atomic_store(&disk_stands, true);
	start(&m, 2 * FIT);
	until_stuck(&m);
	t_stderr_begin();
	atomic_store(&handler_code, -1);
	for (int i = 0; i < 100 && atomic_load(&handler_code) != ACL_ERROR_PROFILING_FAILURE; i++) {
		pthread_kill(m.thread, SIGUSR1); /* between two marks it would wait itself */
		t_sleep_us(20000);
	}
	t_stderr_end();
	t_equal(handler_code, ACL_ERROR_PROFILING_FAILURE, "a mark of a handler inside a mark");
	t_equal(t_child(in_child, t_dir()), 0, "status of a child");
	atomic_store(&disk_stands, false);
	pthread_join(m.thread, NULL);
	aclprofDestroyStamp(handler_stamp);
	t_stop(config);
	t_equal(m.bad, 0, "marks that failed");
	prof_check(dir, "--dropped", &totals);
	t_check(totals.mark.written >= m.good, "%lu marks written, %u made", totals.mark.written, m.good);
	t_check(totals.mark.dropped, "the handler's mark was not counted");
}

/* A recording with @limit dropped marks at least. */
static aclprofConfig *with_losses(const char *dir, const char *on_loss)
{
	aclprofConfig *config = begin(dir, "drop", on_loss);
	struct marker m;

	atomic_store(&disk_stands, true);
	start(&m, 3 * FIT);
	pthread_join(m.thread, NULL);
	atomic_store(&disk_stands, false);
	t_check(m.bad, "nothing was dropped");
	return config;
}

static void losses(const void *dir)
{
	const char *in = t_path("%s/stop", (const char *)dir);
	struct prof_totals totals;
	aclprofConfig *config;

	t_stderr_begin();
	config = with_losses(in, "fail");
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	prof_check(in, "--dropped", &totals);
	t_check(totals.mark.dropped &&
			strstr(ascprof_last_error(),
			       t_path("%lu of %lu were dropped, ring_full %lu", totals.mark.dropped,
				      totals.mark.produced, totals.mark.dropped)),
		"reason: '%s', %lu dropped", ascprof_last_error(), totals.mark.dropped);
	aclprofDestroyConfig(config);
	t_code(aclprofFinalize(), 0);

	config = with_losses(t_path("%s/finalize", (const char *)dir), "fail");
	t_code(aclprofFinalize(), ACL_ERROR_PROFILING_FAILURE);
	aclprofDestroyConfig(config);

	config = with_losses(t_path("%s/count", (const char *)dir), "count");
	t_stop(config);
	t_stderr_end();

	t_stderr_begin(); /* nothing lost */
	t_stop(begin(t_path("%s/none", (const char *)dir), "drop", "fail"));
	t_equal(t_lines(t_stderr_end()), 0, "lines");
}

static void bad_values(const void *dir)
{
	const char *text;

	t_stderr_begin();
	t_stop(begin(dir, "later", "drop"));
	text = t_stderr_end();
	t_check(t_lines(text) == 1 && strstr(text, "ASCPROF_ON_FULL") && strstr(text, "later") && strstr(text, "wait"),
		"printed: %s", text);
}

int main(void)
{
	t_equal(t_child(waits, t_dir()), 0, "status of waiting");
	t_equal(t_child(stop_ends_it, t_dir()), 0, "status of stopping");
	t_equal(t_child(failure_ends_it, t_dir()), 0, "status of a failing disk");
	t_equal(t_child(others_meanwhile, t_dir()), 0, "status of handlers and forks");
	t_equal(t_child(losses, t_dir()), 0, "status of losses");
	t_equal(t_child(bad_values, t_dir()), 0, "status of a bad value");
	return t_end();
}
