// SPDX-License-Identifier: Apache-2.0
/* Prints the table: table DIRECTORY [ROUNDS [WORD]]; only rows whose names have the word. */
#include "bench/table.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"

#define ROUNDS 9
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
	return bench_cpu() * 1e9;
}

/* What a row measured in each round, and what it is compared with. */
struct values {
	double value[ROUNDS_MAX];
	double base[ROUNDS_MAX];
	double shown[ROUNDS_MAX]; /* a number of the row; negative: could not be measured */
};

/* In turn the one and the other first: what comes second may find a device that is still busy. */
static void once(const struct bench_row *row, struct values *v, int round)
{
	double value, base = 0;

	if (row->against && round % 2)
		base = row->against();
	value = row->measure();
	if (row->against && round % 2 == 0)
		base = row->against();
	v->value[round] = value;
	v->base[round] = base;
	v->shown[round] = !row->against ? value : value > 0 && base > 0 ? base / value : -1;
}

static const char *verdict(const struct bench_row *row, double value)
{
	bool must = row->less_is_better ? value <= row->must : value >= row->must;
	bool aim = row->less_is_better ? value <= row->aim : value >= row->aim;

	if (!row->must)
		return "";
	return aim ? "aim" : must ? "must" : "MISSED";
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), bench_by_value);
	return values[n / 2];
}

/* A ratio is that of the medians: a round that another process spoilt is then in neither. */
static void print(const struct bench_row *row, struct values *v, int n)
{
	double value = median(v->value, n), base = median(v->base, n), shown = median(v->shown, n);

	if (v->shown[0] < 0) {
		printf("%-58s could not be measured\n", row->name);
		return;
	}
	if (row->against)
		shown = base / value;
	printf("%-58s %8.3g %-3s [%.3g..%.3g]", row->name, shown, row->unit, v->shown[0], v->shown[n - 1]);
	if (row->must)
		printf("  must %g, aim %g: %s", row->must, row->aim, verdict(row, shown));
	if (row->against)
		printf("\n  (medians of %.1f and %.1f ms, least %.1f and %.1f)", base / 1e6, value / 1e6, v->base[0] / 1e6,
		       v->value[0] / 1e6);
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct bench_row *rows[ROWS_MAX];
	static struct values values[ROWS_MAX];
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
			once(rows[i], &values[i], round);
	printf("medians of %d rounds, in turn, and the spread of the rounds\n", rounds);
	for (int i = 0; i < n; i++)
		print(rows[i], &values[i], rounds);
	nftw(top, remove_one, 16, FTW_PHYS | FTW_DEPTH);
	return 0;
}
