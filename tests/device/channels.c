// SPDX-License-Identifier: Apache-2.0
/*
 * channels DIRECTORY [milliseconds [devices [metrics [only [times]]]]]
 *
 * Records all that the channels of NPUs have into DIRECTORY, for so long; with the
 * stand-in for the vendor's library that ASCPROF_HAL names. only=memory: no more
 * than what ACL_PROF_SYS_HARDWARE_MEM_FREQ asks for; so many times, one after the other. Prints the share of the
 * processors' time that the process took, in percent of one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "ascprof/ascprof.h"

#define DEVICES_MAX 64

static void must(int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "%s: %d: %s\n", what, code, ascprof_last_error());
	exit(1);
}

static void set(aclprofConfigType type, const char *value)
{
	must(aclprofSetConfig(type, value, strlen(value)), value);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t))
		;
}

int main(int argc, char **argv)
{
	long ms = argc > 2 ? atol(argv[2]) : 0;
	uint32_t devices[DEVICES_MAX], nr = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	int metrics = argc > 4 ? atoi(argv[4]) : ACL_AICORE_PIPE_UTILIZATION;
	bool memory = argc > 5 && !strcmp(argv[5], "memory");
	int times = argc > 6 ? atoi(argv[6]) : 1;
	uint64_t bits = ACL_PROF_MSPROFTX;
	aclprofConfig *config;
	double wall, busy;

	if (argc < 2 || nr > DEVICES_MAX)
		return 1;
	for (uint32_t i = 0; i < nr; i++)
		devices[i] = i;
	if (!memory)
		bits |= ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS | ACL_PROF_AICPU | ACL_PROF_L2CACHE;
	must(aclprofInit(argv[1], strlen(argv[1])), "Init");
	set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50");
	if (!memory) {
		set(ACL_PROF_SYS_IO_FREQ, "50");
		set(ACL_PROF_SYS_INTERCONNECTION_FREQ, "50");
		set(ACL_PROF_DVPP_FREQ, "50");
	}
	config = aclprofCreateConfig(devices, nr, (aclprofAicoreMetrics)metrics, NULL, bits);
	if (!config)
		must(-1, "CreateConfig");
	wall = seconds(CLOCK_MONOTONIC);
	busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
	while (times--) {
		must(aclprofStart(config), "Start");
		sleep_ms(ms);
		must(aclprofStop(config), "Stop");
	}
	printf("processor time: %.1f %% of one\n", 100 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - busy) /
						  (seconds(CLOCK_MONOTONIC) - wall));
	must(aclprofDestroyConfig(config), "DestroyConfig");
	must(aclprofFinalize(), "Finalize");
	return 0;
}
