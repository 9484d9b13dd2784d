// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the table: each row in a program of its own, in the eras it names.
 *
 *   rows [TABLE...]        every row, as TAP; without tables those beside the program
 *   rows ERA CALLS         the calls of one row, here
 *
 * Columns, separated by tabs: name, era (documented, head, both), calls, where
 * the expectation comes from. Calls are separated by semicolons:
 *
 *   [variable := ] Call(argument, ...) -> expected {words}
 *
 * Arguments: numbers and constants joined by |, 'text' or "text" with \n \t \xHH,
 * repeated by *N and joined by +, [1,2], variables, &variable for results; %D in
 * a text is the row's own folder, which is the current one. @ before a call
 * makes it in another thread. Expected: a number or constant, object, NULL,
 * nonzero, void, 'text'. Words, if there are any: what ascprof_last_error() holds
 * after the call ("a b|c": a, and b or c).
 */
#include "rows.h"

#include "tests/process/t.h"

#define ROW_SECONDS 60

struct row {
	char *name, *era, *calls, *source;
};

/* So that only the row itself says what is in the environment. */
static void settle(const char *era)
{
	static const char *const gone[] = { "ASCPROF_IO", "ASCPROF_STRICT", "ASCPROF_COMPRESS", "ASCPROF_LOG",
					    "PROFILING_MODE", "MSTX_INJECTION_PATH", "ASCEND_RT_VISIBLE_DEVICES" };

	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		unsetenv(gone[i]);
	setenv("ASCPROF_DEVICE", "/nonexistent/ascprof", 1);
	if (!strcmp(era, "head"))
		setenv("ASCPROF_COMPAT", "head", 1);
	else
		unsetenv("ASCPROF_COMPAT");
}

static int run_calls(const char *era, char *calls)
{
	const char *folder;

	settle(era);
	alarm(ROW_SECONDS);
	folder = t_dir();
	if (chdir(folder))
		row_broken("no folder");
	row_steps(calls, folder);
	return t_end();
}

/* ---- the table ---- */

static bool parse(struct row *row, char *line)
{
	char **column[] = { &row->name, &row->era, &row->calls, &row->source };

	line[strcspn(line, "\n")] = '\0';
	if (!*line || *line == '#')
		return false;
	for (size_t i = 0; i < 4; i++) {
		*column[i] = strsep(&line, "\t");
		if (!*column[i] || !**column[i]) {
			printf("Bail out! row %s has %zu columns, expected 4\n", row->name, i);
			exit(T_FAIL);
		}
	}
	return true;
}

static struct row *read_table(const char *path, size_t *count)
{
	FILE *file = fopen(path, "re");
	struct row *rows = NULL;
	char *line = NULL;
	size_t room = 0;

	*count = 0;
	if (!file) {
		printf("Bail out! %s cannot be read\n", path);
		exit(T_FAIL);
	}
	while (getline(&line, &room, file) > 0) {
		struct row row = { .name = NULL };

		if (!parse(&row, line))
			continue;
		rows = realloc(rows, (*count + 1) * sizeof(*rows));
		if (!rows)
			abort();
		rows[(*count)++] = row;
		line = NULL; /* the row's now */
		room = 0;
	}
	free(line);
	fclose(file);
	return rows;
}

static void free_table(struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rows[i].name);
	free(rows);
}

static void show_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		printf("# %s%s", line, strchr(line, '\n') ? "" : "\n");
	if (file)
		fclose(file);
}

/* A few at a time: a row mostly waits for its files to reach the disk. */
#define JOBS 4

static struct job {
	pid_t pid;
	const struct row *row;
	const char *era;
	char out[4096], err[4096]; /* what it prints */
} jobs[JOBS];

static const char *const eras[] = { "documented", "head" };
static unsigned int begun, ended, failed;

static void begin(const struct row *row, const char *era)
{
	struct job *job = &jobs[begun++ % JOBS];
	char *const arguments[] = { (char *)"rows", (char *)era, row->calls, NULL };

	job->row = row;
	job->era = era;
	job->pid = t_exec_self(arguments, job->out, job->err);
}

/* Waits for the job that was begun first, so that results are in the table's order. */
static void end(void)
{
	struct job *job = &jobs[ended++ % JOBS];
	int status = t_wait(job->pid);

	if (status) {
		printf("# rows %s \"%s\"\n", job->era, job->row->calls);
		show_file(job->out);
		show_file(job->err);
		if (status > 128)
			printf("# ended by signal %d (14: more than %d s)\n", status - 128, ROW_SECONDS);
		printf("# from: %s\n", job->row->source);
		failed++;
	}
	printf("%sok %u - %s (%s)\n", status ? "not " : "", ended, job->row->name, job->era);
	fflush(stdout);
}

static void run_table(const char *path)
{
	size_t count;
	struct row *rows = read_table(path, &count);

	for (size_t i = 0; i < count; i++) {
		for (size_t era = 0; era < 2; era++) {
			if (strcmp(rows[i].era, eras[era]) && strcmp(rows[i].era, "both"))
				continue;
			if (begun - ended == JOBS)
				end();
			begin(&rows[i], eras[era]);
		}
	}
	while (ended < begun)
		end();
	free_table(rows, count);
}

static void run_tables_beside(void)
{
	static const char *const names[] = { "generated.tsv", "vectors.tsv" };
	char self[4096] = "", *slash;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return;
	slash = strrchr(self, '/') + 1;
	for (size_t i = 0; i < 2; i++) {
		snprintf(slash, sizeof(self) - (size_t)(slash - self), "%s", names[i]);
		run_table(self);
	}
}

int main(int argc, char **argv)
{
	const char *dir;

	if (argc == 3 && (!strcmp(argv[1], eras[0]) || !strcmp(argv[1], eras[1])))
		return run_calls(argv[1], argv[2]);
	dir = t_dir();
	for (size_t i = 0; i < JOBS; i++) {
		snprintf(jobs[i].out, sizeof(jobs[i].out), "%s/out%zu", dir, i);
		snprintf(jobs[i].err, sizeof(jobs[i].err), "%s/err%zu", dir, i);
	}
	for (int i = 1; i < argc; i++)
		run_table(argv[i]);
	if (argc == 1)
		run_tables_beside();
	printf("1..%u\n", ended);
	return failed ? T_FAIL : T_PASS;
}
