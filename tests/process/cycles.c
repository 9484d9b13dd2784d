// SPDX-License-Identifier: Apache-2.0
/* 200 times Init, Start, 10 marks, Stop, Finalize: descriptors, threads and memory stay flat. */
#include "prof.h"
#include "t.h"

#define CYCLES 200
#define WARM 20
#define GROWTH_KB 2048

static unsigned int mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned int lines = 0;
	int c;

	while (file && (c = fgetc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

int main(void)
{
	const char *dir = t_dir();
	unsigned int fds = 0, maps = 0;
	struct prof_totals totals;
	long memory = 0;

	for (unsigned int i = 0; i < CYCLES; i++) {
		aclprofConfig *config = t_start(dir);
		void *stamp = t_stamp("cycle");

		for (int j = 0; j < 10; j++)
			t_code(aclprofMark(stamp), 0);
		aclprofDestroyStamp(stamp);
		t_stop(config);
		if (i == WARM) {
			memory = t_status_kb("VmRSS");
			fds = t_count_fds();
			maps = mappings();
		}
	}
	t_equal(t_count_fds(), fds, "open descriptors");
	t_check(T_TSAN || t_count_threads(1) == 1, "%u threads", t_count_threads(1));
	if (!T_SANITIZED) {
		t_check(t_status_kb("VmRSS") - memory < GROWTH_KB,
			"resident memory grew from %ld to %ld kB", memory, t_status_kb("VmRSS"));
		t_check(mappings() < maps + 8, "mappings grew from %u to %u", maps, mappings());
	}
	prof_check(dir, "", &totals);
	t_equal(totals.dirs, CYCLES, "directories");
	t_equal(totals.mark.written, CYCLES * 10, "marks");
	return t_end();
}
