/* SPDX-License-Identifier: Apache-2.0 */
/* Step objects; their contract is in acl/acl_prof.h. */
#include "api/acl_step.h"

#include <pthread.h>
#include <stdlib.h>

#include "acl/acl_prof.h"
#include "device/trace.h"
#include "log/log.h"
#include "log/strict.h"

struct aclprofStepInfo {
	struct aclprofStepInfo *next;
	uint64_t index;
	unsigned int stamped; /* one bit per tag; set while the device is asked, too */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct aclprofStepInfo *objects;
static uint64_t last_index;

aclprofStepInfo *aclprofCreateStepInfo(void)
{
	struct aclprofStepInfo *step = calloc(1, sizeof(*step));

	if (!step) {
		fail(ACL_ERROR_BAD_ALLOC, "aclprofCreateStepInfo: no memory");
		return NULL;
	}
	pthread_mutex_lock(&lock);
	step->index = ++last_index;
	step->next = objects;
	objects = step;
	pthread_mutex_unlock(&lock);
	return step;
}

/* Where the list names @step, or its end. Nothing is read through a pointer that is not in it. */
static struct aclprofStepInfo **find(const aclprofStepInfo *step)
{
	struct aclprofStepInfo **link;

	for (link = &objects; *link && *link != step; link = &(*link)->next)
		;
	return link;
}

static aclError unknown(const char *call, const void *step, const void *caller)
{
	aclError ret;

	if (!step)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
			       "%s: stepInfo is NULL, expected one from aclprofCreateStepInfo", call);
	ret = fail(ACL_ERROR_INVALID_PARAM, "%s: stepInfo %p is not (or no longer) a step", call, step);
	strict_misuse(caller, "%s: stepInfo %p is not (or no longer) a step", call, step);
	return ret;
}

enum claim { CLAIMED, CLAIM_UNKNOWN, CLAIM_AGAIN };

static enum claim claim(const aclprofStepInfo *object, unsigned int bit, uint64_t *index)
{
	struct aclprofStepInfo *step;
	enum claim how = CLAIM_UNKNOWN;

	pthread_mutex_lock(&lock);
	step = *find(object);
	if (step) {
		how = step->stamped & bit ? CLAIM_AGAIN : CLAIMED;
		step->stamped |= bit;
		*index = step->index;
	}
	pthread_mutex_unlock(&lock);
	return how;
}

static void give_back(const aclprofStepInfo *object, unsigned int bit)
{
	struct aclprofStepInfo *step;

	pthread_mutex_lock(&lock);
	step = *find(object); /* it may be gone by now */
	if (step)
		step->stamped &= ~bit;
	pthread_mutex_unlock(&lock);
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
	static const char call[] = "aclprofGetStepTimestamp";
	struct device_answer answer;
	uint64_t index = 0;

	if (!stepInfo)
		return unknown(call, NULL, CALLER);
	if (tag != ACL_STEP_START && tag != ACL_STEP_END)
		return fail(ACL_ERROR_INVALID_PARAM, "%s: tag is %d, expected %d or %d", call, (int)tag, ACL_STEP_START,
			    ACL_STEP_END);
	switch (claim(stepInfo, 1u << tag, &index)) {
	case CLAIM_UNKNOWN:
		return unknown(call, stepInfo, CALLER);
	case CLAIM_AGAIN:
		return fail(ACL_ERROR_INVALID_PARAM, "%s: tag %s was stamped before for this stepInfo", call,
			    tag == ACL_STEP_START ? "ACL_STEP_START" : "ACL_STEP_END");
	case CLAIMED:
		break;
	}
	answer = device_trace(index, (uint16_t)tag, stream);
	if (answer.verdict == DEVICE_DONE)
		return ACL_SUCCESS;
	give_back(stepInfo, 1u << tag);
	return device_fail(call, &answer, ACL_ERROR_GE_FAILURE);
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo)
{
	struct aclprofStepInfo **link, *found;

	pthread_mutex_lock(&lock);
	link = find(stepinfo);
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&lock);
	if (!found)
		unknown("aclprofDestroyStepInfo", stepinfo, CALLER);
	free(found);
}

void step_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void step_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
