/* SPDX-License-Identifier: Apache-2.0 */
#include "log/strict.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

enum strict { STRICT_OFF, STRICT_REPORT, STRICT_ABORT };

#define TEXT_BYTES 256

static _Thread_local const char *called_from; /* of the life cycle call under way */

static enum strict parse(const char *text)
{
	if (text && !strcmp(text, "abort"))
		return STRICT_ABORT;
	return text && !strcmp(text, "1") ? STRICT_REPORT : STRICT_OFF;
}

static enum strict mode(void)
{
	static _Atomic int cached = -1;
	int m = atomic_load_explicit(&cached, memory_order_relaxed);

	if (m < 0) {
		m = (int)parse(secure_getenv("ASCPROF_STRICT"));
		atomic_store_explicit(&cached, m, memory_order_relaxed);
	}
	return (enum strict)m;
}

bool strict_on(void)
{
	return mode() != STRICT_OFF;
}

static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* The function of the call, or where in which binary it is. */
static void find_place(char *out, size_t size, const void *caller)
{
	uintptr_t call = (uintptr_t)caller - 1; /* a return address may be behind the function's end */
	Dl_info info;

	if (!dladdr((void *)call, &info) || !info.dli_fname)
		snprintf(out, size, "%p", caller);
	else if (info.dli_sname)
		snprintf(out, size, "%p, %s+0x%zx in %s", caller, info.dli_sname,
			 (size_t)((uintptr_t)caller - (uintptr_t)info.dli_saddr), file_name(info.dli_fname));
	else
		snprintf(out, size, "%p, +0x%zx in %s", caller,
			 (size_t)((uintptr_t)caller - (uintptr_t)info.dli_fbase), file_name(info.dli_fname));
}

__attribute__((format(printf, 2, 0)))
static void report(const char *where, const char *fmt, va_list ap)
{
	char text[TEXT_BYTES];

	vsnprintf(text, sizeof(text), fmt, ap);
	log_line(LOG_ERROR, "misuse: %s; called from %s", text, where);
	if (mode() == STRICT_ABORT)
		abort();
}

void strict_misuse(const void *caller, const char *fmt, ...)
{
	char where[STRICT_PLACE];
	va_list ap;

	if (!strict_on())
		return;
	find_place(where, sizeof(where), caller);
	va_start(ap, fmt);
	report(where, fmt, ap);
	va_end(ap);
}

void strict_called_from(char *place, const void *caller)
{
	called_from = place;
	if (place && strict_on())
		find_place(place, STRICT_PLACE, caller);
}

void strict_misuse_inside(const char *fmt, ...)
{
	va_list ap;

	if (!strict_on())
		return;
	va_start(ap, fmt);
	report(called_from ? called_from : "the end of the program", fmt, ap);
	va_end(ap);
}
