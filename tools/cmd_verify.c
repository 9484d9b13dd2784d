/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof verify: whether result directories are whole. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/report_text.h"
#include "export/verify.h"
#include "format/escape.h"
#include "format/json_write.h"
#include "tools/options.h"

#define LISTED_MOST 100000 /* findings in JSON; those beyond are counted */

static const struct option_def options[] = {
	{ 'j', "json", NULL, "print one JSON object" },
	{ 'q', "quiet", NULL, "print findings only, no line for each directory" },
	{ 0 },
};

struct output {
	struct json_writer json;
	unsigned int listed;
	bool quiet;
};

static void print_finding(void *arg, enum verify_finding kind, const char *path, const char *text)
{
	char safe[2][ESCAPE_ROOM(1024)];

	(void)arg;
	report_safe(safe[0], path, 1000);
	report_safe(safe[1], text, 1000);
	printf("%-8s %s: %s\n", verify_word(kind), safe[0], safe[1]);
}

static int print_one(struct output *o, const struct prof *prof, struct verified *one, struct diag *diag)
{
	int ret = verify(prof, print_finding, NULL, one, diag);

	if (ret || o->quiet)
		return ret;
	if (one->found[VERIFY_DAMAGED] || one->found[VERIFY_LOST])
		printf("%s: %" PRIu64 " damaged, %" PRIu64 " lost\n", prof->name, one->found[VERIFY_DAMAGED],
		       one->found[VERIFY_LOST]);
	else
		printf("%s: whole: %" PRIu64 " files, %" PRIu64 " rows\n", prof->name, one->files, one->rows);
	return 0;
}

static void list_finding(void *arg, enum verify_finding kind, const char *path, const char *text)
{
	struct output *o = arg;

	if (o->listed++ >= LISTED_MOST)
		return;
	json_open(&o->json, NULL, '{');
	json_string(&o->json, "finding", verify_word(kind));
	json_string(&o->json, "path", path);
	json_string(&o->json, "text", text);
	json_close(&o->json, '}');
}

static void put_counts(struct json_writer *w, const struct verified *v)
{
	json_u64(w, "files", v->files);
	json_u64(w, "rows", v->rows);
	json_u64(w, "damaged", v->found[VERIFY_DAMAGED]);
	json_u64(w, "lost", v->found[VERIFY_LOST]);
	json_u64(w, "notes", v->found[VERIFY_NOTE]);
}

static int list_one(struct output *o, const struct prof *prof, struct verified *one, struct diag *diag)
{
	int ret;

	json_open(&o->json, NULL, '{');
	json_string(&o->json, "directory", prof->name);
	json_string(&o->json, "path", prof->path);
	json_open(&o->json, "findings", '[');
	ret = verify(prof, list_finding, o, one, diag);
	json_close(&o->json, ']');
	put_counts(&o->json, one);
	json_close(&o->json, '}');
	return ret;
}

static int put_json(struct output *o, const struct verified *all, struct diag *diag)
{
	const char *text;
	size_t len;

	json_close(&o->json, ']');
	put_counts(&o->json, all);
	json_close(&o->json, '}');
	text = json_finish(&o->json, &len);
	if (!text)
		return diag_fail(diag, "out of memory");
	return puts(text) == EOF ? diag_fail(diag, "standard output: cannot be written") : 0;
}

static int look(struct output *o, bool json, const struct prof_set *set, struct verified *all, struct diag *diag)
{
	int ret = 0;

	/* What could not be opened at all was warned about, and is damage, too. */
	all->found[VERIFY_DAMAGED] = diag->warnings;
	json_open(&o->json, NULL, '{');
	json_u64(&o->json, "format", 1);
	json_string(&o->json, "version", ASCPROF_VERSION);
	json_open(&o->json, "directories", '[');
	for (unsigned int i = 0; i < set->nr && !ret; i++) {
		struct verified one = { 0 };

		ret = (json ? list_one : print_one)(o, &set->prof[i], &one, diag);
		for (int k = 0; k < VERIFY_FINDINGS; k++)
			all->found[k] += one.found[k];
		all->files += one.files;
		all->rows += one.rows;
	}
	if (!ret && json)
		ret = put_json(o, all, diag);
	if (!ret && fflush(stdout))
		ret = diag_fail(diag, "standard output: cannot be written");
	json_release(&o->json);
	return ret;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct output o = { 0 };
	struct verified all = { 0 };
	struct prof_set set = { 0 };
	char given[OPTIONS_FLAGS];
	int ret = options_flags_dirs(c, argc, argv, given);

	if (ret != OPTIONS_END)
		return ret;
	o.quiet = strchr(given, 'q');
	ret = prof_set_open(&set, argv + optind, (unsigned int)(argc - optind), diag);
	if (!ret)
		ret = look(&o, strchr(given, 'j'), &set, &all, diag);
	prof_set_close(&set);
	if (ret)
		return EXIT_FAILED;
	if (all.found[VERIFY_DAMAGED]) {
		diag_fail(diag, "%" PRIu64 " %s damage", all.found[VERIFY_DAMAGED],
			  all.found[VERIFY_DAMAGED] == 1 ? "finding of" : "findings of");
		return EXIT_FAILED;
	}
	return all.found[VERIFY_LOST] ? EXIT_MISMATCH : EXIT_DONE;
}

const struct command command_verify = {
	.name = "verify",
	.operands = "DIR...",
	.summary = "check whether result directories are whole",
	.text = "Checks files and their .done, control files, checksums of blocks, rows, times and\n"
		"the accounting, and prints a line for each finding: damaged, lost (dropped, aged,\n"
		"or not accounted for), or a note.",
	.options = options,
	.run = run,
	.status = "0 Nothing is damaged or lost.\n1 Something is damaged, or cannot be read.\n2 Wrong usage.\n"
		  "3 Nothing is damaged, but something is lost.",
};
