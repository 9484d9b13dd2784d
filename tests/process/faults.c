// SPDX-License-Identifier: Apache-2.0
/*
 * The n-th allocation, mapping, opening, thread, write, sync, wait, removal, ioctl of the module,
 * or call of io_uring, and so on, in a recording fails, once or from then on, for every n until none is left:
 * faults [MARKS [NAME]]	NAME: only kinds that begin with it
 *
 * Calls return documented codes, nothing crashes or leaks a descriptor, what Stop
 * calls complete is complete, what it does not exports and accounts for every
 * mark, and a second recording in the same process is as if nothing had been.
 */
#include "config.h"

#include "prof.h"
#include "t.h"

#include "tests/device/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#if HAVE_LIBURING
#include <liburing.h>
#endif

#if T_SANITIZED
int main(void)
{
	t_skip("the sanitizers have allocators of their own");
}
#else

#define MARKS 12000 /* into two slices */
#define ANOTHER 2 /* status: the n-th was never reached */

enum kind {
	NOTHING, MEMORY, MAPPING, OPENING, FOLDER, THREAD, WRITING, CUTTING, SYNCING, RENAMING, ALLOCATING,
	SHORTENING, SETUP, SUBMITTING, AWAITING, REGISTERING, RING_WRITING, RING_SYNCING, RING_CUTTING,
	POLLING, LOOKING, REMOVING, LOADING, ASKING,
};

static const struct what {
	const char *name;
	enum kind kind;
	int error;
	const char *io;
	bool may_be_none; /* of them, in a recording */
} whats[] = {
	{ "allocations", MEMORY, ENOMEM, "pwritev", false },
	{ "mappings", MAPPING, ENOMEM, "pwritev", false },
	{ "openings", OPENING, EMFILE, "pwritev", false },
	{ "openings, read-only", OPENING, EROFS, "io_uring", false },
	{ "folders", FOLDER, EDQUOT, "pwritev", false },
	{ "threads", THREAD, EAGAIN, "pwritev", false },
	{ "writes", WRITING, EIO, "pwritev", false },
	{ "writes, full", WRITING, ENOSPC, "pwritev", false },
	{ "writes, quota", WRITING, EDQUOT, "pwritev", false },
	{ "writes, read-only", WRITING, EROFS, "pwritev", false },
	{ "writes, not so", WRITING, EINVAL, "pwritev", false },
	{ "short writes", CUTTING, 0, "pwritev", false },
	{ "syncs", SYNCING, EIO, "pwritev", false },
	{ "renames", RENAMING, EIO, "pwritev", false },
	{ "preallocations", ALLOCATING, ENOSPC, "pwritev", false },
	{ "shortenings", SHORTENING, EIO, "pwritev", false },
	{ "ring: setting up", SETUP, ENOMEM, "io_uring", true },
	{ "ring: submitting", SUBMITTING, EIO, "io_uring", true },
	{ "ring: submitting, later", SUBMITTING, EAGAIN, "io_uring", true },
	{ "ring: waiting", AWAITING, EIO, "io_uring", true },
	{ "ring: registering", REGISTERING, ENOMEM, "io_uring", true },
	{ "ring: writes", RING_WRITING, 0, "io_uring", true },
	{ "ring: syncs", RING_SYNCING, 0, "io_uring", true },
	{ "ring: short writes", RING_CUTTING, 0, "io_uring", true },
	{ "waits", POLLING, EINTR, "pwritev", false },
	{ "looks at a file system", LOOKING, EIO, "pwritev", false },
	{ "removals", REMOVING, EIO, "pwritev", true },
	{ "libraries", LOADING, 0, "pwritev", true },
	{ "ioctls", ASKING, EIO, "pwritev", false },
	{ "ioctls, gone", ASKING, ENODEV, "io_uring", false },
	{ "ioctls, interrupted", ASKING, EINTR, "pwritev", false },
};

static _Atomic enum kind failing;
static atomic_int until;
static atomic_bool for_ever, struck;
static int error_number;

static bool fails(enum kind kind)
{
	int left;

	if (atomic_load(&failing) != kind)
		return false;
	left = atomic_fetch_sub(&until, 1);
	if (left > 1 || (left < 1 && !atomic_load(&for_ever)))
		return false;
	atomic_store(&struck, true);
	errno = error_number;
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
	if (module_is_stream(fd))
		return module_map(length, protection, offset);
	return REAL(mmap, void *(*)(void *, size_t, int, int, int, off_t))(
		address, length, protection, flags, fd, offset);
}

static int open_at(int dir, const char *path, int flags, va_list args)
{
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;

	if (fails(OPENING))
		return -1;
	return REAL(openat, int (*)(int, const char *, int, ...))(dir, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_at(dir, path, flags, args);
	va_end(args);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = open_at(AT_FDCWD, path, flags, args);
	va_end(args);
	return fd;
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
	struct iovec first = parts[0];

	if (fails(WRITING))
		return -1;
	if (fails(CUTTING) && first.iov_len > 1) /* to any length: the rest may not be whole blocks */
		first.iov_len = first.iov_len / 2 + 100;
	t_check(count == 1, "%d parts", count);
	return REAL(pwritev, ssize_t(*)(int, const struct iovec *, int, off_t))(fd, &first, count, offset);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	if (fails(ALLOCATING))
		return -1;
	return REAL(fallocate, int (*)(int, int, off_t, off_t))(fd, mode, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length)
{
	if (fails(ALLOCATING))
		return errno;
	return REAL(posix_fallocate, int (*)(int, off_t, off_t))(fd, offset, length);
}

int ftruncate(int fd, off_t length)
{
	if (fails(SHORTENING))
		return -1;
	return REAL(ftruncate, int (*)(int, off_t))(fd, length);
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

int poll(struct pollfd *fds, nfds_t count, int ms)
{
	if (fails(POLLING))
		return -1;
	return REAL(poll, int (*)(struct pollfd *, nfds_t, int))(fds, count, ms);
}

int fstatvfs(int fd, struct statvfs *v)
{
	if (fails(LOOKING))
		return -1;
	return REAL(fstatvfs, int (*)(int, struct statvfs *))(fd, v);
}

int fstatfs(int fd, struct statfs *v)
{
	if (fails(LOOKING))
		return -1;
	return REAL(fstatfs, int (*)(int, struct statfs *))(fd, v);
}

int unlinkat(int dir, const char *path, int flags)
{
	if (fails(REMOVING))
		return -1;
	return REAL(unlinkat, int (*)(int, const char *, int))(dir, path, flags);
}

void *dlopen(const char *path, int flags)
{
	if (fails(LOADING))
		return NULL;
	return REAL(dlopen, void *(*)(const char *, int))(path, flags);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fails(ASKING))
		return -1;
	if (module_is_asked(request))
		return module_ioctl(request, arg);
	return REAL(ioctl, int (*)(int, unsigned long, ...))(fd, request, arg);
}

#if HAVE_LIBURING

int io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags)
{
	if (fails(SETUP))
		return -errno;
	return REAL(io_uring_queue_init, int (*)(unsigned int, struct io_uring *, unsigned int))(entries, ring, flags);
}

/* An entry of the wanted kind is turned into one that must fail. */
static void spoil(struct io_uring_sqe *s)
{
	static int full = -1;

	if (full < 0)
		full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if ((s->opcode == IORING_OP_WRITE || s->opcode == IORING_OP_WRITE_FIXED) && fails(RING_WRITING)) {
		s->opcode = IORING_OP_WRITE;
		s->buf_index = 0;
	} else if ((s->opcode == IORING_OP_WRITE || s->opcode == IORING_OP_WRITE_FIXED) && s->len > 1 &&
		   fails(RING_CUTTING)) {
		s->len = s->len > 200 ? s->len / 2 + 100 : 1; /* the rest may not be whole blocks */
		return;
	} else if (s->opcode != IORING_OP_FSYNC || !fails(RING_SYNCING)) {
		return;
	}
	s->fd = s->opcode == IORING_OP_FSYNC ? -1 : full;
	s->flags &= (unsigned char)~IOSQE_FIXED_FILE;
}

int io_uring_submit(struct io_uring *ring)
{
	if (fails(SUBMITTING))
		return -errno;
	for (unsigned int i = ring->sq.sqe_head; i != ring->sq.sqe_tail; i++)
		spoil(&ring->sq.sqes[i & (*ring->sq.kring_entries - 1)]);
	return REAL(io_uring_submit, int (*)(struct io_uring *))(ring);
}

int __io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned int submit, unsigned int wait,
		       sigset_t *mask)
{
	if (wait && fails(AWAITING))
		return -errno;
	return REAL(__io_uring_get_cqe, int (*)(struct io_uring *, struct io_uring_cqe **, unsigned int, unsigned int,
						sigset_t *))(ring, cqe, submit, wait, mask);
}

int io_uring_wait_cqe_timeout(struct io_uring *ring, struct io_uring_cqe **cqe, struct __kernel_timespec *time)
{
	if (fails(AWAITING))
		return -errno;
	return REAL(io_uring_wait_cqe_timeout, int (*)(struct io_uring *, struct io_uring_cqe **,
						       struct __kernel_timespec *))(ring, cqe, time);
}

int io_uring_register_files_sparse(struct io_uring *ring, unsigned int nr)
{
	if (fails(REGISTERING))
		return -errno;
	return REAL(io_uring_register_files_sparse, int (*)(struct io_uring *, unsigned int))(ring, nr);
}

int io_uring_register_buffers_sparse(struct io_uring *ring, unsigned int nr)
{
	if (fails(REGISTERING))
		return -errno;
	return REAL(io_uring_register_buffers_sparse, int (*)(struct io_uring *, unsigned int))(ring, nr);
}

int io_uring_register_files_update(struct io_uring *ring, unsigned int at, const int *files, unsigned int nr)
{
	if (fails(REGISTERING))
		return -errno;
	return REAL(io_uring_register_files_update, int (*)(struct io_uring *, unsigned int, const int *,
							    unsigned int))(ring, at, files, nr);
}

int io_uring_register_buffers_update_tag(struct io_uring *ring, unsigned int at, const struct iovec *bufs,
					 const __u64 *tags, unsigned int nr)
{
	if (fails(REGISTERING))
		return -errno;
	return REAL(io_uring_register_buffers_update_tag,
		    int (*)(struct io_uring *, unsigned int, const struct iovec *, const __u64 *,
			    unsigned int))(ring, at, bufs, tags, nr);
}

#endif /* HAVE_LIBURING */

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

static void annotate(unsigned int count)
{
	void *stamp = aclprofCreateStamp();
	uint32_t id;

	if (!stamp)
		return;
	documented(aclprofSetStampTraceMessage(stamp, "fault", 5), "aclprofSetStampTraceMessage");
	for (unsigned int i = 0; i < count; i++)
		documented(aclprofMark(stamp), "aclprofMark");
	if (documented(aclprofPush(stamp), "aclprofPush"))
		documented(aclprofPop(), "aclprofPop");
	if (documented(aclprofRangeStart(stamp, &id), "aclprofRangeStart"))
		documented(aclprofRangeStop(id), "aclprofRangeStop");
	aclprofDestroyStamp(stamp);
}

static unsigned int marks = MARKS;

/* Return: whether there is a directory that Stop did not call complete. */
static bool record(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	bool good, started = false;

	if (!config)
		return false;
	good = documented(t_init(dir), "aclprofInit");
	if (good) {
		documented(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"), "aclprofSetConfig");
		good = started = documented(aclprofStart(config), "aclprofStart");
		if (good) {
			annotate(marks);
			good = documented(aclprofStop(config), "aclprofStop");
		}
		good &= documented(aclprofFinalize(), "aclprofFinalize");
	}
	t_code(aclprofDestroyConfig(config), 0);
	return started && !good;
}

/*
 * Such a directory is put aside, and so is what a Start that failed could not
 * remove. It exports; what it says of itself, if it could still be written, adds up.
 */
static void put_aside(const char *dir, bool started)
{
	struct prof_account account;
	struct prof_list list;

	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++) {
		if (started) {
			t_equal(prof_export(list.path[i]), 0, "status of ascprof export %.180s", list.path[i]);
			prof_account(&account, list.path[i], "mark");
			t_check(account.running || account.produced == account.written + account.dropped,
				"%lu marks produced, %lu written, %lu dropped", account.produced, account.written,
				account.dropped);
		}
		rename(list.path[i], t_path("%s/failed_%zu_%d", dir, i, getpid()));
	}
	prof_free(&list);
}

struct fault {
	const struct what *what;
	int number;
	bool for_ever;
	const char *dir;
};

static void one_fault(const void *arg)
{
	const struct fault *f = arg;
	const char *dir = t_path("%s/%d", f->dir, getpid());
	unsigned int fds;
	bool left;

	alarm(30);
	setenv("ASCPROF_IO", f->what->io, 1);
	setenv("ASCPROF_DEVICE", "/dev/null", 1); /* its ioctls are those of the stand-in */
	mkdir(dir, 0755);
	fds = t_count_fds();
	t_stderr_begin();
	error_number = f->what->error;
	atomic_store(&for_ever, f->for_ever);
	atomic_store(&until, f->number);
	atomic_store(&failing, f->what->kind);
	left = record(dir);
	atomic_store(&failing, NOTHING);
	t_stderr_end();
	module_close();
	/* one may stay for the life of the process, and one is ours */
	t_check(t_count_fds() <= fds + 2, "%u descriptors, %u before", t_count_fds(), fds);
	if (!atomic_load(&struck))
		exit(t_end() ? T_FAIL : ANOTHER);
	put_aside(dir, left);
	t_stop(t_start(dir)); /* and all is well again */
}

static unsigned int cases, bad;

static void every(const struct what *what, bool ever)
{
	struct fault f = { what, 1, ever, t_dir() };
	int status, number = 0;

	do {
		status = t_child(one_fault, &f);
		t_check(status == T_PASS || status == ANOTHER, "%s %d%s: status %d", what->name, f.number,
			ever ? " and all that follow" : "", status);
		bad += status != T_PASS && status != ANOTHER;
		number = f.number++;
	} while (status != ANOTHER && number < 2000);
	t_check(number > 1 || what->may_be_none, "no %s ever failed", what->name);
	cases += (unsigned int)number - 1;
	printf("%s%s: %d\n", what->name, ever ? ", for ever" : "", number - 1);
	prof_check(f.dir, "--dropped --deep", NULL);
	t_remove(f.dir);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		marks = (unsigned int)atoi(argv[1]);
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		if (argc > 2 && strncmp(whats[i].name, argv[2], strlen(argv[2])))
			continue;
		every(&whats[i], false);
		if (whats[i].kind != ASKING || whats[i].error != EINTR) /* which is asked again, for ever */
			every(&whats[i], true);
	}
	printf("campaign-faults: %u cases, %u failures\n", cases, bad);
	return t_end();
}

#endif /* !T_SANITIZED */
