/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclInit, aclFinalize and aclGetRecentErrMsg, for hosts without CANN: they exist here so that
 * profiling can be configured by a file. Where AscendCL itself is in the
 * process, ours call its functions and do nothing of their own.
 */
#ifndef ASCPROF_ACL_H
#define ASCPROF_ACL_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclInit - begin, and record what a file asks for until aclFinalize
 * @configPath: an acl.json, at most 1 MiB; NULL or "": none. Its object
 *	"profiler" is read: {"profiler":{"switch":"on","output":"...", ...}}.
 *	A file that cannot be read, is no JSON or has no profiler that is switched
 *	on leaves profiling off; the log says so
 *
 * While it records, aclprofInit, aclprofStart, aclprofStop and aclprofFinalize
 * return 100042; annotations work if the file says "msproftx":"on". Ignored
 * when profiling is in use already. Public source: AscendCL documentation of
 * aclInit, "profiler" configuration.
 *
 * Return: 0; 100002 called already; 100000 an unknown key, or a value of the
 * wrong type or out of range; 100003 the output directory cannot be used;
 * 500005 no memory, thread or disk space. Thread-safe.
 */
__attribute__((visibility("default"))) aclError aclInit(const char *configPath);

/**
 * aclFinalize - end what aclInit, or aclprofInit, began
 *
 * Return: 0; 100001 without aclInit; 100037 called already; 500005 not all data
 * could be written. Thread-safe.
 */
__attribute__((visibility("default"))) aclError aclFinalize(void);

/**
 * aclGetRecentErrMsg - why the last failing call of this thread failed, once
 *
 * Public source: acl_rt.h, and the message catalogue "Profiling Errors". Where
 * AscendCL itself is in the process and nothing of ours failed, its text.
 *
 * Return: one line, "EK0001: [PID: 42] 2026-01-31-12:00:00.000.000 ..." (EK0001
 * a bad value, EK0002 calls in a wrong order, EK0003 acl.json, EK0004 and
 * EK0005 not possible here, EK0006 NULL, EK0007 profiling is in use otherwise,
 * EK0201, EK0203, EK0204 memory, thread, disk space, EK9999 other); NULL when
 * nothing failed since the last call. Valid until the thread's next call of
 * this function. Thread-safe.
 */
__attribute__((visibility("default"))) const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_H */
