/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/inject.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/json_write.h"

#define LIBRARY "libascprof.so.1"

static int take(struct inject *in, const char *file)
{
	char real[PATH_MAX];

	if (!realpath(file, real))
		return -1;
	memcpy(in->library, real, sizeof(real));
	return 0;
}

int inject_find(struct inject *in, const char *file, struct diag *diag)
{
	static const char *const beside[] = { "../" LIBRARY, "../lib/" LIBRARY, "../lib64/" LIBRARY, NULL };
	char exe[PATH_MAX] = "", path[2 * PATH_MAX];
	const char *folder;

	if (file)
		return take(in, file) ? diag_fail(diag, "option --library: %s: %s", file, strerror(errno)) : 0;
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return diag_fail(diag, "/proc/self/exe: %s", strerror(errno));
	folder = dirname(exe);
	for (const char *const *b = beside; *b; b++) {
		snprintf(path, sizeof(path), "%s/%s", folder, *b);
		if (!take(in, path))
			return 0;
	}
	if (!take(in, ASCPROF_LIBDIR "/" LIBRARY))
		return 0;
	return diag_fail(diag, "%s: not found beside %s, nor in %s; option --library names it", LIBRARY, folder,
			 ASCPROF_LIBDIR);
}

void inject_name(struct inject *in)
{
	uint64_t random = 0;

	/* Blocks only while the machine has just been switched on. */
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)getpid();
	snprintf(in->id, sizeof(in->id), "%016" PRIx64, random);
}

/* @value in front of what the variable has. */
static int prepend(const char *name, const char *value)
{
	const char *now = getenv(name);
	char *both;
	int ret;

	if (!now || !*now)
		return setenv(name, value, 1);
	if (asprintf(&both, "%s:%s", value, now) < 0)
		return -1;
	ret = setenv(name, both, 1);
	free(both);
	return ret;
}

/* One that is not there goes without saying: --library may name what has none beside it. */
static int preload(const char *folder, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, R_OK) ? 0 : prepend("LD_PRELOAD", path);
}

static int set_request(const struct inject *in)
{
	struct json_writer w = { 0 };
	const char *text;
	size_t len;
	int ret;

	json_open(&w, NULL, '{');
	json_string(&w, "id", in->id);
	json_u64(&w, "pid", (uint64_t)getpid());
	json_bool(&w, "follow", in->follow);
	json_bool(&w, "ignore_own", in->ignore_own);
	json_u64(&w, "begin_ns", in->begin_ns);
	json_u64(&w, "end_ns", in->end_ns);
	json_u64(&w, "devices", in->devices);
	json_copy(&w, "profiler", in->profiler, strlen(in->profiler));
	json_close(&w, '}');
	text = json_finish(&w, &len);
	ret = text ? setenv("ASCPROF_RECORD", text, 1) : -1;
	json_release(&w);
	return ret;
}

int inject_environment(const struct inject *in)
{
	char drop_in[PATH_MAX + 16], copy[PATH_MAX];

	memcpy(copy, in->library, sizeof(copy));
	snprintf(drop_in, sizeof(drop_in), "%s/ascprof", dirname(copy));
	/*
	 * The first is for all programs, the second for those that were linked with the vendor's
	 * library names, or open them; the third for those that have the mstx header alone.
	 */
	if (prepend("LD_PRELOAD", in->library) || preload(drop_in, "libascprof_preload.so") ||
	    (in->pthread_calls && preload(drop_in, "libascprof_pthread.so")) || prepend("LD_LIBRARY_PATH", drop_in) ||
	    setenv("MSTX_INJECTION_PATH", in->library, 1))
		return -1;
	return set_request(in);
}

static bool has_interpreter(int fd)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_phentsize != sizeof(part))
		return true; /* what is no program of this kind is not judged */
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		off_t at = (off_t)(head.e_phoff + i * sizeof(part));

		if (pread(fd, &part, sizeof(part), at) == sizeof(part) && part.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* Opens @program as a file that can be executed: -1 if there is none. */
static int open_program(const char *program)
{
	const char *folders = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(program, '/') || !folders)
		return open(program, O_RDONLY | O_CLOEXEC);
	for (;;) {
		int len = (int)strcspn(folders, ":");

		snprintf(path, sizeof(path), "%.*s%s%s", len, folders, len ? "/" : "./", program);
		if (!access(path, X_OK))
			return open(path, O_RDONLY | O_CLOEXEC);
		if (!folders[len])
			return -1;
		folders += len + 1;
	}
}

const char *inject_impossible(const char *program)
{
	int fd = open_program(program);
	const char *why = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
				(st.st_mode & S_ISGID && st.st_gid != getegid())))
		why = "it is set-user-id or set-group-id, and the loader does not preload libraries into such";
	else if (!has_interpreter(fd))
		why = "it is linked statically, and no library can be loaded into it";
	close(fd);
	return why;
}
