/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of failures: one line to the log, and kept for ascprof_last_error(). */
#ifndef ASCPROF_LOG_H
#define ASCPROF_LOG_H

#include "acl/acl_base.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO };

/* Writes one line to stderr when ASCPROF_LOG (default warn) lets @level through. */
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Keeps the line as this thread's last error, logs it, returns @code: for
 * `return fail(ACL_ERROR_..., "argument path: ...")`.
 */
aclError fail(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same for functions that can be called millions of times: at most one
 * line a second, with the number of those left out.
 */
aclError fail_often(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

const char *log_last_error(void);

#endif /* ASCPROF_LOG_H */
