/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ms_tools_ext.h: every call is nothing. */
#ifndef ASCPROF_MSTX_DISABLE_H
#define ASCPROF_MSTX_DISABLE_H

static inline void mstxMarkA(const char *message, aclrtStream stream)
{
	(void)message;
	(void)stream;
}

static inline mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
	(void)message;
	(void)stream;
	return 0;
}

static inline void mstxRangeEnd(mstxRangeId id)
{
	(void)id;
}

static inline mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
	(void)name;
	return NULL;
}

static inline void mstxDomainDestroy(mstxDomainHandle_t domain)
{
	(void)domain;
}

static inline void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
	(void)domain;
	(void)message;
	(void)stream;
}

static inline mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
	(void)domain;
	(void)message;
	(void)stream;
	return 0;
}

static inline void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
	(void)domain;
	(void)id;
}

static inline void mstxGetToolId(uint64_t *id)
{
	if (id)
		*id = MSTX_TOOL_INVALID_ID;
}

static inline mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
	(void)domain;
	(void)desc;
	return NULL;
}

static inline void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
	(void)domain;
	(void)heap;
}

static inline void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc)
{
	(void)domain;
	(void)desc;
}

static inline void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc)
{
	(void)domain;
	(void)desc;
}

#endif /* ASCPROF_MSTX_DISABLE_H */
