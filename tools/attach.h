/* SPDX-License-Identifier: Apache-2.0 */
/* A program that runs already, and may be asked to record: runtime/session/attach.h has the other side. */
#ifndef ASCPROF_TOOLS_ATTACH_H
#define ASCPROF_TOOLS_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include "export/diag.h"

struct attach_request {
	const char *id;
	const char *profiler; /* the object, as in acl.json */
	uint64_t devices;
	uint64_t delay_ns, duration_ns; /* 0: at once, without end */
	void (*begun)(void *arg); /* it records now */
	void (*progress)(void *arg); /* every @progress_ms; NULL: nobody wants to know */
	int progress_ms;
	void *arg;
};

/*
 * Has process @pid record until the duration is over, SIGINT, SIGTERM or SIGHUP comes, or the
 * process ends; a second signal has its usual effect. Return: 0, and all is written; -1 with
 * the reason, and what can be done instead.
 */
int attach_record(pid_t pid, const struct attach_request *r, struct diag *diag);

#endif /* ASCPROF_TOOLS_ATTACH_H */
