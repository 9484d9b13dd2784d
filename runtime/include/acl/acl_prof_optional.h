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

/*
 * What a stamp may carry beside its message. It is written with every mark and
 * range made of the stamp, which keep it as it is when they begin, and is empty
 * again when the stamp is created anew.
 */

/**
 * aclprofSetStampCategory - set the category, a number of the program's choice
 * @stamp: from aclprofCreateStamp
 * @category: 0 for none
 *
 * Return: 0; 100043 no session records msproftx; 100000 NULL or unknown stamp.
 */
ASCPROF_PUBLIC aclError aclprofSetStampCategory(void *stamp, uint32_t category);

/**
 * aclprofSetCategoryName - name a category, for readers of ascprof.json
 * @category: as above
 * @categoryName: 1 to 127 bytes; a second name takes the place of the first
 *
 * Names hold until the process ends; the public parser shows the numbers only.
 *
 * Return: 0; 100000 NULL or a bad length; 200000 1,024 categories have names.
 */
ASCPROF_PUBLIC aclError aclprofSetCategoryName(uint32_t category, const char *categoryName);

/* Types of a payload. The public source does not tell them; these are those of NVTX. */
#define ASCPROF_PAYLOAD_NONE 0
#define ASCPROF_PAYLOAD_UINT64 1
#define ASCPROF_PAYLOAD_INT64 2
#define ASCPROF_PAYLOAD_DOUBLE 3
#define ASCPROF_PAYLOAD_UINT32 4
#define ASCPROF_PAYLOAD_INT32 5
#define ASCPROF_PAYLOAD_FLOAT 6

/**
 * aclprofSetStampPayload - set a value to be recorded
 * @stamp: from aclprofCreateStamp
 * @type: ASCPROF_PAYLOAD_*: tells how many bytes are read, 8 or 4; with _NONE
 *	none are, and there is no payload any more
 * @value: where they are, at any alignment; copied. Rows hold the bits, those
 *	of 4 bytes without a sign. 8 bytes must be below 2^63, so no negative
 *	number: readers refuse whole directories for one such value
 *
 * Return: 0; 100043 no session records msproftx; 100000 NULL, unknown stamp,
 * type or value.
 */
ASCPROF_PUBLIC aclError aclprofSetStampPayload(void *stamp, const int32_t type, void *value);

/**
 * aclprofSetStampTagName - refused: records have no place for it
 *
 * Return: 200006; 100043 no session records msproftx; 100000 NULL or unknown stamp.
 */
ASCPROF_PUBLIC aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len);

/** aclprofSetStampCallStack - as aclprofSetStampTagName, for the same reason. */
ASCPROF_PUBLIC aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len);

/* Layout of what the next two functions give; that of the public source: two C++ objects with tables of functions. */
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
 * aclprofGetSupportedFeatures - what frameworks may ask of the profiler
 * @featuresSize: out: number of features
 * @featuresData: in: the address of a NULL; out: that many ascprofFeature, valid
 *	for the life of the process
 *
 * The features that the public library names are collected from a device by
 * means that this one has not; there are none for now.
 *
 * Return: 0; 100000 an argument is NULL, or *featuresData is not.
 */
ASCPROF_PUBLIC int32_t aclprofGetSupportedFeatures(size_t *featuresSize, void **featuresData);

/** aclprofGetSupportedFeaturesV2 - the same for newer frameworks. */
ASCPROF_PUBLIC int32_t aclprofGetSupportedFeaturesV2(size_t *featuresSize, void **featuresData);

/**
 * aclprofRegisterDeviceCallback - refused: nothing here is told which devices a
 * program begins to use; those listed by aclprofCreateConfig are recorded
 *
 * Return: 200006.
 */
ASCPROF_PUBLIC int aclprofRegisterDeviceCallback(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_OPTIONAL_H */
