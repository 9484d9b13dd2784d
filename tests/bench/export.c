/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What export costs.
 *
 *   export rows DIR NR    adds NR annotations to DIR/host/data, as four threads leave them
 *   export format DIR WORK    from sorted rows in the page cache to bytes, in CPU time of one core;
 *                             beside it fprintf, which makes the same bytes. The time in tx_load()
 *                             and tx_free() is taken off as it is spent, within the same run (they
 *                             are wrapped by the linker). Formatting alone is that without a walk
 *                             over the same rows which writes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "export/out.h"
#include "export/prof.h"
#include "export/tables.h"
#include "export/trace.h"
#include "export/timeline.h"
#include "export/tx.h"
#include "format/rows.h"

#define THREADS 4
#define BATCH 256 /* rows that one thread leaves at a time */
#define STEP_NS 1000
#define FIRST_NS 5000010000000ULL /* behind the start of gen_prof.py's directories */
#define ROUNDS 5

static void die(const char *what)
{
	fprintf(stderr, "export: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- rows ---- */

static void make_row(struct row_tx *row, uint64_t i)
{
	uint64_t batch = i / BATCH, thread = batch % THREADS;
	uint64_t at = (batch / THREADS * BATCH + i % BATCH) * THREADS + thread;

	memset(row, 0, sizeof(*row));
	row->magic = row->magic2 = ROW_MAGIC;
	row->level = ROW_TX_LEVEL;
	row->data_len = ROW_TX_DATA_LEN;
	row->tag = ROW_TX_TAG;
	row->pid = 4242;
	row->tid = row->report_tid = (uint32_t)(5000 + thread);
	row->event = (uint32_t)(at % 3);
	row->start = FIRST_NS + at * STEP_NS;
	row->end = row->start + (row->event ? 700 + at % 7 * 31 : 0);
	row->stamp = row->end;
	snprintf(row->message, sizeof(row->message), "layer %" PRIu64 " forward", at % 64);
}

static int add_rows(const char *dir, uint64_t nr)
{
	const uint64_t per_slice = ROW_SLICE_BYTES / sizeof(struct row_tx);
	struct row_tx *slice = malloc(ROW_SLICE_BYTES);

	for (uint64_t first = 0; first < nr; first += per_slice) {
		uint64_t n = nr - first < per_slice ? nr - first : per_slice;
		char path[4096];
		FILE *f;

		for (uint64_t i = 0; i < n; i++)
			make_row(&slice[i], first + i);
		snprintf(path, sizeof(path), "%s/host/data/aging.additional.msproftx.slice_%" PRIu64, dir,
			 1 + first / per_slice);
		f = fopen(path, "w");
		if (!f || fwrite(slice, sizeof(*slice), n, f) != n || fclose(f))
			die(path);
	}
	free(slice);
	return 0;
}

/* ---- formatting ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct prof_set set;
static struct diag diag = { .program = "export" };

/* ---- loading, sorting and giving up: the same for all ---- */

int __real_tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *d);
void __real_tx_free(struct tx *tx);
int __wrap_tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *d);
void __wrap_tx_free(struct tx *tx);

static double loading; /* seconds so far */

int __wrap_tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *d)
{
	double begin = now();
	int ret = __real_tx_load(tx, host, order, d);

	loading += now() - begin;
	return ret;
}

void __wrap_tx_free(struct tx *tx)
{
	double begin = now();

	__real_tx_free(tx);
	loading += now() - begin;
}

static double begin_time(void)
{
	loading = 0;
	return now();
}

/* Since begin_time(), without loading */
static double end_time(double begin)
{
	return now() - begin - loading;
}

static double best(double a, double b)
{
	return b < a ? b : a;
}

/* What is done with rows before they are formatted */
struct reading {
	double load, walk;
};

static void read_rows(enum tx_order order, struct reading *r, size_t *nr)
{
	double begin = begin_time();
	size_t bytes = 0;
	struct tx_event e;
	struct tx tx;

	if (tx_load(&tx, prof_host(&set.prof[0]), order, &diag))
		die("loading");
	for (size_t i = 0; i < tx.nr; i++) {
		tx_get(&tx, i, &e);
		bytes += e.message_len;
	}
	if (!bytes)
		die("rows without messages");
	*nr = tx.nr;
	tx_free(&tx);
	r->walk = best(r->walk, end_time(begin));
	r->load = best(r->load, loading);
}

static double tables_seconds(const char *out)
{
	struct tables_total total;
	double begin = begin_time();

	if (tables_export(&set, out, &total, &diag))
		die(diag.error);
	return end_time(begin);
}

static double trace_seconds(const char *out)
{
	struct trace_total total;
	double begin = begin_time();

	if (trace_export(&set, out, &total, &diag))
		die(diag.error);
	return end_time(begin);
}

/* As those do, into a file that is not there yet */
static FILE *fresh(const char *path)
{
	FILE *f;

	if (strncmp(path, "/dev/", 5) && unlink(path) && errno != ENOENT)
		die(path);
	f = fopen(path, "w");
	if (!f)
		die(path);
	setvbuf(f, NULL, _IOFBF, OUT_BUFFER);
	return f;
}

static double fprintf_tables(const char *out)
{
	static const char *const types[] = { "marker", "push/pop", "start/end" };
	const struct prof_part *host = prof_host(&set.prof[0]);
	struct tx_event e;
	struct tx tx;
	FILE *f = fresh(out);
	double begin = begin_time();

	if (tx_load(&tx, host, TX_ORDER_TABLE, &diag))
		die(out);
	fputs("Device_id,pid,tid,category,event_type,payload_type,payload_value,Start_time(us),End_time(us),"
	      "message_type,message,domain,Device Start_time(us),Device End_time(us)\n", f);
	for (size_t i = 0; i < tx.nr; i++) {
		int64_t start, end;

		tx_get(&tx, i, &e);
		start = timebase_parser_host(&host->time, e.row.start);
		end = timebase_parser_host(&host->time, e.row.end);
		fprintf(f, "host,%u,%u,%u,%s,%d,%" PRIu64 ",%" PRId64 ".%03d\t,%" PRId64 ".%03d\t,%d,%.*s,N/A,N/A,N/A\n",
			e.row.pid, e.row.tid, e.row.category, types[e.row.event], e.row.payload_type, e.row.payload,
			start / 1000, (int)(start % 1000), end / 1000, (int)(end % 1000), e.row.message_type,
			(int)e.message_len, e.message);
	}
	if (fclose(f))
		die(out);
	tx_free(&tx);
	return end_time(begin);
}

/* One event each, as the trace has it but for lanes, of which there is one per thread here. */
static double fprintf_trace(const char *out, int64_t origin)
{
	const struct prof_part *host = prof_host(&set.prof[0]);
	struct tx_event e;
	struct tx tx;
	FILE *f = fresh(out);
	double begin = begin_time();

	if (tx_load(&tx, host, TX_ORDER_TRACE, &diag))
		die(out);
	for (size_t i = 0; i < tx.nr; i++) {
		int64_t start, span;

		tx_get(&tx, i, &e);
		start = timebase_host(&host->time, e.row.start) - origin;
		span = (int64_t)(e.row.end - e.row.start);
		fprintf(f, ",\n{\"name\":\"%.*s", (int)e.message_len, e.message);
		if (e.kind == TX_MARK)
			fprintf(f, "\",\"ph\":\"I\",\"s\":\"t\",\"ts\":%" PRId64 ".%03d,\"pid\":%u,\"tid\":%u,\"args\":"
				"{\"event_type\":\"marker\"}}", start / 1000, (int)(start % 1000), e.row.pid, e.row.tid);
		else if (e.kind == TX_PUSH_POP)
			fprintf(f, "\",\"ph\":\"X\",\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,\"pid\":%u,\"tid\":%u,"
				"\"args\":{\"event_type\":\"push/pop\"}}", start / 1000, (int)(start % 1000), span / 1000,
				(int)(span % 1000), e.row.pid, e.row.tid);
		else
			fprintf(f, "\",\"ph\":\"X\",\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,\"pid\":%u,\"tid\":%u,"
				"\"args\":{\"event_type\":\"start/end\",\"thread\":%u}}", start / 1000, (int)(start % 1000),
				span / 1000, (int)(span % 1000), e.row.pid, e.row.tid + (1u << 22), e.row.tid);
	}
	fputs("\n]\n", f);
	if (fclose(f))
		die(out);
	tx_free(&tx);
	return end_time(begin);
}

static char *map_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *map;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	*len = (size_t)st.st_size;
	map = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Whether both say the same, but for lines of metadata in @a_path. */
static const char *compare(const char *a_path, const char *b_path)
{
	size_t a_len, b_len, same = 0;
	char *a = map_file(a_path, &a_len), *b = map_file(b_path, &b_len);
	char *at = a, *to = b + (!memcmp(b, ",\n", 2) ? 2 : 0), *a_end = a + a_len, *b_end = b + b_len;

	while (at < a_end) {
		char *line = memchr(at, '\n', (size_t)(a_end - at));
		size_t n = line ? (size_t)(line - at) + 1 : (size_t)(a_end - at);

		if (n <= (size_t)(b_end - to) && !memcmp(at, to, n)) {
			to += n;
			same += n;
		} else if (!memmem(at, n, "\"ph\":\"M\"", 8) && n > 3) {
			break;
		}
		at += n;
	}
	munmap(a, a_len);
	munmap(b, b_len);
	return at == a_end && same + 4 >= b_len ? "the same bytes" : "OTHER BYTES";
}

static void report(const char *what, size_t nr, double ours, double theirs, const char *note)
{
	printf("%-18s %6.1f ns/record %6.1f M records/s/core   fprintf %6.1f ns: %5.1f x  %s\n", what,
	       ours * 1e9 / (double)nr, (double)nr / ours / 1e6, theirs * 1e9 / (double)nr, theirs / ours, note);
}

struct times {
	double tables, trace, fprintf_tables, fprintf_trace;
};

/* The files @csv and @trace are made anew in each round; NULL: there are none. */
static void measure(struct times *t, const char *tables, const char *csv, const char *trace,
		    const char *const other[2], int64_t origin)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (csv && i && (unlink(csv) || unlink(trace)))
			die(csv);
		t->tables = best(t->tables, tables_seconds(tables));
		t->trace = best(t->trace, trace_seconds(trace));
		t->fprintf_tables = best(t->fprintf_tables, fprintf_tables(other[0]));
		t->fprintf_trace = best(t->fprintf_trace, fprintf_trace(other[1], origin));
	}
}

/* Where no second thread pays, nor disturbs */
static void stay_on_one_core(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("one core");
}

static int format(char *dir, const char *work)
{
	struct times file = { 1e9, 1e9, 1e9, 1e9 }, nowhere = file;
	struct reading csv_rows = { 1e9, 1e9 }, json_rows = csv_rows;
	char tables[4096], csv[4200], trace[4096], nothing[4096], link[4200], other[2][4096];
	const char *const others[2] = { other[0], other[1] }, *const null[2] = { "/dev/null", "/dev/null" };
	struct timeline line;
	int64_t origin;
	size_t nr = 0;

	stay_on_one_core();
	snprintf(tables, sizeof(tables), "%s/tables", work);
	snprintf(csv, sizeof(csv), "%s/msprof_tx.csv", tables);
	snprintf(trace, sizeof(trace), "%s/trace.json", work);
	snprintf(nothing, sizeof(nothing), "%s/nothing", work);
	snprintf(link, sizeof(link), "%s/msprof_tx.csv", nothing);
	for (int i = 0; i < 2; i++)
		snprintf(other[i], sizeof(other[i]), "%s/fprintf.%d", work, i);
	if ((mkdir(nothing, 0777) || symlink("/dev/null", link)) && errno != EEXIST)
		die(nothing);
	if (prof_set_open(&set, &dir, 1, &diag) || timeline_open(&line, &set, &diag))
		die(diag.error);
	origin = line.origin;
	timeline_close(&line);
	for (int i = 0; i < ROUNDS; i++) {
		read_rows(TX_ORDER_TABLE, &csv_rows, &nr);
		read_rows(TX_ORDER_TRACE, &json_rows, &nr);
	}
	measure(&nowhere, nothing, NULL, "/dev/null", null, origin);
	measure(&file, tables, csv, trace, others, origin);
	printf("%zu records in memory; loading and sorting (CSV %.1f, JSON %.1f ns/record) excluded; a walk over them: "
	       "%.1f and %.1f ns/record\n", nr, csv_rows.load * 1e9 / (double)nr, json_rows.load * 1e9 / (double)nr,
	       csv_rows.walk * 1e9 / (double)nr, json_rows.walk * 1e9 / (double)nr);
	report("CSV, formatting", nr, nowhere.tables - csv_rows.walk, nowhere.fprintf_tables - csv_rows.walk,
	       "without the walk");
	report("JSON, formatting", nr, nowhere.trace - json_rows.walk, nowhere.fprintf_trace - json_rows.walk,
	       "without the walk");
	report("CSV with the walk", nr, nowhere.tables, nowhere.fprintf_tables, "");
	report("JSON with the walk", nr, nowhere.trace, nowhere.fprintf_trace, "");
	report("CSV into a file", nr, file.tables, file.fprintf_tables, compare(csv, other[0]));
	report("JSON into a file", nr, file.trace, file.fprintf_trace, compare(trace, other[1]));
	prof_set_close(&set);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "rows"))
		return add_rows(argv[2], strtoull(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "format"))
		return format(argv[2], argv[3]);
	fputs("usage: export rows DIR NR | export format DIR WORK\n", stderr);
	return 2;
}
