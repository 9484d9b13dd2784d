// SPDX-License-Identifier: Apache-2.0
/*
 * InitInjectionMstx() and the tables of other programs: shorter ones, longer
 * ones, programs from before a module, getters that give nothing.
 */
#define MSTX_NO_IMPL
#include "mstx.h"

#include <mstx/ms_tools_ext.h>

#define SLOTS 9

int InitInjectionMstx(mstxGetModuleFuncTableFunc getter);

static mstxFuncPointer slots[MSTX_API_MODULE_SIZE][SLOTS];
static mstxFuncPointer *tables[MSTX_API_MODULE_SIZE][SLOTS + 1];
static unsigned int sizes[MSTX_API_MODULE_SIZE];
static unsigned int asked[MSTX_API_MODULE_SIZE];
static bool null_table;

static void untouched(void)
{
}

static int getter(mstxFuncModule module, mstxFuncTable *table, unsigned int *size)
{
	if (module <= MSTX_API_MODULE_INVALID || module >= MSTX_API_MODULE_SIZE || !table || !size)
		return MSTX_FAIL;
	asked[module]++;
	if (!sizes[module])
		return MSTX_FAIL;
	*table = null_table ? NULL : tables[module];
	*size = sizes[module];
	return MSTX_SUCCESS;
}

/* @close: index at which the table ends with a NULL, whatever its size says */
static void ask(unsigned int core, unsigned int domain, unsigned int memory, unsigned int close)
{
	sizes[MSTX_API_MODULE_CORE] = core;
	sizes[MSTX_API_MODULE_CORE_DOMAIN] = domain;
	sizes[MSTX_API_MODULE_CORE_MEM] = memory;
	memset(asked, 0, sizeof(asked));
	for (int m = 0; m < MSTX_API_MODULE_SIZE; m++) {
		for (unsigned int i = 0; i < SLOTS; i++) {
			slots[m][i] = untouched;
			tables[m][i] = i && i < close ? &slots[m][i] : NULL;
		}
	}
	t_code(InitInjectionMstx(getter), MSTX_SUCCESS);
}

/* Slots 1 to @count - 1 hold functions, different ones, and no other was written. */
static void filled(mstxFuncModule module, unsigned int count)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		t_check((slots[module][i] == untouched) == (!i || i >= count), "slot %u of module %d", i, module);
		for (unsigned int j = 1; j < i && i < count; j++)
			t_check(slots[module][i] != slots[module][j], "slots %u and %u", i, j);
	}
}

static void through_the_table(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	mstxFuncPointer *core = slots[MSTX_API_MODULE_CORE], *more = slots[MSTX_API_MODULE_CORE_DOMAIN];
	mstxDomainHandle_t domain;
	struct mstx_events all;
	uint64_t tool = 0;

	((mstxMarkAFunc)core[1])("mark", NULL);
	((mstxRangeEndFunc)core[3])(((mstxRangeStartAFunc)core[2])("range", NULL));
	((mstxGetToolIdFunc)core[4])(&tool);
	t_equal((long long)tool, MSTX_TOOL_MSPROF_ID, "tool");
	domain = ((mstxDomainCreateAFunc)more[1])("d");
	t_check(domain && domain == mstxDomainCreateA("d"), "by name another domain than by the table");
	((mstxDomainMarkAFunc)more[3])(domain, "mark of d", NULL);
	((mstxDomainRangeEndFunc)more[5])(domain, ((mstxDomainRangeStartAFunc)more[4])(domain, "range of d", NULL));
	((mstxDomainDestroyFunc)more[2])(domain);
	t_stderr_begin();
	((mstxDomainMarkAFunc)more[3])(domain, "gone", NULL);
	t_stderr_end();
	t_stop(config);
	mstx_read(&all, prof_only(dir));
	t_equal((long long)all.count, 4, "events");
	mstx_only(&all, "mark");
	mstx_only(&all, "range");
	mstx_only(&all, "mark of d");
	mstx_only(&all, "range of d");
	mstx_free(&all);
}

int main(void)
{
	ask(MSTX_API_CORE_SIZE, MSTX_API_CORE2_SIZE, MSTX_API_CORE_MEM_SIZE, SLOTS);
	filled(MSTX_API_MODULE_CORE, 5);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 6);
	filled(MSTX_API_MODULE_CORE_MEM, 0);
	through_the_table();

	/* before mstxGetToolId, before domains, before memory */
	ask(4, 0, 0, SLOTS);
	filled(MSTX_API_MODULE_CORE, 4);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 0);
	t_equal(asked[MSTX_API_MODULE_CORE_DOMAIN], 1, "asked for domains");
	/* domains only */
	ask(0, 6, 5, SLOTS);
	filled(MSTX_API_MODULE_CORE, 0);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 6);
	/* longer than we know */
	ask(SLOTS, SLOTS, SLOTS, SLOTS);
	filled(MSTX_API_MODULE_CORE, 5);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 6);
	filled(MSTX_API_MODULE_CORE_MEM, 0);
	/* sizes of nothing, and tables that end early */
	ask(1, 2, 5, SLOTS);
	filled(MSTX_API_MODULE_CORE, 0);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 2);
	ask(5, 6, 5, 3);
	filled(MSTX_API_MODULE_CORE, 3);
	filled(MSTX_API_MODULE_CORE_DOMAIN, 3);
	null_table = true;
	ask(5, 6, 5, SLOTS);
	filled(MSTX_API_MODULE_CORE, 0);

	t_refused(InitInjectionMstx(NULL), MSTX_FAIL, "InitInjectionMstx NULL");
	return t_end();
}
