// SPDX-License-Identifier: Apache-2.0
/*
 * A program that ends without UnSubscribe: what it reported arrives, one line
 * warns. A reader that stalls holds up the end for no longer than a few seconds.
 */
#include "ops.h"
#include "t.h"

#include <fcntl.h>

#define OPS 10000u /* more than a pipe holds */

static void *report_for_ever(void *arg)
{
	uint32_t model = (uint32_t)(uintptr_t)arg;

	pthread_detach(pthread_self());
	for (uint64_t i = OPS + 1;; i++) {
		ops_report(model, i);
		t_sleep_us(500);
	}
	return NULL;
}

/* Still draining another subscription when the process ends. */
static void *unsubscribe(void *arg)
{
	pthread_detach(pthread_self());
	aclprofModelUnSubscribe((uint32_t)(uintptr_t)arg);
	return NULL;
}

static int run(const char *name)
{
	pthread_t thread;
	int fd = STDOUT_FILENO, other = STDOUT_FILENO;

	ops_subscribe(1, &fd);
	ops_subscribe(2, &other);
	for (uint64_t i = 1; i <= OPS / 2; i++) {
		ops_report(1, i);
		ops_report(2, i);
	}
	if (!strcmp(name, "threads"))
		pthread_create(&thread, NULL, report_for_ever, (void *)2);
	if (!strcmp(name, "unsubscribing")) {
		pthread_create(&thread, NULL, unsubscribe, (void *)2);
		t_sleep_us(1000);
	}
	if (!strcmp(name, "return"))
		return 0;
	exit(0);
}

static unsigned int read_all(int fd)
{
	unsigned int records = 0;
	char record[OPS_BYTES];
	uint32_t n;

	while (ops_read(fd, record)) {
		t_code(aclprofGetOpNum(record, OPS_BYTES, &n), 0);
		records++;
		if (records % 1000 == 0)
			t_sleep_us(10000);
	}
	return records;
}

static const char *text_of(const char *path)
{
	static char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
	return text;
}

/* The child's standard output is a pipe. */
static pid_t begin(char **argv, const char *name, const char *err, int *reads)
{
	char *arguments[] = { argv[0], (char *)name, NULL };
	int fds[2], saved;
	pid_t pid;

	t_equal(pipe2(fds, O_CLOEXEC), 0, "pipe");
	saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	fflush(stdout);
	dup2(fds[1], STDOUT_FILENO);
	pid = t_exec_self(arguments, "/dev/stdout", err);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fds[1]);
	*reads = fds[0];
	return pid;
}

static void drains(char **argv, const char *name)
{
	const char *err = t_path("%s/err", t_dir());
	unsigned int records, late;
	const char *text;
	int reads;
	pid_t pid = begin(argv, name, err, &reads);

	records = read_all(reads);
	close(reads);
	t_equal(t_wait(pid), 0, "status after %s", name);
	t_check(records == OPS || (!strcmp(name, "threads") && records > OPS), "%u records after %s", records, name);
	text = text_of(err);
	/* the end of the program may have been faster than the thread, which is told so */
	late = !strcmp(name, "unsubscribing") && strstr(text, "modelId 2 is not subscribed");
	t_check(t_lines(text) == 1 + late && strstr(text, "aclprofModelUnSubscribe"), "printed after %s: %s", name, text);
}

static void stalls(char **argv)
{
	const char *err = t_path("%s/err", t_dir()), *text;
	uint64_t time = t_raw_ns();
	int reads;
	pid_t pid = begin(argv, "exit", err, &reads);

	t_equal(t_wait(pid), 0, "status after a stalled reader");
	time = (t_raw_ns() - time) / 1000000;
	t_check(time < 60000, "the end took %lu ms", time);
	text = text_of(err);
	t_check(t_lines(text) == 2 && strstr(text, "were lost"), "printed with a stalled reader: %s", text);
	t_check(read_all(reads) > 100, "nothing was in the pipe");
	close(reads);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "exit", "return", "threads", "unsubscribing" };

	if (argc == 2)
		return run(argv[1]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		drains(argv, names[i]);
	stalls(argv);
	return t_end();
}
