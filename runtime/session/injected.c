/* SPDX-License-Identifier: Apache-2.0 */
#include "session/injected.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "log/cancel.h"
#include "log/log.h"
#include "session/fds.h"
#include "session/request.h"
#include "session/session.h"
#include "session/threads.h"

#define VARIABLE "ASCPROF_RECORD"
/* What forks in order to execute something else has done so by then. */
#define CHILD_WAIT_NS 20000000u
#define ASK_NAP_NS 200000
#define ASK_NAPS 10000

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDING (sizeof(ending) / sizeof(ending[0]))

enum asked { NOTHING, END, AGAIN };

static struct injected {
	bool on;
	bool follow;
	bool ignore_own;
	bool first; /* the program that was recorded, not one that it started */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; 0: at once, never */
	struct record_request *what;

	pid_t pid; /* the process that the thread is in */
	int fd; /* an eventfd that wakes the thread */
	atomic_int request; /* of the thread; it puts back NOTHING when that is done */
	bool ended; /* what END found running */
	atomic_int signal; /* that is to end the program */
	atomic_bool rows; /* have been read */
	bool handlers;
} injected = { .fd = -1 };

bool injected_ignores_own(void)
{
	return injected.ignore_own;
}

/* ---- signals ---- */

static void handle(int number)
{
	int saved = errno;

	atomic_store_explicit(&injected.signal, number, memory_order_relaxed);
	cancel_free_wake(injected.fd);
	errno = saved;
}

/* Once: the second signal of a kind has the default action, so it ends the program at once. */
static void install_handlers(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESETHAND | SA_RESTART }, now;

	if (injected.handlers)
		return;
	injected.handlers = true;
	for (unsigned int i = 0; i < ENDING; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == SIG_DFL && !(now.sa_flags & SA_SIGINFO))
			sigaction(ending[i], &action, NULL);
}

static void remove_handlers(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, now;

	for (unsigned int i = 0; i < ENDING; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == handle)
			sigaction(ending[i], &action, NULL);
	injected.handlers = false;
}

void injected_rows(void)
{
	if (!injected.on || atomic_exchange_explicit(&injected.rows, true, memory_order_relaxed))
		return;
	cancel_free_wake(injected.fd);
}

/* ---- the thread ---- */

static int ms_until(uint64_t due)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (due <= now)
		return 0;
	return due - now > 1000000000000u ? 1000000 : (int)((due - now) / 1000000 + 1);
}

static void serve(void)
{
	int request = atomic_load_explicit(&injected.request, memory_order_acquire);

	if (request == END)
		injected.ended = session_record_end();
	else if (request == AGAIN && injected.ended)
		request_begin(injected.what, injected.first);
	atomic_store_explicit(&injected.request, NOTHING, memory_order_release);
}

/* Waits until @due, 0: without end. Return: a signal that is to end the program, or 0. */
static int wait_until(uint64_t due)
{
	struct pollfd p = { .fd = injected.fd, .events = POLLIN };
	uint64_t n;

	for (;;) {
		int ready = poll(&p, 1, due ? ms_until(due) : -1), number;

		if (ready > 0 && read(injected.fd, &n, sizeof(n)) < 0 && errno != EAGAIN)
			return 0;
		serve();
		number = atomic_exchange_explicit(&injected.signal, 0, memory_order_relaxed);
		if (number)
			return number;
		if (atomic_load_explicit(&injected.rows, memory_order_relaxed))
			install_handlers();
		if (due && clock_ns(CLOCK_MONOTONIC) >= due)
			return 0;
	}
}

static void *keep(void *arg)
{
	int number = 0;

	(void)arg;
	pthread_setname_np(pthread_self(), "ascprof-record");
	if (injected.begin_ns) {
		number = wait_until(injected.begin_ns);
		if (!number)
			request_begin(injected.what, injected.first);
	}
	if (!number)
		number = wait_until(injected.end_ns);
	session_record_end();
	if (!number)
		number = wait_until(0);
	kill(getpid(), number);
	return NULL;
}

static void ask(enum asked request)
{
	const struct timespec nap = { 0, ASK_NAP_NS };
	int saved = errno;

	if (!injected.on || injected.fd < 0 || injected.pid != getpid())
		return;
	atomic_store_explicit(&injected.request, request, memory_order_release);
	cancel_free_wake(injected.fd);
	for (int i = 0; i < ASK_NAPS && atomic_load_explicit(&injected.request, memory_order_acquire); i++)
		nanosleep(&nap, NULL);
	errno = saved;
}

void ascprof_injected_end(void)
{
	ask(END);
}

void ascprof_injected_again(void)
{
	ask(AGAIN);
}

static bool start_thread(void)
{
	injected.pid = getpid();
	injected.fd = fds_add(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (injected.fd < 0)
		return false;
	return !threads_start(NULL, keep, NULL);
}

/* ---- a child ---- */

void injected_child(void)
{
	if (!injected.on)
		return;
	injected.fd = -1; /* closed with all of the session's */
	atomic_store_explicit(&injected.request, NOTHING, memory_order_relaxed);
	remove_handlers();
	atomic_store_explicit(&injected.signal, 0, memory_order_relaxed);
	atomic_store_explicit(&injected.rows, false, memory_order_relaxed);
	injected.first = false;
	if (!injected.follow)
		injected.on = false;
}

void injected_child_begin(void)
{
	uint64_t soon = clock_ns(CLOCK_MONOTONIC) + CHILD_WAIT_NS;

	if (!injected.on || (injected.end_ns && soon >= injected.end_ns))
		return;
	if (injected.begin_ns < soon)
		injected.begin_ns = soon;
	session_record_claim();
	start_thread();
}

/* ---- the environment ---- */

static bool truth(const struct json_doc *doc, const char *key)
{
	const struct json_node *value = json_find(doc, doc->node, key);

	return value && value->type == JSON_TRUE;
}

/* Return: whether this process is to record. */
static bool read_request(const char *text)
{
	struct json_doc doc;
	bool wanted = false;

	if (!json_read(&doc, text, strlen(text), REQUEST_MAX)) {
		log_line(LOG_ERROR, VARIABLE ": byte %zu: %s; not recording", doc.error_at, doc.error);
		return false;
	}
	injected.follow = truth(&doc, "follow");
	injected.ignore_own = truth(&doc, "ignore_own");
	injected.first = request_number(&doc, "pid") == (uint64_t)getpid();
	injected.begin_ns = request_number(&doc, "begin_ns");
	injected.end_ns = request_number(&doc, "end_ns");
	if (injected.first || injected.follow)
		wanted = !request_read(VARIABLE, &doc, injected.what) && injected.what->what.on;
	json_doc_free(&doc);
	return wanted;
}

static __attribute__((constructor)) void begin_injected(void)
{
	const char *text = secure_getenv(VARIABLE);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!text || !*text)
		return;
	injected.what = malloc(sizeof(*injected.what));
	if (!injected.what || !read_request(text) || (injected.end_ns && now >= injected.end_ns) ||
	    !session_record_claim())
		return;
	injected.on = true;
	if (injected.begin_ns <= now) {
		injected.begin_ns = 0;
		request_begin(injected.what, injected.first);
	}
	if (!start_thread())
		log_line(LOG_WARN, VARIABLE ": no thread for its times and signals: %s", strerror(errno));
}
