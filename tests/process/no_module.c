// SPDX-License-Identifier: Apache-2.0
/*
 * Devices without a source: the module's device is missing, is something else,
 * or may not be opened. Annotations are recorded; ascprof.json says what is not,
 * and why.
 */
#include "prof.h"
#include "t.h"

#include <sys/stat.h>

struct place {
	const char *device;
	const char *dir;
	const char *why; /* in ascprof.json */
};

static void record(const void *arg)
{
	const struct place *p = arg;
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 3, 0, 7, 63);
	void *stamp;

	setenv("ASCPROF_DEVICE", p->device, 1);
	t_drop_root();
	t_code(t_init(p->dir), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "100"), 0);
	t_code(t_set(ACL_PROF_SYS_IO_FREQ, "100"), 0);
	t_code(t_set(ACL_PROF_DVPP_FREQ, "100"), 0);
	t_code(aclprofStart(config), 0);
	stamp = t_stamp("no module");
	for (int i = 0; i < 100; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

static bool summary_has(const char *dir, const char *word)
{
	const char *prof = prof_only(dir);
	char text[16384];
	FILE *file = prof ? fopen(t_path("%s/ascprof.json", prof), "r") : NULL;
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = 0;
	if (file)
		fclose(file);
	return strstr(text, word) != NULL;
}

int main(void)
{
	const char *top = t_open_dir(), *closed = t_path("%s/closed", top),
		   *text = t_path("%s/text", top);
	struct place places[] = {
		{ "/nonexistent/ascprof", NULL, "No such file or directory" },
		{ "/dev/null", NULL, "/dev/null" },
		{ text, NULL, text },
		{ closed, NULL, "Permission denied" },
		{ "/", NULL, "\"none\"" },
	};

	t_write_file(text, "not a device\n");
	t_write_file(closed, "");
	chmod(closed, 0);
	chmod(top, 0777);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct place *p = &places[i];
		struct prof_totals totals;

		p->dir = t_path("%s/%zu", top, i);
		t_equal(t_child(record, p), 0, "status with %s", p->device);
		prof_check(p->dir, "", &totals);
		t_equal(totals.mark.written, 100, "marks with %s", p->device);
		t_check(summary_has(p->dir, "\"device\":63") && summary_has(p->dir, "\"none\""),
			"ascprof.json does not tell of device 63 with %s", p->device);
		t_check(summary_has(p->dir, p->why), "ascprof.json does not say '%s'", p->why);
	}
	return t_end();
}
