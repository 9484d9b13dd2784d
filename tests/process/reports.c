// SPDX-License-Identifier: Apache-2.0
/*
 * What frameworks report comes out byte for byte, in the file of its type, and
 * is accounted for: from many threads, between annotations, without any, and
 * with a full ring. What must not age stays.
 */
#include "prof.h"
#include "t.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "ascprof/report.h"

#define THREADS 4u
#define EACH 20000u
#define TYPE_OWN 77u

struct planted {
	unsigned long api, event, compact, additional, tensor;
};

/* Fields that tell each row from all others. */
static void fill(unsigned char *data, size_t size, uint32_t thread, uint32_t i)
{
	for (size_t at = 0; at < size; at++)
		data[at] = (unsigned char)(thread * 31 + i * 7 + at);
}

static struct MsprofApi api_of(uint32_t thread, uint32_t i)
{
	return (struct MsprofApi){ .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = MSPROF_REPORT_ACL_LEVEL,
				   .type = 0x30000, .threadId = thread, .beginTime = 1000 + i, .endTime = 2000 + i,
				   .itemId = MsprofGetHashId("aclrtMemcpy", 11) };
}

static struct MsprofCompactInfo compact_of(uint32_t type, uint32_t thread, uint32_t i)
{
	struct MsprofCompactInfo c = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = MSPROF_REPORT_NODE_LEVEL,
				       .type = type, .threadId = thread, .dataLen = 28, .timeStamp = 1000 + i };

	fill(c.data.info, sizeof(c.data.info), thread, i);
	return c;
}

static struct MsprofAdditionalInfo additional_of(uint16_t level, uint32_t type, uint32_t thread, uint32_t i)
{
	struct MsprofAdditionalInfo a = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = level, .type = type,
					  .threadId = thread, .dataLen = 232, .timeStamp = 1000 + i };

	fill(a.data, sizeof(a.data), thread, i);
	return a;
}

static void check_code(int32_t code, const char *what)
{
	if (code && code != MSPROF_ERROR_MEM_NOT_ENOUGH)
		t_code(code, 0);
	t_check(code != MSPROF_ERROR_MEM_NOT_ENOUGH, "%s was dropped", what);
}

static void *reporter(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg;
	void *stamp = aclprofCreateStamp(); /* NULL without msproftx */


	for (uint32_t i = 0; i < EACH; i++) {
		struct MsprofApi api = api_of(thread, i);
		struct MsprofEvent event = { .level = MSPROF_REPORT_MODEL_LEVEL, .type = 1, .threadId = thread,
					     .requestId = i, .timeStamp = 1000 + i };
		struct MsprofCompactInfo node = compact_of(0, thread, i), own = compact_of(TYPE_OWN, thread, i);
		struct MsprofAdditionalInfo memory = additional_of(MSPROF_REPORT_NODE_LEVEL, 6, thread, i);
		struct MsprofAdditionalInfo nameless = additional_of(MSPROF_REPORT_MODEL_LEVEL, 12345, thread, i);

		check_code(MsprofReportApi(i % 2, &api), "a call");
		check_code(MsprofReportEvent(1, &event), "an event");
		check_code(MsprofReportCompactInfo(0, &node, sizeof(node)), "a node");
		check_code(MsprofReportCompactInfo(1, &own, 24 + 28), "a row of an own type");
		if (i % 10 == 0) {
			check_code(MsprofReportAdditionalInfo(1, &memory, sizeof(memory)), "memory");
			check_code(MsprofReportAdditionalInfo(0, &nameless, sizeof(nameless)), "nameless");
			if (stamp)
				aclprofMark(stamp);
		}
		if (i % 1000 == 0)
			t_sleep_us(1000); /* 8 bytes of head and all: no ring of 32 MiB fills */
	}
	aclprofDestroyStamp(stamp);
	return NULL;
}

static unsigned char *contents(const char *prof, const char *tag, size_t *size)
{
	unsigned char *all = NULL;

	*size = 0;
	for (unsigned int k = 0;; k++) {
		FILE *f = fopen(t_path("%s/host/data/%s.slice_%u", prof, tag, k), "r");
		struct stat st;

		if (!f)
			return all;
		if (!fstat(fileno(f), &st)) {
			all = realloc(all, *size + (size_t)st.st_size + 1);
			t_check(all && fread(all + *size, 1, (size_t)st.st_size, f) == (size_t)st.st_size, "reading %s", tag);
			*size += (size_t)st.st_size;
		}
		fclose(f);
	}
}

/* Every thread's rows are there in its order, as they were reported. */
static void check_rows(const char *prof, const char *tag, size_t row, uint32_t step, uint32_t first,
		       void (*expected)(unsigned char *to, uint32_t thread, uint32_t i))
{
	uint32_t next[THREADS];
	unsigned char want[256];
	size_t size;
	unsigned char *all = contents(prof, tag, &size);

	for (uint32_t t = 0; t < THREADS; t++)
		next[t] = first;
	t_equal((long long)size, (long long)(THREADS * (EACH / step) * row), "bytes of %s", tag);
	for (size_t at = 0; at + row <= size; at += row) {
		uint32_t thread;

		memcpy(&thread, all + at + 8, sizeof(thread));
		if (thread >= THREADS) {
			t_check(false, "%s: row of thread %u", tag, thread);
			break;
		}
		expected(want, thread, next[thread]);
		if (memcmp(all + at, want, row)) {
			t_check(false, "%s: row %u of thread %u is another", tag, next[thread], thread);
			break;
		}
		next[thread] += step;
	}
	free(all);
}

static void want_api(unsigned char *to, uint32_t thread, uint32_t i)
{
	struct MsprofApi api = api_of(thread, i);

	memcpy(to, &api, sizeof(api));
}

static void want_node(unsigned char *to, uint32_t thread, uint32_t i)
{
	struct MsprofCompactInfo c = compact_of(0, thread, i);

	memcpy(to, &c, sizeof(c));
}

/* It was 52 bytes long: zeros follow. */
static void want_own(unsigned char *to, uint32_t thread, uint32_t i)
{
	struct MsprofCompactInfo c = compact_of(TYPE_OWN, thread, i);

	memset(c.data.info + 28, 0, 12);
	memcpy(to, &c, sizeof(c));
}

static void want_memory(unsigned char *to, uint32_t thread, uint32_t i)
{
	struct MsprofAdditionalInfo a = additional_of(MSPROF_REPORT_NODE_LEVEL, 6, thread, i);

	memcpy(to, &a, sizeof(a));
}

static void want_nameless(unsigned char *to, uint32_t thread, uint32_t i)
{
	struct MsprofAdditionalInfo a = additional_of(MSPROF_REPORT_MODEL_LEVEL, 12345, thread, i);

	memcpy(to, &a, sizeof(a));
}

static void account_is(const char *prof, const char *kind, unsigned long produced)
{
	struct prof_account a;

	prof_account(&a, prof, kind);
	t_equal((long long)a.produced, (long long)produced, "%s produced", kind);
	t_equal((long long)a.written, (long long)produced, "%s written", kind);
}

/* With annotations and without. */
static void threads(uint64_t bits)
{
	const char *dir = t_dir(), *prof;
	aclprofConfig *config = t_config(bits, 1, 0);
	pthread_t thread[THREADS];

	t_code(MsprofRegTypeInfo(MSPROF_REPORT_NODE_LEVEL, TYPE_OWN, "own_kind"), 0);
	t_code(MsprofRegTypeInfo(MSPROF_REPORT_ACL_LEVEL, 0x30000, "aclrtMemcpy"), 0);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, reporter, (void *)i);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	t_stop(config);
	prof = prof_only(dir);
	prof_check(dir, "", NULL);
	account_is(prof, "api", THREADS * EACH);
	account_is(prof, "event", THREADS * EACH);
	account_is(prof, "compact", 2ul * THREADS * EACH);
	account_is(prof, "additional", 2ul * THREADS * EACH / 10);
	check_rows(prof, "unaging.api_event.data", 40, 2, 0, want_api);
	check_rows(prof, "unaging.compact.node_basic_info", 64, 1, 0, want_node);
	check_rows(prof, "aging.compact.own_kind", 64, 1, 0, want_own);
	check_rows(prof, "aging.additional.task_memory_info", 256, 10, 0, want_memory);
	check_rows(prof, "unaging.additional.invalid", 256, 10, 0, want_nameless);
}

/* Nothing is written over: the newest are lost, and counted. */
static void full_ring(void)
{
	const char *dir = t_dir(), *prof;
	aclprofConfig *config = t_config(ACL_PROF_ACL_API, 1, 0);
	struct MsprofAdditionalInfo info = additional_of(MSPROF_REPORT_NODE_LEVEL, 6, 0, 0);
	unsigned long dropped = 0, done = 0;
	struct prof_account a;
	pid_t flusher;

	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	flusher = t_flusher();
	t_check(flusher > 0, "no flusher");
	for (unsigned int i = 0; i < 400000 && dropped < 1000; i++) {
		if (MsprofReportAdditionalInfo(1, &info, sizeof(info)) == MSPROF_ERROR_MEM_NOT_ENOUGH)
			dropped++;
		else
			done++;
	}
	t_stop(config);
	prof = prof_only(dir);
	prof_check(dir, "--dropped", NULL);
	prof_account(&a, prof, "additional");
	t_equal((long long)a.produced, (long long)(done + dropped), "produced");
	t_equal((long long)a.written, (long long)done, "written");
	t_equal((long long)a.dropped, (long long)dropped, "dropped");
}

/* Ageing takes what may age; what stays, stays whole. */
static void ageing(void)
{
	const char *dir = t_dir(), *prof;
	aclprofConfig *config = t_config(ACL_PROF_ACL_API, 1, 0);
	struct MsprofAdditionalInfo info = additional_of(MSPROF_REPORT_NODE_LEVEL, 6, 0, 0);
	struct MsprofCompactInfo node = compact_of(0, 0, 0);
	struct prof_account a, c;
	size_t size;

	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_STORAGE_LIMIT, "200MB"), 0);
	t_code(aclprofStart(config), 0);
	for (uint32_t i = 0; i < 100000; i++) /* 6 MiB: three slices, the oldest of all */
		while (MsprofReportCompactInfo(0, &node, sizeof(node)))
			t_sleep_us(500);
	for (uint32_t i = 0; i < 950000; i++) /* 232 MiB */
		while (MsprofReportAdditionalInfo(1, &info, sizeof(info)))
			t_sleep_us(500);
	t_stop(config);
	prof = prof_only(dir);
	prof_check(dir, "--dropped --aged", NULL);
	prof_account(&a, prof, "additional");
	prof_account(&c, prof, "compact");
	t_check(a.written < a.produced && a.written > 700000, "%lu of %lu are left", a.written, a.produced);
	t_equal((long long)c.written, 100000, "what stays");
	free(contents(prof, "unaging.compact.node_basic_info", &size));
	t_equal((long long)size, 6400000, "bytes that stay");
}

/* A handler inside a report is refused and counted, and harms nothing. */
static volatile sig_atomic_t handled;
static atomic_bool sent; /* all signals */

static void on_signal(int signal)
{
	struct MsprofApi api = { .level = MSPROF_REPORT_ACL_LEVEL, .beginTime = 1, .endTime = 2 };

	(void)signal;
	MsprofReportApi(1, &api);
	handled++;
}

static void *signaller(void *arg)
{
	for (int i = 0; i < 600; i++) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		t_sleep_us(100);
	}
	atomic_store(&sent, true);
	return NULL;
}

static void signals(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_ACL_API, 1, 0);
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t self = pthread_self(), other;
	struct MsprofApi api = { .level = MSPROF_REPORT_ACL_LEVEL, .beginTime = 1, .endTime = 2 };

	sigaction(SIGUSR1, &action, NULL);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	pthread_create(&other, NULL, signaller, &self);
	/* Not more than fits on a disk, however long the other thread takes. */
	while (!atomic_load(&sent)) {
		for (int i = 0; i < 20; i++)
			MsprofReportApi(0, &api);
		t_sleep_us(20);
	}
	pthread_join(other, NULL);
	t_check(handled > 0, "no signal came");
	t_stop(config);
	prof_check(dir, "--dropped", NULL);
}

int main(void)
{
	threads(ACL_PROF_MSPROFTX | ACL_PROF_ACL_API);
	threads(ACL_PROF_ACL_API);
	full_ring();
	if (!T_SANITIZED)
		ageing();
	signals();
	return t_end();
}
