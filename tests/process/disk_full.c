// SPDX-License-Identifier: Apache-2.0
/*
 * The disk fills up while recording: the program is unharmed, Stop says so once
 * with its reason, what is on disk is valid, and the rest is counted. With room
 * for a few slices the older ones make place instead.
 */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#define MARKS 100000 /* 25 MB */

#define RESERVE (20u << 20) /* that older slices make room for */

static const char *backend;
static atomic_uint preallocated, preallocated_last; /* calls with and without room */
static const char *_Atomic hungry; /* who takes all room before such a file is made; NULL: nobody */
static int ballast = -1;

/*
 * In the place of the C library's. Where it fails, it takes all room of a tmpfs
 * before it gives it back: meanwhile a write of the flusher's found none.
 */
__attribute__((visibility("default"))) int fallocate(int fd, int mode, off_t offset, off_t length)
{
	struct statvfs v;
	bool room = !fstatvfs(fd, &v) && v.f_bavail * v.f_frsize >= RESERVE;

	if (length > 1 << 16) /* a small file may: the little that it asks for is all that it takes */
		atomic_fetch_add(room ? &preallocated : &preallocated_last, 1);
	return (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

/* Likewise: what was free, or given back, another program takes at the worst moment. */
__attribute__((visibility("default"))) int openat(int dir, const char *path, int flags, ...)
{
	static const char zeros[4096];
	const char *name = atomic_load(&hungry);
	unsigned int mode;
	va_list args;

	va_start(args, flags);
	mode = va_arg(args, unsigned int);
	va_end(args);
	if (name && flags & O_CREAT && strstr(path, name))
		while (write(ballast, zeros, sizeof(zeros)) > 0)
			;
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

/* In a mount namespace; without root also in a user namespace, where that is allowed. */
static bool mount_small(const char *dir)
{
	uid_t uid = geteuid();

	if (uid && unshare(CLONE_NEWUSER))
		return false;
	if (uid)
		t_write_file("/proc/self/uid_map", t_path("0 %u 1", uid));
	if (unshare(CLONE_NEWNS))
		return false;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return !mount("tmpfs", dir, "tmpfs", 0, "size=40m,nr_inodes=2000,mode=0755");
}

/* Fills the file system until so many bytes are free. */
static void fill(const char *dir, unsigned long left)
{
	static char zeros[65536];
	int fd = open(t_path("%s/ballast", dir), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct statvfs v;

	while (!fstatvfs(fd, &v) && v.f_bavail * v.f_frsize >= left + sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != (ssize_t)sizeof(zeros))
			break;
	close(fd);
}

/* Until no file can be made any more. */
static void fill_names(const char *dir)
{
	int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	char name[16];

	for (unsigned int i = 0;; i++) {
		snprintf(name, sizeof(name), "%u", i);
		fd = (int)syscall(SYS_openat, folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		close(fd);
	}
	t_equal(errno, ENOSPC, "no more files");
	close(folder);
}

static unsigned int mark(unsigned int count)
{
	unsigned int dropped = 0;
	void *stamp = t_stamp("a mark on a small disk");

	for (unsigned int i = 0; i < count; i++) {
		aclError code = aclprofMark(stamp);

		dropped += code != ACL_SUCCESS;
		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d",
			code);
		if (i % 1000 == 0)
			t_sleep_us(1000);
	}
	aclprofDestroyStamp(stamp);
	return dropped;
}

static aclprofConfig *start_on_small(const char *dir)
{
	if (!mount_small(dir))
		t_skip("no small file system: mounting one needs root, or user namespaces");
	setenv("ASCPROF_IO", backend, 1);
	return t_start(dir);
}

static void end(aclprofConfig *config)
{
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
}

/* Stop, while somebody takes all room before a file like @name is made. */
static void stop_without_room(aclprofConfig *config, const char *dir, const char *name, aclError stopped)
{
	ballast = open(t_path("%s/ballast", dir), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	t_stderr_begin();
	atomic_store(&hungry, name);
	t_code(aclprofStop(config), stopped);
	atomic_store(&hungry, NULL);
	t_stderr_end();
	end(config);
	close(ballast);
}

static void full(const void *arg)
{
	const char *dir = t_path("%s", (const char *)arg), *text;
	struct prof_totals totals;
	aclprofConfig *config;
	char last[512];

	config = start_on_small(dir);
	fill(dir, 1 << 20);
	t_stderr_begin();
	mark(MARKS);
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	snprintf(last, sizeof(last), "%s", ascprof_last_error());
	text = t_stderr_end();
	t_check(strstr(last, "aclprofStop") && strstr(last, "No space left"), "reason: '%s'", last);
	/* when it happens, and what Stop returns */
	t_check(t_lines(text) <= 2 && strstr(text, "No space left"), "printed:\n%s", text);
	/* nothing is left of it */
	end(config);

	prof_check(dir, "--dropped --error", &totals);
	t_equal(totals.mark.produced, MARKS, "produced");
	t_check(totals.mark.dropped > MARKS / 2, "%lu dropped", totals.mark.dropped);
	t_check(totals.mark.written > 0, "nothing was written:\n%s", text);
	t_equal(preallocated_last, 0, "preallocations of the last room");
	unlink(t_path("%s/ballast", dir));
	prof_check(dir, "--dropped --error", NULL);
}

static void ageing(const void *arg)
{
	const char *dir = t_path("%s", (const char *)arg);
	struct prof_totals totals;
	aclprofConfig *config;

	config = start_on_small(dir);
	fill(dir, 10 << 20);
	mark(MARKS);
	t_stop(config);
	prof_check(dir, "--dropped --aged", &totals);
	t_equal(totals.mark.produced, MARKS, "produced");
	t_check(totals.mark.written >= 4096, "%lu written", totals.mark.written);
	t_equal(preallocated_last, 0, "preallocations of the last room");
}

/*
 * When Stop comes to write @name no room is left, not even what was held for it: the account
 * arrives all the same, in place of that of Start; what else is missing can be repaired.
 */
static void snatched(const char *dir, const char *name, aclError stopped)
{
	struct prof_account account;
	aclprofConfig *config;

	config = start_on_small(dir);
	mark(1000);
	stop_without_room(config, dir, name, stopped);

	prof_account(&account, prof_only(dir), "mark");
	t_check(!account.running, "the account says that it runs");
	t_equal(account.produced, 1000, "produced");
	t_equal(account.written + account.dropped, 1000, "written and dropped");
	unlink(t_path("%s/ballast", dir));
	if (stopped)
		t_equal(prof_repair(prof_only(dir)), 0, "status of ascprof repair");
	prof_check(dir, stopped ? "--dropped --error" : "", NULL);
	t_equal(prof_export(prof_only(dir)), 0, "status of ascprof export");
}

static void account_alone(const void *arg)
{
	snatched(t_path("%s", (const char *)arg), ".ascprof.json.tmp", ACL_SUCCESS);
}

static void all_small_files(const void *arg)
{
	snatched(t_path("%s", (const char *)arg), ".tmp", ACL_ERROR_PROFILING_FAILURE);
}

/* No file can be made any more, not even to replace another, and so nothing is written. */
static void no_names(const void *arg)
{
	const char *dir = t_path("%s", (const char *)arg);
	struct prof_totals totals;
	aclprofConfig *config;

	config = start_on_small(dir);
	fill_names(dir);
	t_stderr_begin();
	mark(1000);
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_check(strstr(t_stderr_end(), "No space left"), "a reason");
	end(config);
	prof_check(dir, "--dropped --error", &totals);
	t_equal(totals.mark.produced, 1000, "produced");
	t_equal(totals.mark.dropped, 1000, "dropped");
}

/* What somebody has put in the account's place, a link to a file elsewhere, is not written to. */
static void planted(const void *arg)
{
	const char *dir = t_path("%s", (const char *)arg), *victim = t_path("%s/victim", dir), *account;
	static const char text[] = "a file of somebody else";
	char now[sizeof(text) + 1] = "";
	aclprofConfig *config;
	int fd;

	config = start_on_small(dir);
	account = t_path("%s/ascprof.json", prof_only(dir));
	t_write_file(victim, text);
	t_check(!unlink(account) && !link(victim, account), "no link could be made");
	stop_without_room(config, dir, ".ascprof.json.tmp", ACL_ERROR_PROFILING_FAILURE);
	fd = open(victim, O_RDONLY | O_CLOEXEC);
	t_equal(read(fd, now, sizeof(now)), (long long)sizeof(text) - 1, "bytes of the other file");
	t_check(!memcmp(now, text, sizeof(text) - 1), "the other file was written to");
	close(fd);
}

/* Less than 20 MB free: Start refuses, and leaves nothing behind. */
static void refused(const void *arg)
{
	const char *dir = t_path("%s", (const char *)arg);
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	struct prof_list list;

	if (!mount_small(dir))
		t_skip("no small file system: mounting one needs root, or user namespaces");
	fill(dir, 19 << 20);
	t_code(t_init(dir), 0);
	t_refused(aclprofStart(config), ACL_ERROR_PROFILING_FAILURE, "aclprofStart free 20");
	t_check(!aclprofCreateStamp(), "a stamp without a session");
	prof_find(&list, dir);
	t_equal(list.count, 0, "directories");
	unlink(t_path("%s/ballast", dir));
	t_code(aclprofStart(config), 0);
	mark(1000);
	t_code(aclprofStop(config), 0);
	t_check(preallocated > 0, "with room slices are preallocated");
	t_code(aclprofFinalize(), 0);
}

int main(void)
{
	static const char *const backends[] = { "pwritev", "io_uring" };
	void (*const bodies[])(const void *) = { full, ageing, account_alone, all_small_files, no_names, planted, refused };

	for (size_t i = 0; i < 2; i++) {
		backend = backends[i];
		for (size_t j = 0; j < sizeof(bodies) / sizeof(bodies[0]); j++) {
			int status = t_child(bodies[j], t_dir());

			if (status == T_SKIP)
				return T_SKIP;
			t_equal(status, 0, "status of case %zu with %s", j, backend);
		}
	}
	return t_end();
}
