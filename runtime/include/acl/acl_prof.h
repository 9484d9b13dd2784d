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

typedef enum { ACL_STEP_START = 0, ACL_STEP_END = 1 } aclprofStepTag;

typedef enum {
	ACL_SUBSCRIBE_OP = 0,
	ACL_SUBSCRIBE_SUBGRAPH = 1,
	ACL_SUBSCRIBE_OP_THREAD = 2,
	ACL_SUBSCRIBE_NONE = 0xFF
} aclprofSubscribeOpFlag;

typedef enum { ACL_SUBSCRIBE_ATTRI_THREADID = 0, ACL_SUBSCRIBE_ATTRI_NONE = 1 } aclprofSubscribeOpAttri;

typedef enum { ACL_PROF_MESSAGE_TYPE_TENSOR_INFO = 0 } aclprofMessageType;

#define ACL_PROF_MAX_OP_NAME_LEN 257
#define ACL_PROF_MAX_OP_TYPE_LEN 65

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

#ifndef ACL_PROF_TENSOR_DATA_SHAPE_LEN
#define ACL_PROF_TENSOR_DATA_SHAPE_LEN 8
#endif

/* Define ACL_PROF_TENSOR_INFO_DEFINED to use your own definitions of the same layout. */
#ifndef ACL_PROF_TENSOR_INFO_DEFINED
#define ACL_PROF_TENSOR_INFO_DEFINED
#define ACL_PROF_EVENT_ATTR_VERSION 1

typedef struct aclprofTensor {
	uint32_t type; /* 0 input, 1 output */
	uint32_t format; /* aclFormat */
	uint32_t dataType; /* aclDataType */
	uint32_t shapeDim; /* entries of shape in use, at most 8 */
	uint32_t shape[ACL_PROF_TENSOR_DATA_SHAPE_LEN];
} aclprofTensor;

typedef struct aclprofTensorInfo {
	uint64_t opNameId; /* from aclprofStr2Id, as is opTypeId */
	uint64_t opTypeId;
	uint32_t resv;
	uint32_t tensorNum; /* entries of tensors */
	uint32_t kernelType;
	uint32_t blockNums;
	void *stream;
	aclprofTensor *tensors;
} aclprofTensorInfo;

typedef struct aclprofEventAttributes {
	uint16_t version; /* ACL_PROF_EVENT_ATTR_VERSION */
	uint16_t size; /* of this structure */
	uint32_t messageType; /* ACL_PROF_MESSAGE_TYPE_TENSOR_INFO */
	union Message {
		aclprofTensorInfo *tensorInfo;
	} message;
} aclprofEventAttributes;
#endif /* ACL_PROF_TENSOR_INFO_DEFINED */

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

/**
 * aclprofMarkEx - record an instant on the host and in a stream of a device
 * @msg: text of 1 to 155 bytes
 * @msgLen: strlen(msg)
 * @stream: where the device shall take its time stamp; not NULL
 *
 * Not for signal handlers: the device runtime is called, as it is by all
 * functions below that name it.
 *
 * Return: 0; 100043 no session records msproftx; 100000 an argument; 200006 no
 * device runtime (libruntime.so) is in this process, and nothing was recorded;
 * 500005 the runtime refused, and nothing was recorded, or the record found no
 * room and was counted; 200000 as aclprofMark.
 */
ASCPROF_PUBLIC aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/**
 * aclprofStr2Id - the id that stands for a text in records
 * @message: any text that ends with a zero. All sessions that run or begin
 *	later in the process write it to their dictionary, as UTF-8, line ends as
 *	blanks, the first 4,000 bytes of it
 *
 * 262,144 texts and 64 MiB of them are kept; of more there are ids, but no line
 * in the dictionaries. Not for signal handlers.
 *
 * Return: the id, equal for equal texts; UINT64_MAX for NULL and "".
 */
ASCPROF_PUBLIC uint64_t aclprofStr2Id(const char *message);

/**
 * aclprofRangePushEx - begin the launch of an operator whose tensors are known
 * @attr: messageType as above; at most 1,024 tensors, each with at most 8
 *	dimensions; copied with all it points to. What version and size say is
 *	not looked at
 *
 * Ranges nest per thread, apart from those of aclprofPush.
 *
 * Return: 0; 100043 no session records msproftx; 100000 NULL (in or outside a
 * session) or another argument; 200000 no memory; 200006 no device runtime is
 * in this process, which alone knows the stream.
 */
ASCPROF_PUBLIC aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/**
 * aclprofRangePop - end what this thread began last with aclprofRangePushEx
 *
 * The tensors are recorded, with the middle of the range as their time; those
 * of a stream that is being captured go to the device runtime instead, which
 * keeps them with the task.
 *
 * Return: 0; 100043 nothing was begun, or no session records msproftx; 200006 as
 * above; 500005 the runtime refused, or the record found no room and was
 * counted. The range has ended in any case.
 */
ASCPROF_PUBLIC aclError aclprofRangePop(void);

/**
 * aclprofCreateStepInfo - get an object for the time stamps of one iteration
 *
 * Return: an object for one thread at a time; NULL without memory.
 */
ASCPROF_PUBLIC aclprofStepInfo *aclprofCreateStepInfo(void);

/**
 * aclprofGetStepTimestamp - let a device stamp the begin or end of an iteration
 * @stepInfo: from aclprofCreateStepInfo
 * @tag: ACL_STEP_START or ACL_STEP_END, each once for one stepInfo
 * @stream: where the device shall take its time stamp
 *
 * Return: 0; 100000 an argument, or a tag for the second time; 200006 no device
 * runtime is in this process; 500002 the runtime refused. After a failure the
 * same tag may be tried again.
 */
ASCPROF_PUBLIC aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

/**
 * aclprofDestroyStepInfo - free a step object; NULL and a second time are told, and ignored
 * @stepinfo: from aclprofCreateStepInfo
 */
ASCPROF_PUBLIC void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/*
 * Subscription: the operators of a loaded model, as they are executed, one
 * record each through a pipe. It excludes a session: from the first successful
 * aclprofModelSubscribe to the last aclprofModelUnSubscribe aclprofInit,
 * Start, Stop and Finalize return 148047, and between aclprofInit and
 * aclprofFinalize the two functions do. Whoever executes models tells the
 * library of them: see ascprof/models.h.
 */

/**
 * aclprofCreateSubscribeConfig - describe a subscription
 * @timeInfoSwitch: 1 for the times of operators, 0 for none
 * @aicoreMetrics: AI core counters to collect, or ACL_AICORE_NONE
 * @fd: address of an int, the descriptor to write to, a pipe or what else can
 *	be written; read by aclprofModelSubscribe. Must stay valid until the last
 *	subscription with it ends, which puts -1 there; the descriptor is closed
 *	with the last subscription that writes to it
 *
 * Return: an object; NULL when fd is NULL, timeInfoSwitch not 0 or 1, or
 * without memory.
 */
ASCPROF_PUBLIC aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
								    aclprofAicoreMetrics aicoreMetrics, void *fd);

/**
 * aclprofDestroySubscribeConfig - free it; subscriptions made with it go on
 * @profSubscribeConfig: from aclprofCreateSubscribeConfig
 *
 * Return: 0; 100000 NULL, or not (or no longer) such an object.
 */
ASCPROF_PUBLIC aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * aclprofModelSubscribe - have the operators of a model reported
 * @modelId: of a loaded model
 * @profSubscribeConfig: from aclprofCreateSubscribeConfig
 *
 * Return: 0; 100011 no such model is loaded; 100000 the configuration, or its
 * descriptor is not open for writing; 100010 another model of the device is
 * subscribed with other settings; 100042
 * aclInit configured profiling; 148046 subscribed already; 148047 a session is
 * initialised; 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * aclprofModelUnSubscribe - end a subscription; what was reported is written first
 * @modelId: of a subscribed model, which may be unloaded by now
 *
 * Waits for the reader; gives up 2 seconds after it last took something, and
 * after 30 seconds in any case.
 *
 * Return: 0; 100011 not subscribed; 100042, 148047 as above; 500005 records
 * were lost because the reader was too slow or has gone.
 */
ASCPROF_PUBLIC aclError aclprofModelUnSubscribe(uint32_t modelId);

/*
 * Readers of what came through the pipe: @opInfo and @opInfoLen are a buffer of
 * whole records, @index counts them from 0. All are safe in any thread and at
 * any time; a failure of those without a code is in ascprof_last_error().
 */

/** aclprofGetOpDescSize - bytes of one record. Return: 0; 100000 opDescSize NULL. */
ASCPROF_PUBLIC aclError aclprofGetOpDescSize(size_t *opDescSize);

/** aclprofGetOpNum - records in a buffer. Return: 0; 100000 an argument, a damaged record. */
ASCPROF_PUBLIC aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);

/** aclprofGetOpTypeLen - bytes of the operator's type with its zero. Return: 0; 100000 an argument. */
ASCPROF_PUBLIC aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);

/**
 * aclprofGetOpType - the operator's type
 * @opType: out: text that ends with a zero, cut when @opTypeLen bytes are too
 *	few, but not inside a character
 *
 * A text is there once, in the process that reported it, for the last 65,536
 * operators and up to 16 MiB.
 *
 * Return: 0; 100000 an argument, or a text that was fetched before.
 */
ASCPROF_PUBLIC aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
					 size_t opTypeLen);

/** aclprofGetOpNameLen - bytes of the operator's name with its zero. Return: 0; 100000 an argument. */
ASCPROF_PUBLIC aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);

/** aclprofGetOpName - the operator's name, as aclprofGetOpType. */
ASCPROF_PUBLIC aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
					 size_t opNameLen);

/** aclprofGetOpStart - begin of the execution in ns. Return: 0 for a bad argument. */
ASCPROF_PUBLIC uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);

/** aclprofGetOpEnd - end of the execution in ns. Return: 0 for a bad argument. */
ASCPROF_PUBLIC uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);

/** aclprofGetOpDuration - scheduling and execution in us. Return: 0 for a bad argument. */
ASCPROF_PUBLIC uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);

/** aclprofGetModelId - the model. Return: its id, or 100000 for a bad argument. */
ASCPROF_PUBLIC size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

/** aclprofGetOpFlag - what the record is about. Return: ACL_SUBSCRIBE_NONE for a bad argument. */
ASCPROF_PUBLIC aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * aclprofGetOpAttriValue - an attribute of the record as text
 * @attri: ACL_SUBSCRIBE_ATTRI_THREADID, for records with ACL_SUBSCRIBE_OP_THREAD
 *
 * Return: text, valid until the thread's next call; NULL when there is none.
 */
ASCPROF_PUBLIC const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
						  aclprofSubscribeOpAttri attri);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_H */
