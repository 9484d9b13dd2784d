// SPDX-License-Identifier: Apache-2.0
/*
 * mstx without a recording: no thread, no descriptor, no memory, no output, and
 * ids that may be given back at any time. The same between Init and Start, and
 * in a session that does not record msproftx.
 */
#include "mstx.h"

#include <mstx/ms_tools_ext.h>

#define CALLS 100000

static unsigned int mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned int n = 0;

	for (int c; file && (c = fgetc(file)) != EOF;)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

static void all_calls(mstxDomainHandle_t domain)
{
	mstxMarkA("x", NULL);
	mstxMarkA(NULL, NULL); /* not even looked at */
	mstxMarkA("=x", NULL);
	t_code(mstxRangeStartA("x", NULL), 0);
	mstxRangeEnd(0);
	mstxRangeEnd(256);
	mstxDomainMarkA(domain, "x", NULL);
	mstxDomainMarkA((mstxDomainHandle_t)&domain, "x", NULL);
	t_code(mstxDomainRangeStartA(domain, "x", NULL), 0);
	mstxDomainRangeEnd(domain, 0);
	mstxDomainRangeEnd(domain, 256);
}

/* They do nothing here, with a recording or without. */
static void memory_calls(mstxDomainHandle_t domain)
{
	mstxMemVirtualRangeDesc_t block = { .deviceId = 0, .ptr = &block, .size = sizeof(block) };
	mstxMemHeapDesc_t heap = { MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &block };
	mstxMemRegionHandle_t handle = NULL;
	mstxMemRegionsRegisterBatch_t in = { NULL, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &block, &handle };
	mstxMemRegionRef_t reference = { .refType = MSTX_MEM_REGION_REF_TYPE_POINTER, .pointer = &block };
	mstxMemRegionsUnregisterBatch_t out = { 1, &reference };

	t_check(!mstxMemHeapRegister(domain, &heap), "a heap");
	mstxMemRegionsRegister(domain, &in);
	t_check(!handle, "a region");
	mstxMemRegionsUnregister(globalDomain, &out);
	mstxMemHeapUnregister(domain, NULL);
}

static void check_nothing(const char *when, mstxDomainHandle_t domain)
{
	unsigned int maps, fds = t_count_fds();
	long memory;
	const char *out;

	t_stderr_begin();
	all_calls(domain);
	maps = mappings();
	memory = t_status_kb("VmSize");
	for (int i = 0; i < CALLS; i++)
		all_calls(domain);
	memory_calls(domain);
	t_equal(mappings(), maps, "mappings, %s", when);
	t_equal(t_status_kb("VmSize"), memory, "kB of address space, %s", when);
	out = t_stderr_end();
	t_check(!*out, "printed %s: %s", when, out);
	t_equal(t_count_fds(), fds, "descriptors, %s", when);
}

int main(void)
{
	const char *dir = t_dir();
	mstxDomainHandle_t domain = mstxDomainCreateA("off");
	aclprofConfig *config;

	t_check(domain, "no domain without a session");
	check_nothing("without a session", domain);
	t_code(t_init(dir), 0);
	check_nothing("before Start", domain);
	config = t_config(ACL_PROF_ACL_API, 1, 0);
	t_code(aclprofStart(config), 0);
	check_nothing("without ACL_PROF_MSPROFTX", domain);
	t_code(aclprofStop(config), 0);
	t_code(aclprofDestroyConfig(config), 0);
	t_check(!t_exists(t_path("%s/host/data/unaging.additional.hash_dic.slice_0", prof_only(dir))),
		"a dictionary of nothing");

	config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_code(aclprofStart(config), 0);
	memory_calls(domain);
	t_code(aclprofStop(config), 0);
	check_nothing("after Stop", domain);
	t_code(aclprofDestroyConfig(config), 0);
	t_code(aclprofFinalize(), 0);
	check_nothing("after Finalize", domain);
	return t_end();
}
