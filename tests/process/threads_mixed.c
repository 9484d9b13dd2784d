// SPDX-License-Identifier: Apache-2.0
/*
 * 64 threads mix all annotation calls while one more repeats Init, Start, Stop
 * and Finalize: only documented codes, every success is in one directory, and
 * the accounts of each directory are even.
 *
 *   threads_mixed [SECONDS]		default 3; `make stress` gives more
 */
#include "mstx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "acl/acl_prof_optional.h"

#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"

#define THREADS 64
#define HANDED 256 /* ranges and stamps on their way to another thread */
#define STAMPS 4
#define BUDGET 60 /* calls of a thread in one session; bounds the data of a slow machine */
#define KINDS 3

static atomic_bool ended;
static atomic_uint session; /* number of Starts */
static _Atomic uint32_t handed_range[HANDED];
static _Atomic mstxRangeId handed_mstx[HANDED];
static void *_Atomic handed_stamp[HANDED];
static char line[512 + 1];

struct sums {
	unsigned long written, dropped; /* returned 0; returned 500005 */
};

static struct worker {
	pthread_t thread;
	unsigned int random, left, session;
	void *stamp[STAMPS];
	struct sums of[KINDS];
	unsigned long marks_ex, mstx;
} workers[THREADS];

/* Exported by some versions only; frameworks look them up as well. */
static struct {
	aclError (*mark_ex)(const char *, size_t, aclrtStream);
	aclError (*category)(void *, uint32_t);
	aclError (*payload)(void *, const int32_t, void *);
	uint64_t (*str2id)(const char *);
} named;

static bool allowed(aclError code, const aclError *codes)
{
	while (*codes && *codes != code)
		codes++;
	return *codes == code; /* the list ends in 0 */
}

#define expect(code, ...)                                                                       \
	do {                                                                                    \
		static const aclError codes_[] = { __VA_ARGS__, 0 };                            \
		t_check(allowed(code, codes_), "line %d: %d: %s", __LINE__, code, ascprof_last_error()); \
	} while (0)

static void count(struct worker *w, enum row_tx_event event, aclError code)
{
	expect(code, ACL_ERROR_PROF_NOT_RUN, ACL_ERROR_PROFILING_FAILURE);
	if (code == ACL_SUCCESS)
		w->of[event].written++;
	else if (code == ACL_ERROR_PROFILING_FAILURE)
		w->of[event].dropped++;
}

static const char *some_text(struct worker *w, unsigned int most)
{
	return line + sizeof(line) - 1 - t_random(&w->random, most + 1);
}

static unsigned int slot(struct worker *w)
{
	return t_random(&w->random, HANDED);
}

static void message(struct worker *w, void *stamp)
{
	const char *text = some_text(w, 127);

	expect(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), ACL_ERROR_PROF_NOT_RUN);
	if (named.category && !t_random(&w->random, 4))
		expect(named.category(stamp, t_random(&w->random, 8)), ACL_ERROR_PROF_NOT_RUN);
	if (named.payload && !t_random(&w->random, 4)) {
		uint64_t value = t_random(&w->random, 1000);

		expect(named.payload(stamp, 1, &value), ACL_ERROR_PROF_NOT_RUN);
	}
}

static void range_between_threads(struct worker *w, void *stamp)
{
	uint32_t id = 0;
	aclError code = aclprofRangeStart(stamp, &id);

	expect(code, ACL_ERROR_PROF_NOT_RUN);
	id = atomic_exchange(&handed_range[slot(w)], code ? 0 : id);
	if (id)
		count(w, ROW_TX_RANGE, aclprofRangeStop(id));
}

static void range_here(struct worker *w, void *stamp)
{
	uint32_t id;

	if (aclprofRangeStart(stamp, &id))
		return;
	count(w, ROW_TX_RANGE, aclprofRangeStop(id));
	if (!t_random(&w->random, 4))
		expect(aclprofRangeStop(id), ACL_ERROR_PROF_NOT_RUN);
}

/* Deeper than a thread's first room for levels. */
static void push_deep(struct worker *w, void *stamp)
{
	for (int i = 0; i < 60; i++)
		expect(aclprofPush(stamp), ACL_ERROR_PROF_NOT_RUN);
	for (int i = 0; i < 60; i++)
		count(w, ROW_TX_PUSH_POP, aclprofPop());
}

static void push_or_pop(struct worker *w, void *stamp)
{
	if (!t_random(&w->random, 100)) {
		push_deep(w, stamp);
	} else if (t_random(&w->random, 2)) {
		expect(aclprofPush(stamp), ACL_ERROR_PROF_NOT_RUN);
	} else {
		count(w, ROW_TX_PUSH_POP, aclprofPop());
	}
}

static void some_mstx(struct worker *w)
{
	mstxDomainHandle_t domain;
	char name[16];
	mstxRangeId id;

	w->mstx++;
	switch (t_random(&w->random, 3)) {
	case 0:
		mstxMarkA(some_text(w, 300), NULL);
		break;
	case 1:
		id = atomic_exchange(&handed_mstx[slot(w)], mstxRangeStartA(some_text(w, 300), NULL));
		mstxRangeEnd(id);
		break;
	default:
		snprintf(name, sizeof(name), "domain %u", t_random(&w->random, 20));
		domain = mstxDomainCreateA(name);
		id = mstxDomainRangeStartA(domain, some_text(w, 100), NULL);
		mstxDomainMarkA(domain, some_text(w, 100), NULL);
		mstxDomainRangeEnd(domain, id);
		if (!t_random(&w->random, 50))
			mstxDomainDestroy(domain);
	}
}

static void some_named(struct worker *w)
{
	const char *text = some_text(w, 154);
	static int stream;

	if (named.str2id)
		t_check(named.str2id("operator"), "aclprofStr2Id: 0");
	if (!named.mark_ex || !*text)
		return;
	expect(named.mark_ex(text, strlen(text), &stream), ACL_ERROR_PROF_NOT_RUN, ACL_ERROR_FEATURE_UNSUPPORTED);
	w->marks_ex++;
}

/* Keep, destroy, hand over to another thread: stamps outlive sessions. */
static void *some_stamp(struct worker *w)
{
	void **s = &w->stamp[t_random(&w->random, STAMPS)];

	if (!t_random(&w->random, 8))
		*s = atomic_exchange(&handed_stamp[slot(w)], *s);
	if (*s && !t_random(&w->random, 6)) {
		aclprofDestroyStamp(*s);
		*s = NULL;
	}
	if (!*s)
		*s = aclprofCreateStamp();
	return *s;
}

static void annotate(struct worker *w)
{
	void *stamp = some_stamp(w);

	if (!stamp) {
		expect(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
		return;
	}
	switch (t_random(&w->random, 8)) {
	case 0:
		message(w, stamp);
		break;
	case 1:
		range_between_threads(w, stamp);
		break;
	case 2:
		range_here(w, stamp);
		break;
	case 3:
		some_mstx(w);
		break;
	case 4:
		some_named(w);
		break;
	case 5:
		push_or_pop(w, stamp);
		break;
	case 6:
		push_or_pop(w, stamp);
		break;
	default:
		count(w, ROW_TX_MARK, aclprofMark(stamp));
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (!atomic_load(&ended)) {
		unsigned int now = atomic_load(&session);

		if (w->session != now)
			w->left = BUDGET;
		w->session = now;
		/* Also between sessions, when all is refused. */
		if (w->left || !t_random(&w->random, 4)) {
			w->left -= w->left > 0;
			annotate(w);
		}
		t_sleep_us(t_random(&w->random, 300));
	}
	for (unsigned int i = 0; i < STAMPS; i++)
		aclprofDestroyStamp(w->stamp[i]);
	return NULL;
}

/* ---- the life cycle ---- */

static struct {
	unsigned long sessions, directories, mstx;
	struct sums of[KINDS];
} seen;

static void add(const char *prof, const char *kind, struct sums *sum, size_t rows)
{
	struct mstx_account a = mstx_account(prof, kind);

	t_equal((long long)a.written, (long long)rows, "%s: rows of %s", prof, kind);
	if (sum) {
		sum->written += a.written;
		sum->dropped += a.produced - a.written;
	}
}

static size_t events(const struct prof_rows *rows, unsigned int info, enum row_tx_event event)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct row_tx *row = &rows->row[i];

		n += row->info_type == info && row->event == event && !row->segment;
	}
	return n;
}

/* A second Start has a directory for its devices alone. */
static bool has_annotations(const char *prof)
{
	char *text = mstx_file(t_path("%s/ascprof.json", prof));
	bool has = strstr(text, "\"kind\":\"mark\"") != NULL;

	free(text);
	return has;
}

static void check_directory(const char *prof)
{
	struct prof_rows rows;
	size_t marks, ranges;

	prof_rows(&rows, prof);
	if (!has_annotations(prof)) {
		t_check(!rows.count, "%s: %zu rows and no account", prof, rows.count);
		prof_rows_free(&rows);
		return;
	}
	marks = events(&rows, ROW_TX_INFO_SEGMENT, ROW_TX_MARK);
	ranges = events(&rows, ROW_TX_INFO_SEGMENT, ROW_TX_RANGE);
	add(prof, "mark", &seen.of[ROW_TX_MARK], events(&rows, 0, ROW_TX_MARK));
	add(prof, "push_pop", &seen.of[ROW_TX_PUSH_POP], events(&rows, 0, ROW_TX_PUSH_POP));
	add(prof, "range", &seen.of[ROW_TX_RANGE], events(&rows, 0, ROW_TX_RANGE));
	if (marks + ranges) {
		add(prof, "mstx_mark", NULL, marks);
		add(prof, "mstx_range", NULL, ranges);
		seen.mstx += marks + ranges;
	}
	prof_rows_free(&rows);
	seen.directories++;
}

static void check_all(const char *dir)
{
	struct prof_list list;

	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++)
		check_directory(list.path[i]);
	prof_free(&list);
	t_remove(dir);
}

/* Init, some sessions, Finalize; with @rough as programs that do it badly. */
static void life(const char *dir, unsigned int *random, bool rough)
{
	aclprofConfig *first = t_config(ACL_PROF_MSPROFTX, 1, 0), *second = t_config(ACL_PROF_MSPROFTX, 1, 1);

	t_code(t_init(dir), 0);
	for (unsigned int i = 0; i < 4; i++) {
		if (rough && t_random(random, 2))
			expect(aclprofWarmup(first), ACL_ERROR_PROF_API_CONFLICT);
		t_equal(aclprofStart(first), 0, "Start (%s)", ascprof_last_error());
		atomic_fetch_add(&session, 1);
		seen.sessions++;
		if (rough)
			t_code(aclprofStart(second), 0);
		t_sleep_us(2000 + t_random(random, 20000));
		if (rough && i == 3)
			break; /* Finalize stops it */
		if (rough)
			t_code(aclprofStop(second), 0);
		t_equal(aclprofStop(first), 0, "Stop (%s)", ascprof_last_error());
		t_sleep_us(t_random(random, 2000));
	}
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(first);
	aclprofDestroyConfig(second);
}

static void compare(enum row_tx_event event, const char *name)
{
	struct sums all = { 0 };

	for (int i = 0; i < THREADS; i++) {
		all.written += workers[i].of[event].written;
		all.dropped += workers[i].of[event].dropped;
	}
	printf("%s: %lu written, %lu dropped\n", name, all.written, all.dropped);
	t_equal((long long)seen.of[event].written, (long long)all.written, "%s written, by the calls' results", name);
	t_equal((long long)seen.of[event].dropped, (long long)all.dropped, "%s dropped, by the calls' results", name);
	t_check(all.written, "no %s was recorded", name);
}

static void repeat(const char *dir, unsigned int seconds)
{
	uint64_t until = t_raw_ns() + (uint64_t)seconds * 1000000000;
	unsigned int random = 1, lives = 0;

	do {
		char mine[256]; /* kept for longer than t_path() does */

		snprintf(mine, sizeof(mine), "%s/%u", dir, lives);
		life(mine, &random, lives % 2);
		if (!lives)
			prof_check(mine, "--dropped", NULL); /* the format; that starts Python */
		check_all(mine);
		lives++;
	} while (t_raw_ns() < until);
	printf("%u times Init and Finalize, %lu sessions\n", lives, seen.sessions);
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 3;
	const char *dir = t_dir();
	unsigned long marks_ex = 0, mstx = 0;

	memset(line, 'm', sizeof(line) - 1);
	named.mark_ex = (__typeof__(named.mark_ex))dlsym(RTLD_DEFAULT, "aclprofMarkEx");
	named.category = (__typeof__(named.category))dlsym(RTLD_DEFAULT, "aclprofSetStampCategory");
	named.payload = (__typeof__(named.payload))dlsym(RTLD_DEFAULT, "aclprofSetStampPayload");
	named.str2id = (__typeof__(named.str2id))dlsym(RTLD_DEFAULT, "aclprofStr2Id");
	/* Ranges that sessions leave behind are worth a line each; reports of sanitizers must stay. */
	setenv("ASCPROF_LOG", "off", 1);
	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i].random = i + 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	repeat(dir, seconds);
	atomic_store(&ended, true);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		marks_ex += workers[i].marks_ex;
		mstx += workers[i].mstx;
	}
	for (int i = 0; i < HANDED; i++)
		aclprofDestroyStamp(handed_stamp[i]);
	compare(ROW_TX_MARK, "marks");
	compare(ROW_TX_PUSH_POP, "pushes");
	compare(ROW_TX_RANGE, "ranges");
	printf("mstx: %lu events of %lu calls; MarkEx: %lu calls\n", seen.mstx, mstx, marks_ex);
	t_equal((long long)seen.directories, (long long)seen.sessions, "directories with annotations");
	t_check(seen.mstx && seen.mstx <= 2 * mstx, "%lu events of mstx by %lu calls", seen.mstx, mstx);
	return t_end();
}
