/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the aclprof interface that frameworks look up by name: the
 * public library exports them, its public header does not declare them.
 */
#ifndef ASCPROF_ACL_PROF_OPTIONAL_H
#define ASCPROF_ACL_PROF_OPTIONAL_H

#include "acl_prof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Life cycle
 *
 * Threads: Safe in any thread at any time. No cancellation point. Not for signal
 * handlers.
 * Source: The public source of CANN's runtime (hicann/runtime).
 */

/**
 * aclprofWarmup - make the next Start quick: what it needs is made now
 * @profilerConfig: as for Start; nothing is recorded yet
 *
 * Return: 0; 100000 NULL, not such an object, or a bad metric; 100042 aclInit or
 * `ascprof record` records; 100043 not initialised; 148047 called already,
 * recording, or a model is subscribed; 200007 unknown bits in dataTypeConfig;
 * 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofWarmup(const aclprofConfig *profilerConfig);

/**
 * DOC: What a stamp may carry
 *
 * Beside its message. It is written with every mark and range made of the
 * stamp, which keep it as it is when they begin, and is empty again when the
 * stamp is created anew.
 *
 * Threads: Safe in any thread at any time; one stamp is for one thread at a time.
 * Source: The public source of CANN's runtime (hicann/runtime); types of
 * payloads, which it does not tell, are those of NVTX.
 */

/**
 * aclprofSetStampCategory - set the category, a number of the program's choice
 * @stamp: from aclprofCreateStamp
 * @category: 0 for none
 *
 * Return: 0; 100000 NULL or unknown stamp; 100043 no session records
 * ACL_PROF_MSPROFTX.
 */
ASCPROF_PUBLIC aclError aclprofSetStampCategory(void *stamp, uint32_t category);

/**
 * aclprofSetCategoryName - name a category, for readers of ascprof.json
 * @category: as for aclprofSetStampCategory
 * @categoryName: 1 to 127 bytes; a second name takes the place of the first
 *
 * Names hold until the process ends; the public parser shows the numbers only.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Return: 0; 100000 NULL or a bad length; 200000 1,024 categories have names, or
 * no memory.
 */
ASCPROF_PUBLIC aclError aclprofSetCategoryName(uint32_t category, const char *categoryName);

/* Type of what aclprofSetStampPayload is given: */
#define ASCPROF_PAYLOAD_NONE 0 /* no payload any more */
#define ASCPROF_PAYLOAD_UINT64 1 /* a uint64_t, below 2^63 */
#define ASCPROF_PAYLOAD_INT64 2 /* an int64_t, not negative */
#define ASCPROF_PAYLOAD_DOUBLE 3 /* a double, not negative */
#define ASCPROF_PAYLOAD_UINT32 4 /* a uint32_t */
#define ASCPROF_PAYLOAD_INT32 5 /* an int32_t */
#define ASCPROF_PAYLOAD_FLOAT 6 /* a float */

/**
 * aclprofSetStampPayload - set a value to be recorded
 * @stamp: from aclprofCreateStamp
 * @type: one of those below; tells how many bytes are read, 8 or 4, or none
 * @value: where they are, at any alignment, and never NULL; copied. Rows hold
 *	the bits, those of 4 bytes without a sign. 8 bytes must be below 2^63, so
 *	no negative number: readers refuse whole directories for one such value
 *
 * Example:
 *	uint64_t bytes = 4096;
 *	aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT64, &bytes);
 *	aclprofMark(stamp);
 *
 * Return: 0; 100000 NULL, unknown stamp, type or value; 100043 no session records
 * ACL_PROF_MSPROFTX.
 */
ASCPROF_PUBLIC aclError aclprofSetStampPayload(void *stamp, const int32_t type, void *value);

/**
 * aclprofSetStampTagName, aclprofSetStampCallStack - refused: records have no place for it
 * @stamp: from aclprofCreateStamp
 * @tagName: not looked at
 * @callStack: not looked at
 * @len: not looked at
 *
 * Return: never 0; 100000 NULL or unknown stamp; 100043 no session records
 * ACL_PROF_MSPROFTX; 200006 otherwise.
 */
ASCPROF_PUBLIC aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len);
ASCPROF_PUBLIC aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len);

/**
 * DOC: What frameworks ask for
 *
 * Threads: Safe in any thread at any time.
 * Source: The public source of CANN's runtime (hicann/runtime).
 */

/* Laid out as in the public source: two C++ objects with tables of functions. */
typedef struct ascprofFeature {
	void *reserved;
	char name[64];
	void *reservedOfInfo;
	char compatibility[16]; /* "0": compatible */
	char version[16];
	char component[16]; /* that is affected, or "all" */
	char componentVersion[16];
	char log[128];
} ascprofFeature;

/**
 * aclprofGetSupportedFeatures, aclprofGetSupportedFeaturesV2 - what frameworks may ask of the profiler
 * @featuresSize: out: number of features
 * @featuresData: in: the address of a NULL; out: that many
 *	ascprofFeature, valid for the life of the process
 *
 * The features that the public library names are collected from a device by
 * means that this one has not; there are none for now. The second function is
 * the same for newer frameworks.
 *
 * Return: 0; 100000 an argument is NULL, or *featuresData is not.
 */
ASCPROF_PUBLIC int32_t aclprofGetSupportedFeatures(size_t *featuresSize, void **featuresData);
ASCPROF_PUBLIC int32_t aclprofGetSupportedFeaturesV2(size_t *featuresSize, void **featuresData);

/**
 * aclprofRegisterDeviceCallback - refused: devices are those of aclprofCreateConfig
 *
 * Nothing here is told which devices a program begins to use. Arguments are not
 * looked at.
 *
 * Return: never 0; 200006 always.
 */
ASCPROF_PUBLIC int aclprofRegisterDeviceCallback(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_OPTIONAL_H */
