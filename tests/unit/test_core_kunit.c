// SPDX-License-Identifier: GPL-2.0-only
/* The KUnit suites over the module's core, in user space; kernels run the same ones. */
#include <kunit/test.h>

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kunit/suites.h"

struct allocation {
	struct allocation *next;
	_Alignas(16) char data[];
};

#define FAILURES_MOST 20

static jmp_buf case_end;

void *kunit_kzalloc(struct kunit *test, size_t size, int flags)
{
	struct allocation *a = calloc(1, sizeof(*a) + size);

	(void)flags;
	if (!a)
		return NULL;
	a->next = test->allocations;
	test->allocations = a;
	return a->data;
}

void kunit_failed(struct kunit *test, const char *file, int line, const char *text, long long left, long long right)
{
	/* what fails in a loop of millions is told a few times, and over */
	if (++test->failures == FAILURES_MOST)
		kunit_give_up(test);
	printf("# %s:%d: %s: %s, but %lld and %lld\n", file, line, test->name, text, left, right);
}

void kunit_give_up(struct kunit *test)
{
	(void)test;
	longjmp(case_end, 1);
}

struct page {
	int fd;
	void *address;
};

struct page *alloc_page(int flags)
{
	struct page *page = malloc(sizeof(*page));

	(void)flags;
	if (!page)
		return NULL;
	page->fd = memfd_create("page", MFD_CLOEXEC);
	if (page->fd >= 0 && !ftruncate(page->fd, PAGE_SIZE)) {
		page->address = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd, 0);
		if (page->address != MAP_FAILED)
			return page;
	}
	free(page);
	return NULL;
}

void *page_address(const struct page *page)
{
	return page->address;
}

void __free_page(struct page *page)
{
	munmap(page->address, PAGE_SIZE);
	close(page->fd);
	free(page);
}

static size_t mapped;

void *vmap(struct page **pages, unsigned int count, int flags, int protection)
{
	char *at;

	(void)flags;
	(void)protection;
	mapped = (size_t)count * PAGE_SIZE;
	at = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	for (unsigned int i = 0; i < count; i++)
		if (mmap(at + i * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages[i]->fd, 0) ==
		    MAP_FAILED)
			return NULL;
	return at;
}

void vunmap(const void *address)
{
	munmap((void *)address, mapped);
}

static struct kunit_suite *const suites[] = {
	&asc_clock_suite, &asc_feed_suite, &asc_news_suite, &asc_pacing_suite, &asc_pci_suite,
	&asc_policy_suite, &asc_record_suite, &asc_ring_suite, &asc_sim_suite, &asc_sized_suite,
	&asc_wake_suite, &asc_widen_suite, &asc_window_suite,
};

static unsigned int run_case(const struct kunit_suite *suite, const struct kunit_case *one)
{
	struct kunit test = { .name = one->name };

	if (!setjmp(case_end) && (!suite->init || !suite->init(&test)))
		one->run(&test);
	if (suite->exit)
		suite->exit(&test);
	while (test.allocations) {
		struct allocation *a = test.allocations;

		test.allocations = a->next;
		free(a);
	}
	return test.failures;
}

int main(void)
{
	unsigned int count = 0, failed = 0;

	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		for (const struct kunit_case *one = suites[i]->test_cases; one->run; one++) {
			bool bad = run_case(suites[i], one) != 0;

			failed += bad;
			printf("%sok %u - %s: %s\n", bad ? "not " : "", ++count, suites[i]->name, one->name);
		}
	printf("1..%u\n", count);
	return failed != 0;
}
