// SPDX-License-Identifier: Apache-2.0
/*
 * soak_kmod MINUTES [SEED]: for so long, in rounds of some seconds, processes own streams and
 * sources while the module, a CPU, PMUs and a device come and go, signals interrupt and kill.
 * After each round nobody has anything of the module open, and it is unloaded. Then memory and
 * descriptors of the whole machine are what they were after the first rounds; in the end
 * kmemleak looks, where the kernel has it.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "soak.h"

#define WORKERS		6
#define NOBODY		(WORKERS - 1)	/* the last is not privileged */
#define WARM		4		/* rounds, before anything is flat */
#define ROUNDS		8192
#define SLACK_KB	8192		/* pages that the kernel keeps for itself */
#define SLACK_FILES	64		/* an approximate number */
#define PATIENCE_S	180
#define LEAKS		"/sys/kernel/debug/kmemleak"

struct soak *soak;

/* What the machine has in use with the module unloaded. */
struct resources {
	long available_kb;
	long kernel_kb;		/* slabs that are not caches, stacks, page tables */
	long files;
};

static struct resources history[ROUNDS];
static unsigned int rounds;
static pid_t workers[WORKERS];

static void nothing(int signal)
{
	(void)signal;
}

static long meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = -1;

	if (!file)
		bail("/proc/meminfo");
	while (kb < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			kb = strtol(line + strlen(name) + 1, NULL, 10);
	fclose(file);
	if (kb < 0)
		bail(name);
	return kb;
}

static struct resources measure(void)
{
	char line[64];

	if (!read_line("/proc/sys/fs/file-nr", line, sizeof(line)))
		bail("/proc/sys/fs/file-nr");
	return (struct resources){
		.available_kb = meminfo("MemAvailable"),
		.kernel_kb = meminfo("SUnreclaim") + meminfo("KernelStack") + meminfo("PageTables"),
		.files = strtol(line, NULL, 10),
	};
}

/* The least in use of rounds @from to @to - 1: what is left behind is in all of them. */
static struct resources least(unsigned int from, unsigned int to)
{
	struct resources best = history[from];

	while (++from < to) {
		const struct resources *r = &history[from];

		if (r->available_kb > best.available_kb)
			best.available_kb = r->available_kb;
		if (r->kernel_kb < best.kernel_kb)
			best.kernel_kb = r->kernel_kb;
		if (r->files < best.files)
			best.files = r->files;
	}
	return best;
}

static void begin_worker(struct dice *dice, unsigned int i)
{
	struct dice own = { .state = roll(dice) | 1 };
	pid_t pid = fork();

	if (pid < 0)
		bail("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(&own, i != NOBODY);
		_exit(0);
	}
	workers[i] = pid;
}

/* Children of those that were killed are ours. false: there are none any more. */
static bool reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned int i = 0; i < WORKERS; i++)
			if (workers[i] == pid) {
				workers[i] = 0;
				if (status != SIGKILL && status)
					wrong("a process ended with %#x", (unsigned int)status);
			}
	return pid == 0;
}

static void one_round(struct dice *dice)
{
	time_t end;
	unsigned int i;

	soak->stop = 0;
	chores_round();
	for (i = 0; i < WORKERS; i++)
		begin_worker(dice, i);
	for (end = time(NULL) + 3 + pick(dice, 6); time(NULL) < end; ) {
		unsigned int what = pick(dice, 100);
		pid_t pid = workers[pick(dice, WORKERS)];

		if (what < 40 && pid) {
			kill(pid, SIGUSR1);
			count(&soak->signals, 1);
		} else if (what < 43 && pid) {
			kill(pid, SIGKILL);
			count(&soak->kills, 1);
		} else if (what < 90) {
			chores_one(dice);
		}
		reap();
		for (i = 0; i < WORKERS; i++)
			if (!workers[i])
				begin_worker(dice, i);
		usleep(pick(dice, 20000));
	}
	soak->stop = 1;
	for (end = time(NULL) + PATIENCE_S; reap() && time(NULL) < end; usleep(1000))
		chores_unload();
	for (i = 0; i < WORKERS; i++)
		if (workers[i]) {
			wrong("process %d did not come back", (int)workers[i]);
			kill(workers[i], SIGKILL);
		}
	while (reap())
		usleep(1000);
}

/* What the kernel said, as the judge of the log knows it; its buffer need not hold an hour. */
static void print_kernel_log(void)
{
	fflush(stdout);
	if (system("dmesg -c | sed 's/^/LAB kernel: /'"))
		bail("dmesg");
}

static unsigned int leaks(void)
{
	char line[256];
	unsigned int nr = 0;
	FILE *file;
	int i;

	/* what is younger than five seconds is not reported */
	for (i = 0; i < 2; i++) {
		write_file(LEAKS, "scan");
		sleep(6);
	}
	file = fopen(LEAKS, "re");
	while (file && fgets(line, sizeof(line), file)) {
		nr += !strncmp(line, "unreferenced object", 19);
		printf("# %s", line);
	}
	if (file)
		fclose(file);
	return nr;
}

static void check_flat(void)
{
	unsigned int quarter = (rounds - WARM) / 4;
	struct resources first, last;

	if (rounds < WARM + 8) {
		printf("# %u rounds are too few to tell what grows\n", rounds);
		return;
	}
	first = least(WARM, WARM + quarter);
	last = least(rounds - quarter, rounds);
	printf("# first and last quarter: %ld and %ld KiB available, %ld and %ld KiB of the kernel's, %ld and %ld files\n",
	       first.available_kb, last.available_kb, first.kernel_kb, last.kernel_kb, first.files, last.files);
	check(last.available_kb > first.available_kb - SLACK_KB && last.kernel_kb < first.kernel_kb + SLACK_KB,
	      "memory is flat over %u rounds", rounds);
	check(last.files < first.files + SLACK_FILES, "open files are");
}

static void print_totals(bool has_window)
{
	printf("# streams %" PRIu64 ", runs %" PRIu64 ", samples %" PRIu64 ", lost %" PRIu64 ", missed %" PRIu64
	       ", throttled %" PRIu64 "\n", soak->opened, soak->runs, soak->samples, soak->lost,
	       soak->missed, soak->throttled);
	printf("# fed %" PRIu64 ", got %" PRIu64 " of them; read by several %" PRIu64 ", liars %" PRIu64
	       ", left by a source %" PRIu64 ", refused %" PRIu64 "\n", soak->fed, soak->users, soak->shared,
	       soak->faults, soak->gone, soak->refused);
	printf("# forks %" PRIu64 ", kills %" PRIu64 ", signals %" PRIu64 ", CPU hotplugs %" PRIu64 ", reloads %"
	       PRIu64 " (in use %" PRIu64 "), PMUs %" PRIu64 ", window %" PRIu64 ", interrupts %" PRIu64 "\n",
	       soak->forks, soak->kills, soak->signals, soak->hotplugs, soak->reloads, soak->in_use,
	       soak->pmus, soak->windows, soak->interrupts);
	check(soak->runs && soak->lost && soak->missed && soak->users && soak->shared && soak->faults && soak->gone,
	      "every kind of stream ran");
	check(soak->forks && soak->kills && soak->hotplugs && soak->reloads && soak->in_use && soak->pmus,
	      "what comes and goes did");
	check(!has_window || (soak->windows && soak->interrupts), "so did the window");
	check(soak->wrong == 0, "all accounts balance, and all else is as it has to be (%" PRIu64 " are not)",
	      soak->wrong);
}

int main(int argc, char **argv)
{
	struct dice dice = { .state = argc > 2 ? strtoull(argv[2], NULL, 0) | 1 : 1 };
	double minutes = argc > 1 ? strtod(argv[1], NULL) : 0;
	struct sigaction act = { .sa_handler = nothing };	/* calls are interrupted */
	time_t begin = time(NULL);
	bool has_window;

	if (minutes <= 0) {
		fprintf(stderr, "usage: soak_kmod MINUTES [SEED]\n");
		return 2;
	}
	soak = mmap(NULL, sizeof(*soak), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (soak == MAP_FAILED)
		bail("mmap");
	sigaction(SIGUSR1, &act, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	roll(&dice);
	has_window = chores_begin();
	while (difftime(time(NULL), begin) < 60 * minutes && rounds < ROUNDS) {
		one_round(&dice);
		chores_over();
		history[rounds++] = measure();
		print_kernel_log();
	}
	print_totals(has_window);
	check_flat();
	if (access(LEAKS, W_OK) == 0)
		equal(leaks(), 0, "kmemleak finds nothing");
	printf("# soak of the module: %u minutes, %u rounds, %" PRIu64 " streams, %" PRIu64 " accounts, %d failures\n",
	       (unsigned int)((time(NULL) - begin) / 60), rounds, soak->opened, soak->runs, tap_failed);
	return finish();
}
