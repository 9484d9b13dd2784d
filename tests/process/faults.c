// SPDX-License-Identifier: Apache-2.0
/*
 * The n-th allocation, mapping, opening, thread or write of a recording fails,
 * for every n until none is left: calls return documented codes, nothing
 * crashes or leaks a descriptor, what Stop calls complete is complete, and a
 * second recording in the same process is.
 */
#include "prof.h"
#include "t.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#if T_SANITIZED
int main(void)
{
	t_skip("the sanitizers have allocators of their own");
}
#else

#define MARKS 3000
#define ANOTHER 2 /* status: the n-th was never reached */

enum kind { NOTHING, MEMORY, MAPPING, OPENING, FOLDER, THREAD, WRITING, SYNCING, RENAMING };

static const int errors[] = {
	[MEMORY] = ENOMEM, [MAPPING] = ENOMEM, [OPENING] = EMFILE, [FOLDER] = EDQUOT,
	[THREAD] = EAGAIN, [WRITING] = EIO,    [SYNCING] = EIO,	   [RENAMING] = EIO,
};

static _Atomic enum kind failing;
static atomic_uint until;
static atomic_bool struck;

static bool fails(enum kind kind)
{
	if (atomic_load(&failing) != kind || atomic_fetch_sub(&until, 1) != 1)
		return false;
	atomic_store(&struck, true);
	errno = errors[kind];
	return true;
}

/* The program's symbols come before those of the C library. */
#pragma GCC visibility push(default)

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, #name))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	return fails(MEMORY) ? ENOMEM
			     : REAL(posix_memalign,
				    int (*)(void **, size_t, size_t))(out, alignment, size);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (fails(MAPPING))
		return MAP_FAILED;
	return REAL(mmap, void *(*)(void *, size_t, int, int, int, off_t))(
		address, length, protection, flags, fd, offset);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (fails(OPENING))
		return -1;
	return REAL(openat, int (*)(int, const char *, int, ...))(dir, path, flags, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	if (fails(FOLDER))
		return -1;
	return REAL(mkdirat, int (*)(int, const char *, mode_t))(dir, path, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
	if (fails(THREAD))
		return EAGAIN;
	return REAL(pthread_create, int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
					    void *))(thread, attr, body, arg);
}

ssize_t write(int fd, const void *data, size_t length)
{
	struct stat st;

	/* waking the flusher is a write that cannot fail */
	if (fd > 2 && !fstat(fd, &st) && S_ISREG(st.st_mode) && fails(WRITING))
		return -1;
	return REAL(write, ssize_t(*)(int, const void *, size_t))(fd, data, length);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	if (fails(WRITING))
		return -1;
	return REAL(pwritev, ssize_t(*)(int, const struct iovec *, int, off_t))(fd, parts, count,
										offset);
}

int fsync(int fd)
{
	if (fails(SYNCING))
		return -1;
	return REAL(fsync, int (*)(int))(fd);
}

int renameat(int from, const char *old, int to, const char *new)
{
	if (fails(RENAMING))
		return -1;
	return REAL(renameat, int (*)(int, const char *, int, const char *))(from, old, to, new);
}

#pragma GCC visibility pop

/* the recording */

static bool documented(aclError code, const char *call)
{
	bool good = code == ACL_SUCCESS || code == ACL_ERROR_INVALID_FILE ||
		    code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_PROFILING_FAILURE;

	t_check(good, "%s: %d", call, code);
	t_check(code == ACL_SUCCESS || *ascprof_last_error(), "%s: %d without a reason", call,
		code);
	return code == ACL_SUCCESS;
}

static void annotate(unsigned int marks)
{
	void *stamp = aclprofCreateStamp();
	uint32_t id;

	if (!stamp)
		return;
	documented(aclprofSetStampTraceMessage(stamp, "fault", 5), "aclprofSetStampTraceMessage");
	for (unsigned int i = 0; i < marks; i++)
		documented(aclprofMark(stamp), "aclprofMark");
	if (documented(aclprofPush(stamp), "aclprofPush"))
		documented(aclprofPop(), "aclprofPop");
	if (documented(aclprofRangeStart(stamp, &id), "aclprofRangeStart"))
		documented(aclprofRangeStop(id), "aclprofRangeStop");
	aclprofDestroyStamp(stamp);
}

/* A directory that Stop did not call complete is put aside. */
static void put_aside(const char *dir)
{
	struct prof_list list;

	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++)
		rename(list.path[i], t_path("%s/failed_%zu_%d", dir, i, getpid()));
	prof_free(&list);
}

static void record(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	bool good;

	if (!config)
		return;
	good = documented(t_init(dir), "aclprofInit");
	if (good) {
		good = documented(aclprofStart(config), "aclprofStart");
		if (good) {
			annotate(MARKS);
			good = documented(aclprofStop(config), "aclprofStop");
		}
		good &= documented(aclprofFinalize(), "aclprofFinalize");
	}
	t_code(aclprofDestroyConfig(config), 0);
	if (!good)
		put_aside(dir);
}

struct fault {
	enum kind kind;
	unsigned int number;
	const char *dir;
};

static void one_fault(const void *arg)
{
	const struct fault *f = arg;
	const char *dir = t_path("%s/%d", f->dir, getpid());
	unsigned int fds;

	alarm(20);
	setenv("ASCPROF_IO", "pwritev", 1);
	mkdir(dir, 0755);
	fds = t_count_fds();
	t_stderr_begin();
	atomic_store(&until, f->number);
	atomic_store(&failing, f->kind);
	record(dir);
	atomic_store(&failing, NOTHING);
	t_stderr_end();
	/* one may stay for the life of the process */
	t_check(t_count_fds() <= fds + 1, "%u descriptors, %u before", t_count_fds(), fds);
	if (!atomic_load(&struck))
		exit(t_end() ? T_FAIL : ANOTHER);
	t_stop(t_start(dir)); /* and all is well again */
}

static void every(enum kind kind, const char *name)
{
	unsigned int number = 0;
	struct fault f = { kind, 1, t_dir() };
	int status;

	do {
		status = t_child(one_fault, &f);
		t_check(status == T_PASS || status == ANOTHER, "%s %u: status %d", name, f.number,
			status);
		number = f.number++;
	} while (status != ANOTHER && number < 2000);
	t_check(number > 1, "no %s ever failed", name);
	printf("%s: %u\n", name, number - 1);
	prof_check(f.dir, "--dropped --deep", NULL);
}

int main(void)
{
	every(MEMORY, "allocations");
	every(MAPPING, "mappings");
	every(OPENING, "openings");
	every(FOLDER, "folders");
	every(THREAD, "threads");
	every(WRITING, "writes");
	every(SYNCING, "syncs");
	every(RENAMING, "renames");
	return t_end();
}

#endif /* !T_SANITIZED */
