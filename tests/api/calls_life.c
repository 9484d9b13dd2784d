// SPDX-License-Identifier: Apache-2.0
/* Rows: Init to Stop, and aclInit. */
#include "calls.h"

#include "acl/acl.h"
#include "acl/acl_prof_optional.h"
#include "tests/process/t.h"

CALL(Init)
{
	return code(ACL(Init)(ptr(a, 0), num(a, 1, length(a, 0))));
}

CALL(Finalize)
{
	return code(ACL(Finalize)());
}

CALL(SetConfig)
{
	return code(ACL(SetConfig)((aclprofConfigType)num(a, 0, 0), ptr(a, 1), num(a, 2, length(a, 1))));
}

/* CreateConfig([ids] or NULL, count, bits, metrics, events) */
CALL(CreateConfig)
{
	struct argument list = a->at[0];

	return pointer(ACL(CreateConfig)(list.listed ? list.list : NULL, (uint32_t)num(a, 1, list.listed),
					 (aclprofAicoreMetrics)num(a, 3, ACL_AICORE_NONE), ptr(a, 4),
					 num(a, 2, ACL_PROF_MSPROFTX)));
}

CALL(DestroyConfig)
{
	return code(ACL(DestroyConfig)(ptr(a, 0)));
}

CALL(Warmup)
{
	return code(ACL(Warmup)(ptr(a, 0)));
}

CALL(Start)
{
	return code(ACL(Start)(ptr(a, 0)));
}

CALL(Stop)
{
	return code(ACL(Stop)(ptr(a, 0)));
}

/* aclInit(JSON): of a file that holds this text; aclInit(NULL) without one. */
CALL(aclInit)
{
	if (!a->at[0].text)
		return code(NAMED(__typeof__(aclInit) *, "aclInit")(NULL));
	t_write_file("acl.json", a->at[0].text);
	return code(NAMED(__typeof__(aclInit) *, "aclInit")("acl.json"));
}

CALL(aclFinalize)
{
	return code(NAMED(__typeof__(aclFinalize) *, "aclFinalize")());
}

const struct row_call calls_life[] = {
	ENTRY(Init, 1, 2), ENTRY(Finalize, 0, 0), ENTRY(SetConfig, 2, 3),
	ENTRY(CreateConfig, 1, 5), ENTRY(DestroyConfig, 1, 1), ENTRY(Warmup, 1, 1),
	ENTRY(Start, 1, 1), ENTRY(Stop, 1, 1), ENTRY(aclInit, 1, 1), ENTRY(aclFinalize, 0, 0),
	{ 0 },
};
