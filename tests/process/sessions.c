// SPDX-License-Identifier: Apache-2.0
/*
 * 200 sessions in one process, each with every kind of annotation: after the
 * tenth, descriptors, threads, mappings and resident memory stay as they are.
 * Each directory is looked at and removed, so that the disk does not fill.
 */
#include "prof.h"
#include "t.h"

#include "mstx/ms_tools_ext.h"

#define SESSIONS 200
#define WARM 10
#define MARKS 10

/*
 * What grows by design: pages of the thread's ring are touched one after the
 * other until it has gone round, at most 72 bytes for an annotation here, and a
 * range that is never ended keeps its slot of 320 bytes. A quarter of a megabyte
 * more is for the allocator's own pages; it stands for 1.4 kB in each session.
 */
#define GROWTH_KB (SESSIONS * ((MARKS + 5) * 72 + 320) / 1024 + 256)

struct resources {
	unsigned int fds, threads, mappings;
	long resident_kb;
};

static unsigned int mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned int lines = 0;
	int c;

	while (file && (c = fgetc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static struct resources measure(unsigned int threads)
{
	return (struct resources){ t_count_fds(), t_count_threads(threads), mappings(), t_status_kb("VmRSS") };
}

static void annotate(void)
{
	mstxDomainHandle_t domain = mstxDomainCreateA("sessions");
	void *stamp = t_stamp("session");
	uint32_t id, left_open;

	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	t_code(aclprofPush(stamp), 0);
	t_code(aclprofPop(), 0);
	t_code(aclprofRangeStart(stamp, &left_open), 0);
	t_code(aclprofRangeStart(stamp, &id), 0);
	t_code(aclprofRangeStop(id), 0);
	mstxMarkA("session", NULL);
	mstxDomainRangeEnd(domain, mstxDomainRangeStartA(domain, "session", NULL));
	aclprofDestroyStamp(stamp);
}

/* All that was annotated is there. The format is looked at in some of them: that starts Python. */
static void look(const char *dir, bool closely)
{
	const char *prof = prof_only(dir);
	struct prof_rows rows;

	prof_rows(&rows, prof);
	t_equal(prof_rows_of(&rows, ROW_TX_MARK), MARKS + 1, "marks");
	t_equal(prof_rows_of(&rows, ROW_TX_PUSH_POP), 1, "pushes");
	t_equal(prof_rows_of(&rows, ROW_TX_RANGE), 2, "ranges");
	prof_rows_free(&rows);
	if (closely)
		prof_check(dir, "", NULL);
	t_remove(prof);
}

int main(void)
{
	const char *dir = t_dir();
	struct resources warm = { 0 }, now;

	t_stderr_begin(); /* of ranges that are left open */
	for (unsigned int i = 1; i <= SESSIONS; i++) {
		aclprofConfig *config = t_start(dir);

		annotate();
		t_stop(config);
		look(dir, i == 1 || i == SESSIONS);
		if (i == WARM)
			warm = measure(1);
	}
	now = measure(warm.threads);
	t_stderr_end();
	t_equal(now.fds, warm.fds, "open descriptors");
	t_equal(now.threads, warm.threads, "threads");
	t_check(T_TSAN || now.threads == 1, "%u threads after Finalize", now.threads);
	/* Sanitizers keep books of their own, in memory and in mappings. */
	if (!T_SANITIZED) {
		printf("resident: %ld kB, then %ld kB\n", warm.resident_kb, now.resident_kb);
		t_check(now.resident_kb - warm.resident_kb < GROWTH_KB, "resident memory grew from %ld to %ld kB",
			warm.resident_kb, now.resident_kb);
		t_check(now.mappings <= warm.mappings + 2, "mappings grew from %u to %u", warm.mappings,
			now.mappings);
	}
	return t_end();
}
