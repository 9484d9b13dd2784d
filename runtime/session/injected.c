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
#include "collect/hub.h"
#include "format/json_read.h"
#include "log/cancel.h"
#include "log/log.h"
#include "session/acl_json.h"
#include "session/fds.h"
#include "session/session.h"

#define VARIABLE "ASCPROF_RECORD"
#define TEXT_MAX (64u << 10)
#define ID_LEN 17
/* What forks in order to execute something else has done so by then. */
#define CHILD_WAIT_NS 20000000u
#define ASK_NAP_NS 200000
#define ASK_NAPS 10000

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDING (sizeof(ending) / sizeof(ending[0]))

enum request { NO_REQUEST, END, AGAIN };

static struct injected {
	char id[ID_LEN];
	bool follow;
	bool ignore_own;
	bool first; /* the program that was recorded, not one that it started */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; 0: at once, never */
	uint64_t devices;
	struct acl_json *what;

	pid_t pid; /* the process that the thread is in */
	int fd; /* an eventfd that wakes the thread */
	atomic_int request; /* of the thread; it puts back NO_REQUEST when that is done */
	bool ended; /* what END found running */
	atomic_int signal; /* that is to end the program */
	atomic_bool rows; /* have been read */
	bool handlers;
} injected = { .fd = -1 };

const char *injected_id(void)
{
	return injected.id;
}

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
	if (!*injected.id || atomic_exchange_explicit(&injected.rows, true, memory_order_relaxed))
		return;
	cancel_free_wake(injected.fd);
}

/* ---- the thread ---- */

static void begin(void)
{
	struct aclprofConfig config = { 0 };
	const struct acl_json *what = injected.what;

	config.bits = config_implied_bits(injected.first ? what->bits : what->bits & ACL_PROF_MSPROFTX);
	config.metrics = what->metrics;
	/* The counters of the machine are in the directory of the program, once. */
	if (injected.first)
		config.devices = injected.devices == UINT64_MAX ? hub_all_devices() : injected.devices;
	session_record_begin(what->output, &config, &what->settings, injected.first);
}

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
		begin();
	atomic_store_explicit(&injected.request, NO_REQUEST, memory_order_release);
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
			begin();
	}
	if (!number)
		number = wait_until(injected.end_ns);
	session_record_end();
	if (!number)
		number = wait_until(0);
	kill(getpid(), number);
	return NULL;
}

static void ask(enum request request)
{
	const struct timespec nap = { 0, ASK_NAP_NS };
	int saved = errno;

	if (!*injected.id || injected.fd < 0 || injected.pid != getpid())
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
	sigset_t all, before;
	pthread_t thread;
	int err;

	injected.pid = getpid();
	injected.fd = fds_add(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (injected.fd < 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, keep, NULL);
	if (!err)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !err;
}

/* ---- a child ---- */

void injected_child(void)
{
	if (!*injected.id)
		return;
	injected.fd = -1; /* closed with all of the session's */
	atomic_store_explicit(&injected.request, NO_REQUEST, memory_order_relaxed);
	remove_handlers();
	atomic_store_explicit(&injected.signal, 0, memory_order_relaxed);
	atomic_store_explicit(&injected.rows, false, memory_order_relaxed);
	injected.first = false;
	if (!injected.follow)
		injected.id[0] = '\0';
}

void injected_child_begin(void)
{
	uint64_t soon = clock_ns(CLOCK_MONOTONIC) + CHILD_WAIT_NS;

	if (!*injected.id || (injected.end_ns && soon >= injected.end_ns))
		return;
	if (injected.begin_ns < soon)
		injected.begin_ns = soon;
	session_record_claim();
	start_thread();
}

/* ---- the environment ---- */

static uint64_t number(const struct json_doc *doc, const char *key)
{
	uint64_t value;

	return json_get_u64(doc, json_find(doc, doc->node, key), &value) ? value : 0;
}

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

	if (!json_read(&doc, text, strlen(text), TEXT_MAX)) {
		log_line(LOG_ERROR, VARIABLE ": byte %zu: %s; not recording", doc.error_at, doc.error);
		return false;
	}
	injected.follow = truth(&doc, "follow");
	injected.ignore_own = truth(&doc, "ignore_own");
	injected.first = number(&doc, "pid") == (uint64_t)getpid();
	injected.begin_ns = number(&doc, "begin_ns");
	injected.end_ns = number(&doc, "end_ns");
	injected.devices = number(&doc, "devices");
	if (json_get_string(&doc, json_find(&doc, doc.node, "id"), injected.id, sizeof(injected.id)) <= 0)
		log_line(LOG_ERROR, VARIABLE ": expected an id; not recording");
	else if (injected.first || injected.follow)
		wanted = !acl_json_profiler(VARIABLE, &doc, injected.what) && injected.what->on;
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
	    !session_record_claim()) {
		injected.id[0] = '\0';
		return;
	}
	if (injected.begin_ns <= now) {
		injected.begin_ns = 0;
		begin();
	}
	if (!start_thread())
		log_line(LOG_WARN, VARIABLE ": no thread for its times and signals: %s", strerror(errno));
}
