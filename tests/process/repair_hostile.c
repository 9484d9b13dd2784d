// SPDX-License-Identifier: Apache-2.0
/*
 * repair and unpack in folders that are not what they should be: interrupted
 * before, with files of others, with links, with names that are too long.
 * Nothing is lost, and nothing outside of the directory is touched.
 */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MARKS 1000
#define TX "host/data/aging.additional.msproftx.slice_"
#define NATIVE "host/data/ascprof.msproftx.slice_"

static const char *dir, *prof;

static void record(const char *layout)
{
	aclprofConfig *config;
	void *stamp;

	setenv("ASCPROF_LAYOUT", layout, 1);
	dir = t_dir();
	config = t_start(dir);
	setenv("ASCPROF_LAYOUT", "prof", 1); /* so that what reads directories here unpacks none */
	stamp = t_stamp("hostile");
	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	t_stop(config);
	prof = prof_only(dir);
	if (!prof)
		exit(t_end());
}

static int run(const char *what, const char *where)
{
	char self[PATH_MAX], line[3 * PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	self[len < 0 ? 0 : len] = 0;
	snprintf(line, sizeof(line), "'%s/../../bin/ascprof' %s '%s' >/dev/null 2>&1", dirname(self), what, where);
	fflush(stdout);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* As if somebody pulled the plug before anything was removed. */
static void unpack_removing_nothing(const void *arg)
{
	(void)arg;
	if (!t_refuse(SYS_unlinkat, SYS_unlinkat, EIO))
		exit(T_SKIP);
	run("unpack", prof);
}

static void interrupted(void)
{
	struct prof_rows rows;

	record("native");
	t_equal(system(t_path("cd '%s' && cp " NATIVE "0 " NATIVE "1 && cp " NATIVE "0.done " NATIVE "1.done", prof)), 0,
		"a second slice");
	t_equal(system(t_path("sed -i 's/:%d/:%d/g' '%s/ascprof.json'", MARKS, 2 * MARKS, prof)), 0, "its account");
	t_equal(run("report", prof), 0, "report of two slices");
	t_equal(t_child(unpack_removing_nothing, NULL), 0, "unpack that removes nothing");
	t_check(t_exists(t_path("%s/" TX "0", prof)), "there are no rows");
	t_equal(run("report", prof), 0, "report while both are there");
	t_equal(unlink(t_path("%s/" NATIVE "0", prof)), 0, "the first slice");
	t_equal(run("report", prof), 0, "report when the first slice is gone");
	t_equal(run("unpack", prof), 0, "unpack once more");
	t_check(!t_exists(t_path("%s/" NATIVE "1", prof)), "the second slice is still there");
	prof_rows(&rows, prof);
	t_equal(rows.count, 2 * MARKS, "rows");
	prof_rows_free(&rows);
	t_equal(run("report", prof), 0, "report of rows");
}

/* zstd frames of one block each, that is not compressed. */
static void pack_first_slice(void)
{
	FILE *from = fopen(t_path("%s/" TX "0", prof), "re"), *to = fopen(t_path("%s/" TX "0.zst", prof), "we");
	unsigned char block[4096];
	size_t n;

	while (from && to && (n = fread(block, 1, sizeof(block), from))) {
		const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x50, (unsigned char)(n << 3 | 1),
					       (unsigned char)(n >> 5), (unsigned char)(n >> 13) };

		fwrite(head, 1, sizeof(head), to);
		fwrite(block, 1, n, to);
	}
	t_check(from && to && !fclose(from) && !fclose(to), "packing a slice");
}

static void interrupted_compressed(void)
{
	const char *plain, *kept;

	record("prof");
	plain = t_path("%s/" TX "0", prof);
	kept = t_path("%s/kept", dir);
	pack_first_slice();
	t_equal(rename(plain, kept), 0, "putting the plain slice aside");
	if (run("report", prof))
		return; /* no libzstd */
	t_equal(rename(kept, plain), 0, "putting it back");
	t_equal(run("report", prof), 0, "report while both are there");
	t_equal(run("unpack", prof), 0, "unpack while both are there");
	t_check(!t_exists(t_path("%s.zst", plain)), "the packed slice is still there");
	t_equal(run("report", prof), 0, "report of rows");
}

static bool holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(got, 1, sizeof(got) - 1, file) : 0;

	if (file)
		fclose(file);
	return n == strlen(text) && !memcmp(got, text, n);
}

static void others_files(void)
{
	const char *packed, *plain;

	record("native");
	packed = t_path("%s/host/data/notes_1.zst", prof);
	plain = t_path("%s/host/data/notes_1", prof);
	t_write_file(packed, "mine");
	t_write_file(plain, "mine, too");
	t_equal(run("unpack", prof), 0, "unpack beside other files");
	t_check(holds(packed, "mine") && holds(plain, "mine, too"), "other files were touched");
}

static void long_name(void)
{
	char name[121];
	const char *victim;

	record("prof");
	memset(name, 'x', 120);
	name[120] = '\0';
	victim = t_path("%s/host/data/%s.slice_", prof, name);
	t_write_file(victim, "victim");
	t_write_file(t_path("%s1", victim), "a slice of somebody's");
	t_equal(run("repair", prof), 0, "repair with a long name");
	t_check(holds(victim, "victim"), "a file whose name is the begin of another's was overwritten");
	t_check(t_exists(t_path("%s1.done", victim)), "no .done");
}

static void hard_link(void)
{
	const char *victim;
	struct stat st;

	record("prof");
	victim = t_path("%s/victim", dir);
	t_write_file(victim, "0123456789");
	t_equal(link(victim, t_path("%s/" TX "7", prof)), 0, "link");
	t_check(run("repair", prof) != 0, "repair took a file with another name");
	t_check(!stat(victim, &st) && st.st_size == 10, "the victim has %ld bytes", (long)st.st_size);
}

static void linked_folder(void)
{
	const char *folder = t_dir(), *slice;

	record("prof");
	slice = t_path("%s/" TX "0", prof);
	t_equal(truncate(slice, 700), 0, "a torn end");
	t_equal(symlink(prof, t_path("%s/PROF_other", folder)), 0, "link");
	t_equal(run("export --output /dev/null", folder), 0, "export by a link");
	t_check(run("repair", folder) != 0 && run("unpack", folder) != 0, "another's directory was changed by a link");
	t_equal(run("repair", t_path("%s/PROF_other", folder)), 0, "repair of a link that was named");
}

int main(void)
{
	interrupted();
	interrupted_compressed();
	others_files();
	long_name();
	hard_link();
	linked_folder();
	return t_end();
}
