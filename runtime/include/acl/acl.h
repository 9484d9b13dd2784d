/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit, aclFinalize and aclGetRecentErrMsg, for hosts without CANN. */
#ifndef ASCPROF_ACL_H
#define ASCPROF_ACL_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: A session from a file
 *
 * These exist here so that profiling can be configured by an acl.json on hosts
 * without CANN. Where AscendCL itself is in the process, ours call its functions
 * and do nothing of their own.
 *
 * Threads: Safe in any thread at any time. No cancellation point. Not for signal
 * handlers.
 * Source: The public documentation of AscendCL, aclInit and the "profiler"
 * configuration of acl.json.
 */

/**
 * aclInit - begin, and record what a file asks for until aclFinalize
 * @configPath: an acl.json, at most 1 MiB; NULL or "": none. Its object
 *	"profiler" is read: {"profiler":{"switch":"on","output":"...", ...}}.
 *	A file that cannot be read, is no JSON or has no profiler that is switched
 *	on leaves profiling off; the log says so
 *
 * While it records, aclprofInit, aclprofStart, aclprofStop and aclprofFinalize
 * return 100042; annotations work if the file says "msproftx":"on". The file is
 * ignored when profiling is in use already.
 *
 * Example:
 *	if (aclInit("acl.json"))
 *		fprintf(stderr, "%s\n", aclGetRecentErrMsg());
 *	work();
 *	aclFinalize();
 *
 * Return: 0; 100000 an unknown key, or a value of the wrong type or out of range;
 * 100002 called already; 100003 the output directory cannot be used; 500005 no
 * memory, thread or disk space.
 */
__attribute__((visibility("default"))) aclError aclInit(const char *configPath);

/**
 * aclFinalize - end what aclInit, or aclprofInit, began
 *
 * Return: 0; 100001 without aclInit; 100037 called already; 500005 not all data
 * could be written.
 */
__attribute__((visibility("default"))) aclError aclFinalize(void);

/**
 * aclGetRecentErrMsg - why the last failing call of this thread failed, once
 *
 * Where AscendCL itself is in the process and nothing of ours failed, its text.
 * The line is like "EK0001: [PID: 42] 2026-01-31-12:00:00.000.000 ...", with one
 * of these codes:
 *
 *	- EK0001: a bad value
 *	- EK0002: calls in a wrong order
 *	- EK0003: a key or a value of acl.json
 *	- EK0004, EK0005: not possible here
 *	- EK0006: NULL
 *	- EK0007: profiling is in use otherwise
 *	- EK0201, EK0203, EK0204: memory, thread, disk space
 *	- EK9999: anything else
 *
 * Source: The public header acl_rt.h, and the message catalogue "Profiling
 * Errors".
 * Return: one line, valid until the thread's next call of this function; NULL
 * when nothing failed since the last call.
 */
__attribute__((visibility("default"))) const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_H */
