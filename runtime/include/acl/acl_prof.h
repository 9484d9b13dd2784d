/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The aclprof interface: record performance data of a process into a PROF_*
 * directory, and annotate it with marks and ranges (msproftx).
 *
 * Prototypes, constants and behaviour are those of the public documentation
 * ("Profiling AscendCL API", "msproftx extension API"); where that is silent,
 * of the public source hicann/runtime. Every function here is safe to call
 * from any thread at any time. All return an aclError; the reason of a failure
 * is one line, written to the log and kept for ascprof_last_error().
 *
 * Order: Init, SetConfig (any number), CreateConfig, Start, ..., Stop with an
 * equal configuration, Finalize. Start and Stop may be repeated; each Start
 * makes its own directory. Finalize and process exit stop what still runs.
 *
 * A forked child starts with no session and never writes to its parent's.
 */
#ifndef ASCPROF_ACL_PROF_H
#define ASCPROF_ACL_PROF_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASCPROF_PUBLIC __attribute__((visibility("default")))

/* What to record: bits of dataTypeConfig. Any other bit is refused by Start. */
#define ACL_PROF_ACL_API 0x0001ULL
#define ACL_PROF_TASK_TIME 0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU 0x0008ULL
#define ACL_PROF_L2CACHE 0x0010ULL
#define ACL_PROF_HCCL_TRACE 0x0020ULL
#define ACL_PROF_TRAINING_TRACE 0x0040ULL
#define ACL_PROF_MSPROFTX 0x0080ULL
#define ACL_PROF_RUNTIME_API 0x0100ULL
#define ACL_PROF_GE_API_L0 0x0200ULL
#define ACL_PROF_TASK_TIME_L0 0x0800ULL
#define ACL_PROF_TASK_MEMORY 0x1000ULL
#define ACL_PROF_TASK_TIME_L2 0x2000ULL
#define ACL_PROF_OP_ATTR 0x4000ULL
#define ACL_PROF_TASK_TIME_L3 0x8000ULL
#define ACL_PROF_GE_API_L1 0x01000000ULL
#define ACL_PROF_API_STATS 0x400000000ULL
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL

typedef enum {
	ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
	ACL_AICORE_PIPE_UTILIZATION = 1,
	ACL_AICORE_MEMORY_BANDWIDTH = 2,
	ACL_AICORE_L0B_AND_WIDTH = 3,
	ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
	ACL_AICORE_MEMORY_UB = 5,
	ACL_AICORE_L2_CACHE = 6,
	ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
	ACL_AICORE_MEMORY_ACCESS = 8,
	ACL_AICORE_NONE = 0xFF
} aclprofAicoreMetrics;

/* Ordinals, not bits: an OR of two of them is whatever type has that number. */
typedef enum {
	ACL_PROF_ARGS_MIN = 0,
	ACL_PROF_STORAGE_LIMIT = 1,
	ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
	ACL_PROF_LLC_MODE = 4,
	ACL_PROF_SYS_IO_FREQ = 5,
	ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
	ACL_PROF_DVPP_FREQ = 7,
	ACL_PROF_HOST_SYS = 8,
	ACL_PROF_HOST_SYS_USAGE = 9,
	ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
	ACL_PROF_LOW_POWER_FREQ = 11,
	ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
	ACL_PROF_SYS_CPU_FREQ = 13,
	ACL_PROF_OPTYPE = 14,
	ACL_PROF_NTS_METRICS = 15,
	ACL_PROF_PATH = 16,
	ACL_PROF_ARGS_MAX = 17
} aclprofConfigType;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;

/**
 * aclprofInit - name the directory below which results are written
 * @profilerResultPath: 1 to 4095 bytes, absolute or relative to the current
 *	directory; created with mode 0750 when missing. Refused characters:
 *	control characters \b \t \n \v \f \r, DEL, and " ' \ % > < | & $ ; `
 * @length: strlen(profilerResultPath)
 *
 * Return: 0; 100000 path NULL, length wrong; 100003 path refused, not a
 * directory, not writable, cannot be created; 100002 initialised already;
 * 200006 PROFILING_MODE=dynamic is set; 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofInit(const char *profilerResultPath, size_t length);

/**
 * aclprofFinalize - stop what runs, write it out, forget the path
 *
 * Settings made with aclprofSetConfig survive.
 *
 * Return: 0; 100043 not initialised; 500005 the data could not all be written
 * (ascprof_last_error() says why; what is on disk is valid).
 */
ASCPROF_PUBLIC aclError aclprofFinalize(void);

/**
 * aclprofCreateConfig - describe what to record on which devices
 * @deviceIdList: deviceNums different ids, each below the number of devices;
 *	0 to 63 where no device inventory exists. May be NULL when deviceNums is 0
 * @deviceNums: 0 to 64; 0 only together with ACL_PROF_MSPROFTX
 * @aicoreMetrics: checked by Start, and only with ACL_PROF_AICORE_METRICS
 * @aicoreEvents: must be NULL
 * @dataTypeConfig: OR of the ACL_PROF_ bits above; checked by Start
 *
 * Return: an object for Start and Stop, or NULL.
 */
ASCPROF_PUBLIC aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
						  aclprofAicoreMetrics aicoreMetrics,
						  const aclprofAicoreEvents *aicoreEvents,
						  uint64_t dataTypeConfig);

/**
 * aclprofDestroyConfig - free a configuration object
 * @profilerConfig: from aclprofCreateConfig; may be in use by a running Start,
 *	which keeps a copy
 *
 * Return: 0; 100000 NULL, or not (or no longer) such an object.
 */
ASCPROF_PUBLIC aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/**
 * aclprofSetConfig - set one option for the next Start
 * @configType: one aclprofConfigType
 * @config: text, at most 256 bytes:
 *	ACL_PROF_STORAGE_LIMIT "<n>MB", 200 to 4294967296, or "" for none;
 *	ACL_PROF_SYS_HARDWARE_MEM_FREQ, _SYS_IO_FREQ, _DVPP_FREQ, _LOW_POWER_FREQ:
 *	Hz, "1" to "100"; _SYS_INTERCONNECTION_FREQ, _SYS_CPU_FREQ,
 *	_HOST_SYS_USAGE_FREQ: "1" to "50";
 *	ACL_PROF_LLC_MODE: "read" (default) or "write";
 *	ACL_PROF_HOST_SYS: list of cpu, mem, disk, network, osrt, numa, adds up;
 *	ACL_PROF_HOST_SYS_USAGE: list of cpu, mem, adds up;
 *	ACL_PROF_SYS_MEM_SERVICEFLOW, ACL_PROF_OPTYPE: names, separated by commas;
 *	ACL_PROF_NTS_METRICS: "PipeUtilization", or "Custom:" and 1 to 10 events;
 *	ACL_PROF_PATH: a path as for aclprofInit, for the next Start.
 *	What has no collector here is accepted, and named in the result
 * @configLength: strlen(config)
 *
 * Return: 0; 100000 type or length wrong, config NULL; 100001 not initialised;
 * 100010 value refused (the option keeps its former value); 100003 a path that
 * cannot be used.
 */
ASCPROF_PUBLIC aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/**
 * aclprofWarmup - make the next Start quick: what it needs is made now
 * @profilerConfig: as for Start; nothing is recorded yet
 *
 * Exported by the public library, and found by name by frameworks; its public
 * header does not declare it.
 *
 * Return: 0; 100000 NULL or not such an object, bad metric; 200007 unknown
 * bits; 100043 not initialised; 100042 aclInit configured profiling; 148047
 * called already, or recording; 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofWarmup(const aclprofConfig *profilerConfig);

/**
 * aclprofStart - begin recording, into a new PROF_* directory
 * @profilerConfig: from aclprofCreateConfig; its contents are copied
 *
 * Return: 0; 100000 NULL or not such an object, bad metric; 200007 unknown
 * bits; 100043 not initialised; 100010 another dataTypeConfig is running;
 * 100042 a listed device is running already; 100003 the directory cannot be
 * made; 500005 no memory, thread, or less than 20 MB free.
 */
ASCPROF_PUBLIC aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * aclprofStop - end recording of the listed devices; all data is on disk after
 * @profilerConfig: the one given to Start, or an equal one
 *
 * Return: 0; 100000 NULL or not such an object; 200007 unknown bits; 100043
 * not initialised or none of the listed devices is running; 100010 they run
 * with another dataTypeConfig, and go on; 500005 not all could be written.
 */
ASCPROF_PUBLIC aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * aclprofCreateStamp - get a stamp, the object that carries an annotation
 *
 * Return: a stamp, or NULL when no session records ACL_PROF_MSPROFTX. There is
 * no limit on their number. One stamp is for one thread at a time.
 */
ASCPROF_PUBLIC void *aclprofCreateStamp(void);

/**
 * aclprofDestroyStamp - give a stamp back; NULL and a second time are ignored
 * @stamp: from aclprofCreateStamp. Open ranges keep what they need of it.
 */
ASCPROF_PUBLIC void aclprofDestroyStamp(void *stamp);

/**
 * aclprofSetStampTraceMessage - set the text of a stamp
 * @stamp: from aclprofCreateStamp
 * @msg: text; ends at @msgLen bytes or an earlier zero. Never cut inside a
 *	UTF-8 character; bytes that are not UTF-8 are written as U+FFFD
 * @msgLen: 0 to 127 bytes
 *
 * Return: 0; 100043 no session records msproftx; 100000 NULL, unknown stamp,
 * msgLen above 127 (the text is then left as it was).
 */
ASCPROF_PUBLIC aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/**
 * aclprofMark - record an instant
 * @stamp: from aclprofCreateStamp; can be marked many times
 *
 * Return: 0; 100043 no session records msproftx; 100000 NULL (in or outside a
 * session) or unknown stamp; 500005 the record found no room and was counted as
 * dropped; 200000 no memory for the thread's ring, counted likewise.
 */
ASCPROF_PUBLIC aclError aclprofMark(void *stamp);

/**
 * aclprofPush - begin a range that the same thread ends with aclprofPop
 * @stamp: from aclprofCreateStamp; its message as of now is kept
 *
 * Return: as aclprofMark; 200000 also: no memory for another level.
 */
ASCPROF_PUBLIC aclError aclprofPush(void *stamp);

/**
 * aclprofPop - end the range pushed last by this thread
 *
 * Return: 0; 100043 nothing pushed, or no session records msproftx; 500005 the
 * record found no room and was counted as dropped.
 */
ASCPROF_PUBLIC aclError aclprofPop(void);

/**
 * aclprofRangeStart - begin a range that any thread can end
 * @stamp: from aclprofCreateStamp; its message as of now is kept
 * @rangeId: out: unique in the process, never 0
 *
 * Return: as aclprofMark; 200000 no memory.
 */
ASCPROF_PUBLIC aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);

/**
 * aclprofRangeStop - end a range, from any thread
 * @rangeId: from aclprofRangeStart
 *
 * Return: 0; 100043 ended already, or no session records msproftx; 100000 no
 * such id; 500005 the record found no room and was counted as dropped.
 */
ASCPROF_PUBLIC aclError aclprofRangeStop(uint32_t rangeId);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_H */
