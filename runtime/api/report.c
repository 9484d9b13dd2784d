/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of ascprof/report.h, where their contract is written. */
#include "ascprof/report.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/emit.h"
#include "annotate/texts.h"
#include "annotate/types.h"
#include "api/acl_init.h"
#include "format/rows.h"
#include "log/cancel.h"
#include "log/log.h"
#include "session/commands.h"
#include "session/session.h"

#define BATCH_MAX (512u * (uint32_t)sizeof(struct MsprofAdditionalInfo))
#define APART static __attribute__((noinline)) int32_t

_Static_assert(sizeof(struct MsprofApi) == sizeof(struct row_api), "reported rows");
_Static_assert(sizeof(struct MsprofEvent) == sizeof(struct row_api), "reported rows");
_Static_assert(sizeof(struct MsprofCompactInfo) == sizeof(struct row_compact), "reported rows");
_Static_assert(sizeof(struct MsprofAdditionalInfo) == sizeof(struct row_additional), "reported rows");

APART wrong(const char *call, const char *why)
{
	fail_often(ACL_ERROR_INVALID_PARAM, "%s: %s", call, why);
	return MSPROF_ERROR_CONFIG_INVALID;
}

/* ---- rows ---- */

APART no_room(struct tx_thread *t, enum tx_kind kind)
{
	emit_no_room(t, kind);
	leave(t);
	return MSPROF_ERROR_MEM_NOT_ENOUGH;
}

static inline __attribute__((always_inline)) int32_t report_entered(struct tx_thread *t, enum tx_kind kind,
								     uint32_t ageing, const void *from, uint32_t len,
								     uint32_t size)
{
	if (unlikely(!emit_report(t, kind, !ageing, from, len, size)))
		return no_room(t, kind);
	leave(t);
	return MSPROF_ERROR_NONE;
}

APART report_slowly(enum tx_kind kind, uint32_t ageing, const void *from, uint32_t len, uint32_t size)
{
	struct tx_thread *t;
	enum enter why = enter_for(GATE_REPORTS, &t);

	switch (why) {
	case ENTER_OK:
		return report_entered(t, kind, ageing, from, len, size);
	case ENTER_OFF:
		return MSPROF_ERROR_UNINITIALIZE;
	case ENTER_NO_MEMORY:
		tx_count_lost(kind, TX_DROP_NO_MEMORY);
		fail_often(ACL_ERROR_BAD_ALLOC, "a report was dropped and counted: no memory");
		return MSPROF_ERROR_MEM_NOT_ENOUGH;
	default:
		tx_count_lost(kind, TX_DROP_REENTRANT);
		fail_often(ACL_ERROR_PROFILING_FAILURE,
			   "a report was dropped and counted: by a signal handler inside another one");
		return MSPROF_ERROR_MEM_NOT_ENOUGH;
	}
}

static inline __attribute__((always_inline)) int32_t report(enum tx_kind kind, uint32_t ageing, const void *from,
							     uint32_t len, uint32_t size)
{
	uint32_t state = gate_now();
	struct tx_thread *t;

	if (!(state & GATE_REPORTS))
		return MSPROF_ERROR_UNINITIALIZE;
	t = enter_quickly(state);
	return likely(t != NULL) ? report_entered(t, kind, ageing, from, len, size) :
				   report_slowly(kind, ageing, from, len, size);
}

int32_t MsprofReportApi(uint32_t nonPersistantFlag, const struct MsprofApi *api)
{
	if (unlikely(!api))
		return wrong("MsprofReportApi", "api is NULL");
	if (unlikely(!api->level))
		return wrong("MsprofReportApi", "level is 0");
	return report(api->endTime == MSPROF_EVENT_FLAG ? TX_KIND_EVENT : TX_KIND_API, nonPersistantFlag, api,
		      sizeof(*api), sizeof(*api));
}

int32_t MsprofReportEvent(uint32_t nonPersistantFlag, const struct MsprofEvent *event)
{
	if (unlikely(!event))
		return wrong("MsprofReportEvent", "event is NULL");
	if (unlikely(!event->level))
		return wrong("MsprofReportEvent", "level is 0");
	return report(TX_KIND_EVENT, nonPersistantFlag, event, sizeof(*event), sizeof(*event));
}

int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length)
{
	const struct MsprofCompactInfo *info = data;

	if (unlikely(!data))
		return wrong("MsprofReportCompactInfo", "data is NULL");
	if (unlikely(length - ROW_REPORT_HEAD > sizeof(*info) - ROW_REPORT_HEAD))
		return wrong("MsprofReportCompactInfo", "length is not 24 to 64");
	if (unlikely(!info->level))
		return wrong("MsprofReportCompactInfo", "level is 0");
	return report(TX_KIND_COMPACT, nonPersistantFlag, data, length, sizeof(*info));
}

int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length)
{
	const struct MsprofAdditionalInfo *info = data;
	bool tensors;

	if (unlikely(!data))
		return wrong("MsprofReportAdditionalInfo", "data is NULL");
	if (unlikely(length - ROW_REPORT_HEAD > sizeof(*info) - ROW_REPORT_HEAD))
		return wrong("MsprofReportAdditionalInfo", "length is not 24 to 256");
	if (unlikely(!info->level || info->level == ROW_TX_LEVEL))
		return wrong("MsprofReportAdditionalInfo", info->level ? "level is that of annotations, expected aclprofMark and others"
								       : "level is 0");
	tensors = info->level == ROW_NODE_LEVEL && info->type == ROW_TENSOR_TYPE;
	return report(tensors ? TX_KIND_TENSOR : TX_KIND_ADDITIONAL, nonPersistantFlag, data, length, sizeof(*info));
}

int32_t MsprofReportBatchAdditionalInfo(uint32_t nonPersistantFlag, void *const data, uint32_t length)
{
	struct MsprofAdditionalInfo *info = data;
	int32_t ret = MSPROF_ERROR_NONE;

	if (!data)
		return wrong("MsprofReportBatchAdditionalInfo", "data is NULL");
	if (length % sizeof(*info) || length > BATCH_MAX)
		return wrong("MsprofReportBatchAdditionalInfo", "length is not a multiple of 256 up to 131072");
	for (uint32_t i = 0; i < length / sizeof(*info) && !ret; i++)
		ret = MsprofReportAdditionalInfo(nonPersistantFlag, &info[i], sizeof(*info));
	return ret;
}

size_t MsprofGetBatchReportMaxSize(uint32_t type)
{
	return type == MSPROF_BATCH_ADDITIONAL_INFO ? BATCH_MAX : 0;
}

uint64_t MsprofSysCycleTime(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

/* ---- names ---- */

int32_t MsprofRegTypeInfo(uint16_t level, uint32_t typeId, const char *typeName)
{
	if (!typeName || !*typeName)
		return wrong("MsprofRegTypeInfo", typeName ? "typeName is empty" : "typeName is NULL");
	if (!level)
		return wrong("MsprofRegTypeInfo", "level is 0");
	if (types_name(level, typeId, typeName))
		return MSPROF_ERROR_NONE;
	fail_often(ACL_ERROR_BAD_ALLOC, "MsprofRegTypeInfo: no memory, or %u names are kept", TYPES_MAX);
	return MSPROF_ERROR_MEM_NOT_ENOUGH;
}

uint64_t MsprofGetHashId(const char *hashInfo, size_t length)
{
	if (hashInfo && length)
		return texts_id(hashInfo, length);
	wrong("MsprofGetHashId", hashInfo ? "length is 0" : "hashInfo is NULL");
	return UINT64_MAX;
}

uint64_t MsprofStr2Id(const char *hashInfo, size_t length)
{
	return MsprofGetHashId(hashInfo, length);
}

/* The prototype is not ours: what it points at is constant. */
char *MsprofId2Str(const uint64_t Id)
{
	static char none[1];
	const struct text *t = texts_find(Id);

	return t ? (char *)(uintptr_t)t->text : none;
}

/* ---- commands ---- */

int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle)
{
	bool done;
	int before;

	if (!handle)
		return wrong("MsprofRegisterCallback", "handle is NULL");
	before = cancel_off();
	done = commands_register(moduleId, handle);
	cancel_on_again(before);
	return done ? MSPROF_ERROR_NONE : MSPROF_ERROR_MEM_NOT_ENOUGH;
}

int32_t MsprofInit(uint32_t dataType, void *data, uint32_t dataLen)
{
	if (dataType != MSPROF_CTRL_INIT_ACL_JSON)
		return MSPROF_ERROR_NONE;
	if (!data)
		return wrong("MsprofInit", "data is NULL");
	return acl_init_from_text(data, dataLen) ? MSPROF_ERROR_CONFIG_INVALID : MSPROF_ERROR_NONE;
}

int32_t MsprofFinalize(void)
{
	int before = cancel_off();
	aclError ret;

	session_tell_stop(UINT64_MAX);
	ret = session_command_end();
	session_tell_end();
	cancel_on_again(before);
	return ret ? MSPROF_ERROR : MSPROF_ERROR_NONE;
}

int32_t MsprofNotifySetDevice(uint32_t chipId, uint32_t deviceId, bool isOpen)
{
	(void)chipId;
	(void)deviceId;
	(void)isOpen;
	return MSPROF_ERROR_NONE;
}
