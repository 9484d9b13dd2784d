// SPDX-License-Identifier: Apache-2.0
/*
 * A program that ends without Stop or Finalize, by exit() or by returning, from
 * the first or another thread: all is written, one line warns.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>

#define MARKS 30000

static void *exit_in_thread(void *arg)
{
	(void)arg;
	exit(0);
}

static void by_exit(void)
{
	exit(0);
}

static void by_other_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_in_thread, NULL);
	for (;;)
		pause();
}

static void *mark_for_ever(void *stamp)
{
	for (;;) {
		aclprofMark(stamp);
		t_sleep_us(50);
	}
	return NULL;
}

/* Others still annotate while the process ends. */
static void by_exit_with_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, mark_for_ever, t_stamp("others"));
	t_sleep_us(20000);
	exit(0);
}

static void by_exit_between_ranges(void)
{
	void *stamp = t_stamp("open");
	uint32_t id;

	t_code(aclprofPush(stamp), 0);
	t_code(aclprofRangeStart(stamp, &id), 0);
	exit(0);
}

static const struct {
	const char *name;
	void (*end)(void); /* NULL: return from main */
} endings[] = {
	{ "exit", by_exit },
	{ "return", NULL },
	{ "exit in another thread", by_other_thread },
	{ "exit with threads", by_exit_with_threads },
	{ "exit with open ranges", by_exit_between_ranges },
};

static int run(const char *name, const char *dir)
{
	void *stamp;

	t_start(dir);
	stamp = t_stamp("last words");
	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	if (t_end())
		return T_FAIL;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(endings[i].name, name) && endings[i].end)
			endings[i].end();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return run(argv[1], argv[2]);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const char *dir = t_dir(), *err = t_path("%s/err", dir);
		char *arguments[] = { argv[0], (char *)endings[i].name, (char *)dir, NULL };
		struct prof_totals totals;
		char text[4096] = "";
		FILE *file;
		bool open;

		t_equal(t_wait(t_exec_self(arguments, NULL, err)), 0, "status after %s",
			endings[i].name);
		prof_check(dir, "--state exit --dropped", &totals);
		t_check(totals.mark.written >= MARKS, "%lu marks after %s", totals.mark.written,
			endings[i].name);
		file = fopen(err, "r");
		text[file ? fread(text, 1, sizeof(text) - 1, file) : 0] = 0;
		if (file)
			fclose(file);
		open = endings[i].end == by_exit_between_ranges;
		t_check(t_lines(text) == 1u + open && strstr(text, "aclprofStop"), "printed after %s: %s",
			endings[i].name, text);
		t_check(!open || strstr(text, "not ended"), "open ranges are not told: %s", text);
	}
	return t_end();
}
