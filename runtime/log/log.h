/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of failures: one line to the log, and kept for ascprof_last_error(). */
#ifndef ASCPROF_LOG_H
#define ASCPROF_LOG_H

#include "acl/acl_base.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO };

/* Writes one line to stderr when ASCPROF_LOG (default warn) lets @level through. */
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The codes of the vendor's message catalogue ("Profiling Errors"), without their EK. */
enum ek {
	EK_VALUE = 1, /* a bad value */
	EK_ORDER = 2, /* calls in a wrong order */
	EK_JSON = 3, /* a bad value in acl.json */
	EK_CALL = 4, /* a call that is not possible here */
	EK_PARAMETER = 5, /* a parameter, or key of acl.json, that is not possible here */
	EK_NULL = 6,
	EK_MODE = 7, /* profiling is in use in another way */
	EK_MEMORY = 201,
	EK_THREAD = 203,
	EK_DISK = 204, /* too little space */
	EK_INTERNAL = 9999,
};

/*
 * Keeps the line as this thread's last error, logs it, returns @code: for
 * `return fail(ACL_ERROR_..., "argument path: ...")`. The EK code is the usual one of @code.
 */
aclError fail(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

aclError fail_as(enum ek ek, aclError code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * The same for functions that can be called millions of times: at most one
 * line a second, with the number of those left out.
 */
aclError fail_often(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

aclError fail_often_as(enum ek ek, aclError code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

const char *log_last_error(void);

/* The last error with its EK code, process and time, once; NULL when it was fetched or there is none. */
const char *log_take_error(void);

#endif /* ASCPROF_LOG_H */
