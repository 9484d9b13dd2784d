// SPDX-License-Identifier: Apache-2.0
/* Configuration objects and options: test vectors 1 to 19 and 38 to 78. */
#include "tests/process/t.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BAD ACL_ERROR_INVALID_PARAM
#define REFUSED ACL_ERROR_INVALID_PROFILING_CONFIG
#define TX ACL_PROF_MSPROFTX
#define STRLEN (-1L)

#define TEXT16 "abcdefghijklmnop"
#define TEXT64 TEXT16 TEXT16 TEXT16 TEXT16
#define TEXT256 TEXT64 TEXT64 TEXT64 TEXT64

/* aclprofSetConfig; message: words that a refusal must name */
static const struct option {
	const char *vector;
	int type;
	const char *text;
	long length;
	aclError code;
	const char *message;
} options[] = {
	{ "38", 0, "50", STRLEN, BAD, "configType" },
	{ "38", -1, "50", STRLEN, BAD, "configType" },
	{ "38", 17, "50", STRLEN, BAD, "configType" },
	{ "38", 18, "50", STRLEN, BAD, "configType" },
	{ "39", 1, "50", 3, BAD, "configLength" },
	{ "39 shorter", 3, "50", 1, BAD, "configLength" },
	{ "39 embedded zero", 3, "50\0x", 4, BAD, "configLength" },
	{ "39 huge", 3, "50", (long)(SIZE_MAX >> 1), BAD, "configLength" },
	{ "42", 1, NULL, 0, BAD, "config NULL" },
	{ "43", 2, "50", STRLEN, REFUSED, "configType 2" },
	{ "44", 3, "50", STRLEN, 0, NULL },
	{ "44", 5, "50", STRLEN, 0, NULL },
	{ "44", 7, "50", STRLEN, 0, NULL },
	{ "45", 1, "100MB", STRLEN, REFUSED, "STORAGE_LIMIT 100MB" },
	{ "46", 1, "50", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "47", 1, "MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "47", 1, "10MB0", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "47", 1, "A12345MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "47", 1, "123456789100MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "47", 1, "8294967296MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "48", 1, "250MB", STRLEN, 0, NULL },
	{ "48", 1, "1000MB", STRLEN, 0, NULL },
	{ "48", 1, "4294967295MB", STRLEN, 0, NULL },
	{ "48", 1, "", STRLEN, 0, NULL },
	{ "49", 1, "4294967296MB", STRLEN, 0, NULL },
	{ "49 above", 1, "4294967297MB", STRLEN, REFUSED, "STORAGE_LIMIT 4294967296MB" },
	{ "50", 1, "200MB", STRLEN, 0, NULL },
	{ "50", 1, "199MB", STRLEN, REFUSED, "STORAGE_LIMIT 199MB" },
	{ "50", 1, "200mb", STRLEN, REFUSED, "STORAGE_LIMIT 200mb" },
	{ "50", 1, "0000000200MB", STRLEN, 0, NULL },
	{ "50", 1, "00000000200MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "50 no unit", 1, "200", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "50 negative", 1, "-1MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "50 blank", 1, " 200MB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "50 blank behind", 1, "200MB ", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "50 other unit", 1, "200GB", STRLEN, REFUSED, "STORAGE_LIMIT" },
	{ "51", 3, "101", STRLEN, REFUSED, "HARDWARE_MEM_FREQ 101 100" },
	{ "51", 5, "101", STRLEN, REFUSED, "IO_FREQ 101" },
	{ "51", 7, "101", STRLEN, REFUSED, "DVPP_FREQ 101" },
	{ "52", 3, "error_test", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "0", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, " 50", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "50 ", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "+50", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "-1", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "5.0", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "0x32", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53", 3, "1e1", STRLEN, REFUSED, "HARDWARE_MEM_FREQ 1e1" },
	{ "53 not ASCII", 3, "\xd9\xa5", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53 overflow", 3, "18446744073709551617", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "53 line", 3, "5\n0", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "54", 3, "005", STRLEN, 0, NULL },
	{ "54", 3, "050", STRLEN, 0, NULL },
	{ "54", 3, "0050", STRLEN, REFUSED, "HARDWARE_MEM_FREQ" },
	{ "54", 3, "1", STRLEN, 0, NULL },
	{ "54", 3, "100", STRLEN, 0, NULL },
	{ "57", 4, "read", STRLEN, 0, NULL },
	{ "57", 4, "write", STRLEN, 0, NULL },
	{ "58", 4, "capacity", STRLEN, REFUSED, "LLC_MODE capacity read write" },
	{ "58", 4, "bandwidth", STRLEN, REFUSED, "LLC_MODE" },
	{ "58", 4, "xxx", STRLEN, REFUSED, "LLC_MODE" },
	{ "59", 4, "Read", STRLEN, REFUSED, "LLC_MODE" },
	{ "59", 4, "READ", STRLEN, REFUSED, "LLC_MODE" },
	{ "59", 4, "read,write", STRLEN, REFUSED, "LLC_MODE" },
	{ "59", 4, "", STRLEN, REFUSED, "LLC_MODE" },
	{ "55", 6, "50", STRLEN, 0, NULL },
	{ "55", 6, "51", STRLEN, REFUSED, "INTERCONNECTION_FREQ 51 50" },
	{ "55", 6, "050", STRLEN, REFUSED, "INTERCONNECTION_FREQ" },
	{ "56", 6, "1", STRLEN, 0, NULL },
	{ "56", 6, "0.1", STRLEN, REFUSED, "INTERCONNECTION_FREQ" },
	{ "56", 6, "81", STRLEN, REFUSED, "INTERCONNECTION_FREQ" },
	{ "60", 8, "cpu,mem,disk,network,osrt", STRLEN, 0, NULL },
	{ "60 numa", 8, "numa", STRLEN, 0, NULL },
	{ "60 twice", 8, "cpu,cpu", STRLEN, 0, NULL },
	{ "62", 8, "cpu,", STRLEN, REFUSED, "HOST_SYS cpu" },
	{ "62", 8, ",mem", STRLEN, REFUSED, "HOST_SYS" },
	{ "62", 8, "cpu,,mem", STRLEN, REFUSED, "HOST_SYS" },
	{ "62", 8, "cpu mem", STRLEN, REFUSED, "HOST_SYS" },
	{ "62", 8, "CPU", STRLEN, REFUSED, "HOST_SYS" },
	{ "62 prefix", 8, "cp", STRLEN, REFUSED, "HOST_SYS" },
	{ "63", 8, "", STRLEN, 0, NULL },
	{ "64", 9, "cpu,mem", STRLEN, 0, NULL },
	{ "64", 10, "50", STRLEN, 0, NULL },
	{ "65", 9, "xxx", STRLEN, REFUSED, "HOST_SYS_USAGE" },
	{ "65", 9, "cpu,disk", STRLEN, REFUSED, "HOST_SYS_USAGE" },
	{ "66", 10, "51", STRLEN, REFUSED, "HOST_SYS_USAGE_FREQ" },
	{ "67", 11, "100", STRLEN, 0, NULL },
	{ "68", 11, "0", STRLEN, REFUSED, "LOW_POWER_FREQ" },
	{ "68", 11, "101", STRLEN, REFUSED, "LOW_POWER_FREQ" },
	{ "69", 12, "aaa,bbb", STRLEN, 0, NULL },
	{ "69 none", 12, "", STRLEN, REFUSED, "SERVICEFLOW" },
	{ "70", 13, "50", STRLEN, 0, NULL },
	{ "70", 13, "51", STRLEN, REFUSED, "CPU_FREQ" },
	{ "71", 14, TEXT256, STRLEN, 0, NULL },
	{ "71", 14, TEXT256 "x", STRLEN, BAD, "configLength" },
	{ "72", 14, "MatMul,,Index", STRLEN, REFUSED, "OPTYPE" },
	{ "72", 14, ",MatMul", STRLEN, REFUSED, "OPTYPE" },
	{ "72", 14, "MatMul,", STRLEN, REFUSED, "OPTYPE" },
	{ "72", 14, "", STRLEN, REFUSED, "OPTYPE" },
	{ "73", 14, "MatMul,Index,MatMul", STRLEN, 0, NULL },
	{ "74", 15, "TaskTime", STRLEN, BAD, "NTS_METRICS" },
	{ "75", 15, "PipeUtilization", STRLEN, 0, NULL },
	{ "75", 15, "Custom:0x301", STRLEN, 0, NULL },
	{ "75 ten", 15, "Custom:1,2,3,4,5,6,7,010,0x9,65535", STRLEN, 0, NULL },
	{ "75 eleven", 15, "Custom:1,2,3,4,5,6,7,8,9,10,11", STRLEN, BAD, "NTS_METRICS" },
	{ "75 none", 15, "Custom:", STRLEN, BAD, "NTS_METRICS" },
	{ "75 large", 15, "Custom:65536", STRLEN, BAD, "NTS_METRICS" },
	{ "75 sign", 15, "Custom:-1", STRLEN, BAD, "NTS_METRICS" },
	{ "78", 16, "/tmp/a;b", STRLEN, REFUSED, "character" },
	{ "76 nothing", 16, "", STRLEN, 0, NULL },
	{ "3|5 is DVPP", 3 | 5, "50", STRLEN, 0, NULL },
};

/* aclprofCreateConfig */
static const struct object {
	const char *vector;
	const char *ids; /* blank-separated; NULL: no list */
	unsigned int count;
	bool events;
	uint64_t bits;
	const char *message; /* NULL: an object is made */
} objects[] = {
	{ "1", "0 0", 2, false, TX, "deviceIdList 0" },
	{ "1 far apart", "0 1 2 1", 4, false, TX, "deviceIdList" },
	{ "2", NULL, 2, false, TX, "deviceIdList NULL" },
	{ "3", NULL, 0, false, 0, "deviceNums" },
	{ "3 a list but no count", "0", 0, false, ACL_PROF_ACL_API, "deviceNums" },
	{ "4", NULL, 0, false, TX, NULL },
	{ "4 a list but no count", "0", 0, false, TX, NULL },
	{ "5", "64 0", 2, false, TX, "deviceIdList 64" },
	{ "7", "0 1 2", 65, false, TX, "deviceNums 65" },
	{ "7 huge", "0", UINT32_MAX, false, TX, "deviceNums" },
	{ "8", "0", 1, true, TX, "aicoreEvents" },
	{ "9", "64", 1, false, TX, "deviceIdList 64" },
	{ "9 huge", "4294967295", 1, false, TX, "deviceIdList" },
	{ "11", "0", 1, false, ACL_PROF_API_STATS, NULL },
	{ "15", "0", 1, false, ACL_PROF_TASK_TIME, NULL },
	{ "17", "0", 1, false, 0, NULL },
	{ "highest id", "63", 1, false, TX, NULL },
	{ "four devices", "3 1 0 2", 4, false, TX, NULL },
	{ "unknown bits are for Start", "0", 1, false, UINT64_MAX, NULL },
};

static void run_option(const void *arg)
{
	const struct option *o = arg;
	size_t length = o->length >= 0 ? (size_t)o->length : strlen(o->text);

	t_code(t_init(t_dir()), 0);
	if (o->code)
		t_refused(aclprofSetConfig((aclprofConfigType)o->type, o->text, length), o->code,
			  t_path("aclprofSetConfig %s", o->message));
	else
		t_code(aclprofSetConfig((aclprofConfigType)o->type, o->text, length), 0);
	t_code(aclprofFinalize(), 0);
}

static void test_option(void **state)
{
	assert_int_equal(t_child(run_option, *state), 0);
}

static void run_object(const void *arg)
{
	static aclprofAicoreEvents *const some_events = (void *)objects;
	const struct object *o = arg;
	uint32_t ids[65] = { 0 };
	aclprofConfig *config;
	char *next = (char *)o->ids;

	for (unsigned int i = 0; next && *next; i++)
		ids[i] = (uint32_t)strtoul(next, &next, 10);
	if (o->message) {
		t_refused((intptr_t)aclprofCreateConfig(o->ids ? ids : NULL, o->count,
							ACL_AICORE_NONE,
							o->events ? some_events : NULL, o->bits),
			  0, t_path("aclprofCreateConfig %s", o->message));
		return;
	}
	config = aclprofCreateConfig(o->ids ? ids : NULL, o->count, ACL_AICORE_NONE, NULL, o->bits);
	t_check(config, "NULL: %s", ascprof_last_error());
	t_code(aclprofDestroyConfig(config), 0);
	t_refused(aclprofDestroyConfig(config), BAD, "aclprofDestroyConfig profilerConfig");
}

static void test_object(void **state)
{
	assert_int_equal(t_child(run_object, *state), 0);
}

static void test_device_count_64(void **state)
{
	uint32_t ids[64];
	aclprofConfig *config;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		ids[i] = 63 - i;
	config = aclprofCreateConfig(ids, 64, ACL_AICORE_NONE, NULL, TX);
	assert_non_null(config);
	assert_int_equal(aclprofDestroyConfig(config), 0);
}

static void run_lengths(const void *arg)
{
	char text[300];

	(void)arg;
	t_code(t_init(t_dir()), 0);
	memset(text, '5', sizeof(text));
	text[257] = 0;
	t_refused(t_set(ACL_PROF_STORAGE_LIMIT, text), BAD, "aclprofSetConfig configLength 257");
	text[257] = '5';
	text[266] = 0;
	t_refused(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, text), BAD,
		  "aclprofSetConfig configLength");
	text[256] = 0;
	t_refused(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, text), REFUSED, "HARDWARE_MEM_FREQ");
}

/* Vectors 40 and 41 */
static void test_lengths(void **state)
{
	(void)state;
	assert_int_equal(t_child(run_lengths, NULL), 0);
}

static void run_destroy(const void *arg)
{
	static char memory[4096];
	aclprofConfig *config = t_config(TX, 1, 0);

	(void)arg;
	t_refused(aclprofDestroyConfig(NULL), BAD, "aclprofDestroyConfig profilerConfig NULL");
	t_refused(aclprofDestroyConfig((void *)memory), BAD, "aclprofDestroyConfig profilerConfig");
	t_refused(aclprofDestroyConfig((void *)16), BAD, "aclprofDestroyConfig profilerConfig");
	t_code(aclprofDestroyConfig(config), 0);
	t_refused(aclprofDestroyConfig(config), BAD, "aclprofDestroyConfig profilerConfig");
}

/* Vectors 18 and 19, and twice */
static void test_destroy(void **state)
{
	(void)state;
	assert_int_equal(t_child(run_destroy, NULL), 0);
}

static void *destroy_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2000; i++) {
		aclprofConfig *config = t_config(TX, 1, 0);

		t_check(config, "NULL: %s", ascprof_last_error());
		t_code(aclprofDestroyConfig(config), 0);
	}
	return NULL;
}

static void run_threads(const void *arg)
{
	pthread_t thread[4];

	(void)arg;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, destroy_many, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void test_threads(void **state)
{
	(void)state;
	assert_int_equal(t_child(run_threads, NULL), 0);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(void)
{
	static struct CMUnitTest tests[COUNT(options) + COUNT(objects) + 4] = {
		cmocka_unit_test(test_device_count_64),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_threads),
	};
	size_t n = 4;

	for (size_t i = 0; i < COUNT(options); i++, n++) {
		tests[n].test_func = test_option;
		tests[n].initial_state = (void *)&options[i];
		tests[n].name =
			strdup(t_path("vector %s: SetConfig(%d, '%.12s')", options[i].vector,
				      options[i].type, options[i].text ? options[i].text : "NULL"));
		for (char *c = (char *)tests[n].name; *c; c++)
			if (*c < ' ')
				*c = '?';
	}
	for (size_t i = 0; i < COUNT(objects); i++, n++) {
		tests[n].test_func = test_object;
		tests[n].initial_state = (void *)&objects[i];
		tests[n].name =
			strdup(t_path("vector %s: CreateConfig({%s}, %u)", objects[i].vector,
				      objects[i].ids ? objects[i].ids : "", objects[i].count));
	}
	return _cmocka_run_group_tests("api_config", tests, n, NULL, NULL);
}
