// SPDX-License-Identifier: Apache-2.0
/*
 * What every call returns in every state, in both eras, and that a refused call
 * changes nothing. Each cell of the table runs in a program of its own.
 */
#include "tests/process/t.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tests/process/prof.h"

enum state { NONE, INITED, STARTED, STOPPED, FINALIZED, STATES };

static const char *const state_name[STATES] = { "none", "inited", "started", "stopped",
						"finalized" };

#define BITS ACL_PROF_MSPROFTX
#define OTHER_BITS (ACL_PROF_MSPROFTX | ACL_PROF_ACL_API)

struct place {
	const char *dir;
	aclprofConfig *config; /* device 0, BITS */
	void *stamp;	       /* from this session, an earlier one, or memory that is no stamp */
};

/* calls; each returns an aclError, those with pointers 0 and 1 for NULL */

static aclError call_init(struct place *p)
{
	return t_init(p->dir);
}

static aclError call_set_config(struct place *p)
{
	(void)p;
	return t_set(ACL_PROF_LLC_MODE, "write");
}

static aclError call_create_config(struct place *p)
{
	aclprofConfig *config = t_config(BITS, 1, 0);

	(void)p;
	return config ? aclprofDestroyConfig(config) : 1;
}

static aclError call_destroy_config(struct place *p)
{
	aclError code = aclprofDestroyConfig(p->config);

	p->config = t_config(BITS, 1, 0);
	return code;
}

static aclError call_start(struct place *p)
{
	return aclprofStart(p->config);
}

static aclError call_with(aclError (*call)(const aclprofConfig *), uint64_t bits,
			  unsigned int device)
{
	aclprofConfig *config = t_config(bits, 1, device);
	aclError code = call(config);

	aclprofDestroyConfig(config);
	return code;
}

static aclError call_start_other_bits(struct place *p)
{
	(void)p;
	return call_with(aclprofStart, OTHER_BITS, 0);
}

static aclError call_start_other_device_and_bits(struct place *p)
{
	(void)p;
	return call_with(aclprofStart, OTHER_BITS, 1);
}

static aclError call_start_null(struct place *p)
{
	(void)p;
	return aclprofStart(NULL);
}

static aclError call_stop(struct place *p)
{
	return aclprofStop(p->config);
}

static aclError call_stop_other_bits(struct place *p)
{
	(void)p;
	return call_with(aclprofStop, OTHER_BITS, 0);
}

static aclError call_stop_null(struct place *p)
{
	(void)p;
	return aclprofStop(NULL);
}

static aclError call_finalize(struct place *p)
{
	(void)p;
	return aclprofFinalize();
}

static aclError call_create_stamp(struct place *p)
{
	void *stamp = aclprofCreateStamp();

	(void)p;
	aclprofDestroyStamp(stamp);
	return stamp ? 0 : 1;
}

static aclError call_message(struct place *p)
{
	return aclprofSetStampTraceMessage(p->stamp, "state", 5);
}

static aclError call_mark(struct place *p)
{
	return aclprofMark(p->stamp);
}

static aclError call_mark_null(struct place *p)
{
	(void)p;
	return aclprofMark(NULL);
}

static aclError call_push(struct place *p)
{
	return aclprofPush(p->stamp);
}

static aclError call_push_null(struct place *p)
{
	(void)p;
	return aclprofPush(NULL);
}

static aclError call_pop(struct place *p)
{
	(void)p;
	return aclprofPop();
}

static aclError call_range_start(struct place *p)
{
	uint32_t id;

	return aclprofRangeStart(p->stamp, &id);
}

static aclError call_range_stop(struct place *p)
{
	(void)p;
	return aclprofRangeStop(4000000000u);
}

#define OK ACL_SUCCESS
#define BAD ACL_ERROR_INVALID_PARAM
#define UNINIT ACL_ERROR_UNINITIALIZE
#define AGAIN ACL_ERROR_REPEAT_INITIALIZE
#define DIFFER ACL_ERROR_INVALID_PROFILING_CONFIG
#define RUNS ACL_ERROR_PROF_ALREADY_RUN
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN
#define CALL(name) #name, call_##name

static const struct row {
	const char *name;
	aclError (*call)(struct place *);
	aclError era_a[STATES]; /* none, inited, started, stopped, finalized */
	aclError head[STATES];
} table[] = {
	{ CALL(init), { OK, AGAIN, AGAIN, AGAIN, OK }, { OK, AGAIN, AGAIN, AGAIN, OK } },
	{ CALL(set_config), { UNINIT, OK, OK, OK, UNINIT }, { OK, OK, OK, OK, OK } },
	{ CALL(create_config), { OK, OK, OK, OK, OK }, { OK, OK, OK, OK, OK } },
	{ CALL(destroy_config), { OK, OK, OK, OK, OK }, { OK, OK, OK, OK, OK } },
	{ CALL(start), { NOT_RUN, OK, RUNS, OK, NOT_RUN }, { OK, OK, OK, OK, OK } },
	{ CALL(start_other_bits),
	  { NOT_RUN, OK, DIFFER, OK, NOT_RUN },
	  { OK, OK, DIFFER, OK, OK } },
	{ CALL(start_other_device_and_bits),
	  { NOT_RUN, OK, DIFFER, OK, NOT_RUN },
	  { OK, OK, DIFFER, OK, OK } },
	/* no device is set active in the process */
	{ CALL(start_null), { BAD, BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD, BAD } },
	{ CALL(stop), { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN }, { OK, OK, OK, OK, OK } },
	{ CALL(stop_other_bits),
	  { NOT_RUN, NOT_RUN, DIFFER, NOT_RUN, NOT_RUN },
	  { OK, OK, DIFFER, OK, OK } },
	{ CALL(stop_null), { BAD, BAD, BAD, BAD, BAD }, { OK, OK, OK, OK, OK } },
	{ CALL(finalize), { NOT_RUN, OK, OK, OK, NOT_RUN }, { OK, OK, OK, OK, OK } },
	{ CALL(create_stamp), { 1, 1, OK, 1, 1 }, { 1, 1, OK, 1, 1 } },
	{ CALL(message),
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN } },
	{ CALL(mark),
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN } },
	{ CALL(mark_null), { BAD, BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD, BAD } },
	{ CALL(push),
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN } },
	{ CALL(push_null), { BAD, BAD, BAD, BAD, BAD }, { BAD, BAD, BAD, BAD, BAD } },
	{ CALL(pop),
	  { NOT_RUN, NOT_RUN, NOT_RUN, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, NOT_RUN, NOT_RUN, NOT_RUN } },
	{ CALL(range_start),
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, OK, NOT_RUN, NOT_RUN } },
	{ CALL(range_stop),
	  { NOT_RUN, NOT_RUN, BAD, NOT_RUN, NOT_RUN },
	  { NOT_RUN, NOT_RUN, BAD, NOT_RUN, NOT_RUN } },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

static void go(struct place *p, enum state state)
{
	static char no_stamp[256];

	p->dir = t_dir();
	p->config = t_config(BITS, 1, 0);
	p->stamp = no_stamp;
	t_check(p->config, "no config: %s", ascprof_last_error());
	/* the head era's auto-init writes to the current directory */
	t_equal(chdir(p->dir), 0, "chdir");
	if (state == NONE)
		return;
	t_code(t_init(p->dir), OK);
	if (state == INITED)
		return;
	t_code(aclprofStart(p->config), OK);
	p->stamp = t_stamp("state");
	if (state == STARTED)
		return;
	t_code(aclprofStop(p->config), OK);
	if (state == FINALIZED)
		t_code(aclprofFinalize(), OK);
}

/* That the state is still the one named, and works to its end. */
static void still(struct place *p, enum state state, bool head)
{
	struct prof_list list;
	void *stamp;

	if (state == NONE || state == FINALIZED)
		t_code(t_init(p->dir), OK);
	else
		t_code(t_init(p->dir), AGAIN);
	if (state != STARTED)
		t_code(aclprofStart(p->config), OK);
	else
		t_code(aclprofStart(p->config), head ? OK : RUNS);
	stamp = t_stamp("still");
	t_code(aclprofMark(stamp), OK);
	aclprofDestroyStamp(stamp);
	t_code(aclprofStop(p->config), OK);
	t_code(aclprofFinalize(), OK);

	prof_find(&list, p->dir);
	t_equal(list.count, 1 + (state == STOPPED || state == FINALIZED), "directories afterwards");
	prof_free(&list);
}

static int run_cell(const struct row *row, enum state state, bool head)
{
	aclError expected = (head ? row->head : row->era_a)[state];
	struct place p;

	go(&p, state);
	t_stderr_begin();
	t_equal(row->call(&p), expected, "%s while %s", row->name, state_name[state]);
	t_check(t_lines(t_stderr_end()) <= 1, "more than one line was printed");
	if (expected != OK)
		still(&p, state, head);
	aclprofFinalize();
	aclprofDestroyConfig(p.config);
	return t_end();
}

static void test_cell(void **state)
{
	char *const *arguments = *state;

	if (!strcmp(arguments[1], "head"))
		setenv("ASCPROF_COMPAT", "head", 1);
	else
		unsetenv("ASCPROF_COMPAT");
	assert_int_equal(t_wait(t_exec_self(arguments, NULL, NULL)), 0);
}

static void add_cell(struct CMUnitTest *test, char *era, size_t row, size_t state)
{
	char **arguments = calloc(5, sizeof(*arguments));

	if (!arguments)
		abort();
	arguments[0] = strdup("test_api_state");
	arguments[1] = era;
	arguments[2] = strdup(t_path("%zu", row));
	arguments[3] = strdup(t_path("%zu", state));
	test->name = strdup(t_path("%s while %s (%s)", table[row].name, state_name[state], era));
	test->test_func = test_cell;
	test->initial_state = arguments;
}

int main(int argc, char **argv)
{
	static struct CMUnitTest tests[2 * ROWS * STATES];
	static char eras[2][16] = { "documented", "head" };
	size_t n = 0;

	if (argc == 4)
		return run_cell(&table[atoi(argv[2])], (enum state)atoi(argv[3]),
				!strcmp(argv[1], "head"));
	for (size_t era = 0; era < 2; era++)
		for (size_t row = 0; row < ROWS; row++)
			for (size_t state = 0; state < STATES; state++)
				add_cell(&tests[n++], eras[era], row, state);
	return _cmocka_run_group_tests("api_state", tests, n, NULL, NULL);
}
