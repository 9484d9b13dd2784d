/* SPDX-License-Identifier: Apache-2.0 */
#include "session/control.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock/clock.h"
#include "format/files.h"
#include "format/json_write.h"
#include "host/host.h"

#define PLATFORM_VERSION "5" /* two LLC ids, four HBM ids, SoC profile */
/* Device stamps are the module's, in ns: a counter of 1000 MHz. */
#define DEVICE_MHZ "1000.000000"
/*
 * Of the simulated devices, which are the only ones yet. The parser leaves out
 * every counter of a device that has no core frequency above 0.
 */
#define SIM_CORE_MHZ "1000"

void moment_now(struct moment *m)
{
	uint64_t best = UINT64_MAX, rest;

	/* The narrowest of a few readings was not interrupted. */
	for (int i = 0; i < 4; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t after = clock_ns(CLOCK_MONOTONIC_RAW);

		if (after - before < best) {
			best = after - before;
			m->raw_ns = before + (after - before) / 2;
			m->real_ns = real;
		}
	}
	/* Whole microseconds of both: the parser, which subtracts the one from the
	 * other in floating point, then gets exact differences of stamps. */
	rest = m->raw_ns % 1000;
	m->raw_ns -= rest;
	m->real_ns -= rest;
	m->real_ns -= m->real_ns % 1000;
}

const char *control_program(void)
{
	return program_invocation_short_name;
}

static const char *first_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");

	line[0] = '\0';
	if (f) {
		if (fgets(line, (int)size, f))
			line[strcspn(line, "\n")] = '\0';
		fclose(f);
	}
	return line;
}

/* Value of the first line of @path that begins with @key, after its colon. */
static const char *value_of(const char *path, const char *key, char *value, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[256];

	value[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !colon)
			continue;
		for (colon++; *colon == ' ' || *colon == '\t'; colon++)
			;
		snprintf(value, size, "%s", colon);
		value[strcspn(value, "\n")] = '\0';
		break;
	}
	if (f)
		fclose(f);
	return value;
}

/* <name>[.<device>], and its .done */
static int put(const struct control *c, const char *name, const char *text, size_t len)
{
	char file[64];
	int err;

	if (c->device == CONTROL_HOST)
		snprintf(file, sizeof(file), "%s", name);
	else
		snprintf(file, sizeof(file), "%s.%u", name, c->device);
	err = files_put(c->dir_fd, file, text, len);
	return err ? err : files_done(c->dir_fd, file, len, false);
}

static int put_json(const struct control *c, const char *name, struct json_writer *w)
{
	size_t len;
	const char *text = json_finish(w, &len);
	int err = text ? put(c, name, text, len) : ENOMEM;

	json_release(w);
	return err;
}

static void net_cards(struct json_writer *w)
{
	char speed_path[128], speed[32], line[256];
	FILE *f = fopen("/proc/net/dev", "re");

	json_open(w, "netCard", '[');
	while (f && fgets(line, sizeof(line), f)) {
		char *name = line + strspn(line, " "), *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		snprintf(speed_path, sizeof(speed_path), "/sys/class/net/%.64s/speed", name);
		first_line(speed_path, speed, sizeof(speed));
		/* Cards that cannot tell their speed have none to compare with. */
		if (!isdigit((unsigned char)speed[0]))
			continue;
		json_open(w, NULL, '{');
		json_string(w, "netCardName", name);
		json_u64(w, "speed", strtoull(speed, NULL, 10));
		json_close(w, '}');
	}
	if (f)
		fclose(f);
	json_close(w, ']');
}

static void device_info(struct json_writer *w, unsigned int device)
{
	/* A device that only counts has no cores to tell of: zeros. */
	json_open(w, NULL, '{');
	json_u64(w, "id", device);
	json_u64(w, "env_type", 3);
	json_string(w, "ctrl_cpu_id", "");
	json_u64(w, "ctrl_cpu_core_num", 0);
	json_u64(w, "ctrl_cpu_endian_little", 1);
	json_u64(w, "ts_cpu_core_num", 0);
	json_u64(w, "ai_cpu_core_num", 0);
	json_u64(w, "ai_core_num", 0);
	json_u64(w, "ai_cpu_core_id", 0);
	json_u64(w, "ai_core_id", 0);
	json_u64(w, "aicpu_occupy_bitmap", 0);
	json_string(w, "ctrl_cpu", "");
	json_string(w, "ai_cpu", "");
	json_u64(w, "aiv_num", 0);
	json_string(w, "hwts_frequency", DEVICE_MHZ);
	json_string(w, "aic_frequency", SIM_CORE_MHZ);
	json_string(w, "aiv_frequency", SIM_CORE_MHZ);
	json_close(w, '}');
}

static int put_info(const struct control *c, const char *source)
{
	struct json_writer w = { 0 };
	struct utsname un = { 0 };
	char text[256], id[16];
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	uname(&un);
	snprintf(id, sizeof(id), "%u", c->device);
	json_open(&w, NULL, '{');
	json_string(&w, "version", "1.0");
	json_string(&w, "jobInfo", "NA");
	snprintf(text, sizeof(text), "%.100s %.100s", un.sysname, un.release);
	json_string(&w, "OS", text);
	json_string(&w, "hostname", un.nodename);
	json_string(&w, "hwtype", un.machine);
	json_string(&w, "devices", c->device == CONTROL_HOST ? "" : id);
	json_string(&w, "platform", "");
	json_string(&w, "platform_version", PLATFORM_VERSION);
	json_u64_string(&w, "pid", (uint64_t)getpid());
	json_string(&w, "pid_name", control_program());
	json_string(&w, "upTime", first_line("/proc/uptime", text, sizeof(text)));
	value_of("/proc/meminfo", "MemTotal", text, sizeof(text));
	json_u64(&w, "memoryTotal", strtoull(text, NULL, 10));
	json_u64(&w, "cpuNums", (uint64_t)cpus);
	json_u64(&w, "sysClockFreq", (uint64_t)sysconf(_SC_CLK_TCK));
	json_u64(&w, "cpuCores", (uint64_t)cpus);
	json_i64(&w, "rank_id", -1);
	json_u64(&w, "drvVersion", 0);
	json_string(&w, "cannVersion", "");
	json_string(&w, "ascprofSource", source);
	json_string(&w, "ascprofVersion", ASCPROF_VERSION);
	json_open(&w, "CPU", '[');
	json_open(&w, NULL, '{');
	json_u64(&w, "Id", 0);
	json_string(&w, "Name", value_of("/proc/cpuinfo", "model name", text, sizeof(text)));
	json_string(&w, "Frequency", ""); /* host stamps are nanoseconds */
	json_u64_string(&w, "Logical_CPU_Count", (uint64_t)cpus);
	json_string(&w, "Type", un.machine);
	json_close(&w, '}');
	json_close(&w, ']');
	json_open(&w, "DeviceInfo", '[');
	if (c->device != CONTROL_HOST)
		device_info(&w, c->device);
	json_close(&w, ']');
	net_cards(&w);
	json_close(&w, '}');
	return put_json(c, "info.json", &w);
}

static int put_sample(const struct control *c)
{
	const struct settings *set = c->settings;
	uint32_t hz = set->hardware_mem_hz, usage_hz = set->host_usage_hz ? set->host_usage_hz : HOST_USAGE_HZ;
	struct json_writer w = { 0 };
	char text[32];
	size_t len;
	const char *json;
	int err;

	json_open(&w, NULL, '{');
	json_u64_string(&w, "devices", c->device);
	json_string(&w, "llc_profiling", set->llc_mode == LLC_WRITE ? "write" : "read");
	json_string(&w, "hardware_mem", hz ? "on" : "off");
	json_u64(&w, "hardware_mem_sampling_interval", hz ? 1000000 / hz : 0);
	json_u64(&w, "llc_interval", hz ? 1000 / hz : 0);
	json_u64(&w, "hbmInterval", hz ? 1000 / hz : 0);
	json_string(&w, "hbm_profiling_events", hz ? "read,write" : "");
	json_string(&w, "ddr_profiling_events", "");
	json_u64(&w, "ddr_master_id", 0);
	json_u64(&w, "io_sampling_interval", set->io_hz ? 1000 / set->io_hz : 0);
	json_u64(&w, "dvpp_sampling_interval", set->dvpp_hz ? 1000 / set->dvpp_hz : 0);
	json_u64(&w, "interconnection_sampling_interval",
		 set->interconnection_hz ? 1000 / set->interconnection_hz : 0);
	json_u64(&w, "lowPowerInterval", set->low_power_hz ? 1000000 / set->low_power_hz : 0);
	json_u64(&w, "cpu_sampling_interval", set->cpu_hz ? 1000 / set->cpu_hz : 0);
	json_u64(&w, "hostProfilingSamplingInterval", set->host_usage ? 1000 / usage_hz : 0);
	json_string(&w, "memServiceflow", set->serviceflow);
	json_string(&w, "opType", set->optype);
	json_string(&w, "ntsMetrics", set->nts_metrics);
	snprintf(text, sizeof(text), "%" PRIu64 "MB", set->storage_limit_mb);
	json_string(&w, "storageLimit", set->storage_limit_mb ? text : "");
	json_string(&w, "msproftx", c->bits & ACL_PROF_MSPROFTX ? "on" : "off");
	json_u64(&w, "dataTypeConfig", c->bits);
	json_string(&w, "prof_level", "l0");
	json_string(&w, "qosEvents", "");
	json_u64(&w, "host_sys_pid", (uint64_t)getpid());
	json_u64(&w, "host_disk_freq", set->host_sys & HOST_DISK ? HOST_SYS_HZ : 0);
	json_string(&w, "ai_core_profiling", "off");
	json_string(&w, "ai_core_metrics", "");
	json_string(&w, "ai_core_profiling_events", "");
	json_string(&w, "ai_core_profiling_mode", "task-based");
	json_u64(&w, "aicore_sampling_interval", 10);
	json_string(&w, "aiv_profiling", "off");
	json_string(&w, "aiv_metrics", "");
	json_string(&w, "aiv_profiling_events", "");
	json_string(&w, "aiv_profiling_mode", "task-based");
	json_u64(&w, "aiv_sampling_interval", 10);
	json_close(&w, '}');
	/* sample.json has the same name in every part */
	json = json_finish(&w, &len);
	err = json ? files_put(c->dir_fd, "sample.json", json, len) : ENOMEM;
	if (!err)
		err = files_done(c->dir_fd, "sample.json", len, false);
	json_release(&w);
	return err;
}

static int put_collection(const struct control *c, const char *name, const struct moment *m, bool begin)
{
	struct json_writer w = { 0 };

	collection_write(&w, m, begin);
	return put_json(c, name, &w);
}

static int put_clock(const struct control *c, const char *name, const char *section, uint64_t raw_ns)
{
	char text[192];
	int n = snprintf(text, sizeof(text),
			 "%sclock_monotonic_raw: %" PRIu64 "\ncntvct: %" PRIu64 "\n%s", section, raw_ns, raw_ns,
			 *section ? "cntvct_diff: 0\n" : "");

	return put(c, name, text, (size_t)n);
}

int control_begin(const struct control *c, const char *source, const char **name)
{
	char section[32];
	int err;

	*name = "info.json";
	err = put_info(c, source);
	if (err)
		return err;
	*name = "sample.json";
	err = put_sample(c);
	if (err)
		return err;
	*name = "start_info";
	err = put_collection(c, "start_info", &c->begin, true);
	if (err)
		return err;
	*name = "host_start.log";
	if (c->device == CONTROL_HOST)
		return put_clock(c, "host_start.log", "[Host]\n", c->begin.raw_ns);
	/* The device's clock is the host's: its begin is the same on both. */
	snprintf(section, sizeof(section), "[Device%u]\n", c->device);
	err = put_clock(c, "host_start.log", section, c->device_begin_ns);
	if (err)
		return err;
	*name = "dev_start.log";
	return put_clock(c, "dev_start.log", "", c->device_begin_ns);
}

int control_end(const struct control *c, const struct moment *end)
{
	return put_collection(c, "end_info", end, false);
}
