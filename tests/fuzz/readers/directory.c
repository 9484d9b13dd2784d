/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result directory: its control files and slices, through every format. The
 * input is a sequence of files: a byte that says which one, two that say how
 * long it is, its bytes. Files that it leaves out are there as a recording of
 * nothing leaves them.
 */
#include "tests/fuzz/readers/reader.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/jsonl.h"
#include "export/perfetto.h"
#include "export/prof.h"
#include "export/report.h"
#include "export/tables.h"
#include "export/trace.h"

#define INFO "{\"platform_version\":\"5\",\"version\":\"1.0\",\"pid\":\"1\",\"CPU\":[{\"Frequency\":\"\"}]," \
	     "\"DeviceInfo\":[{\"hwts_frequency\":\"50\"}],\"hostname\":\"h\"}"
#define INFO2 "{\"platform_version\":\"1\",\"version\":\"2.0\",\"pid\":\"1\",\"CPU\":[{\"Frequency\":\"38.4\"}]," \
	      "\"DeviceInfo\":[{\"hwts_frequency\":\"50\"}],\"hostname\":\"h\"}"
#define SAMPLE "{\"llc_profiling\":\"read\",\"hbm_profiling_events\":\"read,write\"}"
#define START "{\"collectionTimeBegin\":\"1800000000000000\",\"clockMonotonicRaw\":\"5000000000000\"}"
#define LOG "clock_monotonic_raw: 5000000000000\ncntvct: 1000\n"

static const struct {
	const char *path;
	const char *otherwise; /* NULL: not there */
} files[] = {
	{ "p/host/info.json", INFO },
	{ "p/host/sample.json", SAMPLE },
	{ "p/host/start_info", START },
	{ "p/host/end_info", NULL },
	{ "p/host/host_start.log", NULL },
	{ "p/ascprof.json", NULL },
	{ "p/host/data/aging.additional.msproftx.slice_0", NULL },
	{ "p/host/data/aging.additional.msproftx.slice_1", NULL },
	{ "p/host/data/unaging.additional.hash_dic.slice_0", NULL },
	{ "p/host/data/aging.additional.tensor_info.slice_0", NULL },
	{ "p/device_0/info.json.0", INFO },
	{ "p/device_0/sample.json", SAMPLE },
	{ "p/device_0/start_info.0", START },
	{ "p/device_0/host_start.log.0", LOG },
	{ "p/device_0/dev_start.log.0", LOG },
	{ "p/device_0/data/llc.data.0.slice_0", NULL },
	{ "p/device_0/data/llc.data.0.slice_1", NULL },
	{ "p/device_0/data/hbm.data.0.slice_0", NULL },
	{ "p/device_0/data/stars_soc_profile.data.0.slice_0", NULL },
	{ "p/device_0/info.json.0", INFO2 },
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

static void put(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
}

static void enter_folder(void)
{
	static char folder[64];

	if (folder[0])
		return;
	snprintf(folder, sizeof(folder), "%s/ascprof-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder) || chdir(folder) || mkdir("p", 0700) || mkdir("p/host", 0700) ||
	    mkdir("p/host/data", 0700) || mkdir("p/device_0", 0700) || mkdir("p/device_0/data", 0700))
		abort();
}

static void fill(const uint8_t *data, size_t size)
{
	bool given[NR_FILES] = { false };

	while (size >= 3) {
		size_t which = data[0] % NR_FILES, n = data[1] | (size_t)data[2] << 8;

		data += 3;
		size -= 3;
		if (n > size)
			n = size;
		put(files[which].path, data, n);
		given[which] = true;
		data += n;
		size -= n;
	}
	for (size_t i = 0; i + 1 < NR_FILES; i++) {
		if (given[i] || (given[NR_FILES - 1] && !strcmp(files[i].path, files[NR_FILES - 1].path)))
			continue;
		if (files[i].otherwise)
			put(files[i].path, files[i].otherwise, strlen(files[i].otherwise));
		else
			unlink(files[i].path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { .program = "fuzz" };
	struct tables_total tables;
	struct trace_total trace;
	const struct report_options options = { .top = 10, .columns = 80 };
	struct filter filter = { 0 };
	struct prof_set set = { 0 };
	char *dir = (char[]){ "p" };
	bool mismatch;
	uint64_t lines;
	FILE *null;

	enter_folder();
	fill(data, size);
	if (size && data[0] & 0x80) {
		filter_add_name(&filter, "*a?b*");
		filter_add_time(&filter, false, "@1800000000");
	}
	if (!prof_set_open(&set, &dir, 1, &diag)) {
		if (filter.active)
			prof_set_filter(&set, &filter);
		tables_export(&set, "csv", &tables, &diag);
		trace_export(&set, "/dev/null", &trace, &diag);
		perfetto_export(&set, "/dev/null", &trace, &diag);
		jsonl_export(&set, "/dev/null", &lines, &diag);
		null = fopen("/dev/null", "w");
		report_print(null, &set, &options, &mismatch, &diag);
		report_json(null, &set, &options, &mismatch, &diag);
		fclose(null);
	}
	prof_set_close(&set);
	filter_free(&filter);
	return 0;
}
