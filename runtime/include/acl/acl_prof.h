/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The aclprof interface: record performance data of a process into a PROF_*
 * directory, and annotate it with marks and ranges (msproftx).
 *
 * Prototypes and constants are those of the public documentation ("Profiling
 * AscendCL API", "msproftx extension API"); what functions do is told below,
 * and where that comes from. Manual pages and docs/api-c.md are made of these
 * comments (scripts/reference).
 */
#ifndef ASCPROF_ACL_PROF_H
#define ASCPROF_ACL_PROF_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASCPROF_PUBLIC __attribute__((visibility("default")))

/*
 * dataTypeConfig of aclprofCreateConfig: what to record. What an NPU alone can
 * tell needs the vendor's driver; calls, tasks and operators are in the result
 * as far as runtimes and frameworks report them (ascprof/report.h).
 */
#define ACL_PROF_ACL_API 0x0001ULL /* calls of AscendCL */
#define ACL_PROF_TASK_TIME 0x0002ULL /* begin and end of tasks, with details; adds ACL_PROF_TASK_TIME_L0 */
#define ACL_PROF_AICORE_METRICS 0x0004ULL /* counters of the AI cores, those that aicoreMetrics names */
#define ACL_PROF_AICPU 0x0008ULL /* begin and end of tasks of the AI CPUs */
#define ACL_PROF_L2CACHE 0x0010ULL /* counters of the L2 cache */
#define ACL_PROF_HCCL_TRACE 0x0020ULL /* collective communication */
#define ACL_PROF_TRAINING_TRACE 0x0040ULL /* iterations */
#define ACL_PROF_MSPROFTX 0x0080ULL /* annotations; the one bit that needs no device */
#define ACL_PROF_RUNTIME_API 0x0100ULL /* calls of the device runtime */
#define ACL_PROF_GE_API_L0 0x0200ULL /* the graph engine: its main phases */
#define ACL_PROF_TASK_TIME_L0 0x0800ULL /* begin and end of tasks, at the least cost; adds ACL_PROF_TRAINING_TRACE */
#define ACL_PROF_TASK_MEMORY 0x1000ULL /* memory of operators */
#define ACL_PROF_TASK_TIME_L2 0x2000ULL /* more of tasks; adds ACL_PROF_TASK_TIME */
#define ACL_PROF_OP_ATTR 0x4000ULL /* attributes of operators; adds ACL_PROF_TASK_TIME */
#define ACL_PROF_TASK_TIME_L3 0x8000ULL /* still more of tasks; adds ACL_PROF_TASK_TIME_L2 */
#define ACL_PROF_GE_API_L1 0x01000000ULL /* the graph engine: finer phases */
#define ACL_PROF_API_STATS 0x400000000ULL /* statistics of calls; takes the place of all others but ACL_PROF_ACL_API */
#define ACL_PROF_AICORE_SHAPE 0x800000000ULL /* shapes of operators */

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
 * DOC: Life cycle
 *
 * aclprofInit, any number of aclprofSetConfig, aclprofCreateConfig,
 * aclprofStart, ..., aclprofStop with an equal configuration,
 * aclprofDestroyConfig, aclprofFinalize. Start and Stop may be repeated; each
 * Start makes a directory of its own. Finalize and the end of the process stop
 * what still runs. A forked child begins without a session and never writes to
 * its parent's.
 *
 * Functions return an aclError. The reason of a failure is one line, written to
 * the log and kept for ascprof_last_error(); what was there is left as it was.
 *
 * Threads: Safe in any thread at any time. No cancellation point. Not for signal
 * handlers, and not for callbacks of MsprofRegisterCallback().
 * Source: The public documentation, "Profiling AscendCL API"; where that is
 * silent, the public source of CANN's runtime (hicann/runtime). With
 * ASCPROF_COMPAT=head, that source of the newest release.
 */

/**
 * aclprofInit - name the directory below which results are written
 * @profilerResultPath: 1 to 4095 bytes, absolute or relative to the current
 *	directory; created with mode 0750 when missing. Refused characters:
 *	control characters \b \t \n \v \f \r, DEL, and " ' \ % > < | & $ ; `
 * @length: strlen(profilerResultPath)
 *
 * Return: 0; 100000 the path is NULL, or the length wrong; 100002 initialised
 * already; 100003 the path is refused, is no directory, cannot be written to or
 * made; 100042 aclInit or `ascprof record` records already; 148047 a model is
 * subscribed; 200006 PROFILING_MODE=dynamic is set; 500005 no memory or thread.
 */
ASCPROF_PUBLIC aclError aclprofInit(const char *profilerResultPath, size_t length);

/**
 * aclprofFinalize - stop what runs, write it out, forget the path
 *
 * What was set with aclprofSetConfig survives.
 *
 * Return: 0; 100042 aclInit or `ascprof record` records; 100043 not initialised;
 * 148047 a model is subscribed; 500005 the data could not all be written, and
 * what is on disk is valid, or some was dropped and ASCPROF_ON_LOSS=fail is set.
 */
ASCPROF_PUBLIC aclError aclprofFinalize(void);

/**
 * aclprofStart - begin recording, into a new PROF_* directory
 * @profilerConfig: from aclprofCreateConfig; its contents are copied
 *
 * A second Start with the same dataTypeConfig and other devices makes a second
 * directory for those; annotations stay with the first.
 *
 * Example:
 *	aclprofInit("result", strlen("result"));
 *	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
 *						    NULL, ACL_PROF_MSPROFTX);
 *	if (aclprofStart(config))
 *		fprintf(stderr, "not recorded: %s\n", ascprof_last_error());
 *	work();
 *	aclprofStop(config);
 *	aclprofDestroyConfig(config);
 *	aclprofFinalize();
 *
 * Return: 0; 100000 NULL, not such an object, or a bad metric; 100003 the
 * directory cannot be made; 100010 another dataTypeConfig is running; 100042 a
 * listed device is running already, or aclInit or `ascprof record` records;
 * 100043 not initialised; 148047 a model is subscribed; 200007 unknown bits in
 * dataTypeConfig; 500005 no memory, no thread, or less than 20 MB free.
 */
ASCPROF_PUBLIC aclError aclprofStart(const aclprofConfig *profilerConfig);

/**
 * aclprofStop - end recording of the listed devices
 * @profilerConfig: the one given to aclprofStart, or an equal one
 *
 * Everything is on disk when it returns. Ranges that are still open make no
 * record; they are counted, and told in one line.
 *
 * Return: 0; 100000 NULL, or not such an object; 100010 they run with another
 * dataTypeConfig, and go on; 100042 aclInit or `ascprof record` records; 100043
 * not initialised, or none of the listed devices is running; 148047 a model is
 * subscribed; 200007 unknown bits; 500005 not all could be written, or some was
 * dropped and ASCPROF_ON_LOSS=fail is set.
 */
ASCPROF_PUBLIC aclError aclprofStop(const aclprofConfig *profilerConfig);

/**
 * DOC: Configuration
 *
 * An object says which devices and what to record; options that have values are
 * set apart from it, and hold for every later Start.
 *
 * Threads: Safe in any thread at any time. No cancellation point. Not for signal
 * handlers.
 * Source: The public documentation, "Profiling AscendCL API"; where that is
 * silent, the public source of CANN's runtime (hicann/runtime).
 */

/**
 * aclprofCreateConfig - describe what to record on which devices
 * @deviceIdList: deviceNums different ids, each below the number of devices;
 *	0 to 63 where no device inventory exists. May be NULL when deviceNums is 0
 * @deviceNums: 0 to 64; 0 only together with ACL_PROF_MSPROFTX
 * @aicoreMetrics: checked by aclprofStart, and only with ACL_PROF_AICORE_METRICS
 * @aicoreEvents: must be NULL
 * @dataTypeConfig: OR of the bits below; other bits are refused by aclprofStart
 *
 * Example:
 *	uint32_t devices[] = { 0, 1 };
 *	aclprofConfig *config = aclprofCreateConfig(devices, 2,
 *			ACL_AICORE_PIPE_UTILIZATION, NULL,
 *			ACL_PROF_MSPROFTX | ACL_PROF_AICORE_METRICS);
 *
 * Return: an object for Start and Stop; NULL for a bad argument or without
 * memory.
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
 * @configType: one aclprofConfigType; they are ordinals, no bits
 * @config: text, at most 256 bytes
 * @configLength: strlen(config)
 *
 * What config may be, by configType:
 *	- ACL_PROF_STORAGE_LIMIT: "200MB" to "4294967296MB", of one result
 *	  directory, the oldest slices go first; "" for none
 *	- ACL_PROF_SYS_HARDWARE_MEM_FREQ: "1" to "100" Hz: memory, caches, SoC
 *	  bandwidth; not recorded without
 *	- ACL_PROF_LLC_MODE: "read" (default) or "write": which LLC events
 *	- ACL_PROF_SYS_IO_FREQ: "1" to "100" Hz: network cards of the NPU
 *	- ACL_PROF_SYS_INTERCONNECTION_FREQ: "1" to "50" Hz: PCIe, links between devices
 *	- ACL_PROF_DVPP_FREQ: "1" to "100" Hz: media engines
 *	- ACL_PROF_LOW_POWER_FREQ: "1" to "100" Hz: frequency of the cores
 *	- ACL_PROF_HOST_SYS: list of cpu, mem, disk, network, osrt, numa, of this
 *	  process; adds up
 *	- ACL_PROF_HOST_SYS_USAGE: list of cpu, mem, of the machine; adds up
 *	- ACL_PROF_HOST_SYS_USAGE_FREQ: "1" to "50" Hz; 50 if not set
 *	- ACL_PROF_SYS_CPU_FREQ: "1" to "50" Hz
 *	- ACL_PROF_SYS_MEM_SERVICEFLOW: names, separated by commas
 *	- ACL_PROF_OPTYPE: types of operators, separated by single commas
 *	- ACL_PROF_NTS_METRICS: "PipeUtilization", or "Custom:" and 1 to 10 events of
 *	  0 to 65535, separated by commas
 *	- ACL_PROF_PATH: a path as for aclprofInit, in its place for the next Start
 *
 * What nothing here can collect is accepted, and named in the result.
 *
 * Example:
 *	aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50", 2);
 *	aclprofSetConfig(ACL_PROF_LLC_MODE, "write", 5);
 *	aclprofSetConfig(ACL_PROF_HOST_SYS, "cpu,mem", 7);
 *
 * Return: 0; 100000 type or length wrong, config NULL, or a value of
 * ACL_PROF_NTS_METRICS refused; 100001 not initialised; 100003 a path that cannot
 * be used; 100010 a value refused. The option keeps its former value then.
 */
ASCPROF_PUBLIC aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/**
 * DOC: Annotations
 *
 * A stamp carries an annotation: create it, give it a message, and mark, push
 * or start ranges with it as often as you like. Outside of a session these
 * functions cost a load and a branch, so leave them in. Return values tell errors
 * only: pop what was pushed, whatever aclprofPush returned.
 *
 * A full ring (32 MiB for each thread) drops the record, and counts it;
 * with ASCPROF_ON_FULL=wait the call waits for room instead. The accounts of the
 * directory are exact: produced = written + dropped.
 *
 * Threads: Safe in any thread at any time; one stamp is for one thread at a time.
 * No cancellation point. In a signal handler that interrupts an annotation of
 * its own thread a call is refused with 500005, and a mark counted as dropped.
 * Source: The public documentation, "msproftx extension API"; where that is
 * silent, the public source of CANN's runtime (hicann/runtime).
 */

/**
 * aclprofCreateStamp - get a stamp, the object that carries an annotation
 *
 * There is no limit on their number.
 *
 * Return: a stamp; NULL when no session records ACL_PROF_MSPROFTX, or without
 * memory.
 */
ASCPROF_PUBLIC void *aclprofCreateStamp(void);

/**
 * aclprofDestroyStamp - give a stamp back
 * @stamp: from aclprofCreateStamp; NULL and one that was destroyed are ignored.
 *	Open ranges keep what they need of it
 */
ASCPROF_PUBLIC void aclprofDestroyStamp(void *stamp);

/**
 * aclprofSetStampTraceMessage - set the text of a stamp
 * @stamp: from aclprofCreateStamp
 * @msg: text; ends at msgLen bytes or an earlier zero. Never cut inside a
 *	UTF-8 character; bytes that are not UTF-8 are written as U+FFFD
 * @msgLen: 0 to 127 bytes
 *
 * Return: 0; 100000 NULL, unknown stamp, or msgLen above 127 (the text is then
 * left as it was); 100043 no session records ACL_PROF_MSPROFTX.
 */
ASCPROF_PUBLIC aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);

/**
 * aclprofMark - record an instant
 * @stamp: from aclprofCreateStamp; can be marked many times
 *
 * Example:
 *	void *stamp = aclprofCreateStamp();
 *	aclprofSetStampTraceMessage(stamp, "step 17", 7);
 *	aclprofMark(stamp);
 *	aclprofDestroyStamp(stamp);
 *
 * Return: 0; 100000 NULL (in or outside a session) or unknown stamp; 100043 no
 * session records ACL_PROF_MSPROFTX; 200000 no memory for the thread's ring,
 * counted as dropped; 500005 the record found no room and was counted as dropped.
 */
ASCPROF_PUBLIC aclError aclprofMark(void *stamp);

/**
 * aclprofPush - begin a range that the same thread ends with aclprofPop
 * @stamp: from aclprofCreateStamp; its message as of now is kept
 *
 * Ranges of a thread nest, to a million levels at least.
 *
 * Example:
 *	aclprofSetStampTraceMessage(stamp, "load data", 9);
 *	aclprofPush(stamp);
 *	work();
 *	aclprofPop();
 *
 * Return: 0; 100000 NULL (in or outside a session) or unknown stamp; 100043 no
 * session records ACL_PROF_MSPROFTX; 200000 no memory for the thread's ring, or
 * for another level; 500005 called by a signal handler inside another annotation.
 */
ASCPROF_PUBLIC aclError aclprofPush(void *stamp);

/**
 * aclprofPop - end the range pushed last by this thread
 *
 * Return: 0; 100043 nothing pushed, or no session records ACL_PROF_MSPROFTX;
 * 200000 no memory for the thread's ring; 500005 the record found no room and was
 * counted as dropped, or called by a signal handler inside another annotation.
 */
ASCPROF_PUBLIC aclError aclprofPop(void);

/**
 * aclprofRangeStart - begin a range that any thread can end
 * @stamp: from aclprofCreateStamp; its message as of now is kept
 * @rangeId: out: unique in the process, never 0
 *
 * Example:
 *	uint32_t id;
 *	aclprofSetStampTraceMessage(stamp, "request", 7);
 *	if (!aclprofRangeStart(stamp, &id))
 *		hand_over(id); // another thread calls aclprofRangeStop(id)
 *
 * Return: 0; 100000 NULL (in or outside a session) or unknown stamp; 100043 no
 * session records ACL_PROF_MSPROFTX; 200000 no memory; 500005 called by a signal
 * handler inside another annotation.
 */
ASCPROF_PUBLIC aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);

/**
 * aclprofRangeStop - end a range, from any thread
 * @rangeId: from aclprofRangeStart
 *
 * Return: 0; 100000 no such id; 100043 ended already, or no session records
 * ACL_PROF_MSPROFTX; 200000 no memory for the thread's ring, and the range goes
 * on; 500005 the record found no room and was counted as dropped, or called by a
 * signal handler inside another annotation, and the range goes on.
 */
ASCPROF_PUBLIC aclError aclprofRangeStop(uint32_t rangeId);

/**
 * DOC: Annotations with a device
 *
 * Where the device runtime (libruntime.so) is in the process, a device can take
 * its own time stamp of an event. The runtime is looked for at aclprofStart and,
 * while it is missing, again when it is needed.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers, since the
 * device runtime is called.
 * Source: The public documentation, "Profiling AscendCL API"; where that is
 * silent, the public source of CANN's runtime (hicann/runtime).
 */

/**
 * aclprofMarkEx - record an instant on the host and in a stream of a device
 * @msg: text of 1 to 155 bytes
 * @msgLen: strlen(msg)
 * @stream: where the device shall take its time stamp; not NULL
 *
 * Example:
 *	aclprofMarkEx("copy begins", strlen("copy begins"), stream);
 *
 * Return: 0; 100000 a wrong argument; 100043 no session records ACL_PROF_MSPROFTX;
 * 200000 no memory for the thread's ring, counted as dropped; 200006 no device
 * runtime (libruntime.so) is in this process, and nothing was recorded; 500005
 * the runtime refused, and nothing was recorded, or the record found no room
 * and was counted as dropped.
 */
ASCPROF_PUBLIC aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/**
 * aclprofStr2Id - the id that stands for a text in records
 * @message: any text that ends with a zero. All sessions that run or begin
 *	later in the process write it to their dictionary, as UTF-8, line ends as
 *	blanks, the first 4,000 bytes of it
 *
 * 262,144 texts and 64 MiB of them are kept; of more there are ids, but no line
 * in the dictionaries.
 *
 * Return: the id, equal for equal texts; UINT64_MAX for NULL and "".
 */
ASCPROF_PUBLIC uint64_t aclprofStr2Id(const char *message);

/**
 * aclprofRangePushEx - begin the launch of an operator whose tensors are known
 * @attr: messageType ACL_PROF_MESSAGE_TYPE_TENSOR_INFO; at most 1,024 tensors,
 *	each with at most 8 dimensions; copied with all it points to. What
 *	version and size say is not looked at
 *
 * Ranges nest per thread, apart from those of aclprofPush.
 *
 * Example:
 *	aclprofTensor input = { .dataType = 1, .shapeDim = 2,
 *				.shape = { 128, 64 } };
 *	aclprofTensorInfo info = { .opNameId = aclprofStr2Id("layer1/MatMul"),
 *				   .opTypeId = aclprofStr2Id("MatMul"),
 *				   .tensorNum = 1, .stream = stream,
 *				   .tensors = &input };
 *	aclprofEventAttributes attr = { ACL_PROF_EVENT_ATTR_VERSION, sizeof(attr),
 *					ACL_PROF_MESSAGE_TYPE_TENSOR_INFO, { &info } };
 *	aclprofRangePushEx(&attr);
 *	work(); // launches the operator
 *	aclprofRangePop();
 *
 * Return: 0; 100000 NULL (in or outside a session) or another wrong argument; 100043 no
 * session records ACL_PROF_MSPROFTX; 200000 no memory; 200006 no device runtime
 * is in this process, which alone knows the stream; 500005 called by a signal
 * handler inside another annotation.
 */
ASCPROF_PUBLIC aclError aclprofRangePushEx(aclprofEventAttributes *attr);

/**
 * aclprofRangePop - end what this thread began last with aclprofRangePushEx
 *
 * The tensors are recorded, with the middle of the range as their time; those
 * of a stream that is being captured go to the device runtime instead, which
 * keeps them with the task.
 *
 * Return: 0; 100043 nothing was begun, or no session records ACL_PROF_MSPROFTX;
 * 200000 no memory for the thread's ring; 200006 no device runtime is in this
 * process; 500005 the runtime refused, or the record found no room and was
 * counted as dropped. What was begun has ended in any case but 200000.
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
 * Example:
 *	aclprofStepInfo *step = aclprofCreateStepInfo();
 *	aclprofGetStepTimestamp(step, ACL_STEP_START, stream);
 *	work();
 *	aclprofGetStepTimestamp(step, ACL_STEP_END, stream);
 *	aclprofDestroyStepInfo(step);
 *
 * Return: 0; 100000 a wrong argument, or a tag for the second time; 200006 no device
 * runtime is in this process; 500002 the runtime refused. After a failure the
 * same tag may be tried again.
 */
ASCPROF_PUBLIC aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

/**
 * aclprofDestroyStepInfo - free a step object
 * @stepinfo: from aclprofCreateStepInfo; NULL and one that was destroyed are
 *	told in the log, and ignored
 */
ASCPROF_PUBLIC void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

/**
 * DOC: Subscription
 *
 * The operators of a loaded model, as they are executed, one record each through
 * a pipe. It excludes a session: from the first successful aclprofModelSubscribe
 * to the last aclprofModelUnSubscribe aclprofInit, aclprofStart, aclprofStop and
 * aclprofFinalize return 148047, and between aclprofInit and aclprofFinalize the
 * two functions do. Whoever executes models tells the library of them with
 * MsprofSetDeviceIdByGeModelIdx and ascprof_report_op.
 *
 * Functions that read records take a buffer of whole records, and count them
 * from 0. Why one of them failed, those without a code too, is in
 * ascprof_last_error().
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Source: The public documentation, "Profiling AscendCL API", model
 * subscription; where that is silent, the public source of CANN's runtime
 * (hicann/runtime).
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
 * aclprofDestroySubscribeConfig - free a description; subscriptions made with it go on
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
 * Example:
 *	int fds[2];
 *	if (pipe(fds))
 *		return;
 *	aclprofSubscribeConfig *config =
 *		aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &fds[1]);
 *	aclprofModelSubscribe(model, config); // another thread reads fds[0]
 *	work();
 *	aclprofModelUnSubscribe(model); // closes fds[1], and puts -1 there
 *	aclprofDestroySubscribeConfig(config);
 *
 * Return: 0; 100000 the configuration, or its descriptor is not open for
 * writing; 100010 another model of the device is subscribed with other settings;
 * 100011 no such model is loaded; 100042 aclInit or `ascprof record` records;
 * 148046 subscribed already; 148047 a session is initialised; 500005 no memory
 * or thread.
 */
ASCPROF_PUBLIC aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);

/**
 * aclprofModelUnSubscribe - end a subscription
 * @modelId: of a subscribed model, which may be unloaded by now
 *
 * What was reported is written first. That waits for the reader; it gives up
 * 2 seconds after the reader last took something, and after 30 seconds in any
 * case.
 *
 * Return: 0; 100011 not subscribed; 100042 aclInit or `ascprof record` records;
 * 148047 a session is initialised; 500005 records were lost because the reader
 * was too slow or has gone.
 */
ASCPROF_PUBLIC aclError aclprofModelUnSubscribe(uint32_t modelId);

/**
 * aclprofGetOpDescSize - bytes of one record
 * @opDescSize: out: bytes
 *
 * Return: 0; 100000 opDescSize is NULL.
 */
ASCPROF_PUBLIC aclError aclprofGetOpDescSize(size_t *opDescSize);

/**
 * aclprofGetOpNum - records in a buffer
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes, a multiple of what aclprofGetOpDescSize tells
 * @opNumber: out: records
 *
 * Return: 0; 100000 an argument is NULL, opInfoLen is no such multiple, or a
 * record is damaged.
 */
ASCPROF_PUBLIC aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);

/**
 * aclprofGetOpTypeLen, aclprofGetOpNameLen - length of an operator's texts
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 * @opTypeLen: out: bytes of the type, with the zero at its end
 * @opNameLen: out: the same of the name
 *
 * Return: 0; 100000 a wrong argument, a damaged record, or a text that was fetched
 * before.
 */
ASCPROF_PUBLIC aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
ASCPROF_PUBLIC aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);

/**
 * aclprofGetOpType, aclprofGetOpName - type and name of an operator
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 * @opType: out: text that ends with a zero, cut when the buffer is too small,
 *	but not inside a character
 * @opTypeLen: bytes of that buffer, at least 1
 * @opName: out: likewise
 * @opNameLen: bytes of that buffer, at least 1
 *
 * A text is there once, in the process that reported it, for the last 65,536
 * operators and up to 16 MiB.
 *
 * Example:
 *	char name[256];
 *	uint32_t n = 0;
 *	aclprofGetOpNum(records, bytes, &n);
 *	for (uint32_t i = 0; i < n; i++)
 *		if (!aclprofGetOpName(records, bytes, i, name, sizeof(name)))
 *			puts(name);
 *
 * Return: 0; 100000 a wrong argument, a damaged record, or a text that was fetched
 * before.
 */
ASCPROF_PUBLIC aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
					 size_t opTypeLen);
ASCPROF_PUBLIC aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
					 size_t opNameLen);

/**
 * aclprofGetOpStart, aclprofGetOpEnd, aclprofGetOpDuration - times of an operator
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 *
 * Return: begin and end of the execution in ns, and the duration of scheduling
 * and execution in us, as whoever executed the model reported them; 0 for a bad
 * argument or a damaged record, and without timeInfoSwitch.
 */
ASCPROF_PUBLIC uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);
ASCPROF_PUBLIC uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);
ASCPROF_PUBLIC uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * aclprofGetModelId - the model that an operator belongs to
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 *
 * Return: its id; 100000 for a bad argument or a damaged record.
 */
ASCPROF_PUBLIC size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * aclprofGetOpFlag - what a record is about
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 *
 * Return: an operator, a subgraph, or a thread of an operator;
 * ACL_SUBSCRIBE_NONE for a bad argument or a damaged record.
 */
ASCPROF_PUBLIC aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index);

/**
 * aclprofGetOpAttriValue - an attribute of a record as text
 * @opInfo: what came through the pipe, at any alignment
 * @opInfoLen: its bytes
 * @index: of the record, from 0
 * @attri: ACL_SUBSCRIBE_ATTRI_THREADID, for records with ACL_SUBSCRIBE_OP_THREAD
 *
 * Return: decimal text, valid until the thread's next call of this function;
 * NULL for other attributes and records, a bad argument or a damaged record.
 */
ASCPROF_PUBLIC const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
						  aclprofSubscribeOpAttri attri);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ACL_PROF_H */
