/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base types and error codes of the public AscendCL interface, as far as the
 * profiling interface needs them. Names and values are those of the public
 * documentation (hicann/runtime, include/external/acl), so that a program
 * compiled against either header runs with either library.
 */
#ifndef ASCPROF_ACL_BASE_H
#define ASCPROF_ACL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtStream;
typedef int aclError;

/* What functions return. */
#define ACL_SUCCESS 0
#define ACL_ERROR_NONE 0
#define ACL_ERROR_INVALID_PARAM 100000 /* an argument is wrong */
#define ACL_ERROR_UNINITIALIZE 100001 /* aclprofSetConfig before aclprofInit, aclFinalize without aclInit */
#define ACL_ERROR_REPEAT_INITIALIZE 100002 /* aclprofInit or aclInit twice */
#define ACL_ERROR_INVALID_FILE 100003 /* the path of results cannot be used */
#define ACL_ERROR_INVALID_PROFILING_CONFIG 100010 /* a value is refused, or another dataTypeConfig is running */
#define ACL_ERROR_INVALID_MODEL_ID 100011 /* a model is not loaded, or not subscribed */
#define ACL_ERROR_REPEAT_FINALIZE 100037 /* aclFinalize twice */
#define ACL_ERROR_PROF_ALREADY_RUN 100042 /* a device is recording already, or something else records */
#define ACL_ERROR_PROF_NOT_RUN 100043 /* not initialised, not started, nothing pushed, range ended already */
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE 148046 /* a model is subscribed already */
#define ACL_ERROR_PROF_API_CONFLICT 148047 /* a session and a subscription exclude each other */
#define ACL_ERROR_BAD_ALLOC 200000 /* no memory */
#define ACL_ERROR_API_NOT_SUPPORT 200001 /* never returned here */
#define ACL_ERROR_FEATURE_UNSUPPORTED 200006 /* not possible here: no device runtime, no place in a record */
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007 /* unknown bits in dataTypeConfig */
#define ACL_ERROR_INTERNAL_ERROR 500000 /* never returned here */
#define ACL_ERROR_GE_FAILURE 500002 /* the device runtime refused the time stamp of a step */
#define ACL_ERROR_PROFILING_FAILURE 500005 /* no memory, thread or disk; a full ring; the device runtime refused */

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_BASE_H */
