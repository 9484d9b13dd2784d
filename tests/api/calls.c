// SPDX-License-Identifier: Apache-2.0
/* Finding the calls and constants that a row names. */
#include "calls.h"

#include <dlfcn.h>

void *symbol(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		row_broken("%s is not exported", name);
	return found;
}

const struct row_call *row_call(const char *name)
{
	static const struct row_call *const all[] = { calls_life, calls_tx, calls_model, calls_look };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (const struct row_call *call = all[i]; call->name; call++)
			if (!strcmp(call->name, name))
				return call;
	return NULL;
}

#define CONSTANT(name) { #name, (uint64_t)(name) }

static const struct row_name names[] = {
	CONSTANT(ACL_PROF_ACL_API), CONSTANT(ACL_PROF_TASK_TIME), CONSTANT(ACL_PROF_AICORE_METRICS),
	CONSTANT(ACL_PROF_AICPU), CONSTANT(ACL_PROF_L2CACHE), CONSTANT(ACL_PROF_HCCL_TRACE),
	CONSTANT(ACL_PROF_TRAINING_TRACE), CONSTANT(ACL_PROF_MSPROFTX), CONSTANT(ACL_PROF_RUNTIME_API),
	CONSTANT(ACL_PROF_GE_API_L0), CONSTANT(ACL_PROF_TASK_TIME_L0), CONSTANT(ACL_PROF_TASK_MEMORY),
	CONSTANT(ACL_PROF_TASK_TIME_L2), CONSTANT(ACL_PROF_OP_ATTR), CONSTANT(ACL_PROF_TASK_TIME_L3),
	CONSTANT(ACL_PROF_GE_API_L1), CONSTANT(ACL_PROF_API_STATS), CONSTANT(ACL_PROF_AICORE_SHAPE),
	CONSTANT(ACL_AICORE_ARITHMETIC_UTILIZATION), CONSTANT(ACL_AICORE_PIPE_UTILIZATION),
	CONSTANT(ACL_AICORE_MEMORY_BANDWIDTH), CONSTANT(ACL_AICORE_MEMORY_ACCESS), CONSTANT(ACL_AICORE_NONE),
	CONSTANT(ACL_PROF_STORAGE_LIMIT), CONSTANT(ACL_PROF_SYS_HARDWARE_MEM_FREQ), CONSTANT(ACL_PROF_LLC_MODE),
	CONSTANT(ACL_PROF_SYS_IO_FREQ), CONSTANT(ACL_PROF_SYS_INTERCONNECTION_FREQ),
	CONSTANT(ACL_PROF_DVPP_FREQ), CONSTANT(ACL_PROF_HOST_SYS), CONSTANT(ACL_PROF_HOST_SYS_USAGE),
	CONSTANT(ACL_PROF_HOST_SYS_USAGE_FREQ), CONSTANT(ACL_PROF_LOW_POWER_FREQ),
	CONSTANT(ACL_PROF_SYS_MEM_SERVICEFLOW), CONSTANT(ACL_PROF_SYS_CPU_FREQ), CONSTANT(ACL_PROF_OPTYPE),
	CONSTANT(ACL_PROF_NTS_METRICS), CONSTANT(ACL_PROF_PATH),
	CONSTANT(ACL_STEP_START), CONSTANT(ACL_STEP_END),
	CONSTANT(ACL_SUBSCRIBE_OP), CONSTANT(ACL_SUBSCRIBE_OP_THREAD), CONSTANT(ACL_SUBSCRIBE_NONE),
	CONSTANT(ACL_SUBSCRIBE_ATTRI_THREADID), CONSTANT(ACL_SUBSCRIBE_ATTRI_NONE),
	{ "NULL", 0 },
};

const struct row_name *row_name(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}
