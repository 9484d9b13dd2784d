// SPDX-License-Identifier: Apache-2.0
/*
 * Stand-in for the models of libascendcl.so. A model is a text file with a line
 * for each operator: type, name, microseconds. Whoever loads and executes
 * models tells the profiling library, as here.
 */
#include "models.h"

#include <stdio.h>
#include <time.h>

#include "ascprof/models.h"

#define MODELS 8
#define OPS 16

static struct model {
	uint32_t count;
	struct {
		char type[64], name[256];
		unsigned int us;
	} op[OPS];
} models[MODELS];

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
	FILE *file = fopen(modelPath, "r");
	struct model *m = models;

	while (m < models + MODELS && m->count)
		m++;
	if (!file || m == models + MODELS)
		return ACL_ERROR_INVALID_FILE;
	while (m->count < OPS && fscanf(file, "%63s %255s %u", m->op[m->count].type, m->op[m->count].name,
					&m->op[m->count].us) == 3)
		m->count++;
	fclose(file);
	*modelId = (uint32_t)(m - models);
	return MsprofSetDeviceIdByGeModelIdx(*modelId, 0) ? ACL_ERROR_INTERNAL_ERROR : ACL_SUCCESS;
}

aclError aclmdlUnload(uint32_t modelId)
{
	if (modelId >= MODELS || !models[modelId].count)
		return ACL_ERROR_INVALID_MODEL_ID;
	models[modelId].count = 0;
	return MsprofUnsetDeviceIdByGeModelIdx(modelId, 0) ? ACL_ERROR_INTERNAL_ERROR : ACL_SUCCESS;
}

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output)
{
	const struct model *m = &models[modelId];

	(void)input;
	(void)output;
	if (modelId >= MODELS || !m->count)
		return ACL_ERROR_INVALID_MODEL_ID;
	for (uint32_t i = 0; i < m->count; i++) {
		struct timespec now;
		struct ascprof_op op = { .size = sizeof(op), .model_id = modelId, .flag = ASCPROF_OP };
		aclError ret;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		op.type = m->op[i].type;
		op.name = m->op[i].name;
		op.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
		op.end_ns = op.start_ns + m->op[i].us * 1000u;
		op.duration_us = op.execution_us = m->op[i].us;
		ret = ascprof_report_op(&op);
		/* that nobody subscribed is no error of the execution */
		if (ret && ret != ACL_ERROR_PROF_NOT_RUN)
			return ret;
	}
	return ACL_SUCCESS;
}
