/* SPDX-License-Identifier: Apache-2.0 */
#include "session/config.h"

#include <stdlib.h>

#include "log/log.h"
#include "log/strict.h"
#include "session/devices.h"

static struct object_list configs;

/* What the public implementation adds to the bits a caller gives. */
uint64_t config_implied_bits(uint64_t bits)
{
	bits |= CONFIG_BIT_OWN;
	if (bits & ACL_PROF_TASK_TIME_L3)
		bits |= ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L2;
	if (bits & (ACL_PROF_TASK_TIME_L2 | ACL_PROF_OP_ATTR))
		bits |= ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME;
	if (bits & ACL_PROF_TASK_TIME)
		bits |= ACL_PROF_TASK_TIME_L0;
	if (bits & ACL_PROF_TASK_TIME_L0)
		bits |= ACL_PROF_TRAINING_TRACE;
	/* Statistics exclude all else, but for what Start has to refuse. */
	if (bits & ACL_PROF_API_STATS)
		bits = (bits & ~CONFIG_KNOWN_BITS) | ACL_PROF_API_STATS | ACL_PROF_ACL_API;
	return bits;
}

static bool device_list(const uint32_t *ids, uint32_t n, uint64_t *devices)
{
	uint64_t there;
	uint32_t count;

	*devices = 0;
	if (!n)
		return true;
	/* Where nobody tells, all that there can be. */
	there = devices_there();
	count = there ? CONFIG_DEVICES - (uint32_t)__builtin_clzll(there) : CONFIG_DEVICES;
	if (n > count) {
		fail(ACL_ERROR_INVALID_PARAM, "aclprofCreateConfig: deviceNums is %u, expected at most %u", n, count);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (ids[i] >= count) {
			fail(ACL_ERROR_INVALID_PARAM, "aclprofCreateConfig: deviceIdList[%u] is %u, expected 0 to %u",
			     i, ids[i], count - 1);
			return false;
		}
		if (*devices & 1ULL << ids[i]) {
			fail(ACL_ERROR_INVALID_PARAM,
			     "aclprofCreateConfig: deviceIdList[%u] is %u, which is listed twice", i, ids[i]);
			return false;
		}
		*devices |= 1ULL << ids[i];
	}
	return true;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
				   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig)
{
	struct aclprofConfig *c;
	uint64_t devices;

	if (deviceNums && !deviceIdList) {
		fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofCreateConfig: deviceIdList is NULL, expected %u ids",
			deviceNums);
		return NULL;
	}
	if (aicoreEvents) {
		fail(ACL_ERROR_INVALID_PARAM, "aclprofCreateConfig: aicoreEvents is not NULL, expected NULL");
		return NULL;
	}
	if (deviceNums > CONFIG_DEVICES) {
		fail(ACL_ERROR_INVALID_PARAM, "aclprofCreateConfig: deviceNums is %u, expected at most %d", deviceNums,
		     CONFIG_DEVICES);
		return NULL;
	}
	if (!device_list(deviceIdList, deviceNums, &devices))
		return NULL;
	if (!deviceNums && !(dataTypeConfig & ACL_PROF_MSPROFTX)) {
		fail(ACL_ERROR_INVALID_PARAM,
		     "aclprofCreateConfig: deviceNums is 0, which needs ACL_PROF_MSPROFTX in dataTypeConfig");
		return NULL;
	}
	c = malloc(sizeof(*c));
	if (!c) {
		fail(ACL_ERROR_BAD_ALLOC, "aclprofCreateConfig: no memory");
		return NULL;
	}
	*c = (struct aclprofConfig){
		.devices = devices,
		.bits = config_implied_bits(dataTypeConfig),
		.metrics = aicoreMetrics,
	};
	objects_add(&configs, &c->object);
	return c;
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
	struct aclprofConfig *found;

	if (!profilerConfig)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofDestroyConfig: profilerConfig is NULL");
	found = objects_remove(&configs, profilerConfig);
	if (!found) {
		fail(ACL_ERROR_INVALID_PARAM,
		     "aclprofDestroyConfig: profilerConfig %p is not (or no longer) a configuration",
		     (const void *)profilerConfig);
		strict_misuse(CALLER, "aclprofDestroyConfig: profilerConfig %p is not (or no longer) a configuration",
			      (const void *)profilerConfig);
		return ACL_ERROR_INVALID_PARAM;
	}
	free(found);
	return ACL_SUCCESS;
}

bool config_copy(const aclprofConfig *config, struct aclprofConfig *out)
{
	return objects_copy(&configs, config, out, sizeof(*out));
}
