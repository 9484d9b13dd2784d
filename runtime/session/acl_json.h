/* SPDX-License-Identifier: Apache-2.0 */
/* The `profiler` object of the acl.json that aclInit() takes. */
#ifndef ASCPROF_ACL_JSON_H
#define ASCPROF_ACL_JSON_H

#include <limits.h>

#include "format/json_read.h"
#include "session/config.h"
#include "session/settings.h"

struct acl_json {
	bool on; /* false: there is nothing to profile */
	char output[PATH_MAX]; /* "": not given */
	uint64_t bits;
	aclprofAicoreMetrics metrics;
	struct settings settings;
};

/*
 * Reads @path. A file that is missing, larger than 1 MiB, no JSON, or without
 * a profiler that is switched on is no error: profiling stays off, and the
 * first three are told in the log. Return: 0; 100000 for an unknown key, or a
 * value of the wrong type or out of range, with the reason told.
 */
aclError acl_json_read(const char *path, struct acl_json *out);
/* The same of the object itself, @text; what is no JSON is an error here. */
aclError acl_json_read_profiler(const char *text, size_t len, struct acl_json *out);

/* The same of what has been read; @who is named in messages. */
aclError acl_json_profiler(const char *who, const struct json_doc *doc, struct acl_json *out);

#endif /* ASCPROF_ACL_JSON_H */
