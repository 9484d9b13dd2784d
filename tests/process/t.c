// SPDX-License-Identifier: Apache-2.0
#include "t.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define CHILD_SECONDS 240
#define PATHS 32
#define PATH_BYTES 8192

static atomic_uint failures;

void t_fail(const char *file, int line, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* after the first dozen the rest is repetition */
	if (atomic_fetch_add(&failures, 1) < 12)
		fprintf(stdout, "%s:%d: %s\n", file, line, text);
	fflush(stdout);
}

unsigned int t_failures(void)
{
	return atomic_load(&failures);
}

int t_end(void)
{
	unsigned int count = atomic_load(&failures);

	if (count)
		printf("%u failed checks\n", count);
	return count ? T_FAIL : T_PASS;
}

void t_skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	exit(T_SKIP);
}

/* standard error output */

static int stderr_saved = -1, stderr_file = -1;
static char stderr_text[1 << 16];

void t_stderr_begin(void)
{
	fflush(stderr);
	stderr_file = memfd_create("stderr", MFD_CLOEXEC);
	stderr_saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	if (stderr_file < 0 || stderr_saved < 0 || dup2(stderr_file, STDERR_FILENO) < 0)
		abort();
}

const char *t_stderr_end(void)
{
	ssize_t length;

	fflush(stderr);
	length = pread(stderr_file, stderr_text, sizeof(stderr_text) - 1, 0);
	stderr_text[length < 0 ? 0 : length] = 0;
	dup2(stderr_saved, STDERR_FILENO);
	close(stderr_saved);
	close(stderr_file);
	return stderr_text;
}

unsigned int t_lines(const char *text)
{
	unsigned int lines = 0;

	while ((text = strchr(text, '\n'))) {
		lines++;
		text++;
	}
	return lines;
}

static bool has_words(const char *line, const char *words)
{
	char copy[256], *word, *next, *choice, *next_choice;
	bool found;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
		found = false;
		for (choice = strtok_r(word, "|", &next_choice); choice;
		     choice = strtok_r(NULL, "|", &next_choice))
			found |= strcasestr(line, choice) != NULL;
		if (!found)
			return false;
	}
	return true;
}

void t_refused_check(const char *file, int line, const char *call, long long got, long long code,
		     const char *words)
{
	const char *text = t_stderr_end(), *last = ascprof_last_error();

	if (got != code)
		t_fail(file, line, "%s: %lld, expected %lld", call, got, code);
	if (t_lines(text) != 1)
		t_fail(file, line, "%s printed %u lines, expected 1:\n%s", call, t_lines(text),
		       text);
	if (!has_words(text, words))
		t_fail(file, line, "%s: message lacks '%s': %s", call, words, text);
	if (!*last || strchr(last, '\n') || !strstr(text, last))
		t_fail(file, line, "%s: ascprof_last_error() is '%s', printed was: %s", call, last,
		       text);
}

/* directories */

#define DIRS_MAX 4096

static struct {
	char *path;
	pid_t owner;
} dirs[DIRS_MAX];
static unsigned int dir_count;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static int open_up(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, st->st_mode | 0700);
	return 0;
}

void t_remove(const char *path)
{
	nftw(path, open_up, 16, FTW_PHYS);
	nftw(path, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

static void remove_dirs(void)
{
	for (unsigned int i = 0; i < dir_count; i++)
		if (dirs[i].owner == getpid())
			t_remove(dirs[i].path);
}

static const char *make_dir(const char *base)
{
	char *path;

	if (dir_count == DIRS_MAX)
		abort();
	if (asprintf(&path, "%s/ascprof-test.XXXXXX", base) < 0 || !mkdtemp(path)) {
		perror("mkdtemp");
		abort();
	}
	chmod(path, 0755);
	if (!dir_count)
		atexit(remove_dirs);
	dirs[dir_count].path = path;
	dirs[dir_count++].owner = getpid();
	return path;
}

const char *t_dir(void)
{
	const char *base = getenv("TMPDIR");

	return make_dir(base && *base ? base : "/tmp");
}

const char *t_open_dir(void)
{
	return make_dir("/tmp");
}

const char *t_path(const char *format, ...)
{
	static _Thread_local char ring[PATHS][PATH_BYTES];
	static _Thread_local unsigned int next;
	char *path = ring[next++ % PATHS];
	va_list args;

	va_start(args, format);
	vsnprintf(path, PATH_BYTES, format, args);
	va_end(args);
	return path;
}

mode_t t_mode(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? 0 : st.st_mode & 07777;
}

bool t_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

void t_write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(path);
		abort();
	}
}

/* children */

pid_t t_spawn(void (*body)(const void *), const void *arg)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		t_forked(CHILD_SECONDS);
		body(arg);
		exit(t_end());
	}
	return pid;
}

void t_forked(unsigned int seconds)
{
	alarm(seconds);
	atomic_store(&failures, 0);
}

int t_wait(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		abort();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int t_child(void (*body)(const void *), const void *arg)
{
	return t_wait(t_spawn(body, arg));
}

void t_drop_root(void)
{
	if (geteuid() != 0)
		return;
	if (setgroups(0, NULL) || setgid(T_NOBODY) || setuid(T_NOBODY))
		t_skip("setuid refused");
}

pid_t t_exec_self(char *const argv[], const char *out, const char *err)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		int fd;

		alarm(CHILD_SECONDS);
		fd = open(out ? out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (!out || dup2(fd, STDOUT_FILENO) >= 0) {
			close(fd);
			fd = open(err ? err : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);
			if (err)
				dup2(fd, STDERR_FILENO);
			close(fd);
			execv("/proc/self/exe", argv);
		}
		_exit(T_FAIL);
	}
	return pid;
}

bool t_refuse(long first, long last, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned int)first, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned int)last, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* measures */

uint64_t t_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void t_sleep_us(unsigned int us)
{
	struct timespec time = { us / 1000000, (long)(us % 1000000) * 1000 };

	nanosleep(&time, NULL);
}

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

unsigned int t_count_fds(void)
{
	return count_entries("/proc/self/fd") - 1;
}

unsigned int t_count_threads(unsigned int expected)
{
	unsigned int count = 0;

	/* a joined thread stays in /proc for a moment */
	for (int i = 0; i < 2000; i++) {
		count = count_entries("/proc/self/task");
		if (count <= expected)
			break;
		t_sleep_us(1000);
	}
	return count;
}

long t_status_kb(const char *key)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	size_t length = strlen(key);
	long value = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, length) && line[length] == ':')
			value = strtol(line + length + 1, NULL, 10);
	if (file)
		fclose(file);
	return value;
}

pid_t t_flusher(void)
{
	DIR *dir = opendir("/proc/self/task");
	pid_t found = 0;
	char name[32];

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		FILE *file = fopen(t_path("/proc/self/task/%s/comm", entry->d_name), "r");

		if (file && fgets(name, sizeof(name), file) && !strcmp(name, "ascprof\n"))
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

unsigned int t_random(unsigned int *state, unsigned int below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

void t_print_file(const char *path)
{
	char text[4096];
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, sizeof(text), file) : 0;

	printf("%.*s", (int)length, text);
	if (file)
		fclose(file);
}

/* shorthands */

aclError t_init(const char *path)
{
	return aclprofInit(path, strlen(path));
}

aclError t_set(aclprofConfigType type, const char *text)
{
	return aclprofSetConfig(type, text, strlen(text));
}

aclprofConfig *t_config(uint64_t bits, unsigned int count, ...)
{
	uint32_t ids[64];
	va_list args;

	va_start(args, count);
	for (unsigned int i = 0; i < count; i++)
		ids[i] = va_arg(args, unsigned int);
	va_end(args);
	return aclprofCreateConfig(ids, count, ACL_AICORE_NONE, NULL, bits);
}

void *t_stamp(const char *text)
{
	void *stamp = aclprofCreateStamp();

	t_check(stamp, "aclprofCreateStamp: NULL: %s", ascprof_last_error());
	if (stamp)
		t_equal(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0,
			"message '%s'", text);
	return stamp;
}

aclprofConfig *t_start(const char *path)
{
	aclprofConfig *config;

	t_code(t_init(path), ACL_SUCCESS);
	config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_check(config, "aclprofCreateConfig: NULL: %s", ascprof_last_error());
	t_equal(aclprofStart(config), ACL_SUCCESS, "aclprofStart (%s)", ascprof_last_error());
	return config;
}

void t_stop(aclprofConfig *config)
{
	t_equal(aclprofStop(config), ACL_SUCCESS, "aclprofStop (%s)", ascprof_last_error());
	t_code(aclprofDestroyConfig(config), ACL_SUCCESS);
	t_code(aclprofFinalize(), ACL_SUCCESS);
}
