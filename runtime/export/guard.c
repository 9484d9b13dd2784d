/* SPDX-License-Identifier: Apache-2.0 */
#include "export/guard.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define FAULTS 4 /* after so many guard_trim() looks again; each brings at most 2 MiB, mostly far less */

/* A signal handler has no other way to its data. */
static struct guard_range *volatile ranges;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)info->si_addr;

	(void)context;
	for (struct guard_range *r = ranges; r; r = r->next) {
		if (at < (uintptr_t)r->begin || at - (uintptr_t)r->begin >= r->len)
			continue;
		if (mmap((void *)(at & ~(page - 1)), page, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		r->hit = 1;
		return;
	}
	/* Not ours: the access is repeated, and now ends the process. */
	signal(sig, SIG_DFL);
}

void guard_add(struct guard_range *range)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	if (!ranges)
		sigaction(SIGBUS, &action, NULL);
	range->hit = 0;
	range->next = ranges;
	ranges = range;
}

void guard_remove(struct guard_range *range)
{
	struct guard_range *volatile *at = &ranges;

	while (*at != range)
		at = &(*at)->next;
	*at = range->next;
}

/* Bytes of files that are mapped and present; 0 when the kernel does not say. */
static size_t resident(void)
{
	static int fd = -2;
	char text[128];
	ssize_t n;
	char *shared;

	if (fd == -2)
		fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	shared = strchr(text, ' '); /* size resident shared */
	shared = shared ? strchr(shared + 1, ' ') : NULL;
	return shared ? strtoul(shared, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/*
 * Whether enough came in since the last look to look again: pages come by faults, several
 * with each. That is asked often, and costs a tenth of what resident() does.
 */
static bool many_faults(void)
{
	static long seen;
	struct rusage usage;
	long faults;

	if (getrusage(RUSAGE_SELF, &usage))
		return true;
	faults = usage.ru_minflt + usage.ru_majflt;
	if (faults - seen < FAULTS)
		return false;
	seen = faults;
	return true;
}

/* Slices are mapped one below the other: what lies side by side goes in one call. */
void guard_trim(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *begin = NULL, *end = NULL;

	if (!many_faults() || resident() <= GUARD_RESIDENT)
		return;
	for (struct guard_range *r = ranges; r; r = r->next) {
		if (r->begin != end) {
			if (begin)
				madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
			begin = r->begin;
		}
		end = r->begin + ((r->len + page - 1) & ~(page - 1));
	}
	if (begin)
		madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
}
