// SPDX-License-Identifier: Apache-2.0
/*
 * ACL_PROF_STORAGE_LIMIT: what is on disk never exceeds it, the newest data is
 * kept, the oldest makes place and is counted.
 */
#include "prof.h"
#include "t.h"

#include <dirent.h>
#include <sys/stat.h>

#define LIMIT (200ul << 20)
#define MARKS 1000000u /* 244 MiB */

/* Bytes of all slices, and the number of the first. */
static unsigned long stored(const char *prof, unsigned int *first)
{
	unsigned long bytes = 0;
	DIR *dir = opendir(t_path("%s/host/data", prof));
	struct stat st;

	*first = ~0u;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *number = strstr(entry->d_name, "slice_");

		if (!number || strstr(entry->d_name, ".done") ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0))
			continue;
		bytes += (unsigned long)st.st_size;
		if (strtoul(number + 6, NULL, 10) < *first)
			*first = (unsigned int)strtoul(number + 6, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return bytes;
}

int main(void)
{
	const char *dir = t_dir(), *prof;
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	struct prof_totals totals;
	unsigned int first, before;
	struct row_tx row;
	char text[32];
	FILE *file;
	void *stamp;

	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_STORAGE_LIMIT, "200MB"), 0);
	t_code(aclprofStart(config), 0);
	prof = prof_only(dir);
	stamp = t_stamp("");
	for (unsigned int i = 0; i < MARKS; i++) {
		snprintf(text, sizeof(text), "%u", i);
		t_code(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0);
		while (aclprofMark(stamp) == ACL_ERROR_PROFILING_FAILURE)
			t_sleep_us(500); /* the disk is slower than we */
		if (i % 50000 == 0)
			t_check(stored(prof, &before) <= LIMIT, "%lu bytes while running",
				stored(prof, &before));
	}
	aclprofDestroyStamp(stamp);
	t_stop(config);
	t_check(stored(prof, &first) <= LIMIT, "%lu bytes", stored(prof, &first));
	t_check(stored(prof, &first) > LIMIT * 9 / 10, "only %lu bytes", stored(prof, &first));
	t_check(first > 0, "nothing was aged");
	prof_check(dir, "--dropped --aged", &totals);
	t_equal(totals.mark.written, (long long)(stored(prof, &first) / sizeof(row)),
		"marks written");
	t_check(totals.mark.produced >= MARKS, "%lu marks produced", totals.mark.produced);

	/* the last mark is in the last slice */
	while (t_exists(t_path("%s/host/data/aging.additional.msproftx.slice_%u", prof, first + 1)))
		first++;
	file = fopen(t_path("%s/host/data/aging.additional.msproftx.slice_%u", prof, first), "r");
	if (!file || fseek(file, -(long)sizeof(row), SEEK_END) ||
	    fread(&row, sizeof(row), 1, file) != 1)
		t_check(false, "slice %u cannot be read", first);
	else
		t_equal(strtoul(row.message, NULL, 10), MARKS - 1, "the last row");
	if (file)
		fclose(file);
	return t_end();
}
