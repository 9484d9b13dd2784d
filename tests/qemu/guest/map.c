// SPDX-License-Identifier: Apache-2.0
/*
 * Mappings that are refused, and what cannot be made of those that are not.
 */
#include "guest.h"

static int stream;

static void no_map(size_t length, int prot, int flags, uint64_t offset, int error,
		   const char *what)
{
	void *p = mmap(NULL, length, prot, flags, stream, (off_t)offset);

	refused(p == MAP_FAILED ? -1 : 0, error, what);
	if (p != MAP_FAILED)
		munmap(p, length);
}

/* Newer kernels refuse it themselves, for all files without a name, and with EPERM. */
static void not_executable(size_t length, int prot, uint64_t offset, const char *what)
{
	void *p = mmap(NULL, length, prot | PROT_EXEC, MAP_SHARED, stream, (off_t)offset);
	int error = errno;

	if (p != MAP_FAILED)
		munmap(p, length);
	check(p == MAP_FAILED && (error == EACCES || error == EPERM), "%s: refused", what);
}

int main(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ascprof_stream_create req = good_stream();
	int control = open_control();
	size_t twice = 2 * req.ring_bytes;
	uint8_t *data, *producer, *consumer, *moved;
	pid_t child;
	int status = 0, fd;

	stream = make_stream(control, &req);
	add_hbm(stream, source_id(control, "sim0"));

	no_map(2 * page, rw, MAP_SHARED, ASCPROF_OFF_CONSUMER, EINVAL, "consumer: two pages");
	no_map(2 * page, PROT_READ, MAP_SHARED, ASCPROF_OFF_PRODUCER, EINVAL,
	       "producer: two pages");
	no_map(req.ring_bytes, PROT_READ, MAP_SHARED, ASCPROF_OFF_DATA, EINVAL,
	       "data: the ring once");
	no_map(twice + page, PROT_READ, MAP_SHARED, ASCPROF_OFF_DATA, EINVAL,
	       "data: a page more");
	no_map(page, PROT_READ, MAP_SHARED, page, EINVAL, "no area here");
	no_map(page, PROT_READ, MAP_SHARED, ASCPROF_OFF_DATA + page, EINVAL,
	       "not the beginning of the area");
	no_map(page, PROT_READ, MAP_SHARED, 1ULL << 40, EINVAL, "far away");
	no_map(page, rw, MAP_PRIVATE, ASCPROF_OFF_CONSUMER, EINVAL, "consumer: private");
	no_map(twice, PROT_READ, MAP_PRIVATE, ASCPROF_OFF_DATA, EINVAL, "data: private");
	no_map(page, rw, MAP_SHARED, ASCPROF_OFF_PRODUCER, EACCES, "producer: writable");
	no_map(twice, rw, MAP_SHARED, ASCPROF_OFF_DATA, EACCES, "data: writable");
	not_executable(page, rw, ASCPROF_OFF_CONSUMER, "consumer: executable");
	not_executable(twice, PROT_READ, ASCPROF_OFF_DATA, "data: executable");

	consumer = mmap(NULL, page, rw, MAP_SHARED, stream, ASCPROF_OFF_CONSUMER);
	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, stream, ASCPROF_OFF_PRODUCER);
	data = mmap(NULL, twice, PROT_READ, MAP_SHARED, stream, ASCPROF_OFF_DATA);
	check(consumer != MAP_FAILED && producer != MAP_FAILED && data != MAP_FAILED,
	      "the three areas as they are meant");
	refused(mprotect(producer, page, rw), EACCES, "producer: made writable later");
	refused(mprotect(data, twice, rw), EACCES, "data: made writable later");
	refused(mprotect(data, page, PROT_READ | PROT_EXEC), EACCES,
		"data: made executable later");
	refused(mprotect(consumer, page, rw | PROT_EXEC), EACCES,
		"consumer: made executable later");
	moved = mremap(data, twice, twice + page, MREMAP_MAYMOVE);
	refused(moved == MAP_FAILED ? -1 : 0, EFAULT, "data: grown by mremap()");
	moved = mremap(data, twice, twice, MREMAP_MAYMOVE | MREMAP_FIXED,
		       mmap(NULL, twice, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	check(moved != MAP_FAILED, "data: moved by mremap()");
	data = moved;

	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	wait_samples(stream, 5);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	check(((struct ascprof_rec *)data)->type == ASCPROF_REC_CLOCK, "data: readable where it is");
	check(!memcmp(data, data + req.ring_bytes, req.ring_bytes), "data: the ring twice");

	/* what the debugger's way round the protection does */
	fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	check(fd >= 0 && pwrite(fd, "x", 1, (off_t)(uintptr_t)data) < 0,
	      "data: not writable through /proc/self/mem");
	close(fd);

	/* the mapping alone keeps the stream; the child sees the same ring */
	close(stream);
	child = fork();
	if (child == 0)
		_exit(((struct ascprof_rec *)data)->type != ASCPROF_REC_CLOCK);
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("fork");
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "data: there for a child as well");
	check(module_users() > 0, "the mapping keeps the module");
	munmap(consumer, page);
	munmap(producer, page);
	munmap(data, twice);
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
