// SPDX-License-Identifier: Apache-2.0
/* Thousands of threads that each mark once: nothing lost, memory and threads flat. */
#include "prof.h"
#include "t.h"

#include <pthread.h>

#define BATCH 16
#define BATCHES 250
#define WARM 30
#define GROWTH_KB 16384

static void *mark(void *arg)
{
	char text[32];
	void *stamp;

	snprintf(text, sizeof(text), "thread %u", *(unsigned int *)arg);
	stamp = t_stamp(text);
	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	return NULL;
}

int main(void)
{
	static unsigned char seen[BATCH * BATCHES];
	static unsigned int numbers[BATCH * BATCHES];
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	unsigned int number;
	long warm = 0, end;
	struct prof_rows rows;

	for (unsigned int batch = 0; batch < BATCHES; batch++) {
		pthread_t threads[BATCH];

		if (batch == WARM)
			warm = t_status_kb("VmRSS");
		for (unsigned int i = 0; i < BATCH; i++) {
			numbers[batch * BATCH + i] = batch * BATCH + i;
			t_equal(pthread_create(&threads[i], NULL, mark,
					       &numbers[batch * BATCH + i]),
				0, "pthread_create");
		}
		for (unsigned int i = 0; i < BATCH; i++)
			pthread_join(threads[i], NULL);
	}
	end = t_status_kb("VmRSS");
	/* the flusher, perhaps the kernel's io workers, and us */
	t_check(t_count_threads(8) <= 8, "%u threads are left", t_count_threads(8));
	t_check(T_SANITIZED || end - warm < GROWTH_KB, "resident memory grew from %ld to %ld kB",
		warm, end);
	t_stop(config);

	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
	t_equal(rows.count, BATCH * BATCHES, "rows");
	for (size_t i = 0; i < rows.count; i++) {
		if (sscanf(rows.row[i].message, "thread %u", &number) != 1 ||
		    number >= BATCH * BATCHES) {
			t_check(false, "row '%s'", rows.row[i].message);
			continue;
		}
		t_check(!seen[number]++, "thread %u twice", number);
	}
	prof_rows_free(&rows);
	return t_end();
}
