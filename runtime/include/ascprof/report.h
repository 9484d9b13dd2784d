/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For runtimes and frameworks: what they report of their own work. The public
 * runtime's headers (aprof_pub.h, prof_api.h) may be used in place of this one.
 */
#ifndef ASCPROF_REPORT_H
#define ASCPROF_REPORT_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ASCPROF_PUBLIC
#define ASCPROF_PUBLIC __attribute__((visibility("default")))
#endif

/* With the public runtime's header before this one, that one's definitions hold. */
#ifndef APROF_PUB_H

#define MSPROF_REPORT_DATA_MAGIC_NUM 0x5A5AU
#define MSPROF_EVENT_FLAG 0xFFFFFFFFFFFFFFFFULL
#define MSPROF_COMPACT_INFO_DATA_LENGTH 40
#define MSPROF_ADDTIONAL_INFO_DATA_LENGTH (232)
#define MSPROF_MAX_DEV_NUM 64
#define PATH_LEN_MAX 1023
#define PARAM_LEN_MAX 4095

/* level of MsprofReportApi, MsprofRegTypeInfo and others: who reports */
#define MSPROF_REPORT_PYTORCH_LEVEL 30000U /* PyTorch */
#define MSPROF_REPORT_PTA_LEVEL 25000U /* its adapter */
#define MSPROF_REPORT_TX_LEVEL 20500U /* annotations: refused here */
#define MSPROF_REPORT_ACL_LEVEL 20000U /* AscendCL */
#define MSPROF_REPORT_MODEL_LEVEL 15000U /* models */
#define MSPROF_REPORT_NODE_LEVEL 10000U /* their operators */
#define MSPROF_REPORT_AICPU_LEVEL 6000U /* AI CPUs */
#define MSPROF_REPORT_HCCL_NODE_LEVEL 5500U /* collective communication */
#define MSPROF_REPORT_RUNTIME_LEVEL 5000U /* the device runtime */

enum MsprofErrorCode {
	MSPROF_ERROR_NONE = 0,
	MSPROF_ERROR_MEM_NOT_ENOUGH, /* dropped and counted */
	MSPROF_ERROR_GET_ENV,
	MSPROF_ERROR_CONFIG_INVALID, /* an argument */
	MSPROF_ERROR_ACL_JSON_OFF,
	MSPROF_ERROR,
	MSPROF_ERROR_UNINITIALIZE, /* nothing is recorded */
};

/* A call. Times are of MsprofSysCycleTime. */
struct MsprofApi {
#ifdef __cplusplus
	uint16_t magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM;
#else
	uint16_t magicNumber;
#endif
	uint16_t level; /* MSPROF_REPORT_..._LEVEL, not 0 */
	uint32_t type; /* see MsprofRegTypeInfo */
	uint32_t threadId;
	uint32_t reserve;
	uint64_t beginTime;
	uint64_t endTime;
	uint64_t itemId; /* see MsprofGetHashId */
};

/* A moment, or the begin or end of something: those of one requestId belong together. */
struct MsprofEvent {
#ifdef __cplusplus
	uint16_t magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM;
#else
	uint16_t magicNumber;
#endif
	uint16_t level;
	uint32_t type;
	uint32_t threadId;
	uint32_t requestId;
	uint64_t timeStamp;
#ifdef __cplusplus
	uint64_t eventFlag = MSPROF_EVENT_FLAG;
#else
	uint64_t eventFlag;
#endif
	uint64_t itemId;
};

/* What the forty bytes are, level and type tell. */
struct MsprofCompactInfo {
#ifdef __cplusplus
	uint16_t magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM;
#else
	uint16_t magicNumber;
#endif
	uint16_t level;
	uint32_t type;
	uint32_t threadId;
	uint32_t dataLen;
	uint64_t timeStamp;
	union {
		uint8_t info[MSPROF_COMPACT_INFO_DATA_LENGTH];
	} data;
};

struct MsprofAdditionalInfo {
#ifdef __cplusplus
	uint16_t magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM;
#else
	uint16_t magicNumber;
#endif
	uint16_t level;
	uint32_t type;
	uint32_t threadId;
	uint32_t dataLen;
	uint64_t timeStamp;
	uint8_t data[MSPROF_ADDTIONAL_INFO_DATA_LENGTH];
};

enum MsprofCtrlCallbackType {
	MSPROF_CTRL_INIT_ACL_ENV = 0,
	MSPROF_CTRL_INIT_ACL_JSON = 1,
	MSPROF_CTRL_INIT_GE_OPTIONS = 2,
	MSPROF_CTRL_FINALIZE = 3,
	MSPROF_CTRL_INIT_HELPER = 4,
	MSPROF_CTRL_INIT_PURE_CPU = 5,
	MSPROF_CTRL_INIT_AICPU = 6,
	MSPROF_CTRL_INIT_DYNA = 0xFF,
};

enum ProfCtrlType {
	PROF_CTRL_INVALID = 0,
	PROF_CTRL_SWITCH,
	PROF_CTRL_REPORTER,
	PROF_CTRL_STEPINFO,
	PROF_CTRL_BUTT,
};

enum MsprofCommandHandleType {
	PROF_COMMANDHANDLE_TYPE_INIT = 0,
	PROF_COMMANDHANDLE_TYPE_START,
	PROF_COMMANDHANDLE_TYPE_STOP,
	PROF_COMMANDHANDLE_TYPE_FINALIZE,
	PROF_COMMANDHANDLE_TYPE_MODEL_SUBSCRIBE,
	PROF_COMMANDHANDLE_TYPE_MODEL_UNSUBSCRIBE,
	PROF_COMMANDHANDLE_TYPE_MAX,
};

enum MsprofReportBatchType { MSPROF_BATCH_ADDITIONAL_INFO = 0 };

struct MsprofCommandHandleParams {
	uint32_t pathLen;
	uint32_t storageLimit;
	uint32_t profDataLen;
	char path[PATH_LEN_MAX + 1];
	char profData[PARAM_LEN_MAX + 1];
};

/* What a callback is told. @params is empty. */
struct MsprofCommandHandle {
	uint64_t profSwitch; /* dataTypeConfig of aclprofStart with what it implies, and MODEL_LOAD (bit 63) */
	uint64_t profSwitchHi;
	uint32_t devNums;
	uint32_t devIdList[MSPROF_MAX_DEV_NUM];
	uint32_t modelId;
	uint32_t type; /* enum MsprofCommandHandleType */
	uint32_t cacheFlag;
	struct MsprofCommandHandleParams params;
};

/* @type: PROF_CTRL_SWITCH; @data: a struct MsprofCommandHandle */
typedef int32_t (*ProfCommandHandle)(uint32_t type, void *data, uint32_t len);

#endif /* APROF_PUB_H */

/**
 * DOC: Reports of frameworks
 *
 * What runtimes and frameworks report of their own work is in the same directory
 * as the annotations, and on the same clock. What was built for the public
 * runtime's libprofapi.so works with this library as it is.
 *
 * A report costs what an annotation does: no lock, no allocation, no system
 * call. It is taken in every session, with ACL_PROF_MSPROFTX and without. A full
 * ring drops and counts it; with ASCPROF_ON_FULL=wait the call waits for room.
 *
 * Threads: Safe in any thread at any time. No cancellation point. In a signal
 * handler that interrupts a report or an annotation of its own thread a report is
 * refused, and counted as dropped.
 * Source: Names, layouts and results are those of the public source of CANN's
 * runtime (hicann/runtime), libprofapi.so.
 */

/**
 * MsprofReportApi - report a call that has ended
 * @nonPersistantFlag: whether ageing may remove it, as it may annotations: 0 for no
 * @api: copied; level is not 0, magicNumber is not looked at. With MSPROF_EVENT_FLAG as
 *	endTime it is an event
 *
 * Example:
 *	MsprofRegTypeInfo(MSPROF_REPORT_ACL_LEVEL, 0x30001, "aclrtMemcpy");
 *	struct MsprofApi call = { .level = MSPROF_REPORT_ACL_LEVEL,
 *				  .type = 0x30001, .threadId = tid };
 *	call.beginTime = MsprofSysCycleTime();
 *	work();
 *	call.endTime = MsprofSysCycleTime();
 *	MsprofReportApi(1, &call);
 *
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, or level 0;
 * MSPROF_ERROR_UNINITIALIZE (6) nothing is recorded; MSPROF_ERROR_MEM_NOT_ENOUGH (1) it
 * was dropped and counted.
 */
ASCPROF_PUBLIC int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi *api);

/**
 * MsprofReportEvent - report a moment, or the begin or end of something
 * @nonPersistantFlag: whether ageing may remove it: 0 for no
 * @event: copied; level is not 0, magicNumber and eventFlag are not looked at
 *
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, or level 0;
 * MSPROF_ERROR_UNINITIALIZE (6) nothing is recorded; MSPROF_ERROR_MEM_NOT_ENOUGH (1) it
 * was dropped and counted.
 */
ASCPROF_PUBLIC int32_t MsprofReportEvent(uint32_t nonPersistantFlag, const struct MsprofEvent *event);

/**
 * MsprofReportCompactInfo, MsprofReportAdditionalInfo - report details of a node, a task, a copy
 * @nonPersistantFlag: whether ageing may remove it: 0 for no
 * @data: a struct MsprofCompactInfo of 64 bytes, or a struct MsprofAdditionalInfo of 256, of
 *	which length bytes are given; copied
 * @length: 24 to 64, or 24 to 256; the rest becomes zeros. Longer rows, which the public
 *	runtime has too, are refused
 *
 * It goes into the file that the name of its type gives (MsprofRegTypeInfo).
 *
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, a bad length, level 0,
 * or for additional information MSPROF_REPORT_TX_LEVEL, which is that of annotations;
 * MSPROF_ERROR_UNINITIALIZE (6) nothing is recorded; MSPROF_ERROR_MEM_NOT_ENOUGH (1) it
 * was dropped and counted.
 */
ASCPROF_PUBLIC int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length);
ASCPROF_PUBLIC int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length);

/**
 * MsprofReportBatchAdditionalInfo, MsprofGetBatchReportMaxSize - report details, several at once
 * @nonPersistantFlag: whether ageing may remove them: 0 for no
 * @data: an array of struct MsprofAdditionalInfo, each of 256 bytes
 * @length: bytes of it, a multiple of 256, at most 131,072
 * @type: MSPROF_BATCH_ADDITIONAL_INFO
 *
 * Stops at the first that fails, and returns as for that one (MsprofReportAdditionalInfo).
 * MsprofGetBatchReportMaxSize tells the limit of a type: 131,072, or 0 for others.
 *
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, a bad length or level;
 * MSPROF_ERROR_UNINITIALIZE (6) nothing is recorded; MSPROF_ERROR_MEM_NOT_ENOUGH (1) one
 * was dropped and counted.
 */
ASCPROF_PUBLIC int32_t MsprofReportBatchAdditionalInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length);
ASCPROF_PUBLIC size_t MsprofGetBatchReportMaxSize(uint32_t type);

/**
 * MsprofRegTypeInfo - name a type, for this and all later sessions
 * @level: of those who report it, not 0
 * @typeId: the type
 * @typeName: one line; of compact and additional data also part of a file's name, for
 *	which it has 1 to 40 letters, digits, '_', '-' and '.', or is "invalid"
 *
 * A type named again has its new name from then on. Up to 16,384 names are kept.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, level 0 or an empty
 * name; MSPROF_ERROR_MEM_NOT_ENOUGH (1) no memory, or no room for another name.
 */
ASCPROF_PUBLIC int32_t MsprofRegTypeInfo(uint16_t level, uint32_t typeId, const char *typeName);

/**
 * MsprofGetHashId, MsprofStr2Id - the number that stands for a text in what is reported
 * @hashInfo: the text, with or without a terminating zero
 * @length: its bytes
 *
 * The same for the same text in all processes, unless another text of this process had it
 * first. Later directories have it, too. Both functions do the same.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Return: the number; UINT64_MAX for NULL or length 0.
 */
ASCPROF_PUBLIC uint64_t MsprofGetHashId(const char *hashInfo, size_t length);
ASCPROF_PUBLIC uint64_t MsprofStr2Id(const char *hashInfo, size_t length);

/**
 * MsprofId2Str - the text of a number
 * @Id: from MsprofGetHashId, MsprofStr2Id or aclprofStr2Id
 *
 * Return: the text, which stays, and must not be changed; "" for an unknown number.
 */
ASCPROF_PUBLIC char *MsprofId2Str(const uint64_t Id);

/**
 * MsprofSysCycleTime - now, as reports are stamped
 *
 * Threads: Safe in any thread and any signal handler.
 * Return: CLOCK_MONOTONIC_RAW in ns.
 */
ASCPROF_PUBLIC uint64_t MsprofSysCycleTime(void);

/**
 * MsprofRegisterCallback - be told when recording starts and stops
 * @moduleId: of the public runtime's list (RUNTIME 7, GE 45, ASCENDCL 48)
 * @handle: called with PROF_CTRL_SWITCH and a struct MsprofCommandHandle: INIT and START when
 *	aclprofStart listed devices and recording has begun, STOP before it ends, FINALIZE
 *	after aclprofFinalize
 *
 * RUNTIME, ASCENDCL and GE are told first, in this order (STOP and FINALIZE: the other way
 * round), then the others by number. Registered in a session, a module is told at once, by the
 * thread that registers, what it missed. No lock is held, and it may report. It may register,
 * too; life cycle calls in it come to deadlock or to an error. Its library stays loaded. At
 * the end of a program that never called aclprofStop nobody is told.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL;
 * MSPROF_ERROR_MEM_NOT_ENOUGH (1) no memory.
 */
ASCPROF_PUBLIC int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle);

/**
 * MsprofInit, MsprofFinalize - aclInit of AscendCL hands over its configuration
 * @dataType: MSPROF_CTRL_INIT_ACL_JSON: recording begins as with aclInit of this library;
 *	others are not for this library, and change nothing
 * @data: the "profiler" object of acl.json, as text
 * @dataLen: its bytes
 *
 * MsprofFinalize ends what MsprofInit began. The reason of a failure is in the log.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Return: MSPROF_ERROR_NONE (0); MSPROF_ERROR_CONFIG_INVALID (3) NULL, what a configuration
 * must not have, or recording could not begin; MSPROF_ERROR (5) not all data could be written.
 */
ASCPROF_PUBLIC int32_t MsprofInit(uint32_t dataType, void *data, uint32_t dataLen);
ASCPROF_PUBLIC int32_t MsprofFinalize(void);

/**
 * MsprofNotifySetDevice - a device was set or reset
 * @chipId: not looked at
 * @deviceId: not looked at
 * @isOpen: not looked at
 *
 * Nothing needs to be done here, for devices are those of aclprofStart.
 *
 * Return: MSPROF_ERROR_NONE (0).
 */
ASCPROF_PUBLIC int32_t MsprofNotifySetDevice(uint32_t chipId, uint32_t deviceId, bool isOpen);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_REPORT_H */
