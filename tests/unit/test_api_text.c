/* SPDX-License-Identifier: Apache-2.0 */
/* aclprofStr2Id: numbers, and what is in the dictionaries. */
#define MSTX_NO_IMPL
#include "tests/unit/test_api_cases.h"

#include <pthread.h>

#include <mstx/ms_tools_ext.h>

#include "tests/process/mstx.h"

static const char *dir;

static bool named(const char *prof, uint64_t id, const char *text)
{
	const char *path = t_path("%s/host/data/unaging.additional.hash_dic.slice_0", prof);
	struct mstx_events all = { .names = mstx_file(path) };
	bool found = mstx_named(&all, id, text);

	free(all.names);
	return found;
}

static void numbers(void)
{
	char text[] = "text";
	uint64_t a = aclprofStr2Id(text), b = aclprofStr2Id("texts");

	t_refused(aclprofStr2Id(NULL), -1, "aclprofStr2Id NULL");
	t_code((long long)aclprofStr2Id(""), -1);
	t_check(a != b && a > 1 && b > 1 && a != UINT64_MAX, "numbers %lu and %lu", a, b);
	text[0] = 'n';
	t_check(aclprofStr2Id(text) != a && aclprofStr2Id("text") == a, "another number for the same text");
}

/* In the directories of now and of later, once in each; also without msproftx. */
static void dictionaries(void)
{
	uint64_t before = aclprofStr2Id("before"), during, between;
	aclprofConfig *config;
	struct prof_list list;
	uint64_t lines = aclprofStr2Id("two\nlines: \xff");

	dir = t_dir();
	config = t_start(dir);
	during = aclprofStr2Id("during");
	t_code((long long)aclprofStr2Id("before"), (long long)before);
	t_code(aclprofStop(config), 0);
	between = aclprofStr2Id("between");
	t_code(aclprofStart(config), 0);
	t_stop(config);
	config = t_config(ACL_PROF_ACL_API, 1, 0);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	t_stop(config);
	prof_check(dir, "", NULL);
	prof_find(&list, dir);
	t_equal((long long)list.count, 3, "directories");
	for (size_t i = 0; i < list.count; i++) {
		t_check(named(list.path[i], before, "before"), "directory %zu lacks the text of before", i);
		t_check(named(list.path[i], during, "during"), "directory %zu lacks the text of its time", i);
		t_check(named(list.path[i], between, "between") == (i > 0), "directory %zu and a text of later", i);
		t_check(named(list.path[i], lines, "two lines: \xef\xbf\xbd"), "directory %zu lacks lines", i);
	}
	prof_free(&list);
}

/* A killed program leaves them, too. */
static void written_soon(void)
{
	aclprofConfig *config;
	uint64_t id;
	bool there = false;

	dir = t_dir();
	config = t_start(dir);
	t_sleep_us(300000); /* so that the flusher sleeps */
	id = aclprofStr2Id("soon");
	for (int i = 0; i < 100 && !there; i++) {
		t_sleep_us(10000);
		there = named(prof_only(dir), id, "soon");
	}
	t_check(there, "not in the dictionary after a second");
	t_stop(config);
}

/* A domain with the name of a text has the same number, in one line. */
static void domains(void)
{
	mstxDomainHandle_t domain = mstxDomainCreateA("both");
	aclprofConfig *config;
	uint64_t id;

	dir = t_dir();
	config = t_start(dir);
	mstxDomainMarkA(domain, "mark", NULL);
	t_sleep_us(200000);
	id = aclprofStr2Id("both");
	t_stop(config);
	t_check(named(prof_only(dir), id, "both"), "not once in the dictionary");
	prof_check(dir, "", NULL);
}

#define THREADS 4
#define TEXTS 5000

static uint64_t got[THREADS][TEXTS];

static void *many(void *arg)
{
	uint64_t *to = arg;
	char text[32];

	for (unsigned int i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof(text), "text %u", i);
		to[i] = aclprofStr2Id(text);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	aclprofConfig *config;
	char text[32];
	size_t lines = 0;
	char *names;

	dir = t_dir();
	config = t_start(dir);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many, got[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	t_stop(config);
	prof_check(dir, "", NULL);
	for (int i = 1; i < THREADS; i++)
		t_check(!memcmp(got[0], got[i], sizeof(got[0])), "threads got different numbers");
	names = mstx_file(t_path("%s/host/data/unaging.additional.hash_dic.slice_0", prof_only(dir)));
	for (const char *at = names; (at = strchr(at, '\n')); at++)
		lines++;
	t_equal((long long)lines, TEXTS, "lines of the dictionary");
	snprintf(text, sizeof(text), "%lu:text 4999\n", got[0][4999]);
	t_check(strstr(names, text), "no line %s", text);
	free(names);
}

static void fork_child(const void *arg)
{
	uint64_t id = aclprofStr2Id("of the parent"), own = aclprofStr2Id("of the child");
	aclprofConfig *config = t_start(arg);

	t_stop(config);
	t_check(named(prof_only(arg), id, "of the parent") && named(prof_only(arg), own, "of the child"),
		"the child's dictionary lacks one");
}

static void forked(void)
{
	const char *child = t_dir();

	aclprofStr2Id("of the parent");
	t_equal(t_child(fork_child, child), 0, "child");
}

/* Longer than what is kept; beyond the limit there still is a number. */
static void limits(void)
{
	char *text = malloc(10000), *other = malloc(10000);
	aclprofConfig *config;
	uint64_t a, b;

	memset(text, 'l', 9999);
	text[9999] = 0;
	a = aclprofStr2Id(text);
	memcpy(other, text, 10000);
	other[9998] = 'x';
	b = aclprofStr2Id(other);
	t_check(a != b && a == aclprofStr2Id(text), "numbers %lu %lu", a, b);
	text[4000] = 0;
	dir = t_dir();
	config = t_start(dir);
	t_stop(config);
	t_check(named(prof_only(dir), a, text) && named(prof_only(dir), b, text), "long texts are not there");
	free(text);
	free(other);
}

static void too_many(void)
{
	char text[32];
	uint64_t id = 0;

	t_stderr_begin();
	for (unsigned int i = 0; i < (256u << 10) + 10; i++) {
		snprintf(text, sizeof(text), "t%u", i);
		id = aclprofStr2Id(text);
	}
	t_check(strstr(t_stderr_end(), "the dictionary lacks"), "not told");
	t_check(id == aclprofStr2Id(text) && id != UINT64_MAX, "number %lu", id);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(numbers), CASE(dictionaries), CASE(written_soon), CASE(domains),
		CASE(threads), CASE(forked), CASE(limits), CASE(too_many),
	};

	return api_cases("api_text", cases, sizeof(cases) / sizeof(cases[0]));
}
