/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ms_tools_ext.h: the program's side, which finds a tool and calls it.
 * One context per program or library: every file that includes this has a weak,
 * hidden copy of it, of which the linker keeps one.
 */
#ifndef ASCPROF_MSTX_CLIENT_H
#define ASCPROF_MSTX_CLIENT_H

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>

#ifdef __cplusplus
extern "C" {
#define MSTX_CLIENT_ZERO {}
#else
#define MSTX_CLIENT_ZERO { 0 }
#endif

enum { MSTX_CLIENT_FRESH, MSTX_CLIENT_STARTED, MSTX_CLIENT_READY, MSTX_CLIENT_FAILED };

struct mstx_client {
	int state;
	int *starter; /* errno of the thread that looks for the tool: tells threads apart */
	mstxFuncPointer core[MSTX_API_CORE_SIZE];
	mstxFuncPointer domain[MSTX_API_CORE2_SIZE];
	mstxFuncPointer mem[MSTX_API_CORE_MEM_SIZE];
};

extern struct mstx_client ascprof_mstx_client;
__attribute__((weak, visibility("hidden"))) struct mstx_client ascprof_mstx_client = MSTX_CLIENT_ZERO;
#undef MSTX_CLIENT_ZERO

/* The getter that a tool's InitInjectionMstx() is given. */
static inline int mstx_client_table(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize)
{
	static mstxFuncPointer *core[] = {
		NULL,
		&ascprof_mstx_client.core[MSTX_API_CORE_MARK_A],
		&ascprof_mstx_client.core[MSTX_API_CORE_RANGE_START_A],
		&ascprof_mstx_client.core[MSTX_API_CORE_RANGE_END],
		&ascprof_mstx_client.core[MSTX_API_CORE_GET_TOOL_ID],
		NULL,
	};
	static mstxFuncPointer *domain[] = {
		NULL,
		&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_CREATE_A],
		&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_DESTROY],
		&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_MARK_A],
		&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_RANGE_START_A],
		&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_RANGE_END],
		NULL,
	};
	static mstxFuncPointer *mem[] = {
		NULL,
		&ascprof_mstx_client.mem[MSTX_API_CORE_MEMHEAP_REGISTER],
		&ascprof_mstx_client.mem[MSTX_API_CORE_MEMHEAP_UNREGISTER],
		&ascprof_mstx_client.mem[MSTX_API_CORE_MEM_REGIONS_REGISTER],
		&ascprof_mstx_client.mem[MSTX_API_CORE_MEM_REGIONS_UNREGISTER],
		NULL,
	};

	if (!outTable || !outSize)
		return MSTX_FAIL;
	switch (module) {
	case MSTX_API_MODULE_CORE:
		*outTable = core;
		*outSize = MSTX_API_CORE_SIZE;
		return MSTX_SUCCESS;
	case MSTX_API_MODULE_CORE_DOMAIN:
		*outTable = domain;
		*outSize = MSTX_API_CORE2_SIZE;
		return MSTX_SUCCESS;
	case MSTX_API_MODULE_CORE_MEM:
		*outTable = mem;
		*outSize = MSTX_API_CORE_MEM_SIZE;
		return MSTX_SUCCESS;
	default:
		return MSTX_FAIL;
	}
}

/* A tool may have filled a part before it failed: it is to be called by nobody. */
static inline void mstx_client_clear(void)
{
	for (int i = 0; i < MSTX_API_CORE_SIZE; i++)
		ascprof_mstx_client.core[i] = NULL;
	for (int i = 0; i < MSTX_API_CORE2_SIZE; i++)
		ascprof_mstx_client.domain[i] = NULL;
	for (int i = 0; i < MSTX_API_CORE_MEM_SIZE; i++)
		ascprof_mstx_client.mem[i] = NULL;
}

static inline int mstx_client_find(void)
{
	const char *path = getauxval(AT_SECURE) ? NULL : getenv("MSTX_INJECTION_PATH");
	void *handle = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
	/* NULL is the global scope: what the program is linked with, or preloads. */
	void *symbol = dlsym(handle, "InitInjectionMstx");
	mstxInitInjectionFunc init;

	if (!symbol)
		return MSTX_FAIL;
	__builtin_memcpy(&init, &symbol, sizeof(init));
	return init(mstx_client_table) == MSTX_SUCCESS ? MSTX_SUCCESS : MSTX_FAIL;
}

static __attribute__((noinline, unused)) void mstx_client_start(void)
{
	struct mstx_client *c = &ascprof_mstx_client;
	int fresh = MSTX_CLIENT_FRESH, saved = errno, found;

	if (__atomic_compare_exchange_n(&c->state, &fresh, MSTX_CLIENT_STARTED, 0, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		__atomic_store_n(&c->starter, &errno, __ATOMIC_RELAXED);
		found = mstx_client_find() == MSTX_SUCCESS;
		if (!found)
			mstx_client_clear();
		__atomic_store_n(&c->state, found ? MSTX_CLIENT_READY : MSTX_CLIENT_FAILED, __ATOMIC_RELEASE);
		errno = saved;
		return;
	}
	/* A library that marks while it is being loaded as the tool must not wait for itself. */
	while (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) == MSTX_CLIENT_STARTED &&
	       __atomic_load_n(&c->starter, __ATOMIC_RELAXED) != &errno)
		sched_yield();
	errno = saved;
}

static inline mstxFuncPointer mstx_client_get(mstxFuncPointer *function)
{
	if (__builtin_expect(__atomic_load_n(&ascprof_mstx_client.state, __ATOMIC_ACQUIRE) < MSTX_CLIENT_READY, 0))
		mstx_client_start();
	return __atomic_load_n(function, __ATOMIC_RELAXED);
}

static inline void mstxMarkA(const char *message, aclrtStream stream)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.core[MSTX_API_CORE_MARK_A]);

	if (f)
		((mstxMarkAFunc)f)(message, stream);
}

static inline mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.core[MSTX_API_CORE_RANGE_START_A]);

	return f ? ((mstxRangeStartAFunc)f)(message, stream) : 0;
}

static inline void mstxRangeEnd(mstxRangeId id)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.core[MSTX_API_CORE_RANGE_END]);

	if (f)
		((mstxRangeEndFunc)f)(id);
}

static inline void mstxGetToolId(uint64_t *id)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.core[MSTX_API_CORE_GET_TOOL_ID]);

	if (!id)
		return;
	*id = MSTX_TOOL_INVALID_ID;
	if (f)
		((mstxGetToolIdFunc)f)(id);
}

static inline mstxDomainHandle_t mstxDomainCreateA(const char *name)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_CREATE_A]);

	return f ? ((mstxDomainCreateAFunc)f)(name) : NULL;
}

static inline void mstxDomainDestroy(mstxDomainHandle_t domain)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_DESTROY]);

	if (f)
		((mstxDomainDestroyFunc)f)(domain);
}

static inline void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_MARK_A]);

	if (f)
		((mstxDomainMarkAFunc)f)(domain, message, stream);
}

static inline mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_RANGE_START_A]);

	return f ? ((mstxDomainRangeStartAFunc)f)(domain, message, stream) : 0;
}

static inline void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.domain[MSTX_API_CORE2_DOMAIN_RANGE_END]);

	if (f)
		((mstxDomainRangeEndFunc)f)(domain, id);
}

static inline mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.mem[MSTX_API_CORE_MEMHEAP_REGISTER]);

	return f ? ((mstxMemHeapRegisterFunc)f)(domain, desc) : NULL;
}

static inline void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.mem[MSTX_API_CORE_MEMHEAP_UNREGISTER]);

	if (f)
		((mstxMemHeapUnregisterFunc)f)(domain, heap);
}

static inline void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.mem[MSTX_API_CORE_MEM_REGIONS_REGISTER]);

	if (f)
		((mstxMemRegionsRegisterFunc)f)(domain, desc);
}

static inline void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc)
{
	mstxFuncPointer f = mstx_client_get(&ascprof_mstx_client.mem[MSTX_API_CORE_MEM_REGIONS_UNREGISTER]);

	if (f)
		((mstxMemRegionsUnregisterFunc)f)(domain, desc);
}

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_MSTX_CLIENT_H */
