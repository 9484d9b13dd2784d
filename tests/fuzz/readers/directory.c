/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result directory: its control files, annotations and counters of devices, through
 * every format.
 */
#include "tests/fuzz/readers/reader.h"

#include <stdbool.h>
#include <stdio.h>

#include "export/jsonl.h"
#include "export/perfetto.h"
#include "export/prof.h"
#include "export/report.h"
#include "export/tables.h"
#include "export/trace.h"
#include "tests/fuzz/readers/folder.h"

#define LOG "clock_monotonic_raw: 5000000000000\ncntvct: 1000\n"

static const struct folder_file files[] = {
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
	{ "p/device_0/info.json.0", INFO },
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

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

	folder_enter();
	folder_fill(files, NR_FILES, data, size);
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
