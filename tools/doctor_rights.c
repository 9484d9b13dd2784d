/* SPDX-License-Identifier: Apache-2.0 */
/* What this user may count. */
#include "tools/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_DEFAULT 2 /* its parameter paranoid */
#define PERF_DEFAULT 2

static uint64_t effective(const struct doctor *d)
{
	char path[300], line[256];
	uint64_t set = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/status", d->root);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &set) == 1)
			break;
	fclose(f);
	return set;
}

/* Capabilities of another user name space mean nothing to the module. */
static bool initial_users(const struct doctor *d)
{
	char text[SYSFS_TEXT];
	unsigned long inside, outside, count;

	if (doctor_read(d, text, "/proc/self/uid_map"))
		return true; /* a kernel without them */
	return sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
	       count == UINT32_MAX;
}

bool doctor_capable(const struct doctor *d, unsigned int capability)
{
	return effective(d) >> capability & 1 && initial_users(d);
}

void doctor_counters(struct doctor *d, unsigned int module, int perf, bool capable)
{
	if (capable) {
		doctor_say(d, DOCTOR_OK, "counters", "all may be counted: CAP_PERFMON");
	} else if (module > 1) {
		doctor_say(d, DOCTOR_NOTE, "counters",
			   "those of the machine are refused: paranoid of the module is %u, and there is no CAP_PERFMON",
			   module);
		doctor_mend(d, "setcap cap_perfmon+ep PROGRAM, or echo 1 >/sys/module/ascprof/parameters/paranoid");
	} else if (perf > 0) {
		doctor_say(d, DOCTOR_NOTE, "counters",
			   "those of the kernel's PMUs are refused: kernel.perf_event_paranoid is %d, and there is no CAP_PERFMON",
			   perf);
		doctor_mend(d, "setcap cap_perfmon+ep PROGRAM, or sysctl -w kernel.perf_event_paranoid=0");
	} else if (module == 1) {
		doctor_say(d, DOCTOR_OK, "counters", "bandwidth may be counted, every 10 ms or slower");
	} else {
		doctor_say(d, DOCTOR_OK, "counters", "all may be counted, every 10 ms or slower");
	}
}

void doctor_rights(struct doctor *d)
{
	char text[SYSFS_TEXT];
	uint64_t module = MODULE_DEFAULT;
	int perf = PERF_DEFAULT;

	if (!doctor_read(d, text, "/sys/module/ascprof/parameters/paranoid"))
		sysfs_number(text, MODULE_DEFAULT, &module);
	if (!doctor_read(d, text, "/proc/sys/kernel/perf_event_paranoid"))
		perf = atoi(text);
	doctor_counters(d, (unsigned int)module, perf,
			doctor_capable(d, DOCTOR_CAP_PERFMON) || doctor_capable(d, DOCTOR_CAP_SYS_ADMIN));
}
