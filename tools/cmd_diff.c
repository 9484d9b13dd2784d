/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof diff: what got slower between two sets of runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/diff.h"
#include "export/prof.h"
#include "tools/options.h"

#define TOP_MOST 1000000

struct arguments {
	struct diff_options diff;
	bool json;
	char **dirs[2];
	int nr[2];
};

static const struct option_def options[] = {
	{ 'm', "metric", "METRIC", "what is compared: average (default), p50, p99, max, total,\n"
				   "self, count", OPTION_CHOICE, .choices = "average p50 p99 max total self count" },
	{ 't', "threshold", "PERCENT", "change that matters, 0 to 1000 (default 5)", OPTION_TEXT },
	{ 'c', "confidence", "PERCENT", "confidence that is enough, 50 to 99.999 (default 95)", OPTION_TEXT },
	{ 'n', "top", "N", "names shown, 0 to 1000000 (default 30; all in JSON)", OPTION_NUMBER, 0, TOP_MOST },
	{ 'j', "json", NULL, "print one JSON object" },
	{ 0 },
};

static int parse_percent(const char *text, double least, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (*text < '0' || *text > '9' || *end || errno || *value < least || *value > most)
		return -1;
	return 0;
}

/* Return: OPTIONS_END, or what ends the command. */
static int parse(const struct command *c, int argc, char **argv, struct arguments *a)
{
	struct option_value value;
	bool top = false;
	int letter;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'm':
			a->diff.metric = (enum diff_metric)value.number;
			break;
		case 't':
			if (parse_percent(value.text, 0, 1000, &a->diff.threshold))
				return options_wrong(c, "option --threshold: a number from 0 to 1000 was expected, "
						     "not \"%s\"", value.text);
			break;
		case 'c':
			if (parse_percent(value.text, 50, 99.999, &a->diff.confidence))
				return options_wrong(c, "option --confidence: a number from 50 to 99.999 was "
						     "expected, not \"%s\"", value.text);
			break;
		case 'n':
			top = true;
			a->diff.top = (unsigned int)value.number;
			break;
		case 'j':
			a->json = true;
			break;
		default:
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		}
	}
	if (!top)
		a->diff.top = a->json ? TOP_MOST : 30;
	return OPTIONS_END;
}

/* A B, or A... -- B...: what is behind "--" is not for options. */
static int divide(const struct command *c, int argc, char **argv, struct arguments *a)
{
	int middle = 1, ret;

	while (middle < argc && strcmp(argv[middle], "--"))
		middle++;
	ret = parse(c, middle, argv, a);
	if (ret != OPTIONS_END)
		return ret;
	a->dirs[0] = argv + optind;
	a->nr[0] = middle - optind;
	a->dirs[1] = argv + middle + 1;
	a->nr[1] = argc - middle - 1;
	if (middle == argc) {
		if (a->nr[0] != 2)
			return options_wrong(c, "arguments A and B: two were expected; for more, A... -- B...");
		a->nr[0] = a->nr[1] = 1;
		a->dirs[1] = a->dirs[0] + 1;
	}
	if (a->nr[0] < 1 || a->nr[1] < 1)
		return options_wrong(c, "arguments A... -- B...: directories were expected on both sides");
	return OPTIONS_END;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct arguments a = { .diff = { .threshold = 5, .confidence = 95 } };
	struct prof_set set[2] = { 0 };
	struct diff d = { 0 };
	unsigned int slower;
	int ret = divide(c, argc, argv, &a);

	if (ret != OPTIONS_END)
		return ret;
	ret = 0;
	for (int side = 0; side < 2 && !ret; side++) {
		ret = prof_set_open(&set[side], a.dirs[side], (unsigned int)a.nr[side], diag);
		if (!ret && set[side].nr > DIFF_RUNS)
			ret = diag_fail(diag, "%u runs: up to %d of each were expected", set[side].nr, DIFF_RUNS);
	}
	if (!ret)
		ret = diff_make(&d, set, &a.diff, diag);
	if (!ret)
		ret = (a.json ? diff_json : diff_print)(stdout, &d, &a.diff, diag);
	slower = d.verdicts[DIFF_SLOWER];
	diff_free(&d);
	prof_set_close(&set[0]);
	prof_set_close(&set[1]);
	if (ret)
		return EXIT_FAILED;
	return slower ? EXIT_SLOWER : EXIT_DONE;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "A B | A... -- B...",
	.summary = "tell what got slower between two sets of runs",
	.text = "Compares the time of each name in runs A (before) with that in runs B (after).\n"
		"A and B are PROF_* directories, or folders that hold some; each PROF_* is a run.\n"
		"A name is called slower or faster when its median changed by the threshold and\n"
		"repeated runs support it; with a single run of one side there is no confidence,\n"
		"and nothing is.",
	.options = options,
	.run = run,
	.status = "0 No name is slower.\n1 Failed: something could not be read.\n2 Wrong usage.\n4 A name is slower.",
};
