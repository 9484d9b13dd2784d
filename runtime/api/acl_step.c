/* SPDX-License-Identifier: Apache-2.0 */
/* Step objects; their contract is in acl/acl_prof.h. */
#include "acl/acl_prof.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "device/trace.h"
#include "log/log.h"
#include "log/strict.h"
#include "session/objects.h"

struct aclprofStepInfo {
	struct object object;
	uint64_t index;
	unsigned int stamped; /* one bit per tag; set while the device is asked, too */
};

static struct object_list steps;

aclprofStepInfo *aclprofCreateStepInfo(void)
{
	static _Atomic uint64_t last_index;
	struct aclprofStepInfo *step = calloc(1, sizeof(*step));

	if (!step) {
		fail(ACL_ERROR_BAD_ALLOC, "aclprofCreateStepInfo: no memory");
		return NULL;
	}
	step->index = atomic_fetch_add(&last_index, 1) + 1;
	objects_add(&steps, &step->object);
	return step;
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

struct claim {
	unsigned int bit; /* of the tag */
	bool again; /* it was stamped before */
	uint64_t index;
};

static void claim(void *object, void *arg)
{
	struct aclprofStepInfo *step = object;
	struct claim *c = arg;

	c->again = step->stamped & c->bit;
	c->index = step->index;
	step->stamped |= c->bit;
}

static void give_back(void *object, void *arg)
{
	struct aclprofStepInfo *step = object;
	const struct claim *c = arg;

	step->stamped &= ~c->bit;
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
	static const char call[] = "aclprofGetStepTimestamp";
	struct claim c = { .bit = 1u << (tag & 1) };
	struct device_answer answer;

	if (!stepInfo)
		return unknown(call, NULL, CALLER);
	if (tag != ACL_STEP_START && tag != ACL_STEP_END)
		return fail(ACL_ERROR_INVALID_PARAM, "%s: tag is %d, expected %d or %d", call, (int)tag, ACL_STEP_START,
			    ACL_STEP_END);
	if (!objects_change(&steps, stepInfo, claim, &c))
		return unknown(call, stepInfo, CALLER);
	if (c.again)
		return fail(ACL_ERROR_INVALID_PARAM, "%s: tag %s was stamped before for this stepInfo", call,
			    tag == ACL_STEP_START ? "ACL_STEP_START" : "ACL_STEP_END");
	answer = device_trace(c.index, (uint16_t)tag, stream);
	if (answer.verdict == DEVICE_DONE)
		return ACL_SUCCESS;
	objects_change(&steps, stepInfo, give_back, &c); /* it may be gone by now */
	return device_fail(call, &answer, ACL_ERROR_GE_FAILURE);
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo)
{
	struct aclprofStepInfo *found = objects_remove(&steps, stepinfo);

	if (!found)
		unknown("aclprofDestroyStepInfo", stepinfo, CALLER);
	free(found);
}
