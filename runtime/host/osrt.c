/* SPDX-License-Identifier: Apache-2.0 */
#include "host/osrt.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session/fds.h"
#include "syscall_names.h"

#define RING_BYTES (256u << 10) /* of one thread */
#define THREADS_MAX 128u
#define LINE_MAX_BYTES 160u

struct call {
	bool under_way;
	uint64_t number, begin_ns;
};

struct thread {
	struct thread *next;
	int tid;
	char name[16];
	int enter_fd, exit_fd;
	struct perf_event_mmap_page *page;
	size_t bytes; /* of the mapping */
	struct call call;
	bool seen; /* in the latest list */
};

struct osrt {
	uint32_t enter, exit; /* numbers of the tracepoints */
	struct thread *threads;
	uint32_t nr;
	uint64_t lost;
};

/* What the ring holds; layouts are those of perf_event_open(2) for our sample type. */
struct sample {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t ns;
	uint32_t raw_bytes;
	uint16_t type; /* the tracepoint; all that begins with it is packed behind 4 bytes */
	uint16_t flags;
	int32_t common_pid;
	uint64_t number; /* of the call */
	int64_t result; /* of sys_exit */
} __attribute__((packed));

struct lost_record {
	struct perf_event_header head;
	uint64_t id, lost;
};

static bool read_number(const char *name, uint32_t *number, char *why, size_t size)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[128], text[32];

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/raw_syscalls/%s/id", roots[i], name);
		if (host_read_file(path, text, sizeof(text)) > 0) {
			*number = (uint32_t)strtoul(text, NULL, 10);
			return true;
		}
		if (!i)
			snprintf(why, size, "%s: %s", path, strerror(errno));
	}
	return false;
}

static int open_tracepoint(uint32_t number, int tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = number,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
	};

	return fds_add((int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

static void close_thread(struct thread *t)
{
	if (t->page)
		munmap(t->page, t->bytes);
	fds_close(t->exit_fd);
	fds_close(t->enter_fd);
	free(t);
}

static void name_thread(struct thread *t)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", t->tid);
	host_read_file(path, name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if ((unsigned char)*c <= ' ' || strchr(":/(", *c))
			*c = '_';
	snprintf(t->name, sizeof(t->name), "%.15s", *name ? name : "?");
}

/* Return: NULL with errno set. */
static struct thread *open_thread(const struct osrt *o, int tid)
{
	struct thread *t = calloc(1, sizeof(*t));
	void *map;
	int err;

	if (!t)
		return NULL;
	t->tid = tid;
	t->seen = true;
	t->bytes = (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES;
	t->exit_fd = -1;
	t->enter_fd = open_tracepoint(o->enter, tid);
	if (t->enter_fd >= 0)
		t->exit_fd = open_tracepoint(o->exit, tid);
	map = t->exit_fd < 0 ? MAP_FAILED : mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->enter_fd, 0);
	if (map != MAP_FAILED)
		t->page = map;
	if (map == MAP_FAILED || ioctl(t->exit_fd, PERF_EVENT_IOC_SET_OUTPUT, t->enter_fd)) {
		err = errno;
		close_thread(t);
		errno = err;
		return NULL;
	}
	name_thread(t);
	return t;
}

struct osrt *osrt_open(char *why, size_t size)
{
	struct osrt *o = calloc(1, sizeof(*o));
	struct thread *first = NULL;

	if (!o) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	if (read_number("sys_enter", &o->enter, why, size) && read_number("sys_exit", &o->exit, why, size)) {
		first = open_thread(o, (int)syscall(SYS_gettid));
		if (first)
			close_thread(first); /* it shows that it works; who samples begins */
		else
			snprintf(why, size, "perf_event_open: %s", strerror(errno));
	}
	if (first)
		return o;
	free(o);
	return NULL;
}

void osrt_close(struct osrt *o)
{
	struct thread *t;

	while (o && (t = o->threads)) {
		o->threads = t->next;
		close_thread(t);
	}
	free(o);
}

static struct thread *find(const struct osrt *o, int tid)
{
	struct thread *t;

	for (t = o->threads; t && t->tid != tid; t = t->next)
		;
	return t;
}

static bool is_empty(const struct thread *t)
{
	return __atomic_load_n(&t->page->data_head, __ATOMIC_ACQUIRE) == t->page->data_tail;
}

void osrt_threads(struct osrt *o)
{
	int own = (int)syscall(SYS_gettid);
	DIR *tasks = opendir("/proc/self/task");
	struct thread **link, *t;
	struct dirent *e;

	for (t = o->threads; t; t = t->next)
		t->seen = !tasks;
	while (tasks && (e = readdir(tasks))) {
		int tid = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : own;

		if (tid == own)
			continue;
		t = find(o, tid);
		if (t) {
			t->seen = true;
		} else if (o->nr < THREADS_MAX && (t = open_thread(o, tid))) {
			t->next = o->threads;
			o->threads = t;
			o->nr++;
		}
	}
	if (tasks)
		closedir(tasks);
	for (link = &o->threads; (t = *link);) {
		if (t->seen || !is_empty(t)) {
			link = &t->next;
			continue;
		}
		*link = t->next;
		close_thread(t);
		o->nr--;
	}
}

/* Copies @n bytes from position @at of the ring. */
static void ring_copy(const struct thread *t, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)t->page + (t->bytes - RING_BYTES);
	size_t offset = at % RING_BYTES, first = RING_BYTES - offset;

	first = first < n ? first : n;
	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, n - first);
}

static const char *name_of(uint64_t number, char *other, size_t size)
{
	if (number < sizeof(syscall_names) / sizeof(syscall_names[0]) && syscall_names[number])
		return syscall_names[number];
	snprintf(other, size, "syscall_%" PRIu64, number);
	return other;
}

/* As `perf trace` prints it, times in ms; readers end at the colon. */
static void put_call(struct host_text *text, const struct thread *t, const struct sample *s)
{
	uint64_t ns = s->ns - t->call.begin_ns;
	char other[32];

	host_put(text, "%" PRIu64 ".%06" PRIu64 " ( %" PRIu64 ".%06" PRIu64 " ms): %s/%d %s(ret: %" PRId64 ")\n",
		 t->call.begin_ns / 1000000, t->call.begin_ns % 1000000, ns / 1000000, ns % 1000000, t->name, t->tid,
		 name_of(t->call.number, other, sizeof(other)), s->result);
}

static void take(struct osrt *o, struct thread *t, const struct sample *s, struct host_text *text)
{
	if (s->type == o->enter) {
		t->call = (struct call){ true, s->number, s->ns };
	} else if (s->type == o->exit) {
		if (t->call.under_way && t->call.number == s->number)
			put_call(text, t, s);
		t->call.under_way = false;
	}
}

static bool read_thread(struct osrt *o, struct thread *t, struct host_text *text)
{
	uint64_t head = __atomic_load_n(&t->page->data_head, __ATOMIC_ACQUIRE), tail = t->page->data_tail;

	while (tail < head && text->size - text->len > LINE_MAX_BYTES) {
		struct perf_event_header h;
		struct lost_record lost;
		struct sample s;

		ring_copy(t, tail, &h, sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.type == PERF_RECORD_LOST) {
			ring_copy(t, tail, &lost, sizeof(lost));
			o->lost += (lost.lost + 1) / 2; /* a call has two */
			t->call.under_way = false;
		} else if (h.type == PERF_RECORD_SAMPLE && h.size >= sizeof(s)) {
			ring_copy(t, tail, &s, sizeof(s));
			take(o, t, &s, text);
		}
		tail += h.size;
	}
	__atomic_store_n(&t->page->data_tail, tail, __ATOMIC_RELEASE);
	return tail < head;
}

bool osrt_read(struct osrt *o, struct host_text *text)
{
	bool more = false;

	for (struct thread *t = o->threads; t; t = t->next)
		more |= read_thread(o, t, text);
	return more;
}

uint64_t osrt_lost(const struct osrt *o)
{
	return o->lost;
}

size_t osrt_anchor(char *line, size_t size, uint64_t raw_ns)
{
	return (size_t)snprintf(line, size, "%" PRIu64 ".%06" PRIu64 " ( 0.000000 ms): ascprof/%d anchor()\n",
				raw_ns / 1000000, raw_ns % 1000000, getpid());
}

/* "<ms>.<6 digits> ..." */
uint64_t osrt_stamp(const char *line)
{
	char *end;
	uint64_t ms = strtoull(line, &end, 10);

	return ms * 1000000u + (uint64_t)strtoull(end + 1, NULL, 10);
}
