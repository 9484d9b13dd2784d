/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of aclprofCreateSubscribeConfig(). */
#ifndef ASCPROF_SUBSCRIBE_CONFIG_H
#define ASCPROF_SUBSCRIBE_CONFIG_H

#include <stdbool.h>

#include "acl/acl_prof.h"
#include "session/objects.h"

struct aclprofSubscribeConfig {
	struct object object;
	bool times;
	aclprofAicoreMetrics metrics;
	int *fd; /* the program's; read when a subscription begins */
};

/* Return: false when there is none (any more) behind @config. */
bool subscribe_config_copy(const aclprofSubscribeConfig *config, struct aclprofSubscribeConfig *out);

#endif /* ASCPROF_SUBSCRIBE_CONFIG_H */
