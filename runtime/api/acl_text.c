/* SPDX-License-Identifier: Apache-2.0 */
/* aclprofStr2Id; its contract is in acl/acl_prof.h. */
#include "acl/acl_prof.h"

#include <string.h>

#include "annotate/texts.h"
#include "log/log.h"

uint64_t aclprofStr2Id(const char *message)
{
	if (message && *message)
		return texts_id(message, strlen(message));
	fail_often(ACL_ERROR_INVALID_PARAM, "aclprofStr2Id: message is %s, expected text", message ? "empty" : "NULL");
	return UINT64_MAX;
}
