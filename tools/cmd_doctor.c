/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof doctor: looks at the machine and names what stands in the way. */
#include <stdio.h>
#include <unistd.h>

#include "format/json_write.h"
#include "tools/doctor.h"
#include "tools/options.h"

static const struct option_def options[] = {
	{ 'b', "bench", NULL, "compare the module with perf_event_open too, which takes 20 s\n"
			      "and loads all CPUs" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ 0 },
};

static const char *const states[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_NOTE] = "note",
	[DOCTOR_PROBLEM] = "problem",
};

static void print_text(const struct doctor *d)
{
	for (unsigned int i = 0; i < d->nr; i++) {
		const struct doctor_finding *f = &d->list[i];

		printf("%-8s %-10s %s%s%s\n", states[f->state], f->check, f->text, *f->mend ? "; mend: " : "",
		       f->mend);
	}
}

static int print_json(const struct doctor *d, struct diag *diag)
{
	struct json_writer w = { 0 };
	const char *text;
	size_t len;

	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_string(&w, "version", ASCPROF_VERSION);
	json_u64(&w, "notes", doctor_count(d, DOCTOR_NOTE));
	json_u64(&w, "problems", doctor_count(d, DOCTOR_PROBLEM));
	json_open(&w, "checks", '[');
	for (unsigned int i = 0; i < d->nr; i++) {
		const struct doctor_finding *f = &d->list[i];

		json_open(&w, NULL, '{');
		json_string(&w, "check", f->check);
		json_string(&w, "state", states[f->state]);
		json_string(&w, "text", f->text);
		json_string(&w, "mend", f->mend);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
	text = json_finish(&w, &len);
	if (text)
		printf("%s\n", text);
	json_release(&w);
	return text ? 0 : diag_fail(diag, "out of memory");
}

static void examine(struct doctor *d)
{
	doctor_kernel(d);
	doctor_io_uring(d);
	doctor_membarrier(d);
	doctor_clock(d);
	doctor_memlock(d);
	doctor_rights(d);
	doctor_module(d);
	doctor_pmus(d);
	doctor_npus(d);
	doctor_space(d);
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct doctor d = { .root = "" };
	unsigned int problems;
	bool json = false, bench = false;
	const char *value;
	int letter, ret = 0;

	while ((letter = options_next(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter == 'j')
			json = true;
		else if (letter == 'b')
			bench = true;
		else
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
	}
	if (optind < argc)
		return options_wrong(c, "argument \"%s\": none was expected", argv[optind]);
	examine(&d);
	if (bench)
		doctor_bench(&d);
	if (d.no_memory)
		ret = diag_fail(diag, "out of memory");
	else if (json)
		ret = print_json(&d, diag);
	else
		print_text(&d);
	problems = doctor_count(&d, DOCTOR_PROBLEM);
	doctor_release(&d);
	if (!ret && problems)
		ret = diag_fail(diag, "%u problem%s", problems, problems > 1 ? "s" : "");
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "look at this machine, and name what stands in the way",
	.text = "One line for each thing that was looked at: ok, note (works, with less) or\n"
		"problem, and behind \"mend:\" the command that changes it; most of those are for\n"
		"root. doctor itself needs no rights and changes nothing. Exit status 1: there is a\n"
		"problem.",
	.options = options,
	.run = run,
	.status = "0 No problem was found.\n1 There is a problem, or the output cannot be written.\n2 Wrong usage.",
};
