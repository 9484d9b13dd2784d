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

#define LINE_MAX_BYTES 512

static _Thread_local char last_error[LINE_MAX_BYTES];

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
	while (write(STDERR_FILENO, line, (size_t)n) < 0 && errno == EINTR)
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

__attribute__((format(printf, 1, 0)))
static void keep(const char *fmt, va_list ap)
{
	vsnprintf(last_error, sizeof(last_error), fmt, ap);
	one_line(last_error);
}

aclError fail(aclError code, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	keep(fmt, ap);
	va_end(ap);
	emit(LOG_ERROR, last_error);
	errno = saved;
	return code;
}

aclError fail_often(aclError code, const char *fmt, ...)
{
	static _Atomic int64_t next_line; /* CLOCK_MONOTONIC seconds */
	static _Atomic uint64_t left_out;
	int saved = errno;
	struct timespec now;
	int64_t due;
	va_list ap;

	va_start(ap, fmt);
	keep(fmt, ap);
	va_end(ap);

	clock_gettime(CLOCK_MONOTONIC, &now);
	due = atomic_load_explicit(&next_line, memory_order_relaxed);
	if (now.tv_sec >= due &&
	    atomic_compare_exchange_strong(&next_line, &due, now.tv_sec + 1)) {
		uint64_t skipped = atomic_exchange(&left_out, 0);

		if (skipped)
			log_line(LOG_ERROR, "%s (and %llu more like it)", last_error,
				 (unsigned long long)skipped);
		else
			emit(LOG_ERROR, last_error);
	} else {
		atomic_fetch_add_explicit(&left_out, 1, memory_order_relaxed);
	}
	errno = saved;
	return code;
}

const char *log_last_error(void)
{
	return last_error;
}
