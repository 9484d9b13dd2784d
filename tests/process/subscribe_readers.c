// SPDX-License-Identifier: Apache-2.0
/*
 * Readers of a subscription that are slow, stall, or go away: reporting never
 * waits and no signal comes; what is lost is counted, and told once at the end.
 */
#include "ops.h"
#include "t.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <termios.h>

#define MODEL 5u
#define QUEUE 16384u
/* Two neighbouring pages of a full pipe hold more than one page of bytes. */
#define PIPE_LEAST (65536 / 2)

static atomic_uint signals;

static void count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&signals, 1);
}

/* Reports until something was lost. Return: how many were not. */
static unsigned long fill(unsigned long *lost)
{
	unsigned long taken = 0;

	*lost = 0;
	for (uint64_t i = 1; *lost < 100; i++) {
		aclError code = ops_report(MODEL, i);

		t_check(code == 0 || code == ACL_ERROR_PROFILING_FAILURE, "report: %d", code);
		taken += !code;
		*lost += code != 0;
		if (i > 4 * QUEUE)
			break;
	}
	return taken;
}

static void expect_end(unsigned long lost, const int *fd)
{
	const char *out;

	t_stderr_begin();
	t_equal(aclprofModelUnSubscribe(MODEL), lost ? ACL_ERROR_PROFILING_FAILURE : 0, "UnSubscribe");
	out = t_stderr_end();
	t_equal(t_lines(out), lost ? 1 : 0, "lines");
	if (lost)
		t_check(strstr(out, t_path(" %lu of ", lost)), "no %lu in: %s", lost, out);
	t_equal(*fd, -1, "the descriptor's number afterwards");
	t_code(t_init(t_dir()), 0); /* a session may begin again */
	t_code(aclprofFinalize(), 0);
}

/* Slow, but not stalled: all arrives, however long UnSubscribe has to wait. */
static void slow(const void *arg)
{
	struct ops_reader reader;
	int fds[2];

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	ops_subscribe(MODEL, &fds[1]);
	ops_reader_start(&reader, fds[0], 1000);
	for (uint64_t i = 1; i <= 3000; i++)
		t_code(ops_report(MODEL, i), 0);
	expect_end(0, &fds[1]);
	t_equal(ops_reader_end(&reader), 3000, "records");
}

/* A pipe of one page, and a record each 100 ms: looks in vain are the rule. */
static void very_slow(const void *arg)
{
	struct ops_reader reader;
	int fds[2];

	t_equal(pipe(fds), 0, "pipe");
	fcntl(fds[1], F_SETPIPE_SZ, 4096);
	ops_subscribe(MODEL, &fds[1]);
	ops_reader_start(&reader, fds[0], 100000);
	for (uint64_t i = 1; i <= 70; i++)
		t_code(ops_report(MODEL, i), 0);
	t_write_file(arg, "");
	expect_end(0, &fds[1]);
	t_equal(ops_reader_end(&reader), 70, "records");
}

/* The whole process is stopped for longer than a reader may stall. */
static void paused(const void *arg)
{
	const char *ready = t_path("%s/ready", t_dir());
	pid_t pid = t_spawn(very_slow, ready);

	(void)arg;
	while (!t_exists(ready))
		t_sleep_us(1000);
	t_sleep_us(350000);
	kill(pid, SIGSTOP);
	t_sleep_us(2500000);
	kill(pid, SIGCONT);
	t_equal(t_wait(pid), 0, "a drain that was paused");
}

/* The queue fills while nobody reads; then all that was taken arrives. */
static void late(const void *arg)
{
	struct ops_reader reader;
	unsigned long taken, lost;
	int fds[2];

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	ops_subscribe(MODEL, &fds[1]);
	t_stderr_begin();
	taken = fill(&lost);
	t_check(t_lines(t_stderr_end()) <= 3, "a line for each loss");
	t_equal(lost, 100, "lost");
	t_check(taken >= QUEUE && taken < 2 * QUEUE, "%lu were taken", taken);
	ops_reader_start(&reader, fds[0], 0);
	expect_end(lost, &fds[1]);
	t_equal(ops_reader_end(&reader), (long long)taken, "records");
}

/* Never reads, and does not go: UnSubscribe gives up after two seconds. */
static void stalled(const void *arg)
{
	uint64_t begin;
	int fds[2];
	unsigned int records = 0;
	char record[OPS_BYTES];

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	ops_subscribe(MODEL, &fds[1]);
	for (uint64_t i = 1; i <= 2000; i++)
		t_code(ops_report(MODEL, i), 0);
	begin = t_raw_ns();
	t_stderr_begin();
	t_code(aclprofModelUnSubscribe(MODEL), ACL_ERROR_PROFILING_FAILURE);
	t_stderr_end();
	begin = t_raw_ns() - begin;
	t_check(begin > 1900000000 && begin < 20000000000, "gave up after %lu ms", begin / 1000000);
	t_equal(fds[1], -1, "the descriptor's number");
	/* what is in the pipe is whole, and then it ends */
	while (ops_read(fds[0], record))
		records++;
	t_check(records >= PIPE_LEAST / OPS_BYTES && records < 2000, "%u records", records);
	close(fds[0]);
}

/* Closes its end while operators are reported. */
static void gone(const void *arg)
{
	unsigned long lost = 0;
	char record[OPS_BYTES];
	int fds[2];

	(void)arg;
	signal(SIGPIPE, count_signal);
	t_equal(pipe(fds), 0, "pipe");
	ops_subscribe(MODEL, &fds[1]);
	t_stderr_begin();
	for (uint64_t i = 1; i <= 500; i++) {
		lost += ops_report(MODEL, i) != 0;
		if (i == 250) {
			ops_read(fds[0], record);
			close(fds[0]);
		}
		if (i > 250)
			t_sleep_us(100);
	}
	t_check(strstr(ascprof_last_error(), "gone"), "reason: %s", ascprof_last_error());
	t_stderr_end();
	t_check(lost > 0, "nothing was lost");
	t_stderr_begin();
	t_code(aclprofModelUnSubscribe(MODEL), ACL_ERROR_PROFILING_FAILURE);
	t_equal(t_lines(t_stderr_end()), 1, "lines");
	t_equal(fds[1], -1, "the descriptor's number");
	t_equal(atomic_load(&signals), 0, "SIGPIPE");
}

/* Went before the subscription began, with the signal at its default: to die. */
static void never_there(const void *arg)
{
	int fds[2];

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	close(fds[0]);
	ops_subscribe(MODEL, &fds[1]);
	t_code(ops_report(MODEL, 1), 0);
	t_stderr_begin();
	t_code(aclprofModelUnSubscribe(MODEL), ACL_ERROR_PROFILING_FAILURE);
	t_stderr_end();
}

/* Descriptors of other kinds, and one that the program has made not to block. */
static void through(int reads, int writes, bool hangs_up)
{
	struct ops_reader reader;
	int fd = writes, flags = fcntl(writes, F_GETFL);

	ops_subscribe(MODEL, &fd);
	t_equal(fcntl(writes, F_GETFL), flags, "flags of the program's descriptor");
	ops_reader_start(&reader, reads, 20);
	for (uint64_t i = 1; i <= 5000; i++)
		t_code(ops_report(MODEL, i), 0);
	/* some lose what is unread when they are closed */
	for (int i = 0; hangs_up && i < 20000 && atomic_load(&reader.records) < 5000; i++)
		t_sleep_us(1000);
	expect_end(0, &fd);
	t_equal(ops_reader_end(&reader), 5000, "records");
	t_equal(fcntl(writes, F_GETFL), -1, "the descriptor is closed");
}

static void terminal(int fds[2])
{
	struct termios raw;

	fds[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	t_check(fds[0] >= 0 && !grantpt(fds[0]) && !unlockpt(fds[0]), "no terminal");
	fds[1] = open(ptsname(fds[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
	tcgetattr(fds[1], &raw);
	cfmakeraw(&raw);
	t_equal(tcsetattr(fds[1], TCSANOW, &raw), 0, "tcsetattr");
}

static void other_kinds(const void *arg)
{
	int fds[2];

	(void)arg;
	t_equal(pipe2(fds, O_NONBLOCK), 0, "pipe");
	fcntl(fds[0], F_SETFL, 0);
	through(fds[0], fds[1], false);
	/* the smallest pipe there is */
	t_equal(pipe(fds), 0, "pipe");
	t_equal(fcntl(fds[1], F_SETPIPE_SZ, 4096), 4096, "size of the pipe");
	through(fds[0], fds[1], false);
	t_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0, "socketpair");
	through(fds[0], fds[1], false);
	/* a terminal tears records */
	terminal(fds);
	through(fds[0], fds[1], false);
	/* and its other side, opened anew, is another terminal's */
	terminal(fds);
	through(fds[1], fds[0], true);
}

static void file(const void *arg)
{
	const char *path = t_path("%s/records", t_dir());
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), reads = open(path, O_RDONLY | O_CLOEXEC);
	char record[OPS_BYTES];
	unsigned int records = 0;

	(void)arg;
	ops_subscribe(MODEL, &fd);
	for (uint64_t i = 1; i <= 5000; i++)
		t_code(ops_report(MODEL, i), 0);
	expect_end(0, &fd);
	while (ops_read(reads, record))
		records++;
	t_equal(records, 5000, "records in the file");
	close(reads);
}

/* The pipe was made by root, and cannot be opened anew by who reports. */
static void other_user(const void *arg)
{
	int fds[2];

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	t_drop_root();
	setenv("TMPDIR", "/tmp", 1); /* wherever root's is */
	through(fds[0], fds[1], false);
}

/* What the program does with its number meanwhile harms nobody. */
static void number_changes(const void *arg)
{
	const char *path = t_path("%s/innocent", t_dir());
	struct ops_reader reader;
	int fds[2], fd, file_fd;

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	fd = fds[1];
	ops_subscribe(MODEL, &fd);
	ops_reader_start(&reader, fds[0], 0);
	file_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	t_equal(dup2(file_fd, fds[1]), fds[1], "dup2"); /* closes the pipe's end, too early */
	for (uint64_t i = 1; i <= 1000; i++)
		t_code(ops_report(MODEL, i), 0);
	expect_end(0, &fd);
	t_equal(ops_reader_end(&reader), 1000, "records");
	t_equal(lseek(file_fd, 0, SEEK_END), 0, "bytes in another file");
	t_check(fcntl(fds[1], F_GETFL) >= 0, "another file was closed");
}

static void shared(const void *arg)
{
	struct ops_reader reader;
	int fds[2], same, other;

	(void)arg;
	t_equal(pipe(fds), 0, "pipe");
	same = other = fds[1];
	ops_subscribe(1, &same);
	ops_subscribe(2, &same);
	ops_subscribe(3, &other);
	ops_reader_start(&reader, fds[0], 0);
	for (uint64_t i = 1; i <= 300; i++)
		for (uint32_t model = 1; model <= 3; model++)
			t_code(ops_report(model, i), 0);
	t_code(aclprofModelUnSubscribe(1), 0);
	t_equal(same, fds[1], "the number that another subscription uses");
	t_code(ops_report(2, 301), 0);
	t_code(ops_report(1, 301), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofModelUnSubscribe(2), 0);
	t_equal(same, -1, "the number after its last subscription");
	t_code(ops_report(3, 301), 0);
	t_check(fcntl(fds[1], F_GETFL) >= 0, "closed too early");
	t_code(aclprofModelUnSubscribe(3), 0);
	t_equal(other, -1, "the other number");
	t_equal(fcntl(fds[1], F_GETFL), -1, "the descriptor is closed");
	t_equal(ops_reader_end(&reader), 902, "records");
}

/* One stalled reader holds up no other. */
static void neighbours(const void *arg)
{
	struct ops_reader reader;
	int stuck[2], fds[2];

	(void)arg;
	t_equal(pipe(stuck) | pipe(fds), 0, "pipe");
	ops_subscribe(1, &stuck[1]);
	ops_subscribe(2, &fds[1]);
	ops_reader_start(&reader, fds[0], 0);
	for (uint64_t i = 1; i <= 10000; i++) {
		t_code(ops_report(1, i), 0);
		t_code(ops_report(2, i), 0);
	}
	t_code(aclprofModelUnSubscribe(2), 0);
	t_equal(ops_reader_end(&reader), 10000, "records");
	close(stuck[0]);
	t_stderr_begin();
	t_code(aclprofModelUnSubscribe(1), ACL_ERROR_PROFILING_FAILURE);
	t_stderr_end();
}

static void nothing_left(const void *arg)
{
	unsigned int descriptors = t_count_fds(), threads = 0;

	(void)arg;
	for (int i = 0; i < 100; i++) {
		int fds[2];

		t_equal(pipe(fds), 0, "pipe");
		ops_subscribe(MODEL, &fds[1]);
		/* a sanitizer may have threads of its own */
		if (!threads)
			threads = t_count_threads(64);
		t_equal(t_count_threads(threads), threads, "threads");
		t_code(ops_report(MODEL, 1), 0);
		t_code(aclprofModelUnSubscribe(MODEL), 0);
		close(fds[0]);
	}
	t_equal(t_count_threads(threads - 1), threads - 1, "threads afterwards");
	t_equal(t_count_fds(), descriptors, "descriptors afterwards");
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(const void *);
	} cases[] = {
		{ "slow", slow },	{ "late", late },     { "paused", paused },	{ "stalled", stalled },
		{ "gone", gone },	{ "never there", never_there }, { "other kinds", other_kinds },
		{ "file", file },	{ "other user", other_user },   { "number changes", number_changes },
		{ "shared", shared },	{ "neighbours", neighbours },   { "nothing left", nothing_left },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = t_child(cases[i].run, NULL);

		t_check(!status || status == T_SKIP, "%s: status %d", cases[i].name, status);
	}
	return t_end();
}
