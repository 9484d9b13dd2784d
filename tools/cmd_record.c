/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof record: profiles a program that was not built for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock/clock.h"
#include "format/json_write.h"
#include "tools/attach.h"
#include "tools/child.h"
#include "tools/inject.h"
#include "tools/options.h"
#include "tools/record_dirs.h"

#define PROGRESS_MS 500
#define MB 1000000
#define DAYS (100 * 24 * UINT64_C(3600000000000))
#define ON_OFF OPTION_CHOICE, .choices = "on off"
#define HZ(max) OPTION_NUMBER, 1, max, .unit = "Hz"
#define METRICS "ArithmeticUtilization PipeUtilization Memory MemoryL0 ResourceConflictRatio MemoryUB L2Cache " \
		"PipelineExecuteUtilization MemoryAccess"

/* Those without a short form. */
enum { OWN_SESSIONS = 1, NO_FOLLOW, FAIL_ON_LOSS, LIBRARY, FIRST_KEY };

/* Those from FIRST_KEY on are keys of acl.json, with '-' in place of '_'. */
static const struct option_def options[] = {
	{ 'o', "output", "DIR", "folder of the result directories (default result)", OPTION_PATH },
	{ 'm', "msproftx", "MODE", "annotations: on (default) or off", ON_OFF },
	{ 'd', "devices", "IDS", "NPUs whose counters are recorded, as in 0,2,4-7\n(default: all)", OPTION_IDS, 0, 63 },
	{ 'f', "sys-hardware-mem-freq", "HZ", "LLC, HBM, SoC bandwidth: samples per second, 1 to 100;\n"
	  "not recorded without", HZ(100) },
	{ 'l', "llc-profiling", "MODE", "events of the LLC: read (default) or write", OPTION_CHOICE,
	  .choices = "read write" },
	{ 'a', "aic-metrics", "GROUP", "counters of the AI cores, as in acl.json", OPTION_CHOICE, .choices = METRICS },
	{ 'H', "host-sys", "LIST", "of the program: some of cpu, mem, disk, network, osrt, numa", OPTION_LIST,
	  .choices = "cpu mem disk network osrt numa" },
	{ 's', "storage-limit", "SIZE", "of a result directory, from 200MB on; the oldest goes first", OPTION_SIZE,
	  (uint64_t)200 * MB, (uint64_t)4294967296 * MB },
	{ FIRST_KEY, "host-sys-usage", "LIST", "of the machine: some of cpu, mem", OPTION_LIST, .choices = "cpu mem" },
	{ FIRST_KEY + 1, "host-sys-usage-freq", "HZ", "samples of it per second, 1 to 50", HZ(50) },
	{ FIRST_KEY + 2, "sys-io-sampling-freq", "HZ", "network cards, 1 to 100", HZ(100) },
	{ FIRST_KEY + 3, "sys-interconnection-freq", "HZ", "links, 1 to 50", HZ(50) },
	{ FIRST_KEY + 4, "dvpp-freq", "HZ", "media units, 1 to 100", HZ(100) },
	{ 'p', "pid", "PID", "no program, but a process that was begun with ASCPROF_ATTACH=1", OPTION_NUMBER, 1,
	  4194304 },
	{ 'D', "delay", "TIME", "begin so long after the program, as in 500ms or 10s", OPTION_DURATION, 0, DAYS },
	{ 't', "duration", "TIME", "record so long; the program goes on", OPTION_DURATION, 1000000, DAYS },
	{ NO_FOLLOW, "no-follow", NULL, "only the program, not what it starts" },
	{ OWN_SESSIONS, "own-sessions", "MODE", "calls as aclprofInit of the program itself are\n"
	  "refuse: refused with 100042 (default)\n"
	  "ignore: successful, and do nothing", OPTION_CHOICE, .choices = "refuse ignore" },
	{ FAIL_ON_LOSS, "fail-on-loss", NULL, "exit status 3 if data was lost and the program succeeded" },
	{ LIBRARY, "library", "FILE", "the library to load (default: the one beside ascprof)", OPTION_PATH },
	{ 'q', "quiet", NULL, "no progress, and no line at the end" },
	{ 0 },
};

struct record {
	struct inject in;
	struct json_writer profiler;
	const char *output; /* as given */
	char folder[PATH_MAX]; /* absolute */
	const char *library;
	uint64_t delay_ns, duration_ns;
	uint64_t from_ns; /* CLOCK_MONOTONIC, when the program began */
	pid_t pid; /* that runs already; 0: a program is to be run */
	const char *of_program; /* an option that goes with a program only */
	bool chosen_tx, chosen_devices;
	bool fail_on_loss;
	bool quiet;
	bool progress; /* a line of it is on the screen */
	struct child child;
	struct diag *diag;
};

/* ---- options ---- */

static const struct option_def *def_of(int letter)
{
	const struct option_def *o = options;

	while (o->letter != letter)
		o++;
	return o;
}

/* As acl.json has it. */
static void add_key(struct record *r, const struct option_def *o, const struct option_value *v)
{
	char key[32], size[32];

	snprintf(key, sizeof(key), "%s", o->name);
	for (char *p = key; *p; p++)
		if (*p == '-')
			*p = '_';
	if (o->type == OPTION_SIZE) {
		snprintf(size, sizeof(size), "%" PRIu64 "MB", v->number / MB);
		json_string(&r->profiler, key, size);
	} else if (o->type == OPTION_NUMBER) {
		json_u64(&r->profiler, key, v->number);
	} else {
		json_string(&r->profiler, key, v->text);
	}
}

static void set_option(struct record *r, int letter, const struct option_value *v)
{
	if (letter == NO_FOLLOW || letter == OWN_SESSIONS || letter == LIBRARY)
		r->of_program = def_of(letter)->name;
	switch (letter) {
	case 'p':
		r->pid = (pid_t)v->number;
		break;
	case 'o':
		r->output = v->text;
		break;
	case 'd':
		r->in.devices = v->set;
		r->chosen_devices = true;
		break;
	case 'D':
		r->delay_ns = v->number;
		break;
	case 't':
		r->duration_ns = v->number;
		break;
	case 'q':
		r->quiet = true;
		break;
	case NO_FOLLOW:
		r->in.follow = false;
		break;
	case OWN_SESSIONS:
		r->in.ignore_own = v->number == 1;
		break;
	case FAIL_ON_LOSS:
		r->fail_on_loss = true;
		break;
	case LIBRARY:
		r->library = v->text;
		break;
	default:
		r->chosen_tx |= letter == 'm';
		r->in.pthread_calls |= letter == 'H' && strstr(v->text, "osrt");
		add_key(r, def_of(letter), v);
		break;
	}
}

/* A folder that root has made for another user's process is that user's. */
static void hand_over(const struct record *r)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", r->pid);
	if (!r->pid || stat(path, &st) || st.st_uid == geteuid())
		return;
	if (lchown(r->output, st.st_uid, st.st_gid))
		diag_warn(r->diag, "option --output: %s: %s", r->output, strerror(errno));
}

/* Makes the folder, so that what is wrong with it is told before the program runs. */
static int prepare_folder(struct record *r)
{
	if (!mkdir(r->output, 0750))
		hand_over(r);
	else if (errno != EEXIST)
		return diag_fail(r->diag, "option --output: %s: %s", r->output, strerror(errno));
	if (!realpath(r->output, r->folder) || access(r->folder, W_OK | X_OK))
		return diag_fail(r->diag, "option --output: %s: %s", r->output, strerror(errno));
	if (strpbrk(r->folder, "\n\f\r\b\t\v\177\"'\\%><|&$;`"))
		return diag_fail(r->diag, "option --output: %s: a path without control characters and "
				 "\" ' \\ %% > < | & $ ; ` was expected", r->folder);
	return 0;
}

static int finish_profiler(struct record *r)
{
	size_t len;

	if (!r->chosen_tx)
		json_string(&r->profiler, "msproftx", "on");
	json_string(&r->profiler, "output", r->folder);
	json_close(&r->profiler, '}');
	r->in.profiler = json_finish(&r->profiler, &len);
	if (!r->chosen_devices)
		r->in.devices = UINT64_MAX;
	return r->in.profiler ? 0 : diag_fail(r->diag, "out of memory");
}

/* ---- the run ---- */

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* In the process that becomes the program. */
static int prepare(void *arg)
{
	return inject_environment(arg);
}

static void show_progress(struct record *r)
{
	struct record_total t;

	record_look(r->output, r->in.id, &t);
	fprintf(stderr, "\r%7.1f s  %10.1f MB  %12" PRIu64 " records  %8" PRIu64 " dropped\033[K",
		(double)(now() - r->from_ns) / 1e9, (double)t.bytes / MB, t.records, t.dropped);
	fflush(stderr);
	r->progress = true;
}

static void watch(struct record *r)
{
	bool shown = !r->quiet && isatty(STDERR_FILENO);

	while (!child_wait(&r->child, shown ? PROGRESS_MS : -1))
		show_progress(r);
	if (r->progress)
		fputs("\r\033[K", stderr);
}

/* One line, of one form. */
static void tell(const struct record *r, const struct record_total *t)
{
	double seconds = (double)(now() - r->from_ns) / 1e9;

	if (!t->directories) {
		fprintf(stderr, "ascprof record: nothing was recorded\n");
		return;
	}
	if (t->directories == 1)
		fprintf(stderr, "ascprof record: %s: ", t->first);
	else
		fprintf(stderr, "ascprof record: %s: %u directories, ", r->output, t->directories);
	fprintf(stderr, "%.1f s, %" PRIu64 " records, %.1f MB, %" PRIu64 " dropped", seconds, t->records,
		(double)t->bytes / MB, t->dropped);
	if (t->aged)
		fprintf(stderr, ", %" PRIu64 " aged", t->aged);
	if (*t->error)
		fprintf(stderr, ", %s", t->error);
	if (t->running)
		fprintf(stderr, ", %u still recording", t->running);
	fputc('\n', stderr);
}

/* What is there now, in a line. */
static int look(struct record *r)
{
	struct record_total total;

	record_complete(r->output, r->in.id, r->pid, r->diag);
	record_look(r->output, r->in.id, &total);
	if (!r->quiet)
		tell(r, &total);
	return r->fail_on_loss && (total.dropped || *total.error) ? EXIT_MISMATCH : EXIT_DONE;
}

static int run_program(struct record *r, char **argv)
{
	const char *why;
	int code, lost;

	r->from_ns = now();
	if (r->delay_ns)
		r->in.begin_ns = r->from_ns + r->delay_ns;
	if (r->duration_ns)
		r->in.end_ns = r->from_ns + r->delay_ns + r->duration_ns;
	code = child_begin(&r->child, argv, prepare, &r->in, r->diag);
	if (code) {
		fprintf(stderr, "ascprof record: %s\n", r->diag->error);
		return code;
	}
	why = inject_impossible(argv[0]);
	if (why)
		fprintf(stderr, "ascprof record: %s is not recorded: %s\n", argv[0], why);
	watch(r);
	lost = look(r);
	code = child_result(&r->child);
	return code ? code : lost;
}

static void on_begin(void *arg)
{
	struct record *r = arg;

	r->from_ns = now();
}

static void on_progress(void *arg)
{
	show_progress(arg);
}

static int run_attached(struct record *r)
{
	bool shown = !r->quiet && isatty(STDERR_FILENO);
	const struct attach_request request = {
		.id = r->in.id,
		.profiler = r->in.profiler,
		.devices = r->in.devices,
		.delay_ns = r->delay_ns,
		.duration_ns = r->duration_ns,
		.begun = on_begin,
		.progress = shown ? on_progress : NULL,
		.progress_ms = PROGRESS_MS,
		.arg = r,
	};
	int ret = attach_record(r->pid, &request, r->diag);

	if (r->progress)
		fputs("\r\033[K", stderr);
	return ret ? EXIT_FAILED : look(r);
}

static int read_options(const struct command *c, struct record *r, int argc, char **argv)
{
	struct option_value value;
	int letter;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter < 0)
			return letter;
		set_option(r, letter, &value);
	}
	if (r->pid && r->of_program)
		options_wrong(c, "option --%s: goes with a program, not with --pid", r->of_program);
	else if (r->pid && optind < argc)
		options_wrong(c, "argument PROGRAM: none was expected with --pid");
	else if (!r->pid && optind == argc)
		options_wrong(c, "argument PROGRAM: what to run was expected");
	else
		return 0;
	return OPTIONS_BAD;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct record *r = calloc(1, sizeof(*r));
	int code;

	if (!r) {
		diag_fail(diag, "out of memory");
		return EXIT_FAILED;
	}
	r->diag = diag;
	r->output = "result";
	r->in.follow = true;
	json_open(&r->profiler, NULL, '{');
	json_string(&r->profiler, "switch", "on");
	code = read_options(c, r, argc, argv);
	if (code) {
		code = code == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
	} else if ((!r->pid && inject_find(&r->in, r->library, diag)) || prepare_folder(r) || finish_profiler(r)) {
		code = EXIT_FAILED;
	} else {
		inject_name(&r->in);
		code = r->pid ? run_attached(r) : run_program(r, argv + optind);
	}
	json_release(&r->profiler);
	free(r);
	return code;
}

const struct command command_record = {
	.name = "record",
	.operands = "[--] PROGRAM [ARGUMENT...] | --pid PID",
	.summary = "run a program and record what it annotates, and counters meanwhile",
	.text = "Runs a program with libascprof loaded into it, which records from before main()\n"
		"to its end. The program need not be built for it, and may be linked with the\n"
		"vendor's libraries, with the mstx header, or with neither. Each process that\n"
		"annotates has a result directory of its own in DIR; counters are in the one of\n"
		"the program. What is printed goes to standard error. Ctrl-C is the program's; a\n"
		"second one ends it at once.\n"
		"With --pid a process is recorded that runs already, until Ctrl-C, the end of\n"
		"--duration, or its own; its own sessions are refused meanwhile. It must be this\n"
		"user's (root may ask all), have libascprof loaded, and have been begun with\n"
		"ASCPROF_ATTACH=1, for nothing can be loaded into a program that runs.",
	.options = options,
	.run = run,
	.program = true,
	.status = "0-255 That of the program; if a signal ended it, the same signal ends ascprof.\n"
		  "1 Also: it was not run, and a line says why.\n2 Also: wrong usage.\n"
		  "3 Also: data was lost, with --fail-on-loss.\n"
		  "126 The program cannot be executed.\n127 The program was not found.",
};
