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

#define ACL_SUCCESS 0
#define ACL_ERROR_NONE 0
#define ACL_ERROR_INVALID_PARAM 100000
#define ACL_ERROR_UNINITIALIZE 100001
#define ACL_ERROR_REPEAT_INITIALIZE 100002
#define ACL_ERROR_INVALID_FILE 100003
#define ACL_ERROR_INVALID_PROFILING_CONFIG 100010
#define ACL_ERROR_INVALID_MODEL_ID 100011
#define ACL_ERROR_REPEAT_FINALIZE 100037
#define ACL_ERROR_PROF_ALREADY_RUN 100042
#define ACL_ERROR_PROF_NOT_RUN 100043
#define ACL_ERROR_PROF_REPEAT_SUBSCRIBE 148046
#define ACL_ERROR_PROF_API_CONFLICT 148047
#define ACL_ERROR_BAD_ALLOC 200000
#define ACL_ERROR_API_NOT_SUPPORT 200001
#define ACL_ERROR_FEATURE_UNSUPPORTED 200006
#define ACL_ERROR_PROF_MODULES_UNSUPPORTED 200007
#define ACL_ERROR_INTERNAL_ERROR 500000
#define ACL_ERROR_GE_FAILURE 500002
#define ACL_ERROR_PROFILING_FAILURE 500005

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_BASE_H */
