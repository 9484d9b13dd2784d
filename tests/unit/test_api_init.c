// SPDX-License-Identifier: Apache-2.0
/* aclprofInit and aclprofFinalize: test vectors 20 to 35. */
#include "tests/unit/test_api_cases.h"

#include <sys/stat.h>

#include "tests/process/prof.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define FILE_BAD ACL_ERROR_INVALID_FILE

/* After a refused Init nothing is initialised. */
static void still_off(void)
{
	t_refused(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN, "aclprofFinalize");
}

/* A refused path: code 100003, the argument named, nothing initialised. */
static void refused_path(const char *path, const char *words)
{
	t_refused(t_init(path), FILE_BAD, t_path("aclprofInit profilerResultPath %s", words));
	still_off();
}

static char *text_of(size_t length)
{
	char *text = malloc(length + 1);

	if (!text)
		abort();
	memset(text, 'a', length);
	text[length] = 0;
	return text;
}

static void vector_20(void)
{
	t_refused(aclprofInit(NULL, 0), BAD, "aclprofInit profilerResultPath NULL");
	t_refused(aclprofInit(NULL, 4), BAD, "aclprofInit profilerResultPath NULL");
	still_off();
}

static void vector_21(void)
{
	t_refused(aclprofInit("/tmp", 0), BAD, "aclprofInit length");
	t_refused(aclprofInit("", 0), BAD, "aclprofInit length|profilerResultPath");
	still_off();
}

static void vector_22(void)
{
	t_refused(aclprofInit("/tmp", 100), BAD, "aclprofInit length 100");
	t_refused(aclprofInit("/tmp", 5), BAD, "aclprofInit length 5");
	t_refused(aclprofInit("/tmp", 3), BAD, "aclprofInit length 3");
	t_refused(aclprofInit("/tmp", SIZE_MAX), BAD, "aclprofInit length");
	/* 2^32 + 4 must not be taken for 4 */
	t_refused(aclprofInit("/tmp", ((size_t)1 << 32) + 4), BAD, "aclprofInit length");
	still_off();
}

static void vector_23(void)
{
	char *text = text_of(5000);

	t_refused(t_init(text), BAD, "aclprofInit length 5000");
	still_off();
	free(text);
}

static void vector_24(void)
{
	char *text = text_of(4096);

	t_refused(t_init(text), BAD, "aclprofInit length 4096");
	text[4095] = 0;
	/* the length is right, but no component of a path may be as long */
	refused_path(text, "");
	free(text);
}

static void vector_25(void)
{
	t_refused(aclprofInit("/tmp\0x", 6), BAD, "aclprofInit length 6");
	still_off();
}

static void vector_27(void)
{
	setenv("PROFILING_MODE", "dynamic", 1);
	t_refused(t_init(t_dir()), ACL_ERROR_FEATURE_UNSUPPORTED, "aclprofInit PROFILING_MODE");
	still_off();
	setenv("PROFILING_MODE", "delay_or_duration", 1);
	t_code(t_init(t_dir()), 0);
	t_code(aclprofFinalize(), 0);
}

static void vector_29(void)
{
	const char *dir = t_dir();

	t_code(t_init(dir), 0);
	t_refused(t_init(dir), ACL_ERROR_REPEAT_INITIALIZE, "aclprofInit");
	t_refused(t_init("/tmp/a;b"), ACL_ERROR_REPEAT_INITIALIZE, "aclprofInit");
	t_code(aclprofFinalize(), 0);
}

static void vector_30(void)
{
	const char *dir = t_dir();

	for (const char *c = "\b\t\n\v\f\r\x7f\"'\\%><|&$;`"; *c; c++) {
		refused_path(t_path("%s/a%cb", dir, *c), "");
		t_check(!t_exists(t_path("%s/a%cb", dir, *c)), "made a directory with %02x", *c);
	}
	refused_path(t_path("%s/a;b/c", dir), ";");
	t_check(!t_exists(t_path("%s/a;b", dir)), "made a parent directory");
}

/* The current directory's name counts for a relative path. */
static void vector_30_relative(void)
{
	const char *bad = t_path("%s/a;b", t_dir());

	mkdir(bad, 0755);
	t_equal(chdir(bad), 0, "chdir");
	refused_path("x", ";");
	refused_path(".", ";");
	t_check(!t_exists("x"), "made a directory");
}

static void vector_30_allowed(void)
{
	static const char *const names[] = {
		"a b", "(x)", "*", "?", "#", "!", "~", "~user", "a,b", "[x]", "{x}", "^", "=", "@",
		"+", ":", ".hidden", "\xe6\x95\xb0\xe6\x8d\xae", "\xff\xfe",
	};
	const char *dir = t_dir();
	char *longest = text_of(255);

	for (size_t i = 0; i <= sizeof(names) / sizeof(names[0]); i++) {
		const char *name = i ? names[i - 1] : longest;
		aclprofConfig *config = t_start(t_path("%s/%s", dir, name));

		t_stop(config);
		prof_check(t_path("%s/%s", dir, name), "", NULL);
	}
	free(longest);
}

static void vector_32_file(void)
{
	const char *file = t_path("%s/file", t_dir());

	t_write_file(file, "kept");
	refused_path(file, "directory");
	refused_path(t_path("%s/below", file), "directory");
	refused_path("/dev/null", "directory");
}

static void vector_32_create(void)
{
	const char *link = t_path("%s/link", t_dir());

	refused_path("/proc/ascprof", "");
	refused_path("/proc/self/fd/x", "");
	t_equal(symlink("nowhere/at/all", link), 0, "symlink");
	refused_path(link, "");
}

static void vector_32_write(void)
{
	const char *dir = t_open_dir();
	const char *closed = t_path("%s/closed", dir), *own = t_path("%s/own", dir);

	mkdir(closed, 0755);
	mkdir(own, 0755);
	if (geteuid() == 0)
		t_equal(chown(own, T_NOBODY, T_NOBODY), 0, "chown");
	t_drop_root();
	chmod(closed, 0555); /* when we are not root it is ours */
	refused_path(closed, "writable|permission");
	refused_path(t_path("%s/below", closed), "permission|writable");
	chmod(own, 0555);
	refused_path(own, "writable|permission");
	/* a current directory that cannot be written is no matter */
	chmod(own, 0755);
	t_equal(chdir(closed), 0, "chdir");
	t_code(t_init(t_path("%s/result", own)), 0);
	t_code(aclprofFinalize(), 0);
}

static void vector_33(void)
{
	t_refused(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN, "aclprofFinalize aclprofInit");
	t_code(t_init(t_dir()), 0);
	t_code(aclprofFinalize(), 0);
	t_refused(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN, "aclprofFinalize");
}

static void vector_34(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_totals totals;
	void *stamp = t_stamp("unstopped");

	for (int i = 0; i < 100; i++)
		t_code(aclprofMark(stamp), 0);
	t_stderr_begin();
	t_code(aclprofFinalize(), 0);
	t_equal(t_lines(t_stderr_end()), 1, "lines of warning of the missing Stop");
	aclprofDestroyConfig(config);
	prof_check(dir, "--state finalized", &totals);
	t_equal(totals.mark.written, 100, "marks");
}

static void vector_35(void)
{
	const char *a = t_path("%s/a", t_dir()), *b = t_path("%s/b", t_dir());

	t_stop(t_start(a));
	t_stop(t_start(b));
	prof_check(a, "", NULL);
	prof_check(b, "", NULL);
	t_check(prof_only(a) && prof_only(b), "one directory below each");
}

/* Missing levels are made, 0750 whatever the umask; levels that exist are left alone. */
static void creates(void)
{
	static const mode_t masks[] = { 0, 022, 077, 0777 };
	const char *dir = t_dir();

	for (size_t i = 0; i < 4; i++) {
		mode_t old = umask(masks[i]);

		t_code(t_init(t_path("%s/%zu/b/c", dir, i)), 0);
		umask(old);
		t_code(aclprofFinalize(), 0);
		t_equal(t_mode(t_path("%s/%zu", dir, i)), 0750, "mode under umask %03o", masks[i]);
		t_equal(t_mode(t_path("%s/%zu/b", dir, i)), 0750, "mode under umask %03o",
			masks[i]);
		t_equal(t_mode(t_path("%s/%zu/b/c", dir, i)), 0750, "mode under umask %03o",
			masks[i]);
	}
	t_equal(t_mode(dir), 0755, "mode of what was there");
	t_code(t_init(t_path("%s//0/./b/../b/c///", dir)), 0);
	t_code(aclprofFinalize(), 0);
}

/* Relative to the current directory at Init; a later chdir has no effect. */
static void relative(void)
{
	const char *dir = t_dir(), *other = t_dir();
	aclprofConfig *config;
	char kept[64];

	t_equal(chdir(dir), 0, "chdir");
	strcpy(kept, "./out/put");
	t_code(t_init(kept), 0);
	memset(kept, 'x', 9); /* the caller's text is not needed any more */
	config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_equal(chdir(other), 0, "chdir");
	t_code(aclprofStart(config), 0);
	t_stop(config);
	prof_check(t_path("%s/out/put", dir), "", NULL);
	t_check(!t_exists(t_path("%s/out", other)), "a directory where chdir went");
}

static void through_link(void)
{
	const char *dir = t_dir(), *link = t_path("%s/link", t_dir());

	t_equal(symlink(dir, link), 0, "symlink");
	t_stop(t_start(link));
	prof_check(dir, "", NULL);
}

/* ASCPROF_LOG=off: nothing is printed, the reason is kept all the same. */
static void silent(void)
{
	setenv("ASCPROF_LOG", "off", 1);
	t_stderr_begin();
	t_code(aclprofInit("/tmp", 100), BAD);
	t_equal(strlen(t_stderr_end()), 0, "bytes printed");
	t_check(strstr(ascprof_last_error(), "length"), "reason: '%s'", ascprof_last_error());
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_20), CASE(vector_21), CASE(vector_22),
		CASE(vector_23), CASE(vector_24), CASE(vector_25),
		CASE(vector_27), CASE(vector_29), CASE(vector_30),
		CASE(vector_30_relative), CASE(vector_30_allowed), CASE(vector_32_file),
		CASE(vector_32_create), CASE(vector_32_write), CASE(vector_33),
		CASE(vector_34), CASE(vector_35), CASE(creates),
		CASE(relative), CASE(through_link), CASE(silent),
	};

	return api_cases("api_init", cases, sizeof(cases) / sizeof(cases[0]));
}
