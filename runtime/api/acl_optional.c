/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of acl/acl_prof_optional.h about annotations and features; their contract is there. */
#include "acl/acl_prof_optional.h"

#include <string.h>

#include "annotate/categories.h"
#include "annotate/gate.h"
#include "annotate/stamp.h"
#include "log/log.h"
#include "log/strict.h"

#define PAYLOAD_MAX ((uint64_t)INT64_MAX)

/* What the setters require. */
static aclError check_stamp(const char *call, const struct tx_stamp *stamp, const void *caller)
{
	aclError ret;

	if (!gate_is_on())
		return stamp ? ACL_ERROR_PROF_NOT_RUN : ACL_ERROR_INVALID_PARAM;
	if (stamp_is_live(stamp) || stamp_is_detailed(stamp))
		return ACL_SUCCESS;
	ret = fail_often(ACL_ERROR_INVALID_PARAM, "%s: stamp %p is not in use, expected one from aclprofCreateStamp",
			 call, (const void *)stamp);
	if (stamp_in_state(stamp, STAMP_FREE))
		strict_misuse(caller, "%s: stamp %p was destroyed before", call, (const void *)stamp);
	return ret;
}

/* Details of a stamp that are about to be set: the others are empty unless they were. */
static struct tx_details *details_of(struct tx_stamp *stamp)
{
	if (stamp->state == STAMP_LIVE) {
		stamp->details = (struct tx_details){ 0 };
		stamp->state = STAMP_DETAILED;
	}
	return &stamp->details;
}

aclError aclprofSetStampCategory(void *stamp, uint32_t category)
{
	aclError ret = check_stamp("aclprofSetStampCategory", stamp, CALLER);

	if (!ret)
		details_of(stamp)->category = category;
	return ret;
}

aclError aclprofSetCategoryName(uint32_t category, const char *categoryName)
{
	size_t n;

	if (!categoryName)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
			       "aclprofSetCategoryName: categoryName is NULL, expected text");
	n = strnlen(categoryName, CATEGORY_NAME_MAX + 1);
	if (!n || n > CATEGORY_NAME_MAX)
		return fail(ACL_ERROR_INVALID_PARAM,
			    "aclprofSetCategoryName: categoryName has %s bytes, expected 1 to %d", n ? "more" : "0",
			    CATEGORY_NAME_MAX);
	if (!categories_name(category, categoryName))
		return fail(ACL_ERROR_BAD_ALLOC, "aclprofSetCategoryName: %d categories have names already",
			    CATEGORIES_MAX);
	return ACL_SUCCESS;
}

static aclError read_payload(int32_t type, const void *value, uint64_t *payload)
{
	size_t size = type >= ASCPROF_PAYLOAD_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t);

	*payload = 0;
	if (!value)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofSetStampPayload: value is NULL");
	if (type < ASCPROF_PAYLOAD_NONE || type > ASCPROF_PAYLOAD_FLOAT)
		return fail_often(ACL_ERROR_INVALID_PARAM, "aclprofSetStampPayload: type is %d, expected %d to %d",
				  type, ASCPROF_PAYLOAD_NONE, ASCPROF_PAYLOAD_FLOAT);
	if (type != ASCPROF_PAYLOAD_NONE)
		memcpy(payload, value, size);
	if (*payload > PAYLOAD_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM,
				  "aclprofSetStampPayload: the 8 bytes at value are 0x%llx, expected below 2^63",
				  (unsigned long long)*payload);
	return ACL_SUCCESS;
}

aclError aclprofSetStampPayload(void *stamp, const int32_t type, void *value)
{
	aclError ret = check_stamp("aclprofSetStampPayload", stamp, CALLER);
	uint64_t payload;

	if (!ret)
		ret = read_payload(type, value, &payload);
	if (!ret) {
		details_of(stamp)->payload_type = type;
		details_of(stamp)->payload = payload;
	}
	return ret;
}

static aclError no_place(const char *call, const void *stamp, const char *what, const void *caller)
{
	aclError ret = check_stamp(call, stamp, caller);

	return ret ? ret :
		     fail_often(ACL_ERROR_FEATURE_UNSUPPORTED,
				"%s: records have no place for a %s; it is not recorded", call, what);
}

aclError aclprofSetStampTagName(void *stamp, const char *tagName, uint16_t len)
{
	(void)tagName;
	(void)len;
	return no_place("aclprofSetStampTagName", stamp, "tag name", CALLER);
}

aclError aclprofSetStampCallStack(void *stamp, const char *callStack, uint32_t len)
{
	(void)callStack;
	(void)len;
	return no_place("aclprofSetStampCallStack", stamp, "call stack", CALLER);
}

_Static_assert(sizeof(ascprofFeature) == 272, "layout of the public source");

/* None: see the header. The array is there because callers may look at its address. */
static aclError features(const char *call, size_t *size, void **data)
{
	static const ascprofFeature none[1];

	if (!size || !data)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "%s: %s is NULL", call,
			       size ? "featuresData" : "featuresSize");
	if (*data)
		return fail(ACL_ERROR_INVALID_PARAM, "%s: *featuresData is %p, expected NULL", call, *data);
	*size = 0;
	*data = (void *)none;
	return ACL_SUCCESS;
}

int32_t aclprofGetSupportedFeatures(size_t *featuresSize, void **featuresData)
{
	return features("aclprofGetSupportedFeatures", featuresSize, featuresData);
}

int32_t aclprofGetSupportedFeaturesV2(size_t *featuresSize, void **featuresData)
{
	return features("aclprofGetSupportedFeaturesV2", featuresSize, featuresData);
}

int aclprofRegisterDeviceCallback(void)
{
	return fail(ACL_ERROR_FEATURE_UNSUPPORTED,
		    "aclprofRegisterDeviceCallback: nothing here is told which devices a program begins to use; "
		    "list them for aclprofCreateConfig");
}
