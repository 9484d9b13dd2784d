// SPDX-License-Identifier: Apache-2.0
/* Prints the table: table DIRECTORY [ROUNDS [WORD]]; only rows whose names have the word. */
#include "bench/table.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 5
#define ROUNDS_MAX 99
#define ROWS_MAX 64

static const struct bench_row *const tables[] = { flush_rows, session_rows };

static const char *top;

static int empty_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	return type == FTW_F && st->st_size ? truncate(path, 0) : 0;
}

/*
 * Old files are emptied, not removed: memory that the page cache never used
 * before is dear in virtual machines, and new inodes are where many were freed.
 */
const char *bench_dir(void)
{
	static char dir[4096];
	static unsigned int number;

	nftw(top, empty_one, 16, FTW_PHYS);
	sync(); /* what the last measurement left to be written is not this one's */
	snprintf(dir, sizeof(dir), "%s/%u", top, number++);
	mkdir(dir, 0755);
	return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

double bench_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double once(const struct bench_row *row)
{
	double value, base;

	value = row->measure();
	if (!row->against)
		return value;
	base = row->against();
	return value > 0 && base > 0 ? base / value : -1;
}

static const char *verdict(const struct bench_row *row, double value)
{
	bool must = row->less_is_better ? value <= row->must : value >= row->must;
	bool aim = row->less_is_better ? value <= row->aim : value >= row->aim;

	if (!row->must)
		return "";
	return aim ? "aim" : must ? "must" : "MISSED";
}

static void print(const struct bench_row *row, double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	if (values[0] < 0) {
		printf("%-58s could not be measured\n", row->name);
		return;
	}
	printf("%-58s %8.3g %-3s [%.3g..%.3g]", row->name, values[n / 2], row->unit, values[0], values[n - 1]);
	if (row->must)
		printf("  must %g, aim %g: %s", row->must, row->aim, verdict(row, values[n / 2]));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct bench_row *rows[ROWS_MAX];
	static double values[ROWS_MAX][ROUNDS_MAX];
	int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS, n = 0;

	if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: table DIRECTORY [ROUNDS [WORD]]; up to %d rounds\n", ROUNDS_MAX);
		return 2;
	}
	top = argv[1];
	/* ext4 looks long for inodes where many were freed lately. */
	if (!nftw(top, remove_one, 16, FTW_PHYS | FTW_DEPTH))
		sleep(6);
	mkdir(top, 0755);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct bench_row *r = tables[t]; r->name && n < ROWS_MAX; r++)
			if (argc < 4 || strstr(r->name, argv[3]))
				rows[n++] = r;
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < n; i++)
			values[i][round] = once(rows[i]);
	printf("median of %d rounds, and their spread\n", rounds);
	for (int i = 0; i < n; i++)
		print(rows[i], values[i], rounds);
	nftw(top, remove_one, 16, FTW_PHYS | FTW_DEPTH);
	return 0;
}
