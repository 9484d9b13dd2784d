// SPDX-License-Identifier: Apache-2.0
/*
 * Everything that is no ioctl: mappings made, cut and written to while others close the
 * stream; reads, polls, descriptors copied and passed on; children, limits, signals.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "hostile.h"

#define MAPS	8

struct mapping {
	uint8_t *at;
	size_t size;
	bool tail;
};

static __thread struct mapping maps[MAPS];

static void do_mmap(struct dice *dice, int fd)
{
	static const uint64_t offsets[] = { ASCPROF_OFF_CONSUMER, ASCPROF_OFF_PRODUCER,
					    ASCPROF_OFF_DATA, 0x4000, 0x20001000 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mapping *map = &maps[pick(dice, MAPS)];
	unsigned int area = pick(dice, 20);
	int prot = pick(dice, 8) ? PROT_READ : (int)pick(dice, 8);
	size_t size = page;
	void *at;

	if (map->at)
		return;
	area = area < 17 ? area % 3 : area - 17 + 2;
	if (area == 0 && pick(dice, 8))
		prot |= PROT_WRITE;
	if (area >= 2 || !pick(dice, 10))
		size = page << pick(dice, 9);
	at = mmap(NULL, size, prot, pick(dice, 16) ? MAP_SHARED : MAP_PRIVATE, fd,
		  (off_t)offsets[area]);
	noted(OP_MMAP, at == MAP_FAILED ? -1 : 0);
	if (at == MAP_FAILED)
		return;
	map->at = at;
	map->size = size;
	map->tail = area == 0 && (prot & PROT_WRITE);
}

static void do_munmap(struct dice *dice)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mapping *map = &maps[pick(dice, MAPS)];
	size_t part;

	if (!map->at)
		return;
	part = pick(dice, 4) ? map->size : page * (1 + pick(dice, (unsigned int)(map->size / page)));
	noted(OP_MUNMAP, munmap(map->at, part));
	map->at = part == map->size ? NULL : map->at + part;
	map->size -= part;
	map->tail = false;
}

static void do_change(struct dice *dice, enum op op)
{
	static const int advice[] = { MADV_DONTNEED, MADV_WILLNEED, MADV_DONTFORK, MADV_DOFORK,
				      MADV_FREE, MADV_REMOVE, MADV_DODUMP, MADV_HUGEPAGE };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mapping *map = &maps[pick(dice, MAPS)];
	unsigned int what = pick(dice, 8);
	size_t size = page << pick(dice, 6);
	void *moved;

	if (!map->at)
		return;
	if (op == OP_MPROTECT) {
		/* taking rights away would only kill ourselves */
		noted(op, mprotect(map->at, map->size,
				   PROT_READ | (map->tail ? PROT_WRITE : (int)pick(dice, 8))));
	} else if (op == OP_MADVISE) {
		/* pages that were given up do not come back */
		if (noted(op, madvise(map->at, map->size, advice[what])) == 0 &&
		    (advice[what] == MADV_DONTNEED || advice[what] == MADV_FREE))
			map->tail = false;
	} else {
		moved = mremap(map->at, map->size, size, MREMAP_MAYMOVE);
		noted(op, moved == MAP_FAILED ? -1 : 0);
		if (moved != MAP_FAILED) {
			map->at = moved;
			map->size = size;
		}
	}
}

static void do_tail(struct dice *dice)
{
	struct mapping *map = &maps[pick(dice, MAPS)];
	volatile uint64_t *tail = (void *)map->at;

	if (!map->at || !map->tail)
		return;
	switch (pick(dice, 6)) {
	case 0: *tail = roll(dice); break;
	case 1: *tail = 0; break;
	case 2: *tail += 8 * pick(dice, 64); break;
	case 3: *tail -= 8; break;
	case 4: ((volatile uint32_t *)map->at)[pick(dice, 1024)] = (uint32_t)roll(dice); break;
	default: *tail += 40; break;
	}
	noted(OP_TAIL, 0);
}

static void do_read(struct dice *dice, int fd)
{
	static __thread uint8_t buffer[16384];
	struct pollfd p = { .fd = fd, .events = (short)roll(dice) };
	size_t size = pick(dice, 4) ? sizeof(buffer) : pick(dice, 512);
	void *to = pick(dice, 16) ? buffer : (void *)(uintptr_t)pick(dice, 8192);

	noted(OP_POLL, poll(&p, 1, (int)pick(dice, 2)));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	noted(OP_READ, read(fd, to, size));
}

static void do_dup(struct dice *dice, int *pool, int fd)
{
	int copy = dup(fd), old;

	noted(OP_DUP, copy);
	if (copy < 0)
		return;
	old = __atomic_exchange_n(&pool[pick(dice, POOL)], copy, __ATOMIC_ACQ_REL);
	if (old >= 0)
		noted(OP_CLOSE, close(old));
}

/* Through a socket to ourselves; sometimes it is left in the socket that is closed. */
static void do_pass(struct dice *dice, int *pool, int fd)
{
	char byte = 0;
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			      .msg_controllen = sizeof(space) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&msg);
	int pair[2], got;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return;
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &fd, sizeof(fd));
	if (noted(OP_PASS, sendmsg(pair[0], &msg, 0)) == 1 && pick(dice, 4) &&
	    recvmsg(pair[1], &msg, MSG_CMSG_CLOEXEC) == 1 && (part = CMSG_FIRSTHDR(&msg))) {
		memcpy(&got, CMSG_DATA(part), sizeof(got));
		got = __atomic_exchange_n(&pool[pick(dice, POOL)], got, __ATOMIC_ACQ_REL);
		if (got >= 0)
			noted(OP_CLOSE, close(got));
	}
	close(pair[0]);
	close(pair[1]);
}

/* A child that works on with what it has, under limits of its own, and ends as it likes. */
static void do_fork(struct dice *dice, int control, int *pool)
{
	static const int limits[] = { RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_NPROC };
	bool limited = pick(dice, 2), killed = pick(dice, 2);
	struct rlimit none = { 0, 0 };
	pid_t child = fork();
	int i;

	noted(OP_FORK, child);
	if (child < 0)
		return;
	if (child == 0) {
		dice->state += 0x9e3779b97f4a7c15;
		alarm(20);
		if (limited)
			noted(OP_RLIMIT, setrlimit((__rlimit_resource_t)limits[pick(dice, 4)], &none));
		if (limited && pick(dice, 2) && setgid(1000) == 0 && setuid(1000) != 0)
			_exit(1);
		for (i = 0; i < 50 || killed; i++) {
			random_ioctl(dice, control, pool);
			do_mmap(dice, pool[pick(dice, POOL)]);
			do_tail(dice);
		}
		_exit(0);
	}
	if (killed) {
		usleep(pick(dice, 3000));
		kill(child, SIGKILL);
	}
	waitpid(child, NULL, 0);
}

static void do_parameter(struct dice *dice)
{
	static const char *const names[] = { "paranoid", "max_streams", "max_ring_bytes",
					     "max_total_bytes" };
	/* no more than a small guest has */
	static const char *const values[] = { "0", "1", "2", "3", "-1", "32", "65536",
					      "4194304", "134217728", "x", "" };
	const char *value = values[pick(dice, 11)];
	char path[128];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", names[pick(dice, 4)]);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	noted(OP_PARAMETER, fd < 0 ? fd : write(fd, value, strlen(value)));
	if (fd >= 0)
		close(fd);
}

static void do_hotplug(void)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_RDWR | O_CLOEXEC);
	char now;

	if (fd < 0)
		return;
	if (pread(fd, &now, 1, 0) == 1)
		noted(OP_HOTPLUG, pwrite(fd, now == '1' ? "0" : "1", 1, 0));
	close(fd);
}

void random_chaos(struct dice *dice, int control, int *pool)
{
	int fd = __atomic_load_n(&pool[pick(dice, POOL)], __ATOMIC_ACQUIRE);
	unsigned int what = pick(dice, 1000);

	if (what < 500)
		do_tail(dice);
	else if (what < 650)
		do_mmap(dice, fd);
	else if (what < 730)
		do_munmap(dice);
	else if (what < 790)
		do_change(dice, OP_MPROTECT + pick(dice, 3));
	else if (what < 900)
		do_read(dice, fd);
	else if (what < 930)
		do_dup(dice, pool, fd);
	else if (what < 960)
		do_pass(dice, pool, fd);
	else if (what < 975)
		noted(OP_SIGNAL, kill(getpid(), SIGUSR1));
	else if (what < 985)
		do_parameter(dice);
	else if (what < 998)
		do_fork(dice, control, pool);
	else
		do_hotplug();
}
