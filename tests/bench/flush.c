// SPDX-License-Identifier: Apache-2.0
/*
 * Processor time of the way to disk, for so many bytes: into one file, as the
 * writer can do it, and in slices, as it does, each against write(2) of the same
 * bytes into preallocated files of the same volume. It is getrusage(2)'s of the
 * process, so workers of io_uring are in it; memory to write from is there before.
 * The kernel's writing back, later and in its own name, is in none of them: it
 * would be more of write(2), for what O_DIRECT wrote is on the disk.
 */
#include "bench/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flush/io.h"
#include "flush/slice.h"
#include "format/files.h"

#define TOTAL (256ul << 20)
#define BLOCK (2u << 20)
#define ROW 256u
#define BUFS 4

static int folder(void)
{
	return open(bench_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int create(int dir, const char *name, uint64_t bytes, int flags)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | flags, 0640);

	if (fd >= 0)
		fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes);
	return fd;
}

/* write(2): @slices files of equal size */
static double by_write(unsigned int slices)
{
	char *data = malloc(BLOCK), name[32];
	int dir = folder(), fd = -1;
	bool good = data && dir >= 0;
	double before;

	if (good)
		memset(data, 'w', BLOCK);
	before = bench_cpu_ns();
	for (unsigned int k = 0; k < slices && good; k++) {
		snprintf(name, sizeof(name), "slice_%u", k);
		fd = create(dir, name, TOTAL / slices, 0);
		for (uint64_t at = 0; at < TOTAL / slices && good; at += BLOCK)
			good = write(fd, data, BLOCK) == BLOCK;
		if (slices > 1) {
			good = good && !fsync(fd);
			files_done(dir, name, TOTAL / slices, true);
		}
		close(fd);
	}
	before = bench_cpu_ns() - before;
	close(dir);
	free(data);
	return good ? before : -1;
}

static double one_by_write(void)
{
	return by_write(1);
}

static double slices_by_write(void)
{
	return by_write(TOTAL / SLICE_BYTES);
}

static bool failed;

static void wrote(struct io_op *op, int error)
{
	failed |= error || op->done != op->len;
}

/* The writer's ring, or what stands for it, into one file. */
static double one_by_io(void)
{
	struct io_op op[BUFS] = { 0 }, *ops[BUFS];
	struct io_buf buf[BUFS];
	double before;
	struct io io;
	int dir, fd, slot;

	failed = false;
	if (io_open(&io, IO_AUTO))
		return -1;
	for (int i = 0; i < BUFS; i++) {
		if (!io_buf_get(&buf[i], BLOCK))
			return -1;
		io_buf_register(&io, &buf[i]);
		memset(buf[i].data, 'd', BLOCK);
	}
	before = bench_cpu_ns();
	dir = folder();
	fd = create(dir, "one", TOTAL, O_DIRECT);
	if (fd < 0)
		fd = create(dir, "one", TOTAL, 0);
	slot = io_file_add(&io, fd);
	for (uint64_t at = 0; at < TOTAL && !failed; at += BUFS * BLOCK) {
		for (int i = 0; i < BUFS; i++) {
			op[i] = (struct io_op){
				.fd = fd,
				.file = slot,
				.buf = &buf[i],
				.data = buf[i].data,
				.len = BLOCK,
				.offset = at + (uint64_t)i * BLOCK,
				.complete = wrote,
			};
			ops[i] = &op[i];
		}
		io_start(&io, ops, BUFS);
		io_drain(&io);
	}
	io_file_remove(&io, slot);
	close(fd);
	close(dir);
	before = bench_cpu_ns() - before;
	for (int i = 0; i < BUFS; i++)
		io_buf_put(&io, &buf[i]);
	io_close(&io);
	return failed ? -1 : before;
}

/* The same as slices are written, with their .done files; rows are there already. */
static double slices_by_sink(void)
{
	struct slice_store store = { .reserve_fd = -1 };
	struct slice_sink sink;
	double before;
	struct io io;
	int dir = folder(), probe;

	if (dir < 0 || io_open(&io, IO_AUTO))
		return -1;
	before = bench_cpu_ns();
	store.io = &io;
	probe = create(dir, "probe", 0, 0);
	slice_store_probe(&store, probe);
	close(probe);
	if (!slice_sink_init(&sink, &store, dir, "bench", ROW, BLOCK))
		return -1;
	for (uint64_t left = TOTAL / ROW; left;) {
		uint32_t rows;

		if (!slice_reserve(&sink, &rows))
			break;
		if (rows > left)
			rows = (uint32_t)left;
		slice_commit(&sink, rows, 0);
		left -= rows;
	}
	slice_finish(&sink);
	before = bench_cpu_ns() - before;
	io_close(&io);
	close(dir);
	return store.error ? -1 : before;
}

const struct bench_row flush_rows[] = {
	{ "flush 256 MiB: processor time of write + fallocate", "x", one_by_io, one_by_write, 2.5, 4, false },
	{ "the same in slices of 2 MiB, synced, with .done", "x", slices_by_sink, slices_by_write, 0, 0, false },
	{ 0 },
};
