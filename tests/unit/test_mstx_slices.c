// SPDX-License-Identifier: Apache-2.0
/*
 * Events of several rows in slice files: kept together across buffers and
 * slices, and gone as a whole when a write ends anywhere within; in whole
 * blocks where O_DIRECT is used, and written again where it is refused; the
 * same bytes from compressed slices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/unpack.h"
#include "flush/slice.h"
#include "native/zstd.h"

#define ROW 64
#define BUF (16 * ROW)

/* the head of a row; the rest is filler */
struct row {
	uint32_t part; /* 0: the first of its event */
	uint32_t kind;
	uint32_t event;
	uint32_t rows; /* of the event */
};

static unsigned int kind_of(const void *data)
{
	const struct row *r = data;

	return r->part ? SLICE_PART : r->kind;
}

/* A disk with room for so many bytes. */
static uint64_t disk_room;
static uint32_t disk_block; /* that O_DIRECT needs; 0: refuses it */
static uint64_t disk_direct; /* bytes written so */

/* What is set is told by the file, and not used on it: rows here are smaller than blocks of disks. */
static bool disk_takes(struct io_op *op)
{
	int flags = fcntl(op->fd, F_GETFL);

	if (!(flags & O_DIRECT))
		return true;
	if (!disk_block)
		return false;
	assert_int_equal((op->offset + op->done) % disk_block, 0);
	assert_int_equal((op->len - op->done) % disk_block, 0);
	disk_direct += op->len - op->done;
	return true;
}

static int disk_write(struct io_op *op)
{
	uint64_t left = op->len - op->done, n = left < disk_room ? left : disk_room;
	int flags = fcntl(op->fd, F_GETFL);

	if (!op->len)
		return 0;
	if (!disk_takes(op))
		return EINVAL;
	fcntl(op->fd, F_SETFL, flags & ~O_DIRECT);
	assert_int_equal(pwrite(op->fd, op->data + op->done, n, (off_t)(op->offset + op->done)), n);
	fcntl(op->fd, F_SETFL, flags);
	disk_room -= n;
	op->done += n;
	return n < left ? ENOSPC : 0;
}

static void disk_start(struct io *io, struct io_op *const *ops, unsigned int n)
{
	int err = 0;

	for (unsigned int i = 0; i < n; i++) {
		err = err ? ECANCELED : disk_write(ops[i]);
		io_finish(io, ops[i], err);
	}
}

static void disk_wait(struct io *io, int timeout_ms, bool watching)
{
	(void)io;
	(void)timeout_ms;
	(void)watching;
}

static const struct io_backend disk = { .name = "disk", .start = disk_start, .wait = disk_wait };

struct fixture {
	char dir[64];
	int fd;
	struct io io;
	struct slice_store store;
	struct slice_sink sink;
	uint64_t taken[2]; /* events by kind */
};

static void begin(struct fixture *f, uint64_t room)
{
	*f = (struct fixture){ .dir = "/tmp/ascprof-slices.XXXXXX", .io.backend = &disk };
	f->store = (struct slice_store){ .io = &f->io, .reserve_fd = -1 };
	assert_non_null(mkdtemp(f->dir));
	f->fd = open(f->dir, O_RDONLY | O_DIRECTORY);
	disk_room = room;
	assert_true(slice_sink_init(&f->sink, &f->store, f->fd, "test", ROW, BUF));
	f->sink.kind_of = kind_of;
}

static void put(struct fixture *f, uint32_t event, uint32_t rows, uint32_t kind)
{
	char *to = slice_reserve_event(&f->sink, rows);

	f->taken[kind]++;
	if (!to) {
		slice_lose(&f->sink, 1, kind);
		return;
	}
	for (uint32_t i = 0; i < rows; i++) {
		struct row head = { i, kind, event, rows };

		memset(to + i * ROW, 'x', ROW);
		memcpy(to + i * ROW, &head, sizeof(head));
	}
	slice_commit_event(&f->sink, rows, kind);
}

/* Every event is whole in one file; as many as are counted, by kind. */
static uint64_t check_files(struct fixture *f)
{
	uint64_t found[2] = { 0, 0 }, last = 0, bytes = 0;

	for (unsigned int k = 0; k < f->sink.next_index; k++) {
		char path[128];
		struct row head, first = { 0 };
		uint32_t at = 0;
		FILE *file;

		snprintf(path, sizeof(path), "%s/test.slice_%u", f->dir, k);
		file = fopen(path, "r");
		if (!file) {
			assert_int_equal(errno, ENOENT);
			continue;
		}
		for (char row[ROW]; fread(row, ROW, 1, file) == 1; bytes += ROW) {
			memcpy(&head, row, sizeof(head));
			if (!at) {
				first = head;
				found[head.kind]++;
				assert_true(!last || head.event > last);
				last = head.event;
			}
			assert_int_equal(head.part, at);
			assert_int_equal(head.event, first.event);
			at = at + 1 < head.rows ? at + 1 : 0;
		}
		assert_int_equal(at, 0);
		assert_int_equal(ftell(file) % ROW, 0);
		assert_true(ftell(file) <= SLICE_BYTES);
		fclose(file);
		unlink(path);
		strcat(path, ".done");
		unlink(path);
	}
	for (int kind = 0; kind < 2; kind++) {
		assert_int_equal(f->sink.taken[kind], f->taken[kind]);
		assert_int_equal(f->sink.written[kind], found[kind]);
	}
	return bytes;
}

static void end(struct fixture *f)
{
	close(f->fd);
	assert_int_equal(rmdir(f->dir), 0);
}

static uint32_t rows_of(uint32_t event)
{
	return event % 16 + 1; /* up to a whole buffer */
}

/* Through several slices, with sizes that fit nowhere evenly. */
static void all_whole(void **state)
{
	struct fixture f;
	uint64_t rows = 0;

	(void)state;
	begin(&f, UINT64_MAX);
	for (uint32_t e = 1; rows * ROW < 3 * (uint64_t)SLICE_BYTES; e++) {
		put(&f, e, rows_of(e), e % 2);
		rows += rows_of(e);
	}
	slice_finish(&f.sink);
	assert_int_equal(f.store.error, 0);
	assert_int_equal(check_files(&f), rows * ROW);
	assert_true(f.sink.next_index >= 4);
	end(&f);
}

/* Events of one row and of many, by both ways in. */
static void mixed(void **state)
{
	struct fixture f;
	uint64_t rows = 0;

	(void)state;
	begin(&f, UINT64_MAX);
	for (uint32_t e = 1; rows * ROW < 2 * (uint64_t)SLICE_BYTES; e++) {
		struct row head = { 0, e % 2, e, 1 };
		uint32_t room;
		char *to;

		if (e % 3) {
			put(&f, e, rows_of(e), e % 2);
			rows += rows_of(e);
			continue;
		}
		to = slice_reserve(&f.sink, &room);
		assert_non_null(to);
		assert_true(room >= 1);
		memset(to, 'x', ROW);
		memcpy(to, &head, sizeof(head));
		slice_commit(&f.sink, 1, e % 2);
		f.taken[e % 2]++;
		rows++;
	}
	slice_finish(&f.sink);
	assert_int_equal(check_files(&f), rows * ROW);
	end(&f);
}

/* The disk is full after any number of rows, and within one. */
static void cut_anywhere(void **state)
{
	(void)state;
	for (uint64_t room = 0; room <= 100 * ROW; room += room % ROW ? ROW - room % ROW : ROW / 2) {
		struct fixture f;
		uint64_t bytes, whole = 0;

		begin(&f, room);
		for (uint32_t e = 1; e <= 40; e++)
			put(&f, e, rows_of(e), e % 2);
		slice_finish(&f.sink);
		assert_int_equal(f.store.error, ENOSPC);
		bytes = check_files(&f);
		/* all that fitted, to the last event */
		for (uint32_t e = 1; whole + rows_of(e) * ROW <= room; e++)
			whole += rows_of(e) * ROW;
		assert_int_equal(bytes, whole);
		end(&f);
	}
}

/* Up to four rows in each event; returns how many bytes they are. */
static uint64_t put_blocks(struct fixture *f, uint32_t block)
{
	uint64_t bytes = 0;

	begin(f, UINT64_MAX);
	f->store.block = 4 * ROW;
	f->sink.preallocate = true;
	disk_block = block;
	disk_direct = 0;
	for (uint32_t e = 1; bytes < 2 * (uint64_t)SLICE_BYTES; e++) {
		put(f, e, e * 7 % 4 + 1, e % 2);
		bytes += (e * 7 % 4 + 1) * ROW;
		if (bytes > SLICE_BYTES && bytes < SLICE_BYTES + BUF && e % 3 == 0)
			slice_flush(&f->sink); /* as time does it: at any row */
	}
	slice_finish(&f->sink);
	assert_int_equal(f->store.error, 0);
	return bytes;
}

static void whole_blocks(void **state)
{
	struct fixture f;
	uint64_t bytes = put_blocks(&f, 4 * ROW);
	int flags = fcntl(f.fd, F_GETFL);

	(void)state;
	assert_int_equal(check_files(&f), bytes);
	if (!fcntl(f.fd, F_SETFL, flags | O_DIRECT)) { /* else the file system has none */
		assert_true(disk_direct > SLICE_BYTES / 2);
		assert_true(disk_direct < bytes);
	}
	assert_int_equal(f.store.block, 4 * ROW);
	end(&f);
}

static void blocks_refused(void **state)
{
	struct fixture f;
	uint64_t bytes = put_blocks(&f, 0);

	(void)state;
	assert_int_equal(check_files(&f), bytes);
	assert_int_equal(disk_direct, 0);
	if (!f.store.block)
		assert_non_null(strstr(f.store.buffered, "Invalid argument"));
	end(&f);
}

/* A file is open for whole blocks when another sink of the store finds that there are none. */
static void blocks_refused_elsewhere(void **state)
{
	struct fixture f;
	uint64_t bytes = 0;

	(void)state;
	begin(&f, UINT64_MAX);
	f.store.block = 4 * ROW;
	f.sink.preallocate = true;
	disk_block = 4 * ROW;
	put(&f, 1, 3, 0);
	bytes += 3 * ROW;
	f.store.block = 0;
	for (uint32_t e = 2; e <= 40; e++) {
		put(&f, e, rows_of(e), e % 2);
		bytes += rows_of(e) * ROW;
		if (e % 9 == 0)
			slice_flush(&f.sink);
	}
	slice_finish(&f.sink);
	assert_int_equal(f.store.error, 0);
	assert_int_equal(check_files(&f), bytes);
	end(&f);
}

/* ---- compressed ---- */

static void need_zstd(void)
{
	if (*native_zstd_missing()) {
		print_message("skipped: %s\n", native_zstd_missing());
		skip();
	}
}

static void begin_packed(struct fixture *f, uint64_t room)
{
	begin(f, room);
	f->store.zstd = native_zstd_new(1, true);
	assert_non_null(f->store.zstd);
	assert_true(slice_sink_pack(&f->sink, NULL));
}

static void end_packed(struct fixture *f)
{
	native_zstd_free(f->store.zstd);
	end(f);
}

struct plain {
	FILE *file;
	size_t most; /* bytes of one frame */
};

static int append(void *arg, const void *data, size_t len)
{
	struct plain *p = arg;

	p->most = len > p->most ? len : p->most;
	return fwrite(data, 1, len, p->file) == len ? 0 : -1;
}

/* Puts plain slices in place of the compressed ones, all of which are whole. Return: bytes of the latter. */
static uint64_t unpack_files(struct fixture *f)
{
	uint64_t bytes = 0;

	for (unsigned int k = 0; k < f->sink.next_index; k++) {
		struct plain plain = { NULL, 0 };
		struct unpacked got;
		char name[128], *data;
		long size;
		FILE *in;

		snprintf(name, sizeof(name), "%s/test.slice_%u.zst", f->dir, k);
		in = fopen(name, "r");
		if (!in) {
			assert_int_equal(errno, ENOENT);
			continue;
		}
		fseek(in, 0, SEEK_END);
		size = ftell(in);
		rewind(in);
		data = malloc((size_t)size + 1);
		assert_int_equal(fread(data, 1, (size_t)size + 1, in), size);
		fclose(in);
		unlink(name);
		strcat(name, ".done");
		assert_int_equal(unlink(name), 0);
		snprintf(name, sizeof(name), "%s/test.slice_%u", f->dir, k);
		plain.file = fopen(name, "w");
		assert_int_equal(unpack_slice(PACKED_ZSTD, data, (size_t)size, append, &plain, &got), 0);
		assert_null(got.wrong);
		assert_true(plain.most <= BUF);
		fclose(plain.file);
		free(data);
		bytes += (uint64_t)size;
	}
	return bytes;
}

static void put_through_slices(struct fixture *f, bool random)
{
	unsigned int number = 1;
	uint64_t rows = 0;

	for (uint32_t e = 1; rows * ROW < 3 * (uint64_t)SLICE_BYTES; e++) {
		char *to = slice_reserve_event(&f->sink, rows_of(e));

		assert_non_null(to);
		for (uint32_t i = 0; i < rows_of(e); i++, to += ROW) {
			struct row head = { i, e % 2, e, rows_of(e) };

			for (uint32_t at = 0; at < ROW; at++)
				to[at] = random ? (char)((number = number * 1103515245u + 12345u) >> 16) : (char)i;
			memcpy(to, &head, sizeof(head));
		}
		slice_commit_event(&f->sink, rows_of(e), e % 2);
		f->taken[e % 2]++;
		rows += rows_of(e);
		if (e % 1000 == 0)
			slice_flush(&f->sink); /* as time does it: at any row */
	}
	slice_finish(&f->sink);
	assert_int_equal(f->store.error, 0);
}

/* The same slices, and a store that knows what they take. Some rows cannot be made smaller. */
static void packed_is_plain(void **state)
{
	(void)state;
	need_zstd();
	for (int random = 0; random < 2; random++) {
		struct fixture plain, packed;
		uint64_t bytes;

		begin(&plain, UINT64_MAX);
		put_through_slices(&plain, random);
		begin_packed(&packed, UINT64_MAX);
		put_through_slices(&packed, random);
		assert_int_equal(packed.sink.next_index, plain.sink.next_index);
		bytes = unpack_files(&packed);
		assert_int_equal(packed.store.bytes, bytes);
		if (!random)
			assert_true(bytes < plain.store.bytes / 2);
		for (unsigned int k = 0; k < plain.sink.next_index; k++) {
			char command[256];

			snprintf(command, sizeof(command), "cmp %s/test.slice_%u %s/test.slice_%u", plain.dir, k,
				 packed.dir, k);
			assert_int_equal(system(command), 0);
		}
		assert_int_equal(check_files(&packed), check_files(&plain));
		end_packed(&packed);
		end(&plain);
	}
}

/* The disk is full within any frame: those before it stay, and are what counts. */
static void packed_cut_anywhere(void **state)
{
	uint64_t most = 0;

	(void)state;
	need_zstd();
	for (uint64_t room = 0; room < 3000; room += 37) {
		struct fixture f;

		begin_packed(&f, room);
		for (uint32_t e = 1; e <= 1000; e++)
			put(&f, e, rows_of(e), e % 2);
		slice_finish(&f.sink);
		assert_int_equal(f.store.error, ENOSPC);
		assert_true(unpack_files(&f) <= room);
		assert_true(f.sink.written[0] + f.sink.written[1] >= most);
		most = f.sink.written[0] + f.sink.written[1];
		check_files(&f);
		end_packed(&f);
	}
	assert_true(most > 0);
}

/* The oldest go for the limit, which is one of bytes on disk. */
static void packed_ages(void **state)
{
	struct fixture f;
	uint64_t aged;

	(void)state;
	need_zstd();
	begin_packed(&f, UINT64_MAX);
	f.store.limit = SLICE_BYTES + SLICE_BYTES / 2;
	put_through_slices(&f, false);
	aged = f.sink.aged[0] + f.sink.aged[1];
	assert_int_equal(f.sink.written[0] + f.sink.written[1] + aged, f.taken[0] + f.taken[1]);
	assert_int_equal(aged, 0); /* the limit is half of what it was before it was compressed */
	unpack_files(&f);
	check_files(&f);
	end_packed(&f);

	begin_packed(&f, UINT64_MAX);
	f.store.limit = SLICE_BYTES + SLICE_BYTES / 2;
	put_through_slices(&f, true);
	aged = f.sink.aged[0] + f.sink.aged[1];
	assert_true(aged > 0);
	assert_int_equal(f.sink.written[0] + f.sink.written[1] + aged, f.taken[0] + f.taken[1]);
	unpack_files(&f);
	check_files(&f);
	end_packed(&f);
}

static void stored_frames(void **state)
{
	static const uint32_t lens[] = { 0, 1, NATIVE_ZSTD_BLOCK - 1, NATIVE_ZSTD_BLOCK, NATIVE_ZSTD_BLOCK + 1,
					 3 * NATIVE_ZSTD_BLOCK };

	(void)state;
	need_zstd();
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		char *from = malloc(lens[i] + 1u), *to = malloc(NATIVE_ZSTD_STORED(lens[i]));
		char *back = malloc(lens[i] + 1u);
		size_t n;

		for (uint32_t at = 0; at < lens[i]; at++)
			from[at] = (char)(at * 31 ^ at >> 7);
		n = native_zstd_store(to, from, lens[i]);
		assert_true(n <= NATIVE_ZSTD_STORED(lens[i]));
		assert_int_equal(native_zstd_frame(to, n), n);
		assert_int_equal(native_zstd_frame(to, n - 1), 0);
		assert_int_equal(native_zstd_unpack(back, lens[i] + 1u, to, n), lens[i]);
		assert_memory_equal(back, from, lens[i]);
		free(from);
		free(to);
		free(back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_whole),
		cmocka_unit_test(mixed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(whole_blocks),
		cmocka_unit_test(blocks_refused),
		cmocka_unit_test(blocks_refused_elsewhere),
		cmocka_unit_test(packed_is_plain),
		cmocka_unit_test(packed_cut_anywhere),
		cmocka_unit_test(packed_ages),
		cmocka_unit_test(stored_frames),
	};

	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
