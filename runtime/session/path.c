/* SPDX-License-Identifier: Apache-2.0 */
#include "session/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "format/files.h"
#include "log/log.h"
#include "session/fds.h"

/* Characters that the public parser refuses to read a path with. */
static bool refused(char c)
{
	return c && strchr("\b\t\n\v\f\r\x7f\"'\\%><|&$;`", c);
}

aclError path_absolute(const char *call, const char *path, char *out)
{
	char cwd[PATH_MAX] = "";
	int n;

	if (path[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return fail(ACL_ERROR_INVALID_FILE, "%s: profilerResultPath \"%s\": current directory: %s", call,
			    path, strerror(errno));
	n = snprintf(out, PATH_MAX, "%s%s%s", cwd, *cwd ? "/" : "", path);
	if (n >= PATH_MAX)
		return fail(ACL_ERROR_INVALID_FILE,
			    "%s: profilerResultPath: the absolute path has %d bytes, expected at most %d", call, n,
			    PATH_MAX - 1);
	for (const char *c = out; *c; c++) {
		if (!refused(*c))
			continue;
		if (isprint((unsigned char)*c))
			return fail(ACL_ERROR_INVALID_FILE,
				    "%s: profilerResultPath \"%s\" holds the character %c, which result paths must not",
				    call, out, *c);
		return fail(ACL_ERROR_INVALID_FILE,
			    "%s: profilerResultPath \"%s\" holds the control character 0x%02x, which result paths must not",
			    call, out, (unsigned char)*c);
	}
	return ACL_SUCCESS;
}

static aclError bad_directory(const char *call, const char *path, const char *part, const char *why)
{
	return fail(ACL_ERROR_INVALID_FILE, "%s: profilerResultPath \"%s\": %s: %s", call, path, part, why);
}

aclError path_prepare(const char *call, const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	int err;

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; ; slash++) {
		char here = *slash;

		if (here != '/' && here)
			continue;
		*slash = '\0';
		err = files_mkpath(part) ? errno : 0;
		if (err && err != EEXIST && stat(part, &st))
			return bad_directory(call, path, part, strerror(err));
		if (!here)
			break;
		*slash = here;
	}
	if (stat(path, &st))
		return bad_directory(call, path, path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return bad_directory(call, path, path, "not a directory");
	if (access(path, W_OK | X_OK))
		return bad_directory(call, path, path,
				     errno == EACCES ? "not writable" : strerror(errno));
	return ACL_SUCCESS;
}

static void random_letters(char *out, unsigned int n)
{
	unsigned char bytes[16] = { 0 };

	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) < (ssize_t)n) {
		uint64_t t = clock_ns(CLOCK_MONOTONIC_RAW) ^ clock_ns(CLOCK_REALTIME);

		memcpy(bytes, &t, sizeof(t));
	}
	for (unsigned int i = 0; i < n; i++)
		out[i] = (char)('A' + bytes[i] % 18); /* A to R */
	out[n] = '\0';
}

int path_new_result(const char *parent, unsigned int index, char *name)
{
	int parent_fd = fds_add(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	int fd = -1;

	if (parent_fd < 0) {
		fail(ACL_ERROR_INVALID_FILE, "aclprofStart: result path \"%s\": %s", parent, strerror(errno));
		return -1;
	}
	for (int attempt = 0; attempt < 100; attempt++) {
		char base[64], letters[9];
		uint64_t ms = clock_ns(CLOCK_REALTIME) / 1000000;
		time_t sec = (time_t)(ms / 1000);
		struct tm tm;

		localtime_r(&sec, &tm);
		random_letters(letters, 8);
		snprintf(base, sizeof(base), "PROF_%06u_%04d%02d%02d%02d%02d%02d%03u_%08d%s", index,
			 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
			 (unsigned int)(ms % 1000), (int)getpid(), letters);
		/* mkdir never takes over what exists: two that chose one name part here. */
		fd = files_mkdir(parent_fd, base);
		if (fd >= 0) {
			if (snprintf(name, PATH_MAX, "%s/%s", parent, base) >= PATH_MAX)
				name[0] = '\0';
			break;
		}
		if (errno != EEXIST)
			break;
	}
	if (fd < 0)
		fail(ACL_ERROR_INVALID_FILE, "aclprofStart: result path \"%s\": making the result directory: %s",
		     parent, strerror(errno));
	fds_close(parent_fd);
	return fd;
}
