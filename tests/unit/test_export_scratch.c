// SPDX-License-Identifier: Apache-2.0
/* Arrays that lie in files when they are large, sorting in them, texts with numbers, protocol buffers. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/guard.h"
#include "export/intern.h"
#include "export/proto.h"
#include "export/scratch.h"
#include "export/slices.h"
#include "export/sort.h"
#include "export/text.h"
#include "export/tx.h"
#include "format/rows.h"

static void test_resize(void **state)
{
	struct scratch s = { 0 };
	uint64_t *v;

	(void)state;
	assert_int_equal(scratch_resize(&s, 4096), 0);
	assert_false(s.in_file);
	((uint64_t *)s.map.begin)[7] = 42;
	assert_int_equal(scratch_resize(&s, SCRATCH_MEMORY), 0); /* moves into a file */
	assert_true(s.in_file);
	v = (uint64_t *)s.map.begin;
	assert_int_equal(v[7], 42);
	assert_int_equal(v[8], 0);
	v[SCRATCH_MEMORY / 8 - 1] = 43;
	assert_int_equal(scratch_resize(&s, 2 * SCRATCH_MEMORY), 0);
	v = (uint64_t *)s.map.begin;
	assert_int_equal(v[7], 42);
	assert_int_equal(v[SCRATCH_MEMORY / 8 - 1], 43);
	assert_int_equal(v[SCRATCH_MEMORY / 4 - 1], 0);
	guard_trim(); /* what is let go of is still there */
	assert_int_equal(v[7], 42);
	scratch_free(&s);
	assert_null(s.map.begin);
}

/* No room for a file is an error, and not a signal when it is written to. */
static void test_no_room(void **state)
{
	struct rlimit was, small = { SCRATCH_MEMORY / 2, SCRATCH_MEMORY };
	struct scratch s = { 0 };

	(void)state;
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(scratch_resize(&s, 4096), 0);
	s.map.begin[5] = 6;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(scratch_resize(&s, 2 * SCRATCH_MEMORY), -1);
	assert_int_equal(errno, EFBIG);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(s.map.begin[5], 6);
	assert_int_equal(s.map.len, 4096);
	scratch_free(&s);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(scratch_resize(&s, SCRATCH_MEMORY), -1);
	assert_int_equal(errno, ENOENT);
	unsetenv("TMPDIR");
	assert_int_equal(scratch_grow(&s, SIZE_MAX / 2, 16), -1);
	assert_int_equal(errno, ENOMEM);
}

/* MiB of mapped files that are present */
static unsigned long shared(void)
{
	unsigned long size, resident, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu %lu", &size, &resident, &pages), 3);
	fclose(f);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) >> 20;
}

/* Maps side by side, one that ends within a page, and one behind a page that is nobody's to let go of. */
static void test_trim(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), half = GUARD_RESIDENT;
	const size_t at[] = { 0, half, 2 * half + page }, len[] = { half, half - 100, half };
	struct guard_range range[3] = { 0 };
	int fd = scratch_file();
	unsigned long before;
	char *all;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)half), 0);
	all = mmap(NULL, 3 * half + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(all, MAP_FAILED);
	strcpy(all + 2 * half, "not theirs");
	for (int i = 2; i >= 0; i--) { /* as maps are placed: each below the one before */
		range[i].begin = mmap(all + at[i], half, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
		assert_ptr_equal(range[i].begin, all + at[i]);
		range[i].len = len[i];
		guard_add(&range[i]);
		for (size_t j = 0; j < half; j += page)
			range[i].begin[j] = (char)(j / page);
	}
	before = shared();
	assert_true(before >= 3 * half >> 20);
	guard_trim();
	assert_true(shared() + (3 * half >> 20) <= before + 1);
	assert_string_equal(all + 2 * half, "not theirs");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(range[i].begin[7 * page], 7);
		assert_false(range[i].hit);
		guard_remove(&range[i]);
	}
	munmap(all, 3 * half + page);
	close(fd);
}

/* A walk over counters keeps no more of their files than a walk may. */
static void test_walk(void **state)
{
	enum { SLICES = 24, ROWS = ROW_SLICE_BYTES / sizeof(struct row_llc) };
	struct row_llc *rows = malloc(ROWS * sizeof(*rows));
	char dir[] = "/tmp/ascprof.XXXXXX", name[32];
	struct diag diag = { .program = "test" };
	unsigned long before, most = 0;
	struct slices_cursor c;
	uint64_t nr = 0;
	struct slices s;
	int dir_fd, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
	memset(rows, 1, ROWS * sizeof(*rows));
	for (int i = 0; i < SLICES; i++) {
		snprintf(name, sizeof(name), "llc.data.0.slice_%d", i);
		fd = openat(dir_fd, name, O_WRONLY | O_CREAT, 0600);
		assert_int_equal(write(fd, rows, ROWS * sizeof(*rows)), ROWS * sizeof(*rows));
		close(fd);
	}
	assert_int_equal(slices_open(&s, SLICES_LLC, sizeof(*rows), dir_fd, dir, &diag), 0);
	before = shared();
	slices_rewind(&c, &s);
	for (const void *row; (row = slices_next(&c)); nr++) {
		assert_int_equal(*(const char *)row, 1);
		if (!(nr % 10000) && shared() > most)
			most = shared();
	}
	assert_int_equal(nr, (uint64_t)SLICES * ROWS);
	assert_in_range(most, before, before + (GUARD_RESIDENT >> 20) + 6); /* each look may come 2 MiB late, or 4 */
	slices_close(&s);
	for (int i = 0; i < SLICES; i++) {
		snprintf(name, sizeof(name), "llc.data.0.slice_%d", i);
		unlinkat(dir_fd, name, 0);
	}
	close(dir_fd);
	rmdir(dir);
	free(rows);
}

struct record {
	uint32_t key, order;
};

static int by_key(const void *a, const void *b, void *calls)
{
	const struct record *x = a, *y = b;

	++*(size_t *)calls;
	return (x->key > y->key) - (x->key < y->key);
}

static void sort_and_check(size_t n, uint32_t keys, bool runs)
{
	struct scratch s = { 0 };
	struct record *r;
	size_t calls = 0;
	uint32_t dice = 1;

	assert_int_equal(scratch_resize(&s, n * sizeof(*r)), 0);
	r = (struct record *)s.map.begin;
	for (size_t i = 0; i < n; i++) {
		dice = dice * 1664525 + 1013904223;
		r[i] = (struct record){ runs ? (uint32_t)(i % 1000) : (dice >> 8) % keys, (uint32_t)i };
	}
	assert_int_equal(sort_records(r, n, sizeof(*r), by_key, &calls), 0);
	for (size_t i = 1; i < n; i++) /* in order, and equal ones as they came */
		assert_true(r[i - 1].key < r[i].key || (r[i - 1].key == r[i].key && r[i - 1].order < r[i].order));
	calls = 0;
	assert_int_equal(sort_records(r, n, sizeof(*r), by_key, &calls), 0);
	assert_int_equal(calls, n ? n - 1 : 0); /* what is sorted is only looked at */
	scratch_free(&s);
}

static void test_sort(void **state)
{
	(void)state;
	assert_int_equal(sort_records(NULL, 0, 8, by_key, NULL), 0);
	for (size_t n = 1; n < 40; n++)
		sort_and_check(n, 7, false);
	sort_and_check(100000, 1000, false);
	sort_and_check(100000, UINT32_MAX, false);
	sort_and_check(100000, 0, true);
	sort_and_check(SCRATCH_MEMORY / sizeof(struct record) + 1000, 0, true); /* in files */
}

/* Entries of annotations, of which more than fit into memory are sorted in a file. */
static void test_entries(void **state)
{
	size_t n = SCRATCH_MEMORY / sizeof(struct tx_entry) + 100;
	struct scratch s = { 0 };
	struct tx_entry *e;

	(void)state;
	assert_int_equal(scratch_resize(&s, n * sizeof(*e)), 0);
	e = (struct tx_entry *)s.map.begin;
	for (size_t i = 0; i < n; i++)
		e[i] = (struct tx_entry){ (i * 2654435761u) % 1000003 + (1ULL << 63), 0, (uint32_t)i };
	assert_int_equal(sort_entries(e, n), 0);
	for (size_t i = 1; i < n; i++)
		assert_true(e[i - 1].key < e[i].key || (e[i - 1].key == e[i].key && e[i - 1].row < e[i].row));
	scratch_free(&s);
}

static void test_intern(void **state)
{
	struct intern in;
	char text[32];
	size_t n;

	(void)state;
	intern_init(&in);
	assert_int_equal(intern_id(&in, "a", 1, false), -1);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 50000; i++)
			assert_int_equal(intern_id(&in, text, (size_t)sprintf(text, "text %d", i), !round), i);
	assert_int_equal(in.nr, 50000);
	assert_int_equal(intern_id(&in, "", 0, true), 50000);
	assert_int_equal(intern_id(&in, "", 0, true), 50000);
	assert_int_equal(intern_id(&in, "\0", 1, true), 50001); /* any bytes */
	assert_memory_equal(intern_text(&in, 49999, &n), "text 49999", 10);
	assert_int_equal(n, 10);
	intern_free(&in);
}

static void test_proto(void **state)
{
	/* The examples of the format's own description. */
	static const unsigned char number[] = { 0x08, 0x96, 0x01 };
	static const unsigned char string[] = { 0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g' };
	static const unsigned char inner[] = { 0x1a, 0x83, 0x80, 0x00, 0x08, 0x96, 0x01 };
	static const unsigned char minus[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
	static const unsigned char real[] = { 0x29, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f };
	char buf[64], *begin, *to;

	(void)state;
	assert_int_equal(proto_u64(buf, 1, 150) - buf, sizeof(number));
	assert_memory_equal(buf, number, sizeof(number));
	assert_int_equal(proto_bytes(buf, 2, "testing", 7) - buf, sizeof(string));
	assert_memory_equal(buf, string, sizeof(string));
	to = proto_u64(proto_begin(buf, 3, &begin), 1, 150);
	proto_end(to, begin);
	assert_int_equal(to - buf, sizeof(inner));
	assert_memory_equal(buf, inner, sizeof(inner));
	assert_int_equal(proto_varint(buf, UINT64_MAX) - buf, sizeof(minus));
	assert_memory_equal(buf, minus, sizeof(minus));
	assert_int_equal(proto_double(buf, 5, 1.5) - buf, sizeof(real));
	assert_memory_equal(buf, real, sizeof(real));
}

static void test_numbers(void **state)
{
	char ours[64], theirs[64];
	struct text_clock clock = { 0 };

	(void)state;
	for (uint64_t v = 1;; v *= 10) {
		for (int d = -1; d <= 1; d++) {
			uint64_t n = v + (uint64_t)d;

			*text_u64(ours, n) = 0;
			sprintf(theirs, "%llu", (unsigned long long)n);
			assert_string_equal(ours, theirs);
			if (n > INT64_MAX)
				continue;
			*text_clock(ours, &clock, (int64_t)n) = 0;
			sprintf(theirs, "%llu.%03llu", (unsigned long long)(n / 1000), (unsigned long long)(n % 1000));
			assert_string_equal(ours, theirs);
		}
		if (v > UINT64_MAX / 10)
			break;
	}
	*text_u64(ours, UINT64_MAX) = 0;
	assert_string_equal(ours, "18446744073709551615");
	*text_clock(ours, &clock, -1500) = 0;
	assert_string_equal(ours, "-1.500");
	for (int64_t n = 0; n < 3000; n++) { /* every three digits, before the point and behind it */
		int64_t stamp = 1700000000123000000 + n * 1001;

		*text_clock(ours, &clock, stamp) = 0;
		sprintf(theirs, "%lld.%03lld", (long long)(stamp / 1000), (long long)(stamp % 1000));
		assert_string_equal(ours, theirs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resize), cmocka_unit_test(test_no_room), cmocka_unit_test(test_trim), cmocka_unit_test(test_walk),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_entries), cmocka_unit_test(test_intern), cmocka_unit_test(test_proto),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
