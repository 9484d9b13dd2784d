/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mstx for allocators that hand out parts of a larger block, so that memory
 * tools can follow them. libascprof records none of it.
 */
#ifndef ASCPROF_MS_TOOLS_EXT_H
#include "ms_tools_ext.h" /* which comes back here */
#elif !defined(ASCPROF_MS_TOOLS_EXT_MEM_H)
#define ASCPROF_MS_TOOLS_EXT_MEM_H

typedef struct mstxMemHeap_st mstxMemHeap_t;
typedef mstxMemHeap_t *mstxMemHeapHandle_t;

typedef struct mstxMemRegion_st mstxMemRegion_t;
typedef mstxMemRegion_t *mstxMemRegionHandle_t;

typedef struct mstxMemVirtualRangeDesc_t {
	uint32_t deviceId;
	void const *ptr;
	uint64_t size; /* bytes */
} mstxMemVirtualRangeDesc_t;

typedef enum mstxMemHeapUsageType {
	MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0 /* not to be touched before regions are registered */
} mstxMemHeapUsageType;

typedef enum mstxMemType {
	MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0 /* described by mstxMemVirtualRangeDesc_t */
} mstxMemType;

typedef struct mstxMemHeapDesc_t {
	mstxMemHeapUsageType usage;
	mstxMemType type;
	void const *typeSpecificDesc;
} mstxMemHeapDesc_t;

typedef struct mstxMemRegionsRegisterBatch_t {
	mstxMemHeapHandle_t heap;
	mstxMemType regionType;
	size_t regionCount;
	void const *regionDescArray; /* regionCount descriptions, as regionType says */
	mstxMemRegionHandle_t *regionHandleArrayOut; /* out: regionCount handles */
} mstxMemRegionsRegisterBatch_t;

typedef enum mstxMemRegionRefType {
	MSTX_MEM_REGION_REF_TYPE_POINTER = 0,
	MSTX_MEM_REGION_REF_TYPE_HANDLE
} mstxMemRegionRefType;

typedef struct mstxMemRegionRef_t {
	mstxMemRegionRefType refType;
	union {
		void const *pointer;
		mstxMemRegionHandle_t handle;
	};
} mstxMemRegionRef_t;

typedef struct mstxMemRegionsUnregisterBatch_t {
	size_t refCount;
	mstxMemRegionRef_t const *refArray;
} mstxMemRegionsUnregisterBatch_t;

/* The domain of memory that belongs to none. */
static mstxDomainHandle_t const globalDomain __attribute__((unused)) = NULL;

/**
 * DOC: mstx for memory pools
 *
 * For allocators that hand out parts of a larger block, so that memory tools can
 * follow them. libascprof records none of it.
 *
 * Threads: Safe in any thread at any time.
 * Source: The public mstx interface (mstx, ms_tools_ext_mem.h).
 */

/**
 * mstxMemHeapRegister - make a block of memory known as a pool
 * @domain: from mstxDomainCreateA, or globalDomain
 * @desc: the block
 *
 * Return: a handle; NULL without a tool that follows memory.
 */
MSTX_DECLSPEC mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc);

/**
 * mstxMemHeapUnregister - forget a pool and all its regions
 * @domain: that of the pool
 * @heap: from mstxMemHeapRegister
 */
MSTX_DECLSPEC void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);

/**
 * mstxMemRegionsRegister - parts of a pool have been handed out
 * @domain: that of the pool
 * @desc: which parts; gets their handles
 */
MSTX_DECLSPEC void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc);

/**
 * mstxMemRegionsUnregister - parts of a pool have come back
 * @domain: that of the pool
 * @desc: which parts, by address or handle
 */
MSTX_DECLSPEC void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc);

#endif /* ASCPROF_MS_TOOLS_EXT_MEM_H */
