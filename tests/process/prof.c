// SPDX-License-Identifier: Apache-2.0
#include "prof.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>

#include "t.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void prof_find(struct prof_list *list, const char *result)
{
	DIR *dir = opendir(result);

	memset(list, 0, sizeof(*list));
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strncmp(entry->d_name, "PROF_", 5))
			continue;
		list->path = realloc(list->path, (list->count + 1) * sizeof(*list->path));
		if (!list->path ||
		    asprintf(&list->path[list->count], "%s/%s", result, entry->d_name) < 0)
			abort();
		list->count++;
	}
	if (dir)
		closedir(dir);
	if (list->count)
		qsort(list->path, list->count, sizeof(*list->path), by_name);
}

void prof_free(struct prof_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->path[i]);
	free(list->path);
}

/* profdir.py and the command are near this program, whose name is looked up before a test changes the mounts. */
static char program[PATH_MAX];

static __attribute__((constructor)) void find_program(void)
{
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		abort();
}

/* Tests look at rows: whoever runs them with ASCPROF_LAYOUT=native has them made. */
static void unpack(const char *path)
{
	const char *layout = getenv("ASCPROF_LAYOUT");
	char self[PATH_MAX], command[4 * PATH_MAX];

	if (!layout || strcmp(layout, "native") != 0)
		return;
	memcpy(self, program, sizeof(self));
	snprintf(command, sizeof(command), "'%s/../../bin/ascprof' unpack --quiet '%s'", dirname(self), path);
	fflush(stdout);
	t_equal(system(command), 0, "ascprof unpack %.180s", path);
}

const char *prof_only(const char *result)
{
	static char kept[8][PATH_MAX];
	static unsigned int next;
	struct prof_list list;
	char *path = NULL;

	unpack(result);
	prof_find(&list, result);
	t_equal(list.count, 1, "PROF directories in %.180s", result);
	if (list.count == 1) {
		path = kept[next++ % 8];
		snprintf(path, sizeof(kept[0]), "%s", list.path[0]);
	}
	prof_free(&list);
	return path;
}

static void append_slice(struct prof_rows *rows, const char *path, off_t size)
{
	size_t count = (size_t)size / sizeof(struct row_tx);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (!count) {
		close(fd);
		return;
	}
	rows->row = realloc(rows->row, (rows->count + count) * sizeof(*rows->row));
	if (!rows->row)
		abort();
	t_equal(read(fd, rows->row + rows->count, count * sizeof(*rows->row)),
		(long long)(count * sizeof(*rows->row)), "reading %.180s", path);
	rows->count += count;
	close(fd);
}

void prof_rows(struct prof_rows *rows, const char *prof)
{
	char path[2 * PATH_MAX];
	struct stat st;

	memset(rows, 0, sizeof(*rows));
	if (prof)
		unpack(prof);
	for (unsigned int k = 0; prof; k++) {
		snprintf(path, sizeof(path), "%s/host/data/aging.additional.msproftx.slice_%u",
			 prof, k);
		if (stat(path, &st))
			break;
		t_equal(st.st_size % (off_t)sizeof(struct row_tx), 0, "slice %u beyond whole rows",
			k);
		append_slice(rows, path, st.st_size);
	}
}

void prof_rows_free(struct prof_rows *rows)
{
	free(rows->row);
}

size_t prof_rows_of(const struct prof_rows *rows, enum row_tx_event event)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += rows->row[i].event == event;
	return count;
}

static void take_line(struct prof_totals *totals, const char *line)
{
	unsigned long produced, written, dropped, left;
	char kind[16];

	if (sscanf(line, "kind %15s %lu %lu %lu %lu", kind, &produced, &written, &dropped, &left) ==
	    5) {
		unsigned long values[] = { produced, written, dropped, left };

		if (!strcmp(kind, "mark"))
			memcpy(&totals->mark, values, sizeof(values));
		else if (!strcmp(kind, "push_pop"))
			memcpy(&totals->push_pop, values, sizeof(values));
		else if (!strcmp(kind, "range"))
			memcpy(&totals->range, values, sizeof(values));
		return;
	}
	sscanf(line, "dirs %lu", &totals->dirs);
	sscanf(line, "backend %31s %255[^\n]", totals->backend, totals->reason);
}

void prof_check(const char *result, const char *options, struct prof_totals *totals)
{
	char self[PATH_MAX], command[4 * PATH_MAX], line[1024];
	struct prof_totals unused;
	FILE *pipe;

	if (!totals)
		totals = &unused;
	memset(totals, 0, sizeof(*totals));
	unpack(result);
	memcpy(self, program, sizeof(self));
	snprintf(command, sizeof(command), "python3 '%s/../process/profdir.py' %s '%s' 2>&1",
		 dirname(self), options, result);
	fflush(stdout);
	pipe = popen(command, "re");
	if (!pipe)
		abort();
	while (fgets(line, sizeof(line), pipe)) {
		if (!strncmp(line, "kind ", 5) || !strncmp(line, "dirs ", 5) ||
		    !strncmp(line, "backend ", 8))
			take_line(totals, line);
		else
			printf("  %s", line);
	}
	t_equal(pclose(pipe), 0, "profdir.py %s", options);
}

static unsigned long number_after(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

void prof_account(struct prof_account *account, const char *prof, const char *kind)
{
	static char text[1 << 16];
	FILE *file = fopen(t_path("%s/ascprof.json", prof), "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	const char *at, *end;

	text[length] = 0;
	if (file)
		fclose(file);
	memset(account, 0, sizeof(*account));
	account->running = strstr(text, "\"state\":\"running\"");
	at = strstr(text, t_path("{\"kind\":\"%s\"", kind));
	t_check(at, "%.180s/ascprof.json: no account of %s", prof, kind);
	if (!at)
		return;
	account->produced = number_after(at, "\"produced\":");
	account->written = number_after(at, "\"written\":");
	at = strstr(at, "\"dropped\":{");
	end = at ? strchr(at, '}') : NULL;
	while (at && (at = strstr(at, "\":")) && at < end) {
		at += 2;
		account->dropped += *at == '{' ? 0 : strtoul(at, NULL, 10);
	}
}

int prof_export(const char *prof)
{
	char self[PATH_MAX];
	const char *base = getenv("TMPDIR"), *out;
	int status;

	/* not beside it: that disk may be full */
	out = t_path("%s/ascprof-tables.%d", base && *base ? base : "/tmp", getpid());

	memcpy(self, program, sizeof(self));
	status = system(t_path("'%s/../../bin/ascprof' export -q --format csv -o '%s' '%s'", dirname(self), out,
			       prof));
	t_remove(out);
	return status;
}

int prof_repair(const char *prof)
{
	char self[PATH_MAX];

	memcpy(self, program, sizeof(self));
	return system(t_path("'%s/../../bin/ascprof' repair -q '%s'", dirname(self), prof));
}
