// SPDX-License-Identifier: Apache-2.0
/*
 * What annotations of other profilers have been reported to cost: allocations in each
 * call, memory that is never freed, a process that eats memory when its writer fails,
 * files that nobody can open. (docs/reports.md, P-7, S-8)
 */
#include "prof.h"
#include "t.h"

#include "mstx/ms_tools_ext.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define RING_KB (32 << 10)
#define NAMES 20
#define PAIRS 1000000
#define MARKS 200000
#define BYTES_A_MARK 24

static _Thread_local bool counting;
static _Thread_local unsigned int allocations, mappings;
static atomic_bool broken;

#if !T_SANITIZED

/* The program's symbols come before those of the C library. */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations += counting;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations += counting;
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	allocations += counting;
	return __libc_realloc(old, size);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	mappings += counting;
	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	return real(address, length, protection, flags, fd, offset);
}

#pragma GCC visibility pop

#endif

__attribute__((visibility("default"))) ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	static ssize_t (*real)(int, const struct iovec *, int, off_t);

	if (atomic_load(&broken)) {
		errno = EIO;
		return -1;
	}
	if (!real)
		real = (ssize_t(*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, "pwritev");
	return real(fd, parts, count, offset);
}

static aclError any(aclError code)
{
	t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "code %d", code);
	return code;
}

static void each_kind(void *stamp, mstxDomainHandle_t domain)
{
	uint32_t id;

	any(aclprofMark(stamp));
	if (!any(aclprofPush(stamp)))
		any(aclprofPop());
	if (!any(aclprofRangeStart(stamp, &id)))
		any(aclprofRangeStop(id));
	mstxMarkA("a mark of mstx", NULL);
	mstxRangeEnd(mstxRangeStartA("a range of mstx", NULL));
	mstxDomainMarkA(domain, "a mark in a domain", NULL);
}

/* Nothing is printed, so that it costs nothing. */
static aclprofConfig *begin(const char *name, const char *value)
{
	setenv("ASCPROF_LOG", "off", 1);
	setenv(name, value, 1);
	return t_start(t_dir());
}

static void no_allocation(const void *arg)
{
	aclprofConfig *config;
	mstxDomainHandle_t domain;
	void *stamp, *other;

	(void)arg;
	config = begin("ASCPROF_LAYOUT", "native");
	domain = mstxDomainCreateA("costs");
	stamp = t_stamp("a message of thirty-two letters");
	for (int i = 0; i < 2000; i++)
		each_kind(stamp, domain);
	counting = true;
	for (int i = 0; i < 5000; i++) {
		each_kind(stamp, domain);
		other = aclprofCreateStamp();
		any(aclprofSetStampTraceMessage(other, "another", 7));
		any(aclprofMark(other));
		aclprofDestroyStamp(other);
	}
	counting = false;
	t_equal(allocations, 0, "allocations in annotations");
	t_equal(mappings, 0, "mappings in annotations");
	t_stop(config);
}

static void push_and_pop(void *stamp, unsigned int pairs)
{
	for (unsigned int i = 0; i < pairs; i++)
		if (!any(aclprofPush(stamp)))
			any(aclprofPop());
}

/* Millions of pairs, with the whole ring in use from the beginning. */
static void flat_memory(const void *arg)
{
	aclprofConfig *config = begin("ASCPROF_LAYOUT", "native");
	void *stamp = t_stamp("pair");
	long before, after;

	(void)arg;
	push_and_pop(stamp, PAIRS);
	before = t_status_kb("VmRSS");
	push_and_pop(stamp, PAIRS);
	after = t_status_kb("VmRSS");
	t_check(T_SANITIZED || after - before < RING_KB / 4, "%ld kB more after a million pairs", after - before);
	t_stop(config);
}

/* Every write fails: what cannot be written is not kept. */
static void dead_writer(const void *arg)
{
	aclprofConfig *config = begin("ASCPROF_IO", "pwritev");
	void *stamp = t_stamp("to nobody");
	long before, after;

	(void)arg;
	before = t_status_kb("VmRSS");
	atomic_store(&broken, true);
	push_and_pop(stamp, 2 * PAIRS);
	after = t_status_kb("VmRSS");
	/* the ring, a buffer or two of 2 MiB, and their tenth */
	t_check(T_SANITIZED || after - before < (RING_KB + 4096) * 11 / 10, "%ld kB more without a writer", after - before);
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_check(strstr(ascprof_last_error(), "Input/output error"), "reason: '%s'", ascprof_last_error());
	atomic_store(&broken, false);
	t_code(aclprofFinalize(), 0);
}

static unsigned long bytes_of(const char *dir)
{
	unsigned long bytes = 0;
	DIR *list = opendir(dir);
	struct stat st;

	for (struct dirent *entry; list && (entry = readdir(list));)
		if (strstr(entry->d_name, "slice_") && !fstatat(dirfd(list), entry->d_name, &st, 0))
			bytes += (unsigned long)st.st_size;
	if (list)
		closedir(list);
	return bytes;
}

/* Names are stored once a slice. */
static void small_files(const void *arg)
{
	struct prof_account account;
	const char *dir = t_dir(), *prof;
	unsigned long bytes;
	aclprofConfig *config;
	void *stamp[NAMES];

	(void)arg;
	setenv("ASCPROF_LAYOUT", "native", 1);
	config = t_start(dir);
	for (int i = 0; i < NAMES; i++)
		stamp[i] = t_stamp(t_path("one of twenty names, number %d", i));
	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp[i % NAMES]), 0);
	t_stop(config);
	unsetenv("ASCPROF_LAYOUT"); /* or what is read is made rows of */
	prof = prof_only(dir);
	prof_account(&account, prof, "mark");
	t_equal((long long)account.written, MARKS, "marks");
	bytes = bytes_of(t_path("%s/host/data", prof));
	t_check(bytes && bytes < MARKS * BYTES_A_MARK, "%lu bytes for %d marks", bytes, MARKS);
}

int main(void)
{
	t_equal(T_SANITIZED ? 0 : t_child(no_allocation, NULL), 0, "no allocation");
	t_equal(t_child(flat_memory, NULL), 0, "flat memory");
	t_equal(t_child(dead_writer, NULL), 0, "a dead writer");
	t_equal(t_child(small_files, NULL), 0, "small files");
	return t_end();
}
