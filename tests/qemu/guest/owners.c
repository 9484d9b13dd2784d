// SPDX-License-Identifier: Apache-2.0
/*
 * A channel has one owner. Some are the bridge's, which feeds them into the module; the
 * library finds them busy, records them from there, and the others by itself.
 */
#include <dirent.h>
#include <signal.h>

#include "acl/acl_prof.h"
#include "guest.h"
#include "tests/hal/model.h"

#define LIBRARY	"/bin/libascend_hal.so"
#define RESULT	"/tmp/owners"
#define TICKS	(10 * MODEL_HZ) /* more than the test takes */

static char part[512]; /* the device's folder */

static bool find_part(void)
{
	DIR *dir = opendir(RESULT);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, "PROF_", 5))
			snprintf(part, sizeof(part), "%s/%.200s/device_0", RESULT, e->d_name);
	if (dir)
		closedir(dir);
	return *part;
}

static size_t read_file(const char *name, char *data, size_t size)
{
	char path[600];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", part, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(data, 1, size - 1, file);
	fclose(file);
	data[len] = 0;
	return len;
}

static bool sources_there(int control)
{
	static const char *const names[] = { "npu0-hbm", "npu0-llc", "npu0-soc" };
	unsigned int found = 0;
	int i;

	for (i = 0; i < PATIENCE / 10 && found != 7; i++) {
		struct ascprof_source source = { 0 };

		for (; ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0; source.index++)
			for (unsigned int k = 0; k < 3; k++)
				if (!strcmp(source.name, names[k]))
					found |= 1u << k;
		usleep(10000);
	}
	return found == 7;
}

static void record(void)
{
	uint32_t device = 0;
	aclprofConfig *config;
	static char data[1 << 16];
	int i;

	setenv("ASCPROF_HAL", LIBRARY, 1);
	setenv("HAL_MODEL", "chip=5 fail=1:30 fail=8:30 fail=52:30", 1);
	equal((uint64_t)aclprofInit(RESULT, strlen(RESULT)), 0, "Init");
	equal((uint64_t)aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50", 2), 0, "SetConfig");
	config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_TASK_TIME_L0);
	equal((uint64_t)aclprofStart(config), 0, "Start");
	check(find_part(), "a part of the device");
	for (i = 0; i < PATIENCE / 10; i++) {
		if (read_file("data/llc.data.0.slice_0", data, sizeof(data)) > 2000 &&
		    read_file("data/npu_mem.data.0.slice_0", data, sizeof(data)) > 200)
			break;
		usleep(10000);
	}
	equal((uint64_t)aclprofStop(config), 0, "Stop");
	aclprofDestroyConfig(config);
	equal((uint64_t)aclprofFinalize(), 0, "Finalize");
}

static void look(void)
{
	static char data[1 << 16];
	unsigned long long begin = 0, stamp;
	char *at;
	size_t len;

	len = read_file("data/llc.data.0.slice_0", data, sizeof(data));
	check(len >= 24 * 8 * MODEL_LLC && len % 24 == 0, "llc.data has rows of the module");
	len = read_file("data/hbm.data.0.slice_0", data, sizeof(data));
	check(len >= 24 * 2 * MODEL_HBM && len % 24 == 0, "hbm.data, too");
	len = read_file("data/npu_mem.data.0.slice_0", data, sizeof(data));
	check(len >= 32 && len % 32 == 0, "npu_mem.data has what the driver gave");
	len = read_file("data/qos.data.0.slice_0", data, sizeof(data));
	check(len >= 64 && len % 64 == 0, "qos.data, too");
	read_file("dev_start.log.0", data, sizeof(data));
	at = strstr(data, "cntvct: ");
	if (at)
		begin = strtoull(at + 8, NULL, 10);
	check(begin >= MODEL_TICKS_FIRST && begin < MODEL_TICKS_FIRST + 1000 * TICKS, "the clock is the device's");
	len = read_file("data/stars_soc_profile.data.0.slice_0", data, sizeof(data));
	check(len >= 64 && len % 64 == 0, "stars_soc_profile.data has rows of the module");
	memcpy(&stamp, data + 8, sizeof(stamp));
	check(stamp > begin && stamp < begin + TICKS, "... with stamps of that clock");
	read_file("../ascprof.json", data, sizeof(data));
	check(strstr(data, "channel llc: busy"), "it is told that llc is busy");
	check(strstr(data, "channel soc_profile: busy"), "... and the SoC profile");
	check(strstr(data, "\"source\":\"npu0-"), "the module is named as a source");
}

int main(void)
{
	int control = open_control();
	pid_t bridge;

	if (access(LIBRARY, R_OK) || access("/bin/ascprof", X_OK)) {
		puts("1..0 # SKIP no stand-in for the vendor's library");
		return 77;
	}
	bridge = fork();
	if (!bridge) {
		execl("/bin/ascprof", "ascprof", "bridge", "-L", LIBRARY, "-p", "10", NULL);
		_exit(9);
	}
	check(sources_there(control), "the bridge feeds its channels");
	record();
	look();
	kill(bridge, SIGTERM);
	waitpid(bridge, NULL, 0);
	close(control);
	return finish();
}
