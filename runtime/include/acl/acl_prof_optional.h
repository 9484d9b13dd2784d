/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the aclprof interface that frameworks look up by name: the
 * public library exports them, its public header does not declare them. As in
 * acl_prof.h, all are safe to call from any thread at any time.
 */
#ifndef ASCPROF_ACL_PROF_OPTIONAL_H
#define ASCPROF_ACL_PROF_OPTIONAL_H

#include "acl_prof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclprofWarmup - make the next Start quick: what it needs is made now
 * @profilerConfig: as for Start; nothing is recorded yet
 *
 * Return: 0; 100000 NULL or not such an object, bad metric; 200007 unknown
 * bits; 100043 not initialised; 100042 aclInit configured profiling; 148047
 * called already, or recording; 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofWarmup(const aclprofConfig *profilerConfig);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_OPTIONAL_H */
