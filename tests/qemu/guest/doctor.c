// SPDX-License-Identifier: Apache-2.0
/*
 * `ascprof doctor` where there is a module: what it says of it loaded, used, closed to a
 * user and unloaded; and `--bench`, whose numbers are no matter here but have to be there.
 */
#include "guest.h"

#define NOBODY	65534

static char text[1 << 16];

/* Runs it, as another user if @uid is not 0; returns its exit code, leaves what it said in text. */
static int doctor(const char *option, uid_t uid)
{
	size_t len = 0;
	int out[2], status;
	pid_t child;
	ssize_t got;

	if (pipe(out))
		bail("pipe");
	child = fork();
	if (child < 0)
		bail("fork");
	if (child == 0) {
		if (dup2(out[1], 1) < 0 || (uid && (setgid(uid) || setuid(uid))))
			_exit(9);
		close(out[0]);
		close(out[1]);
		execl("/bin/ascprof", "ascprof", "doctor", option, NULL);
		_exit(9);
	}
	close(out[1]);
	while (len < sizeof(text) - 1 && (got = read(out[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)got;
	text[len] = 0;
	close(out[0]);
	if (waitpid(child, &status, 0) != child)
		bail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Is there a line of this state and check with these words? */
static bool said(const char *state, const char *check_name, const char *words)
{
	char head[64];
	const char *line, *end;

	snprintf(head, sizeof(head), "%-8s %-10s ", state, check_name);
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!strncmp(line, head, strlen(head)) &&
		    memmem(line, (size_t)(end - line), words, strlen(words)))
			return true;
	}
	return false;
}

static void says(const char *state, const char *check_name, const char *words)
{
	const char *line, *end;

	if (check(said(state, check_name, words), "%s: %s, \"%s\"", check_name, state, words))
		return;
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		printf("# %.*s\n", (int)(end - line), line);
	}
}

static void test_loaded(int control)
{
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);

	doctor(NULL, 0);
	says("ok", "module", "is loaded: 5 sources, 1 streams");
	says("ok", "device", ASCPROF_DEVICE_PATH " may be opened; interface version 1, periods from 100 us");
	says("ok", "source", "perf (perf)");
	says("note", "source", "sim0 (sim), NPU 0, simulated numbers");
	check(!said("problem", "module", "") && !said("problem", "device", ""),
	      "no problem with the module");
	close(stream);
}

static void test_refused(void)
{
	if (chmod(ASCPROF_DEVICE_PATH, 0600))
		bail(ASCPROF_DEVICE_PATH);
	check(doctor(NULL, NOBODY) == 1, "somebody else: exit code 1");
	says("problem", "device", "Permission denied");
	if (chmod(ASCPROF_DEVICE_PATH, 0666))
		bail(ASCPROF_DEVICE_PATH);
	doctor(NULL, NOBODY);
	says("ok", "device", "periods from 10000 us");
	check(strstr(text, "are refused: paranoid of the module is 2, and there is no CAP_PERFMON"),
	      "the refusal of counters is explained");
	set_parameter("paranoid", "1");
	doctor(NULL, NOBODY);
	check(!strstr(text, "paranoid of the module is"), "... and not when they are allowed");
	set_parameter("paranoid", "2");
	if (chmod(ASCPROF_DEVICE_PATH, 0600))
		bail(ASCPROF_DEVICE_PATH);
}

static void test_unloaded(void)
{
	if (module_unload())
		bail("unload");
	check(doctor(NULL, 0) == 1, "no module: exit code 1");
	says("problem", "module", "there are no counters");
	if (module_load())
		bail("load");
}

/* A comparison under one load: every way sampled, and counted its ticks. */
static bool compared(const char *load)
{
	char head[32];
	unsigned long long nr[7];
	const char *line;

	snprintf(head, sizeof(head), "%s: ticks missed: ", load);
	line = strstr(text, head);
	return line &&
	       sscanf(line + strlen(head),
		      "%llu of %llu by the module (%llu throttled); by a program %llu of %llu, "
		      "with SCHED_FIFO %llu of %llu", &nr[0], &nr[1], &nr[2], &nr[3], &nr[4], &nr[5],
		      &nr[6]) == 7 &&
	       nr[1] && nr[4] && nr[6];
}

static void test_bench(void)
{
	const char *line;

	doctor("--bench", 0);
	if (access("/proc/self/schedstat", R_OK)) {
		/* a kernel that does not tell what a thread costs */
		says("note", "bench", "finding the stream's thread");
		return;
	}
	for (line = strstr(text, "ok       bench"); line; line = strstr(line + 1, "ok       bench"))
		printf("# %.*s\n", (int)strcspn(line, "\n"), line);
	says("ok", "bench", "events on each of");
	says("ok", "bench", "idle: reads of one sample span");
	says("ok", "bench", "busy: a sample costs, of CPU time,");
	check(compared("idle"), "idle: all three ways took samples");
	check(compared("busy"), "busy: all three ways took samples");
}

int main(void)
{
	int control = open_control();

	test_loaded(control);
	close(control);
	test_refused();
	test_unloaded();
	test_bench();
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
