/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "annotate/pages.h"
#include "log/cancel.h"

#define LINE_MAX_BYTES 512
#define SPARES 32u

struct last {
	char line[LINE_MAX_BYTES];
	struct timespec when; /* CLOCK_REALTIME */
	enum ek ek;
	bool fresh; /* not taken yet */
	char message[LINE_MAX_BYTES + 80]; /* what log_take_error() gave */
};

/*
 * Memory of its own, and only for threads that had an error: what a library has
 * in static TLS is scarce, and a program that loads it late must still find room.
 */
static _Thread_local struct last *last;
static pthread_key_t last_key;
static bool last_key_made;

/* For errors of threads when there is no memory. */
static struct last spare[SPARES];
static _Atomic uint32_t spare_taken; /* a bit for each */

static struct last *spare_get(void)
{
	uint32_t taken = atomic_load(&spare_taken);

	while (taken != UINT32_MAX) {
		unsigned int i = (unsigned int)__builtin_ctz(~taken);

		if (atomic_compare_exchange_weak(&spare_taken, &taken, taken | 1u << i))
			return &spare[i];
	}
	return NULL;
}

static void last_gone(void *memory)
{
	struct last *l = memory;

	last = NULL;
	if (l >= spare && l < spare + SPARES) {
		memset(l, 0, sizeof(*l));
		atomic_fetch_and(&spare_taken, ~(1u << (l - spare)));
	} else {
		munmap(l, sizeof(*l));
	}
}

/* Early, while keys are so low that none needs memory when it is set. */
__attribute__((constructor)) static void make_key(void)
{
	last_key_made = !pthread_key_create(&last_key, last_gone);
}

/* Return: NULL without memory, when many threads have none; the text is then only printed. */
static struct last *last_of_thread(void)
{
	if (!last) {
		last = pages_get(sizeof(*last));
		if (!last)
			last = spare_get();
		if (last && last_key_made)
			pthread_setspecific(last_key, last);
	}
	return last;
}

static enum ek usual_ek(aclError code)
{
	switch (code) {
	case ACL_ERROR_INVALID_PARAM:
	case ACL_ERROR_INVALID_FILE:
	case ACL_ERROR_INVALID_PROFILING_CONFIG:
	case ACL_ERROR_INVALID_MODEL_ID:
		return EK_VALUE;
	case ACL_ERROR_UNINITIALIZE:
	case ACL_ERROR_REPEAT_INITIALIZE:
	case ACL_ERROR_REPEAT_FINALIZE:
	case ACL_ERROR_PROF_ALREADY_RUN:
	case ACL_ERROR_PROF_NOT_RUN:
	case ACL_ERROR_PROF_REPEAT_SUBSCRIBE:
		return EK_ORDER;
	case ACL_ERROR_PROF_API_CONFLICT:
		return EK_MODE;
	case ACL_ERROR_API_NOT_SUPPORT:
	case ACL_ERROR_FEATURE_UNSUPPORTED:
		return EK_CALL;
	case ACL_ERROR_PROF_MODULES_UNSUPPORTED:
		return EK_PARAMETER;
	case ACL_ERROR_BAD_ALLOC:
		return EK_MEMORY;
	default:
		return EK_INTERNAL;
	}
}

static enum log_level parse_level(const char *text)
{
	static const char *const names[] = { "off", "error", "warn", "info" };

	for (unsigned int i = 0; text && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return (enum log_level)i;
	return LOG_WARN;
}

static enum log_level threshold(void)
{
	static _Atomic int cached = -1;
	int level = atomic_load_explicit(&cached, memory_order_relaxed);

	if (level < 0) {
		level = parse_level(secure_getenv("ASCPROF_LOG"));
		atomic_store_explicit(&cached, level, memory_order_relaxed);
	}
	return (enum log_level)level;
}

/* One write(2) per line, so that lines of several threads and processes stay whole. */
static void emit(enum log_level level, const char *text)
{
	static const char *const prefix[] = { "", "error: ", "warning: ", "" };
	char line[LINE_MAX_BYTES + 32];
	int n;

	if (level > threshold())
		return;
	n = snprintf(line, sizeof(line), "ascprof: %s%s\n", prefix[level], text);
	if (n >= (int)sizeof(line)) {
		n = sizeof(line);
		line[n - 1] = '\n';
	}
	while (cancel_free_write(STDERR_FILENO, line, (size_t)n) < 0 && errno == EINTR)
		;
}

/* Arguments quoted in a message may hold anything: keep the line one line. */
static void one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	one_line(text);
	emit(level, text);
	errno = saved;
}

__attribute__((format(printf, 3, 0)))
static void keep(char line[LINE_MAX_BYTES], enum ek ek, const char *fmt, va_list ap)
{
	struct last *l = last_of_thread();

	vsnprintf(line, LINE_MAX_BYTES, fmt, ap);
	one_line(line);
	if (!l)
		return;
	strcpy(l->line, line);
	clock_gettime(CLOCK_REALTIME, &l->when);
	l->ek = ek;
	l->fresh = true;
}

#define KEEP(line, ek, fmt)                \
	do {                               \
		va_list ap;                \
		va_start(ap, fmt);         \
		keep(line, ek, fmt, ap);   \
		va_end(ap);                \
	} while (0)

aclError fail(aclError code, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	KEEP(line, usual_ek(code), fmt);
	emit(LOG_ERROR, line);
	errno = saved;
	return code;
}

aclError fail_as(enum ek ek, aclError code, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	KEEP(line, ek, fmt);
	emit(LOG_ERROR, line);
	errno = saved;
	return code;
}

static void emit_at_times(const char *line)
{
	static _Atomic int64_t next_line; /* CLOCK_MONOTONIC seconds */
	static _Atomic uint64_t left_out;
	struct timespec now;
	int64_t due;
	uint64_t skipped;

	clock_gettime(CLOCK_MONOTONIC, &now);
	due = atomic_load_explicit(&next_line, memory_order_relaxed);
	if (now.tv_sec < due || !atomic_compare_exchange_strong(&next_line, &due, now.tv_sec + 1)) {
		atomic_fetch_add_explicit(&left_out, 1, memory_order_relaxed);
		return;
	}
	skipped = atomic_exchange(&left_out, 0);
	if (skipped)
		log_line(LOG_ERROR, "%s (and %llu more like it)", line, (unsigned long long)skipped);
	else
		emit(LOG_ERROR, line);
}

aclError fail_often(aclError code, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	KEEP(line, usual_ek(code), fmt);
	emit_at_times(line);
	errno = saved;
	return code;
}

aclError fail_often_as(enum ek ek, aclError code, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	int saved = errno;

	KEEP(line, ek, fmt);
	emit_at_times(line);
	errno = saved;
	return code;
}

const char *log_last_error(void)
{
	return last ? last->line : "";
}

const char *log_take_error(void)
{
	struct tm local;
	char when[32];

	if (!last || !last->fresh)
		return NULL;
	last->fresh = false;
	localtime_r(&last->when.tv_sec, &local);
	strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &local);
	snprintf(last->message, sizeof(last->message), "EK%04d: [PID: %d] %s.%03ld.%03ld %s", last->ek, getpid(), when,
		 last->when.tv_nsec / 1000000, last->when.tv_nsec / 1000 % 1000, last->line);
	return last->message;
}
