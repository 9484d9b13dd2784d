// SPDX-License-Identifier: Apache-2.0
/* aclprofStart and aclprofStop: test vectors 79 to 106, documented era. */
#include "tests/unit/test_api_cases.h"

#include "tests/process/prof.h"

#define TX ACL_PROF_MSPROFTX
#define BAD ACL_ERROR_INVALID_PARAM
#define DIFFER ACL_ERROR_INVALID_PROFILING_CONFIG
#define RUNS ACL_ERROR_PROF_ALREADY_RUN
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN
#define UNKNOWN ACL_ERROR_PROF_MODULES_UNSUPPORTED

static const char *dir;

static void init(void)
{
	dir = t_dir();
	t_code(t_init(dir), 0);
}

static void directories(size_t count)
{
	struct prof_list list;

	prof_find(&list, dir);
	t_equal(list.count, (long long)count, "PROF directories");
	prof_free(&list);
}

/* The session records: one mark more. */
static void mark(void)
{
	void *stamp = t_stamp("alive");

	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
}

static void vector_79(void)
{
	t_refused(t_set(ACL_PROF_LLC_MODE, "read"), ACL_ERROR_UNINITIALIZE,
		  "aclprofSetConfig aclprofInit");
	/* arguments come first */
	t_refused(t_set((aclprofConfigType)0, "read"), BAD, "aclprofSetConfig configType");
	init();
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), 0);
	t_code(aclprofFinalize(), 0);
	t_refused(t_set(ACL_PROF_LLC_MODE, "read"), ACL_ERROR_UNINITIALIZE,
		  "aclprofSetConfig aclprofInit");
}

static void vector_81(void)
{
	t_refused(aclprofStart(NULL), BAD, "aclprofStart profilerConfig NULL");
	init();
	t_refused(aclprofStart(NULL), BAD, "aclprofStart profilerConfig NULL");
	directories(0);
}

/* A structure that aclprofCreateConfig did not make, or that was destroyed. */
static void vector_83(void)
{
	static uint64_t made_by_hand[512];
	aclprofConfig *config = t_config(TX, 1, 0);

	init();
	t_refused(aclprofStart((void *)made_by_hand), BAD, "aclprofStart profilerConfig");
	t_refused(aclprofStop((void *)made_by_hand), BAD, "aclprofStop profilerConfig");
	t_refused(aclprofStart((void *)8), BAD, "aclprofStart profilerConfig");
	t_code(aclprofDestroyConfig(config), 0);
	t_refused(aclprofStart(config), BAD, "aclprofStart profilerConfig");
	directories(0);
}

/* Vectors 84 and 85 */
static void vector_84(void)
{
	static const uint64_t bad[] = { 0xffffffff, UINT64_MAX,
					0x400,	    0x10000,
					0x800000,   0x2000000,
					1ULL << 63, ACL_PROF_MSPROFTX | 0x400 };

	init();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		aclprofConfig *config = t_config(bad[i], 1, 0);

		t_refused(aclprofStart(config), UNKNOWN, "aclprofStart dataTypeConfig");
		t_refused(aclprofStop(config), UNKNOWN, "aclprofStop dataTypeConfig");
		t_code(aclprofDestroyConfig(config), 0);
	}
	directories(0);
}

static void all_bits(void)
{
	static const uint64_t known[] = {
		ACL_PROF_ACL_API,	 ACL_PROF_TASK_TIME,	ACL_PROF_AICORE_METRICS,
		ACL_PROF_AICPU,		 ACL_PROF_L2CACHE,	ACL_PROF_HCCL_TRACE,
		ACL_PROF_TRAINING_TRACE, ACL_PROF_MSPROFTX,	ACL_PROF_RUNTIME_API,
		ACL_PROF_GE_API_L0,	 ACL_PROF_TASK_TIME_L0, ACL_PROF_TASK_MEMORY,
		ACL_PROF_TASK_TIME_L2,	 ACL_PROF_OP_ATTR,	ACL_PROF_TASK_TIME_L3,
		ACL_PROF_GE_API_L1,	 ACL_PROF_API_STATS,	ACL_PROF_AICORE_SHAPE
	};

	init();
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		aclprofConfig *config = t_config(known[i], 1, 0);

		t_equal(aclprofStart(config), 0, "aclprofStart with %#llx",
			(unsigned long long)known[i]);
		t_equal(aclprofStop(config), 0, "aclprofStop with %#llx",
			(unsigned long long)known[i]);
		t_code(aclprofDestroyConfig(config), 0);
	}
}

static void vector_87(void)
{
	aclprofConfig *config = t_config(TX, 1, 0);

	t_refused(aclprofStart(config), NOT_RUN, "aclprofStart aclprofInit");
	t_check(!aclprofCreateStamp(), "a stamp without a session");
}

static void vector_89(void)
{
	aclprofConfig *config = t_config(TX, 1, 0), *equal = t_config(TX, 1, 0);

	init();
	t_code(aclprofStart(config), 0);
	t_refused(aclprofStart(config), RUNS, "aclprofStart device 0");
	t_refused(aclprofStart(equal), RUNS, "aclprofStart device 0");
	mark();
	t_code(aclprofStop(config), 0);
	directories(1);
	prof_check(dir, "", NULL);
}

/* Without a device the host is what runs. */
static void vector_89_host(void)
{
	aclprofConfig *config = t_config(TX, 0);

	init();
	t_code(aclprofStart(config), 0);
	t_refused(aclprofStart(config), RUNS, "aclprofStart");
	mark();
	t_code(aclprofStop(config), 0);
	t_refused(aclprofStop(config), NOT_RUN, "aclprofStop");
	directories(1);
	prof_check(dir, "", NULL);
}

static void vector_90(void)
{
	aclprofConfig *zero = t_config(TX, 1, 0), *one = t_config(TX, 1, 1);
	struct prof_totals totals;

	init();
	t_code(aclprofStart(zero), 0);
	mark();
	t_code(aclprofStart(one), 0);
	mark();
	t_code(aclprofStop(zero), 0);
	mark(); /* device 1 still runs */
	t_refused(aclprofStop(zero), NOT_RUN, "aclprofStop");
	t_code(aclprofStop(one), 0);
	t_check(!aclprofCreateStamp(), "a stamp after the last Stop");
	prof_check(dir, "", &totals);
	t_equal(totals.dirs, 2, "directories");
	t_equal(totals.mark.written, 3, "marks");
}

static void vector_91(void)
{
	aclprofConfig *first = t_config(TX, 2, 0, 1), *second = t_config(TX, 2, 1, 2),
		      *two = t_config(TX, 1, 2);

	init();
	t_code(aclprofStart(first), 0);
	t_refused(aclprofStart(second), RUNS, "aclprofStart device 1");
	directories(1);
	t_refused(aclprofStop(two), NOT_RUN, "aclprofStop"); /* nothing of the second started */
	t_code(aclprofStop(first), 0);
	t_code(aclprofStart(second), 0);
	t_code(aclprofStop(second), 0);
	directories(2);
	prof_check(dir, "", NULL);
}

static void vector_92(void)
{
	aclprofConfig *config = t_config(TX, 1, 0), *other = t_config(TX | ACL_PROF_ACL_API, 1, 0),
		      *elsewhere = t_config(TX | ACL_PROF_ACL_API, 1, 1);

	init();
	t_code(aclprofStart(config), 0);
	t_refused(aclprofStart(other), DIFFER, "aclprofStart dataTypeConfig");
	t_refused(aclprofStart(elsewhere), DIFFER, "aclprofStart dataTypeConfig");
	mark();
	t_code(aclprofStop(config), 0);
	directories(1);
}

/* Vectors 93 and 94 */
static void vector_93(void)
{
	aclprofConfig *config = t_config(ACL_PROF_ACL_API, 1, 0), *none = t_config(0, 1, 0),
		      *other = t_config(TX, 1, 0);

	init();
	t_code(aclprofStart(config), 0);
	t_refused(aclprofStop(none), DIFFER, "aclprofStop dataTypeConfig");
	t_refused(aclprofStop(other), DIFFER, "aclprofStop dataTypeConfig");
	t_refused(aclprofStart(config), RUNS, "aclprofStart"); /* it goes on */
	t_code(aclprofStop(config), 0);
}

static void vector_95(void)
{
	t_refused(aclprofStop(NULL), BAD, "aclprofStop profilerConfig NULL");
	init();
	t_refused(aclprofStop(NULL), BAD, "aclprofStop profilerConfig NULL");
}

/* Vectors 96 and 97, the latter as documented */
static void vector_96(void)
{
	aclprofConfig *config = t_config(TX, 1, 0);

	t_refused(aclprofStop(config), NOT_RUN, "aclprofStop aclprofInit");
	init();
	t_refused(aclprofStop(config), NOT_RUN, "aclprofStop");
	t_code(aclprofStart(config), 0);
	t_code(aclprofStop(config), 0);
	t_refused(aclprofStop(config), NOT_RUN, "aclprofStop");
}

static void vector_98(void)
{
	aclprofConfig *config = t_config(TX, 1, 0);

	init();
	for (int i = 0; i < 2; i++) {
		t_code(aclprofStart(config), 0);
		mark();
		t_code(aclprofStop(config), 0);
	}
	directories(2);
	prof_check(dir, "", NULL);
}

/* Vectors 99 and 100 */
static void vector_99(void)
{
	aclprofConfig *config = t_config(TX, 2, 0, 1), *equal = t_config(TX, 2, 1, 0);

	init();
	t_code(aclprofStart(config), 0);
	t_code(aclprofDestroyConfig(config), 0);
	mark();
	t_code(aclprofStop(equal), 0);
	t_code(aclprofDestroyConfig(equal), 0);
}

static void vector_101(void)
{
	uint32_t id = 0;
	aclprofConfig *config;

	init();
	config = aclprofCreateConfig(&id, 1, (aclprofAicoreMetrics)99, NULL,
				     TX | ACL_PROF_AICORE_METRICS);
	t_refused(aclprofStart(config), BAD, "aclprofStart aicoreMetrics 99");
	directories(0);
	config = aclprofCreateConfig(&id, 1, (aclprofAicoreMetrics)99, NULL, TX);
	t_code(aclprofStart(config), 0);
	t_code(aclprofStop(config), 0);
	for (int metric = 0; metric <= 8; metric++) {
		config = aclprofCreateConfig(&id, 1, (aclprofAicoreMetrics)metric, NULL,
					     ACL_PROF_AICORE_METRICS);
		t_equal(aclprofStart(config), 0, "Start with metric %d", metric);
		t_equal(aclprofStop(config), 0, "Stop with metric %d", metric);
	}
}

static void vector_106(void)
{
	aclprofConfig *config = t_config(0, 1, 0);

	init();
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"), 0);
	t_code(aclprofStart(config), 0);
	t_check(!aclprofCreateStamp(), "a stamp, though msproftx is not recorded");
	t_code(aclprofStop(config), 0);
	prof_check(dir, "", NULL);
}

/* A part of the devices of one Start is stopped, then the rest. */
static void stop_in_parts(void)
{
	aclprofConfig *both = t_config(TX, 2, 0, 1), *zero = t_config(TX, 1, 0),
		      *one = t_config(TX, 1, 1);

	init();
	t_code(aclprofStart(both), 0);
	t_code(aclprofStop(zero), 0);
	mark();
	t_code(aclprofStart(zero), 0);
	t_code(aclprofStop(both), 0);
	t_refused(aclprofStop(one), NOT_RUN, "aclprofStop");
	prof_check(dir, "", NULL);
}

/* Text, or NULL, of a value in sample.json of the only directory's host part. */
static bool sample_has(const char *text)
{
	const char *prof = prof_only(dir);
	char line[8192] = "";
	FILE *file = prof ? fopen(t_path("%s/host/sample.json", prof), "r") : NULL;

	if (file && !fgets(line, sizeof(line), file))
		line[0] = 0;
	if (file)
		fclose(file);
	return strstr(line, text) != NULL;
}

/* Settings are kept over Finalize, and a refused value leaves the former one. */
static void settings(void)
{
	aclprofConfig *config = t_config(TX, 1, 0);

	init();
	t_code(t_set(ACL_PROF_LLC_MODE, "write"), 0);
	t_code(t_set(ACL_PROF_STORAGE_LIMIT, "300MB"), 0);
	t_code(aclprofFinalize(), 0);
	init();
	t_refused(t_set(ACL_PROF_LLC_MODE, "capacity"), DIFFER, "LLC_MODE");
	t_refused(t_set(ACL_PROF_STORAGE_LIMIT, "199MB"), DIFFER, "STORAGE_LIMIT");
	t_code(aclprofStart(config), 0);
	/* for the next Start, not for this one */
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), 0);
	t_check(sample_has("\"llc_profiling\":\"write\""), "the former LLC mode is not in force");
	t_check(sample_has("\"storageLimit\":\"300MB\""), "the former limit is not in force");
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
	init();
	t_code(t_set(ACL_PROF_STORAGE_LIMIT, ""), 0);
	t_code(aclprofStart(config), 0);
	t_check(sample_has("\"llc_profiling\":\"read\""),
		"the LLC mode set while running is not in force");
	t_check(!sample_has("300MB"), "the limit was not taken back");
	t_code(aclprofStop(config), 0);
}

/* The directory went away, or was replaced, between Init and Start. */
static void path_gone(void)
{
	aclprofConfig *config = t_config(TX, 1, 0);
	const char *gone = t_path("%s/gone", t_dir());

	t_code(t_init(gone), 0);
	t_remove(gone);
	t_write_file(gone, "a file now");
	t_refused(aclprofStart(config), ACL_ERROR_INVALID_FILE, "aclprofStart");
	t_check(!aclprofCreateStamp(), "a stamp without a session");
	t_code(aclprofFinalize(), 0);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_79), CASE(vector_81), CASE(vector_83), CASE(vector_84),
		CASE(all_bits), CASE(vector_87), CASE(vector_89), CASE(vector_89_host),
		CASE(vector_90), CASE(vector_91), CASE(vector_92), CASE(vector_93),
		CASE(vector_95), CASE(vector_96), CASE(vector_98), CASE(vector_99),
		CASE(vector_101), CASE(vector_106), CASE(stop_in_parts), CASE(settings),
		CASE(path_gone),
	};

	return api_cases("api_start", cases, sizeof(cases) / sizeof(cases[0]));
}
