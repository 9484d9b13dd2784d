/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `ascprof record` wants of a process, as it is in the environment of a program that it
 * starts (injected.h), and as it is said to one that runs (attach.h).
 */
#ifndef ASCPROF_REQUEST_H
#define ASCPROF_REQUEST_H

#include "session/acl_json.h"

#define REQUEST_ID_LEN 17
#define REQUEST_MAX (64u << 10) /* bytes of its text */

struct record_request {
	char id[REQUEST_ID_LEN];
	uint64_t devices; /* all bits: those there are */
	struct acl_json what;
};

/* A number of the request; 0 without it. */
uint64_t request_number(const struct json_doc *doc, const char *key);

/*
 * Reads "id", "devices" and "profiler". @who is named in messages. Return: 0, and what->on tells
 * whether there is anything to record; or a code, and why.
 */
aclError request_read(const char *who, const struct json_doc *doc, struct record_request *r);

/* Begins in a claimed session. @first: counters of the machine too, and the directory stays, even empty. */
aclError request_begin(const struct record_request *r, bool first);

#endif /* ASCPROF_REQUEST_H */
