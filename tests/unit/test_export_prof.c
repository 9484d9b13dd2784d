// SPDX-License-Identifier: Apache-2.0
/*
 * Result directories made here: how slices become rows, what is left out and
 * counted, what a file that shrinks does, and that output is whole or absent.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/out.h"
#include "export/prof.h"
#include "export/slices.h"
#include "export/sort.h"
#include "export/tables.h"
#include "export/tally.h"
#include "export/trace.h"
#include "export/tracks.h"
#include "export/tx.h"
#include "format/rows.h"

static char folder[512];
static int folder_fd;
static struct diag diag = { .program = "test" };

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%.400s/ascprof.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY);
	diag.error[0] = 0;
	return folder_fd < 0 ? -1 : 0;
}

static void remove_tree(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		unlinkat(at, name, 0);
		return;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove_tree(fd, e->d_name);
	closedir(d);
	unlinkat(at, name, AT_REMOVEDIR);
}

static int drop_folder(void **state)
{
	(void)state;
	close(folder_fd);
	remove_tree(AT_FDCWD, folder);
	return 0;
}

static void put(const char *name, const void *data, size_t len)
{
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static int next_descriptor(void)
{
	int fd = dup(folder_fd);

	close(fd);
	return fd;
}

/* A folder that took the place of the one that was read is not changed, and no descriptor is left of the look. */
static void test_replaced(void **state)
{
	char path[600], other[600];
	struct prof prof = { .path = path };
	struct stat st;
	int fd, next = next_descriptor();

	(void)state;
	snprintf(path, sizeof(path), "%s/one", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(mkdir(path, 0750) || stat(path, &st), 0);
	prof.dev = st.st_dev;
	prof.ino = st.st_ino;
	fd = prof_open_again(&prof, &diag);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(prof_open_again(&prof, &diag), -1);
	assert_non_null(strstr(diag.error, "No such file"));
	diag.error[0] = 0;
	assert_int_equal(mkdir(path, 0750), 0);
	assert_int_equal(prof_open_again(&prof, &diag), -1);
	assert_non_null(strstr(diag.error, "was replaced"));
	diag.error[0] = 0;
	prof.linked = true;
	assert_int_equal(prof_open_again(&prof, &diag), -1);
	assert_non_null(strstr(diag.error, "is a link"));
	assert_int_equal(next_descriptor(), next);
}

/* ---- slices ---- */

static void test_names(void **state)
{
	static const struct {
		enum slices_kind kind;
		const char *name;
		int64_t number; /* -1: none of this kind */
	} cases[] = {
		{ SLICES_TX, "aging.additional.msproftx.slice_0", 0 },
		{ SLICES_TX, "unaging.additional.msproftx.slice_12", 12 },
		{ SLICES_TX, "aging.additional.msproftx.slice_0.done", -1 },
		{ SLICES_TX, "aging.additional.msproftx.slice_", -1 },
		{ SLICES_TX, "additional.msproftx.slice_0", -1 },
		{ SLICES_TX, "aging.additional.msproftx", -1 },
		{ SLICES_LLC, "llc.data.0.slice_10", 10 },
		{ SLICES_LLC, "llc.data.13.slice_007", 7 },
		{ SLICES_LLC, "llc.data..slice_1", -1 },
		{ SLICES_LLC, "llc.data.0.slice_1.tmp", -1 },
		{ SLICES_LLC, "hbm.data.0.slice_1", -1 },
		{ SLICES_HBM, "hbm.data.0.slice_1", 1 },
		{ SLICES_SOC, "stars_soc_profile.data.0.slice_1", 1 },
		{ SLICES_SOC, "stars_soc.data.0.slice_1", -1 },
		{ SLICES_HASH, "unaging.additional.hash_dic.slice_0", 0 },
		{ SLICES_LLC, "llc.data.0.slice_99999999999999999999999", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t number = 0;
		bool is = slices_name(cases[i].kind, cases[i].name, &number);

		if (is != (cases[i].number >= 0) || (is && number != (uint64_t)cases[i].number))
			fail_msg("%s: %d, number %llu", cases[i].name, is,
				 (unsigned long long)number);
	}
}

/* LLC rows with counts from @first on */
static size_t llc_rows(char *to, unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct row_llc row = { .stamp_us = 1000 + first + i, .count = first + i,
				       .event = 0x20, .slice = 1 };

		memcpy(to + i * sizeof(row), &row, sizeof(row));
	}
	return n * sizeof(struct row_llc);
}

static void open_slices(struct slices *s, enum slices_kind kind, size_t row_size)
{
	if (slices_open(s, kind, row_size, folder_fd, folder, &diag))
		fail_msg("%s", diag.error);
}

/* The counts of all rows must be @first, @first + 1, ... */
static void check_llc(unsigned int first, unsigned int rows, uint64_t cut)
{
	struct slices_cursor c;
	struct slices s;
	const void *data;
	struct row_llc row;
	unsigned int n = 0;

	open_slices(&s, SLICES_LLC, sizeof(row));
	assert_int_equal(s.rows, rows);
	assert_int_equal(s.cut_bytes, cut);
	slices_rewind(&c, &s);
	while ((data = slices_next(&c))) {
		memcpy(&row, data, sizeof(row));
		assert_int_equal(row.count, first + n);
		n++;
	}
	assert_int_equal(n, rows);
	slices_close(&s);
}

static void test_order(void **state)
{
	char data[8 * sizeof(struct row_llc)];

	(void)state;
	/* by number, with gaps; a foreign suffix is no slice */
	put("llc.data.0.slice_10", data, llc_rows(data, 5, 3));
	put("llc.data.0.slice_2", data, llc_rows(data, 3, 2));
	put("llc.data.0.slice_0", data, llc_rows(data, 0, 3));
	put("llc.data.0.slice_0.done", data, llc_rows(data, 90, 1));
	put("llc.data.0.slice_1", data, 0);
	check_llc(0, 8, 0);
}

static void test_crossing(void **state)
{
	char data[8 * sizeof(struct row_llc)];
	size_t n = llc_rows(data, 0, 8);

	(void)state;
	put("llc.data.0.slice_0", data, 10);
	put("llc.data.0.slice_1", data + 10, 5);
	put("llc.data.0.slice_2", data + 15, 100);
	put("llc.data.0.slice_3", data + 115, n - 115);
	check_llc(0, 8, 0);
	/* and the last cut as well */
	put("llc.data.0.slice_3", data + 115, n - 115 - 7);
	check_llc(0, 7, 17);
	/* the first aged: its half of a row is gone */
	unlinkat(folder_fd, "llc.data.0.slice_0", 0);
	unlinkat(folder_fd, "llc.data.0.slice_1", 0);
	put("llc.data.0.slice_3", data + 115, n - 115);
	check_llc(1, 7, 24 - 15);
}

static void test_cut(void **state)
{
	char data[8 * sizeof(struct row_llc)];

	(void)state;
	/* at the end: every possible length */
	for (size_t len = 0; len <= 3 * sizeof(struct row_llc); len++) {
		llc_rows(data, 1, 3);
		put("llc.data.0.slice_0", data, len);
		check_llc(1, (unsigned int)(len / 24), len % 24);
	}
	/* within: the slices around are whole */
	put("llc.data.0.slice_0", data, llc_rows(data, 0, 3));
	put("llc.data.0.slice_1", data, llc_rows(data, 3, 2) - 1 - 24);
	put("llc.data.0.slice_2", data, llc_rows(data, 3, 5));
	check_llc(0, 8, 23);
}

static void test_blank(void **state)
{
	char data[16 * sizeof(struct row_llc)] = { 0 };
	struct slices s;

	(void)state;
	put("llc.data.0.slice_0", data, sizeof(data)); /* all of it */
	open_slices(&s, SLICES_LLC, sizeof(struct row_llc));
	assert_int_equal(s.rows, 0);
	assert_int_equal(s.blank_rows, 16);
	slices_close(&s);
	llc_rows(data + 24, 1, 4); /* the first row of zeros is a row */
	put("llc.data.0.slice_0", data, sizeof(data));
	open_slices(&s, SLICES_LLC, sizeof(struct row_llc));
	assert_int_equal(s.rows, 5);
	assert_int_equal(s.blank_rows, 11);
	slices_close(&s);
}

static void test_no_slices(void **state)
{
	struct slices_cursor c;
	struct slices s;

	(void)state;
	open_slices(&s, SLICES_LLC, sizeof(struct row_llc));
	assert_int_equal(s.rows, 0);
	slices_rewind(&c, &s);
	assert_null(slices_next(&c));
	slices_close(&s);
}

static void test_foreign_files(void **state)
{
	struct slices s;

	(void)state;
	put_text("elsewhere", "secret");
	assert_int_equal(symlinkat("elsewhere", folder_fd, "llc.data.0.slice_0"), 0);
	assert_int_equal(slices_open(&s, SLICES_LLC, 24, folder_fd, folder, &diag), -1);
	assert_non_null(strstr(diag.error, "llc.data.0.slice_0"));
	slices_close(&s);
	unlinkat(folder_fd, "llc.data.0.slice_0", 0);
	assert_int_equal(mkfifoat(folder_fd, "llc.data.0.slice_0", 0600), 0);
	diag.error[0] = 0;
	assert_int_equal(slices_open(&s, SLICES_LLC, 24, folder_fd, folder, &diag), -1);
	assert_non_null(strstr(diag.error, "regular file"));
	slices_close(&s);
}

static void test_shrinking(void **state)
{
	size_t size = 64 * 4096;
	char *data = malloc(size);
	struct slices_cursor c;
	struct slices s;
	uint64_t sum = 0, rows = 0;
	const void *row;

	(void)state;
	for (size_t i = 0; i < size; i++)
		data[i] = (char)(i % 251 + 1);
	put("llc.data.0.slice_0", data, size);
	free(data);
	open_slices(&s, SLICES_LLC, 24);
	assert_int_equal(slices_check(&s, folder, &diag), 0);
	assert_int_equal(truncate(strcat(strcpy((char[600]){ 0 }, folder), "/llc.data.0.slice_0"),
				  4096), 0);
	slices_rewind(&c, &s);
	while ((row = slices_next(&c))) {
		sum += *(const unsigned char *)row;
		rows++;
	}
	assert_int_equal(rows, size / 24);
	assert_true(sum > 0);
	assert_int_equal(slices_check(&s, folder, &diag), -1);
	assert_non_null(strstr(diag.error, "became shorter"));
	slices_close(&s);
}

/* ---- annotations ---- */

#define START 5000000000000ULL

static struct row_tx tx_row(uint32_t event, uint64_t from, uint64_t to, const char *message)
{
	struct row_tx row = {
		.magic = ROW_MAGIC, .level = ROW_TX_LEVEL, .magic2 = ROW_MAGIC, .pid = 42,
		.tid = 43, .event = event, .start = START + from, .end = START + to,
	};

	memcpy(row.message, message, strlen(message)); /* 156 bytes have no zero behind */
	return row;
}

/* A directory with @n rows of annotations, PROF/host */
static void make_prof(const struct row_tx *rows, size_t n)
{
	mkdirat(folder_fd, "PROF", 0750);
	mkdirat(folder_fd, "PROF/host", 0750);
	mkdirat(folder_fd, "PROF/host/data", 0750);
	put_text("PROF/host/info.json", "{\"version\":\"1.0\",\"hostname\":\"h\",\"pid\":\"42\","
		 "\"pid_name\":\"p\",\"CPU\":[{\"Frequency\":\"\"}],\"DeviceInfo\":[]}");
	put_text("PROF/host/start_info", "{\"collectionTimeBegin\":\"1800000000000000\","
		 "\"clockMonotonicRaw\":\"5000000000000\"}");
	put("PROF/host/data/aging.additional.msproftx.slice_0", rows, n * sizeof(*rows));
}

static void open_set(struct prof_set *set)
{
	char *dir = folder;

	diag.error[0] = 0;
	if (prof_set_open(set, &dir, 1, &diag))
		fail_msg("%s", diag.error);
}

static void check_message(struct tx *tx, size_t i, const char *message, size_t len)
{
	struct tx_event e;

	tx_get(tx, i, &e);
	if (e.message_len != len || memcmp(e.message, message, len))
		fail_msg("event %zu is \"%.*s\"", i, (int)e.message_len, e.message);
}

static void test_tx_order(void **state)
{
	char full[157];
	struct row_tx rows[6];
	struct prof_set set;
	struct tx tx;

	(void)state;
	memset(full, 'x', 156);
	full[156] = 0;
	rows[0] = tx_row(ROW_TX_RANGE, 500, 900, "late");
	rows[1] = tx_row(ROW_TX_PUSH_POP, 100, 200, "inner");
	rows[2] = tx_row(ROW_TX_PUSH_POP, 100, 300, "outer");
	rows[3] = tx_row(ROW_TX_MARK, 0, 0, full);
	rows[4] = tx_row(7, 600, 600, "unknown type");
	rows[5] = tx_row(ROW_TX_MARK, 50, 50, "damaged");
	rows[5].magic2 = 0;
	make_prof(rows, 6);
	open_set(&set);

	assert_int_equal(tx_load(&tx, prof_host(&set.prof[0]), TX_ORDER_TRACE, &diag), 0);
	assert_int_equal(tx.nr, 5);
	assert_int_equal(tx.bad_rows, 1);
	assert_int_equal(tx.kinds[TX_MARK], 1);
	assert_int_equal(tx.kinds[TX_PUSH_POP], 2);
	assert_int_equal(tx.kinds[TX_RANGE], 1);
	assert_int_equal(tx.kinds[TX_OTHER], 1);
	check_message(&tx, 0, full, 156);
	check_message(&tx, 1, "outer", 5); /* of equal starts the longest first */
	check_message(&tx, 2, "inner", 5);
	check_message(&tx, 3, "late", 4);
	assert_int_equal(tx_start(&tx, 0), 1800000000000000000);
	tx_free(&tx);

	assert_int_equal(tx_load(&tx, prof_host(&set.prof[0]), TX_ORDER_TABLE, &diag), 0);
	check_message(&tx, 1, "inner", 5); /* as in the file */
	tx_free(&tx);
	prof_set_close(&set);
}

static struct row_tx segment(uint64_t mark, uint16_t index, uint64_t domain, const char *message)
{
	struct row_tx row = tx_row(ROW_TX_MARK_EX, 10 * mark, 10 * mark, message);

	row.info_type = 1;
	row.segment = index;
	row.mark_id = mark;
	row.domain = domain;
	return row;
}

static void test_tx_segments(void **state)
{
	struct row_tx rows[5];
	struct prof_set set;
	struct tx_event e;
	struct tx tx;

	(void)state;
	rows[0] = segment(7, 1, 11, "world");
	rows[1] = segment(3, 0, 12, "alone");
	rows[2] = segment(7, 2, 11, "!");
	rows[3] = segment(7, 0, 11, "hello ");
	rows[4] = tx_row(ROW_TX_MARK, 40, 40, "plain");
	make_prof(rows, 5);
	put_text("PROF/host/data/unaging.additional.hash_dic.slice_0",
		 "11:first\nnonsense\n:x\n99999999999999999999999:y\n13:third");
	open_set(&set);
	assert_int_equal(tx_load(&tx, prof_host(&set.prof[0]), TX_ORDER_TRACE, &diag), 0);
	assert_int_equal(tx.nr, 3);
	assert_int_equal(tx.kinds[TX_MARK], 3);
	check_message(&tx, 0, "alone", 5);
	tx_get(&tx, 0, &e);
	assert_true(e.domain_len == 7 && !memcmp(e.domain, "invalid", 7));
	check_message(&tx, 1, "plain", 5);
	check_message(&tx, 2, "hello world!", 12);
	tx_get(&tx, 2, &e);
	assert_true(e.extended && e.domain_len == 5 && !memcmp(e.domain, "first", 5));
	tx_free(&tx);
	prof_set_close(&set);
}

/* What began at one time stays as it is in the files, whatever the numbers of marks are. */
static void test_tx_segments_order(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	static const uint64_t ids[] = { 9, 3, 7, 1 };
	struct row_tx rows[4];
	struct prof_set set;
	struct tx tx;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		rows[i] = segment(ids[i], 0, 11, names[i]);
		rows[i].start = rows[i].end = 1000;
	}
	make_prof(rows, 4);
	open_set(&set);
	assert_int_equal(tx_load(&tx, prof_host(&set.prof[0]), TX_ORDER_TRACE, &diag), 0);
	assert_int_equal(tx.nr, 4);
	for (unsigned int i = 0; i < 4; i++)
		check_message(&tx, i, names[i], 1);
	tx_free(&tx);
	prof_set_close(&set);
}

static void test_sort(void **state)
{
	enum { N = 5000 };
	struct tx_entry *e = malloc(N * sizeof(*e));
	uint64_t random = 88172645463325252u;

	(void)state;
	for (int round = 0; round < 40; round++) {
		for (uint32_t i = 0; i < N; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			e[i] = (struct tx_entry){ random >> (round % 64), 0, i };
		}
		assert_int_equal(sort_entries(e, N), 0);
		for (int i = 1; i < N; i++)
			assert_true(e[i - 1].key < e[i].key ||
				    (e[i - 1].key == e[i].key && e[i - 1].row < e[i].row));
	}
	free(e);
	assert_int_equal(sort_entries(NULL, 0), 0);
}

/* ---- accounting ---- */

#define ACCOUNT(state, produced, written, ring_full) \
	"{\"format\":1,\"state\":\"" state "\",\"pid\":42,\"comm\":\"p\"," \
	"\"start\":{\"raw_ns\":5000000000000,\"real_ns\":1800000000000000000}," \
	"\"accounting\":[{\"kind\":\"mark\",\"device\":-1,\"produced\":" produced \
	",\"written\":" written ",\"dropped\":{\"ring_full\":" ring_full "},\"open\":0}]}\n"

static const char *mismatch_with(const char *account)
{
	static char why[160];
	struct prof_set set;
	struct walk_seen seen;
	struct tally tally;
	bool wrong = false;

	put_text("PROF/ascprof.json", account);
	open_set(&set);
	assert_int_equal(walk_count(prof_host(&set.prof[0]), &seen), 0);
	assert_int_equal(tally_make(&tally, &set.prof[0], &seen), 0);
	for (unsigned int i = 0; i < tally.nr && !wrong; i++)
		wrong = tally_mismatch(&tally.row[i], why, sizeof(why));
	tally_free(&tally);
	prof_set_close(&set);
	return wrong ? why : "";
}

static void test_equation(void **state)
{
	struct row_tx rows[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		rows[i] = tx_row(ROW_TX_MARK, 10 * (uint64_t)i, 10 * (uint64_t)i, "m");
	make_prof(rows, 3);
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "3", "3", "0")), "");
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "5", "3", "2")), "");
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "4", "4", "0")),
			    "3 rows in the slice files, but written says 4");
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "5", "3", "1")),
			    "produced 5 is not written 3 + dropped 1");
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "2", "3", "18446744073709551615")),
			    "produced 2 is not written 3 + dropped 18446744073709551615");
	/* one that still runs, or was killed, is not judged */
	assert_string_equal(mismatch_with(ACCOUNT("running", "1", "1", "0")), "");
	/* rows of a kind that the accounting does not know */
	rows[2] = tx_row(ROW_TX_RANGE, 20, 30, "r");
	make_prof(rows, 3);
	assert_string_equal(mismatch_with(ACCOUNT("stopped", "2", "2", "0")),
			    "1 rows in the slice files, but written says 0");
	/* damaged: as if it were not there */
	assert_string_equal(mismatch_with("{\"format\":1,"), "");
}

/* ---- output ---- */

static bool exists(const char *name)
{
	return !faccessat(folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int entries(void)
{
	DIR *d = fdopendir(openat(folder_fd, ".", O_RDONLY | O_DIRECTORY));
	int n = -2; /* . and .. */

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void test_out(void **state)
{
	char path[600], text[16] = { 0 };
	struct out o;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(out_open(&o, path, &diag), 0);
	out_text(&o, "abc", 3);
	out_flush(&o);
	assert_false(exists("file")); /* not before it is whole */
	out_abort(&o);
	assert_int_equal(entries(), 0);

	assert_int_equal(out_open(&o, path, &diag), 0);
	out_text(&o, "abc", 3);
	assert_int_equal(out_close(&o, &diag), 0);
	assert_false(exists("file"));
	out_abort(&o);
	assert_int_equal(entries(), 0);

	put_text("file", "old");
	assert_int_equal(out_open(&o, path, &diag), 0);
	out_text(&o, "new text", 8);
	assert_int_equal(out_commit(&o, &diag), 0);
	assert_int_equal(entries(), 1);
	fd = openat(folder_fd, "file", O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 8);
	close(fd);
	assert_string_equal(text, "new text");

	snprintf(path, sizeof(path), "%s/none/file", folder);
	assert_int_equal(out_open(&o, path, &diag), -1);
	assert_non_null(strstr(diag.error, path));
}

/* A file may have no more than @bytes: later writes fail. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#define LINE 16 /* bytes, of which the last is a line feed */
#define LINES (4 * OUT_BUFFER / LINE + 5) /* so that both buffers are filled more than once */

static void put_lines(struct out *o)
{
	for (unsigned int i = 0; i < LINES; i++) {
		char *to = out_room(o, LINE + 1);

		snprintf(to, LINE + 1, "%015u\n", i);
		out_used(o, to + LINE);
	}
}

static void check_lines(void)
{
	char line[LINE + 1];
	int fd = openat(folder_fd, "file", O_RDONLY);
	FILE *f = fdopen(fd, "r");

	assert_non_null(f);
	for (unsigned int i = 0; i < LINES; i++) {
		assert_non_null(fgets(line, sizeof(line), f));
		assert_int_equal(strtoul(line, NULL, 10), i);
	}
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
}

/* More than a buffer is written by a thread, where there is a processor for it. */
static void test_out_thread(void **state)
{
	char path[600];
	cpu_set_t was, one;
	struct out o;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(sched_getaffinity(0, sizeof(was), &was), 0);
	assert_int_equal(out_open(&o, path, &diag), 0);
	put_lines(&o);
	assert_true((o.writer != NULL) == (CPU_COUNT(&was) > 1));
	out_flush(&o);
	assert_int_equal(o.total, LINES * LINE);
	out_text(&o, "", 0);
	assert_int_equal(out_commit(&o, &diag), 0);
	check_lines();
	assert_int_equal(unlinkat(folder_fd, "file", 0), 0);

	assert_int_equal(out_open(&o, path, &diag), 0);
	put_lines(&o);
	out_abort(&o);
	assert_int_equal(entries(), 0);

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(out_open(&o, path, &diag), 0);
	put_lines(&o);
	assert_null(o.writer);
	assert_int_equal(out_commit(&o, &diag), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(was), &was), 0);
	check_lines();
}

/* A write that fails in the thread fails the file, at whichever buffer it is. */
static void test_out_thread_fails(void **state)
{
	char path[600];
	struct rlimit was;
	struct out o;

	(void)state;
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	for (unsigned int buffers = 0; buffers < 5; buffers++) {
		limit_files(buffers * OUT_BUFFER + LINE);
		assert_int_equal(out_open(&o, path, &diag), 0);
		put_lines(&o);
		*diag.error = 0;
		assert_int_equal(out_commit(&o, &diag), -1);
		assert_non_null(strstr(diag.error, strerror(EFBIG)));
		assert_int_equal(entries(), 0);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
}

static void test_full_disk(void **state)
{
	enum { ROWS = 4000 };
	struct row_tx *rows = malloc(ROWS * sizeof(*rows));
	struct tables_total tables;
	struct trace_total trace;
	char path[600];
	struct prof_set set;

	(void)state;
	for (uint64_t i = 0; i < ROWS; i++)
		rows[i] = tx_row(ROW_TX_RANGE, 10 * i, 10 * i + 5, "message");
	make_prof(rows, ROWS);
	free(rows);
	open_set(&set);
	for (rlim_t bytes = 0; bytes < 400000; bytes += 50000) {
		limit_files(bytes);
		diag.error[0] = 0;
		snprintf(path, sizeof(path), "%s/trace.json", folder);
		assert_int_equal(trace_export(&set, path, &trace, &diag), -1);
		assert_non_null(strstr(diag.error, "File too large"));
		snprintf(path, sizeof(path), "%s/csv", folder);
		diag.error[0] = 0;
		assert_int_equal(tables_export(&set, path, &tables, &diag), -1);
		limit_files(RLIM_INFINITY);
		assert_int_equal(entries(), 1); /* the directory that was read */
	}
	snprintf(path, sizeof(path), "%s/trace.json", folder);
	assert_int_equal(trace_export(&set, path, &trace, &diag), 0);
	assert_int_equal(trace.events, ROWS);
	prof_set_close(&set);
}

/* ---- tracks ---- */

static void test_lanes(void **state)
{
	struct tracks t = { 0 };
	struct track *thread;
	int host = tracks_host(&t, "a");

	(void)state;
	thread = tracks_thread(&t, host, 42, 43);
	assert_int_equal(tracks_lane(thread, 0, 100), 0);
	assert_int_equal(tracks_lane(thread, 10, 50), 0); /* nests */
	assert_int_equal(tracks_lane(thread, 20, 50), 0); /* ends together */
	assert_int_equal(tracks_lane(thread, 30, 60), 1); /* crosses */
	assert_int_equal(tracks_lane(thread, 55, 110), 2); /* crosses both */
	assert_int_equal(tracks_lane(thread, 100, 200), 0); /* begins where one ends */
	assert_int_equal(tracks_lane(thread, 150, 150), 0);
	for (int i = 0; i < TRACKS_LANES - 1; i++)
		assert_true(tracks_lane(thread, 160 + i, 300 + i) >= 0);
	assert_int_equal(tracks_lane(thread, 199, 1000), -1); /* no lane is left */
	assert_true(tracks_lane(thread, 2000, 3000) >= 0);
	tracks_free(&t);
}

static void test_pids(void **state)
{
	struct tracks t = { 0 };
	int a = tracks_host(&t, "a"), b = tracks_host(&t, "b");
	uint64_t first, second;

	(void)state;
	assert_int_equal(tracks_host(&t, "a"), a);
	assert_true(a != b);
	assert_int_equal(tracks_process(&t, a, 42)->pid, 42);
	assert_int_equal(tracks_thread(&t, a, 42, 7)->pid, 42);
	first = tracks_process(&t, b, 42)->pid; /* another process of that number */
	assert_true(first != 42);
	assert_int_equal(tracks_thread(&t, b, 42, 7)->pid, first);
	assert_true(tracks_thread(&t, a, 42, 7) != tracks_thread(&t, b, 42, 7));
	first = tracks_device(&t, a, 0)->pid;
	second = tracks_device(&t, b, 0)->pid;
	assert_true(first != second);
	assert_int_equal(tracks_device(&t, a, 0)->pid, first);
	for (uint32_t pid = 100; pid < 3000; pid++) /* the table grows */
		assert_int_equal(tracks_process(&t, a, pid)->pid, pid);
	assert_int_equal(tracks_process(&t, a, 42)->pid, 42);
	tracks_free(&t);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		CASE(test_order),
		CASE(test_crossing),
		CASE(test_cut),
		CASE(test_blank),
		CASE(test_no_slices),
		CASE(test_foreign_files),
		CASE(test_shrinking),
		CASE(test_tx_order),
		CASE(test_tx_segments),
		CASE(test_tx_segments_order),
		cmocka_unit_test(test_sort),
		CASE(test_equation),
		CASE(test_out),
		CASE(test_out_thread),
		CASE(test_out_thread_fails),
		CASE(test_full_disk),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_pids),
		cmocka_unit_test_setup_teardown(test_replaced, make_folder, drop_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
