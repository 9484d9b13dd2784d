/* SPDX-License-Identifier: Apache-2.0 */
/* The one session of a test that looks at what it recorded. */
#ifndef ASCPROF_TEST_API_SESSION_H
#define ASCPROF_TEST_API_SESSION_H

#include "tests/process/prof.h"
#include "tests/process/t.h"

static const char *dir;
static aclprofConfig *config;

static inline void session_begin(void)
{
	dir = t_dir();
	config = t_start(dir);
}

/* Stops and checks it, with @options of profdir.py. Return: its PROF_ directory. */
static inline const char *session_end(const char *options)
{
	t_stop(config);
	prof_check(dir, options, NULL);
	return prof_only(dir);
}

#endif /* ASCPROF_TEST_API_SESSION_H */
