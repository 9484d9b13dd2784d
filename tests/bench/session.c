// SPDX-License-Identifier: Apache-2.0
/* A whole session by the public interface: what it costs when nothing happens. */
#include "bench/table.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_prof.h"

static aclprofConfig *begin(void)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	const char *dir = bench_dir();

	setenv("ASCPROF_ON_FULL", "wait", 1);
	if (!config || aclprofInit(dir, strlen(dir)) || aclprofStart(config))
		exit(1);
	return config;
}

static void end(aclprofConfig *config)
{
	if (aclprofStop(config) || aclprofDestroyConfig(config) || aclprofFinalize())
		exit(1);
}

static void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* Nanoseconds of processor time of all threads but this one; the flusher is the only one. */
static double others_ns(void)
{
	DIR *dir = opendir("/proc/self/task");
	double sum = 0;
	char path[320], self[32];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	for (struct dirent *e; dir && (e = readdir(dir));) {
		unsigned long long ns;
		FILE *file;

		if (e->d_name[0] == '.' || !strcmp(e->d_name, self))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", e->d_name);
		file = fopen(path, "r");
		if (file && fscanf(file, "%llu", &ns) == 1)
			sum += (double)ns;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return sum;
}

static double idle_percent(void)
{
	aclprofConfig *config = begin();
	double before;

	sleep_ms(200);
	before = others_ns();
	sleep_ms(1000);
	before = others_ns() - before;
	end(config);
	return before / 1e9 * 100;
}

const struct bench_row session_rows[] = {
	{ "idle flusher: share of a core", "%", idle_percent, NULL, 0.1, 0.03, true },
	{ 0 },
};
