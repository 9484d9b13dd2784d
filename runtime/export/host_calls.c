/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_syscall.data: lines "<ms> ( <ms> ms): <name>/<tid> <call>(..."; and
 * host_pthreadcall.data: lines "[pid <tid>] <s> <name>-><call>(...) = <result> <<s>>".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"
#include "export/samples.h"

/* What the public parser shows is every call whose name has one of these in it. */
static const char *const shown[] = {
	"_sysctl", "accept", "acct", "alarm", "bind", "bpf", "brk", "chroot", "connect", "copy_file_range", "creat",
	"dup", "fallocate", "fcntl", "flock", "fork", "futex", "ioctl", "ioperm", "iopl", "kill", "listen",
	"membarrier", "mlock", "mmap", "mount", "move_pages", "mprotect", "mq_notify", "mq_receive",
	"mq_timedreceive", "mremap", "msgctl", "msgget", "msgrcv", "msgsnd", "munmap", "nanosleep", "nfsservctl",
	"open", "pause", "pipe", "pivot_root", "poll", "prctl", "ptrace", "read", "reboot", "recv",
	"rt_sigqueueinfo", "sched_yield", "seccomp", "select", "semctl", "semget", "semop", "semtimedop", "send",
	"shmat", "shmctl", "shmdt", "shmget", "shutdown", "sigaction", "sigsuspend", "socket", "splice", "swapoff",
	"swapon", "sync", "tee", "tgsigqueueinfo", "truncate", "unshare", "uselib", "vhangup", "wait", "write",
	"epoll_", "arch_prctl", "process_vm_",
};

static bool is_shown(const char *name)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (strstr(name, shown[i]))
			return true;
	return false;
}

struct sum {
	const struct host_call *call; /* the first one */
	uint64_t total, longest, shortest; /* ns */
	uint64_t count;
};

static bool add_call(struct host_view *v, const struct host_call *call)
{
	if (v->nr_calls == v->room_calls) {
		size_t room = v->room_calls ? 2 * v->room_calls : 256;
		struct host_call *more = realloc(v->call, room * sizeof(*more));

		if (!more) {
			v->failed = true;
			return false;
		}
		v->call = more;
		v->room_calls = room;
	}
	v->call[v->nr_calls++] = *call;
	return true;
}

/* @unit: ns of one of @whole */
static uint64_t to_ns(unsigned long long whole, const char *fraction, uint64_t unit)
{
	uint64_t ns = (uint64_t)whole * unit;

	for (unit /= 10; unit && *fraction >= '0' && *fraction <= '9'; unit /= 10)
		ns += (uint64_t)(*fraction++ - '0') * unit;
	return ns;
}

static bool read_call(const struct host_view *v, const char *line, struct host_call *call)
{
	unsigned long long ms, length;
	char part[2][16], thread[64];
	const char *tid;

	if (sscanf(line, "%llu.%15[0-9] ( %llu.%15[0-9] ms): %63s %31[^( ]", &ms, part[0], &length, part[1], thread,
		   call->name) != 6)
		return false;
	tid = strrchr(thread, '/');
	if (!tid || !is_shown(call->name))
		return false;
	call->tid = (uint32_t)strtoul(tid + 1, NULL, 10);
	call->wall = timebase_raw(&v->part->time, to_ns(ms, part[0], 1000000));
	call->ns = to_ns(length, part[1], 1000000);
	return true;
}

static bool read_pthread_call(const struct host_view *v, const char *line, struct host_call *call)
{
	const char *name = strstr(line, "->"), *last = strrchr(line, '<');
	unsigned long long s, length;
	char part[2][16];

	if (sscanf(line, "[pid %" SCNu32 "] %llu.%15[0-9]", &call->tid, &s, part[0]) != 3 || !name ||
	    sscanf(name, "->%31[^( ]", call->name) != 1 || !strcmp(call->name, "pthread_once") || !last ||
	    sscanf(last, "<%llu.%15[0-9]>", &length, part[1]) != 2)
		return false;
	call->wall = timebase_raw(&v->part->time, to_ns(s, part[0], 1000000000));
	call->ns = to_ns(length, part[1], 1000000000);
	return true;
}

static void read_lines(struct host_view *v, enum slices_kind kind)
{
	struct host_lines l = { .s = &v->part->table[kind] };
	struct host_call call = { .kind = samples_kind(kind) };

	while (host_lines_slice(v, &l)) {
		char *line;

		while ((line = host_lines_next(&l)))
			if ((kind == SLICES_SYSCALL ? read_call(v, line, &call) : read_pthread_call(v, line, &call)) &&
			    !add_call(v, &call))
				break;
	}
	host_lines_free(&l);
}

static int by_thread(const void *a, const void *b)
{
	const struct host_call *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	if (names)
		return names;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->wall > y->wall) - (x->wall < y->wall);
}

static int by_total(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return (x->total < y->total) - (x->total > y->total);
}

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

static void table(struct host_view *v, const struct sum *sum, size_t nr)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += sum[i].total;
	for (size_t i = 0; i < nr; i++) {
		host_heading(v, HOST_TABLE_CALLS,
			     "Process ID,Thread ID,Name,Time(%),Time(us),Count,Avg(us),Max(us),Min(us)");
		host_cell_u64(v, HOST_TABLE_CALLS, v->part->control.pid);
		host_cell_u64(v, HOST_TABLE_CALLS, sum[i].call->tid);
		host_cell_text(v, HOST_TABLE_CALLS, sum[i].call->name);
		/* a fraction, as the parser has it */
		host_cell_repr(v, HOST_TABLE_CALLS, all ? (double)sum[i].total / (double)all : 0);
		host_cell_repr(v, HOST_TABLE_CALLS, us(sum[i].total));
		host_cell_u64(v, HOST_TABLE_CALLS, sum[i].count);
		host_cell_repr(v, HOST_TABLE_CALLS, us(sum[i].total) / (double)sum[i].count);
		host_cell_repr(v, HOST_TABLE_CALLS, us(sum[i].longest));
		host_cell_repr(v, HOST_TABLE_CALLS, us(sum[i].shortest));
		host_row_end(v, HOST_TABLE_CALLS);
	}
}

void host_load_calls(struct host_view *v)
{
	struct sum *sum;
	size_t nr = 0;

	read_lines(v, SLICES_SYSCALL);
	read_lines(v, SLICES_PTHREAD);
	if (!v->nr_calls)
		return;
	qsort(v->call, v->nr_calls, sizeof(*v->call), by_thread);
	sum = calloc(v->nr_calls, sizeof(*sum));
	if (!sum) {
		v->failed = true;
		return;
	}
	for (size_t i = 0; i < v->nr_calls; i++) {
		const struct host_call *c = &v->call[i];

		if (!i || c->tid != c[-1].tid || strcmp(c->name, c[-1].name))
			sum[nr++] = (struct sum){ .call = c, .longest = c->ns, .shortest = c->ns };
		sum[nr - 1].total += c->ns;
		sum[nr - 1].count++;
		sum[nr - 1].longest = c->ns > sum[nr - 1].longest ? c->ns : sum[nr - 1].longest;
		sum[nr - 1].shortest = c->ns < sum[nr - 1].shortest ? c->ns : sum[nr - 1].shortest;
	}
	qsort(sum, nr, sizeof(*sum), by_total);
	table(v, sum, nr);
	free(sum);
}
