/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result directory: what directory.c leaves out. Host data, what frameworks report, their
 * dictionaries, annotations in the native layout; verify, diff and serve.
 */
#include "tests/fuzz/readers/reader.h"

#include <stdbool.h>
#include <stdio.h>

#include "export/diff.h"
#include "export/jsonl.h"
#include "export/prof.h"
#include "export/report.h"
#include "export/tables.h"
#include "export/trace.h"
#include "export/verify.h"
#include "tests/fuzz/readers/folder.h"
#include "tools/serve.h"

#define DATA "p/host/data/"

static const struct folder_file files[] = {
	{ "p/host/info.json", INFO },
	{ "p/host/sample.json", SAMPLE },
	{ "p/host/start_info", START },
	{ "p/host/end_info", NULL },
	{ "p/ascprof.json", NULL },
	{ DATA "ascprof.msproftx.slice_0", NULL },
	{ DATA "aging.additional.msproftx.slice_0", NULL },
	{ DATA "aging.additional.msproftx.slice_0.done", NULL },
	{ DATA "unaging.additional.hash_dic.slice_0", NULL },
	{ DATA "unaging.additional.type_info_dic.slice_0", NULL },
	{ DATA "aging.api_event.data.slice_0", NULL },
	{ DATA "unaging.api_event.data.slice_0", NULL },
	{ DATA "aging.additional.tensor_info.slice_0", NULL },
	{ DATA "host_cpu.data.slice_0", NULL },
	{ DATA "host_mem.data.slice_0", NULL },
	{ DATA "host_disk.data.slice_0", NULL },
	{ DATA "host_network.data.slice_0", NULL },
	{ DATA "host_sys_cpu.data.slice_0", NULL },
	{ DATA "host_sys_mem.data.slice_0", NULL },
	{ DATA "1-CpuUsage.data.slice_0", NULL },
	{ DATA "1-Memory.data.slice_0", NULL },
	{ DATA "ascprof.counters.slice_0", NULL },
	{ DATA "ascprof.sys_counters.slice_0", NULL },
	{ DATA "ascprof.disks.slice_0", NULL },
	{ DATA "host_syscall.data.slice_0", NULL },
};

#define NR_FILES (sizeof(files) / sizeof(files[0]))

static void ignore(void *arg, enum verify_finding kind, const char *path, const char *text)
{
	(void)arg;
	(void)kind;
	if (!strlen(path) || !strlen(text))
		abort();
}

static void compare(struct prof_set set[2], FILE *null, struct diag *diag)
{
	const struct diff_options options = { 0 };
	struct diff diff;

	if (!diff_make(&diff, set, &options, diag)) {
		diff_print(null, &diff, &options, diag);
		diff_json(null, &diff, &options, diag);
	}
	diff_free(&diff);
}

static void tell(FILE *null)
{
	struct serve_folder folder = { open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "." };

	serve_sessions(null, &folder, 1);
	close(folder.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct report_options options = { .top = 10, .columns = 80 };
	struct diag diag = { .program = "fuzz" };
	struct prof_set set[2] = { { 0 } };
	struct verified verified = { 0 };
	struct tables_total tables;
	struct trace_total trace;
	char *dir = (char[]){ "p" };
	FILE *null = fopen("/dev/null", "w");
	uint64_t lines;
	bool mismatch;

	folder_enter();
	folder_fill(files, NR_FILES, data, size);
	if (!prof_set_open(&set[0], &dir, 1, &diag) && !prof_set_open(&set[1], &dir, 1, &diag)) {
		tables_export(&set[0], "csv", &tables, &diag);
		trace_export(&set[0], "/dev/null", &trace, &diag);
		jsonl_export(&set[0], "/dev/null", &lines, &diag);
		report_print(null, &set[0], &options, &mismatch, &diag);
		report_html("/dev/null", &set[0], &options, &mismatch, &diag);
		verify(&set[0].prof[0], ignore, NULL, &verified, &diag);
		compare(set, null, &diag);
	}
	tell(null);
	prof_set_close(&set[0]);
	prof_set_close(&set[1]);
	fclose(null);
	return 0;
}
