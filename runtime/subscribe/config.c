/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/config.h"

#include <stdlib.h>

#include "log/log.h"
#include "log/strict.h"

static struct object_list configs;

aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics,
						     void *fd)
{
	struct aclprofSubscribeConfig *c;

	if (!fd) {
		fail(ACL_ERROR_INVALID_PARAM,
		     "aclprofCreateSubscribeConfig: fd is NULL, expected the address of a descriptor's number");
		return NULL;
	}
	if (timeInfoSwitch != 0 && timeInfoSwitch != 1) {
		fail(ACL_ERROR_INVALID_PARAM, "aclprofCreateSubscribeConfig: timeInfoSwitch is %d, expected 0 or 1",
		     timeInfoSwitch);
		return NULL;
	}
	c = malloc(sizeof(*c));
	if (!c) {
		fail(ACL_ERROR_BAD_ALLOC, "aclprofCreateSubscribeConfig: no memory");
		return NULL;
	}
	c->times = timeInfoSwitch;
	c->metrics = aicoreMetrics;
	c->fd = fd;
	objects_add(&configs, &c->object);
	return c;
}

aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
	void *found = profSubscribeConfig ? objects_remove(&configs, profSubscribeConfig) : NULL;

	if (!found) {
		fail(ACL_ERROR_INVALID_PARAM,
		     "aclprofDestroySubscribeConfig: profSubscribeConfig is %p, expected one from "
		     "aclprofCreateSubscribeConfig that is not destroyed yet",
		     (const void *)profSubscribeConfig);
		if (profSubscribeConfig)
			strict_misuse(CALLER, "aclprofDestroySubscribeConfig: profSubscribeConfig %p is not (or no longer) "
					      "a configuration",
				      (const void *)profSubscribeConfig);
		return ACL_ERROR_INVALID_PARAM;
	}
	free(found);
	return ACL_SUCCESS;
}

bool subscribe_config_copy(const aclprofSubscribeConfig *config, struct aclprofSubscribeConfig *out)
{
	return objects_copy(&configs, config, out, sizeof(*out));
}
