/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mstx: a program marks instants and ranges, and whatever tool is in its
 * process records them. Names, prototypes and the table of functions are those
 * of the public interface, so that programs and tools built against either
 * header work together.
 *
 *	MSTX_NO_IMPL	before the include: declarations only; link a library that
 *			has the functions, such as libascprof
 *	MSTX_DISABLE	before the include: every call compiles to nothing
 */
#ifndef ASCPROF_MS_TOOLS_EXT_H
#define ASCPROF_MS_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(MSTX_NO_IMPL) && !defined(MSTX_DISABLE)
#define MSTX_DECLSPEC __attribute__((visibility("default")))
#else
#define MSTX_DECLSPEC static inline
#endif

#define MSTX_SUCCESS 0
#define MSTX_FAIL 1

/* What mstxGetToolId tells: */
#define MSTX_TOOL_INVALID_ID 0x0 /* no tool */
#define MSTX_TOOL_MSPROF_ID 0x1000 /* and libascprof, which records as it does */
#define MSTX_TOOL_MSOPPROF_ID 0x1001 /* of operators */
#define MSTX_TOOL_MSSANITIZER_ID 0x1002 /* for memory faults */
#define MSTX_TOOL_MSLEAKS_ID 0x1003 /* for leaks */

typedef uint64_t mstxRangeId;
typedef void *aclrtStream;

typedef struct mstxDomainRegistration_st mstxDomainRegistration_t;
typedef mstxDomainRegistration_t *mstxDomainHandle_t;

/**
 * DOC: mstx
 *
 * A program marks instants and ranges, and whatever tool is in its process
 * records them. The header needs no library (with glibc before 2.34: -ldl). The
 * first call looks for a tool: in the library that MSTX_INJECTION_PATH names
 * (set-user-id programs ignore it), else among the libraries that the process
 * has loaded. Without one, and in programs that no tool records, a call is a load
 * and a branch. What a program found holds until it ends.
 *
 * With MSTX_NO_IMPL before the include there are declarations only, and a library
 * has to be linked that has the functions, such as libascprof; with MSTX_DISABLE
 * every call compiles to nothing. No function reports an error: bad arguments are
 * ignored, and libascprof says so in its log and in ascprof_last_error().
 *
 * libascprof records mstx wherever it records ACL_PROF_MSPROFTX. A range that is
 * open at aclprofStop makes no row and is counted; the next session does not know
 * it.
 *
 * Threads: Safe in any thread at any time. In a signal handler that interrupts an
 * annotation of its own thread a call is ignored, and a mark counted as dropped.
 * Source: The public mstx interface (mstx, ms_tools_ext.h).
 */

/**
 * mstxMarkA - record an instant, in the domain "default"
 * @message: text of at least one byte that does not begin with = + - @; with
 *	libascprof at most 65,535 bytes, bytes that are not UTF-8 are written
 *	as U+FFFD
 * @stream: to mark in as well, or NULL. libascprof has the device runtime
 *	(libruntime.so) stamp the event in it, where that is in the process; the
 *	host's event is recorded in any case. Not for signal handlers, then
 */
MSTX_DECLSPEC void mstxMarkA(const char *message, aclrtStream stream);

/**
 * mstxRangeStartA - begin a range that any thread can end, in "default"
 * @message: as for mstxMarkA
 * @stream: as for mstxMarkA; the end is stamped in it, too
 *
 * Example:
 *	mstxRangeId id = mstxRangeStartA("forward", NULL);
 *	work();
 *	mstxRangeEnd(id); // from any thread
 *
 * Return: an id that no other open range has; 0 when nothing was begun.
 */
MSTX_DECLSPEC mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream);

/**
 * mstxRangeEnd - end a range of the domain "default"
 * @id: from mstxRangeStartA; 0, ended and unknown ids are ignored
 */
MSTX_DECLSPEC void mstxRangeEnd(mstxRangeId id);

/**
 * mstxDomainCreateA - get the domain of that name, a group of marks and ranges
 * @name: 1 to 1,023 bytes, letters, digits and _ by the documentation;
 *	libascprof refuses control characters and a first = + - @
 *
 * Example:
 *	mstxDomainHandle_t net = mstxDomainCreateA("net");
 *	mstxRangeId id = mstxDomainRangeStartA(net, "all-reduce", NULL);
 *	work();
 *	mstxDomainRangeEnd(net, id);
 *
 * Return: a handle, the same for the same name; NULL when the name is refused
 * or is "default", and without a tool. Need not wait for a session.
 */
MSTX_DECLSPEC mstxDomainHandle_t mstxDomainCreateA(const char *name);

/**
 * mstxDomainDestroy - give a domain up
 * @domain: from mstxDomainCreateA; NULL and unknown handles are ignored
 *
 * Calls that name it are ignored until it is created again.
 */
MSTX_DECLSPEC void mstxDomainDestroy(mstxDomainHandle_t domain);

/**
 * mstxDomainMarkA - record an instant, in a domain
 * @domain: from mstxDomainCreateA; NULL and unknown handles are ignored
 * @message: as for mstxMarkA
 * @stream: as for mstxMarkA
 */
MSTX_DECLSPEC void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);

/**
 * mstxDomainRangeStartA - begin a range of a domain, which any thread can end
 * @domain: from mstxDomainCreateA; NULL and unknown handles are ignored
 * @message: as for mstxMarkA
 * @stream: as for mstxRangeStartA
 *
 * Return: an id that no other open range has; 0 when nothing was begun.
 */
MSTX_DECLSPEC mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message, aclrtStream stream);

/**
 * mstxDomainRangeEnd - end a range of a domain
 * @domain: the one that the range was begun in; with another the call is ignored
 * @id: from mstxDomainRangeStartA
 */
MSTX_DECLSPEC void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);

/**
 * mstxGetToolId - which tool records
 * @id: out: MSTX_TOOL_*; MSTX_TOOL_INVALID_ID without a tool. NULL is ignored
 */
MSTX_DECLSPEC void mstxGetToolId(uint64_t *id);

#include "ms_tools_ext_mem.h"

/*
 * For tools. A tool exports InitInjectionMstx(); the client calls it once, with
 * a function that gives the table of each module. table[i] is the address of
 * the pointer that the client calls for function i; the tool writes its own
 * function there, if i is below the size it was told. Index 0 is not used, and
 * a NULL ends the table.
 */
typedef enum mstxFuncModule {
	MSTX_API_MODULE_INVALID = 0,
	MSTX_API_MODULE_CORE = 1,
	MSTX_API_MODULE_CORE_DOMAIN = 2,
	MSTX_API_MODULE_CORE_MEM = 3,
	MSTX_API_MODULE_SIZE,
	MSTX_API_MODULE_FORCE_INT = 0x7fffffff
} mstxFuncModule;

typedef enum mstxImplCoreFuncId {
	MSTX_API_CORE_INVALID = 0,
	MSTX_API_CORE_MARK_A = 1,
	MSTX_API_CORE_RANGE_START_A = 2,
	MSTX_API_CORE_RANGE_END = 3,
	MSTX_API_CORE_GET_TOOL_ID = 4,
	MSTX_API_CORE_SIZE,
	MSTX_API_CORE_FORCE_INT = 0x7fffffff
} mstxImplCoreFuncId;

typedef enum mstxImplCoreDomainFuncId {
	MSTX_API_CORE2_INVALID = 0,
	MSTX_API_CORE2_DOMAIN_CREATE_A = 1,
	MSTX_API_CORE2_DOMAIN_DESTROY = 2,
	MSTX_API_CORE2_DOMAIN_MARK_A = 3,
	MSTX_API_CORE2_DOMAIN_RANGE_START_A = 4,
	MSTX_API_CORE2_DOMAIN_RANGE_END = 5,
	MSTX_API_CORE2_SIZE,
	MSTX_API_CORE2_FORCE_INT = 0x7fffffff
} mstxImplCoreDomainFuncId;

typedef enum mstxImplCoreMemFuncId {
	MSTX_API_CORE_MEM_INVALID = 0,
	MSTX_API_CORE_MEMHEAP_REGISTER = 1,
	MSTX_API_CORE_MEMHEAP_UNREGISTER = 2,
	MSTX_API_CORE_MEM_REGIONS_REGISTER = 3,
	MSTX_API_CORE_MEM_REGIONS_UNREGISTER = 4,
	MSTX_API_CORE_MEM_SIZE,
	MSTX_API_CORE_MEM_FORCE_INT = 0x7fffffff
} mstxImplCoreMemFuncId;

typedef void (*mstxMarkAFunc)(const char *message, aclrtStream stream);
typedef mstxRangeId (*mstxRangeStartAFunc)(const char *message, aclrtStream stream);
typedef void (*mstxRangeEndFunc)(mstxRangeId id);
typedef void (*mstxGetToolIdFunc)(uint64_t *id);
typedef mstxDomainHandle_t (*mstxDomainCreateAFunc)(const char *name);
typedef void (*mstxDomainDestroyFunc)(mstxDomainHandle_t domain);
typedef void (*mstxDomainMarkAFunc)(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
typedef mstxRangeId (*mstxDomainRangeStartAFunc)(mstxDomainHandle_t domain, const char *message, aclrtStream stream);
typedef void (*mstxDomainRangeEndFunc)(mstxDomainHandle_t domain, mstxRangeId id);
typedef mstxMemHeapHandle_t (*mstxMemHeapRegisterFunc)(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc);
typedef void (*mstxMemHeapUnregisterFunc)(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
typedef void (*mstxMemRegionsRegisterFunc)(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc);
typedef void (*mstxMemRegionsUnregisterFunc)(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc);

typedef void (*mstxFuncPointer)(void);
typedef mstxFuncPointer **mstxFuncTable;

/* @outSize: out: number of indices, 0 included. Return: 0; 1: no such module, or a NULL argument. */
typedef int (*mstxGetModuleFuncTableFunc)(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize);
/* Return: 0; anything else: no tool for this program. */
typedef int (*mstxInitInjectionFunc)(mstxGetModuleFuncTableFunc getFuncTable);

#ifdef __cplusplus
}
#endif

#if defined(MSTX_DISABLE)
#include "mstx_disable.h"
#elif !defined(MSTX_NO_IMPL)
#include "mstx_client.h"
#endif

#endif /* ASCPROF_MS_TOOLS_EXT_H */
