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
#include "session/machine.h"

#define PLATFORM_VERSION "5" /* two LLC ids, four HBM ids, SoC profile */
/* Device stamps are the module's, in ns: a counter of 1000 MHz. */
#define DEVICE_MHZ "1000.000000"
/*
 * Of the simulated devices, which are the only ones yet. The parser leaves out
 * every counter of a device that has no core frequency above 0.
 */
#define SIM_CORE_MHZ "1000"

void moment_now(struct moment *m, struct clock_correlation *clocks)
{
	uint64_t rest;

	clock_correlate(clocks);
	m->raw_ns = clocks->raw_ns;
	m->real_ns = clocks->real_ns;
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

/* <name>[.<device>], and its .done */
static int put(const struct control *c, const char *name, const char *text, size_t len)
{
	char file[64];
	int err;

	if (c->device == HOST_DEVICE)
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

static void put_processors(struct json_writer *w, const struct machine *m, const char *type)
{
	json_open(w, "CPU", '[');
	for (unsigned int i = 0; i < m->nr_packages; i++) {
		const struct machine_package *p = &m->package[i];

		json_open(w, NULL, '{');
		json_u64(w, "Id", p->id);
		json_string(w, "Name", p->vendor);
		json_string(w, "Frequency", ""); /* host stamps are nanoseconds */
		json_u64_string(w, "Logical_CPU_Count", p->cpus);
		json_string(w, "Type", *p->model ? p->model : type);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_cards(struct json_writer *w, const struct machine *m)
{
	json_open(w, "netCard", '[');
	for (unsigned int i = 0; i < m->nr_cards; i++) {
		json_open(w, NULL, '{');
		json_string(w, "netCardName", m->card[i].name);
		json_u64(w, "speed", m->card[i].mbit);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* "0,1,2": processors of an NPU, @nr from @first on. */
static void cpu_list(struct json_writer *w, const char *key, unsigned int first, unsigned int nr)
{
	char text[256];
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < nr && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? "," : "", first + i);
	json_string(w, key, text);
}

static void mhz_string(struct json_writer *w, const char *key, uint32_t khz)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%03u000", khz / 1000, khz % 1000);
	json_string(w, key, text);
}

static void npu_info(struct json_writer *w, unsigned int device, const struct npu_facts *f)
{
	char id[16];

	json_open(w, NULL, '{');
	json_u64(w, "id", device);
	json_u64(w, "env_type", f->env);
	snprintf(id, sizeof(id), "0x%x", f->ctrl_cpu_id);
	json_string(w, "ctrl_cpu_id", id);
	json_u64(w, "ctrl_cpu_core_num", f->ctrl_cpus);
	json_u64(w, "ctrl_cpu_endian_little", f->ctrl_little_endian);
	json_u64(w, "ts_cpu_core_num", f->ts_cpus);
	json_u64(w, "ai_cpu_core_num", f->ai_cpus);
	json_u64(w, "ai_core_num", f->cores);
	json_u64(w, "ai_cpu_core_id", f->ai_cpu_id);
	json_u64(w, "ai_core_id", f->core_id);
	json_u64(w, "aicpu_occupy_bitmap", f->ai_cpu_bits);
	cpu_list(w, "ctrl_cpu", 0, f->ctrl_cpus);
	cpu_list(w, "ai_cpu", f->ai_cpu_id, f->ai_cpus);
	json_u64(w, "aiv_num", f->vector_cores);
	mhz_string(w, "hwts_frequency", f->counter_khz);
	json_u64_string(w, "aic_frequency", f->core_mhz);
	json_u64_string(w, "aiv_frequency", f->core_mhz);
	json_close(w, '}');
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
	struct machine m;

	machine_read(&m, "");
	uname(&un);
	snprintf(id, sizeof(id), "%u", c->device);
	json_open(&w, NULL, '{');
	json_string(&w, "version", "1.0");
	json_string(&w, "jobInfo", "NA");
	snprintf(text, sizeof(text), "%.100s %.100s", un.sysname, un.release);
	json_string(&w, "OS", text);
	json_string(&w, "hostname", un.nodename);
	json_string(&w, "hwtype", un.machine);
	json_string(&w, "devices", c->device == HOST_DEVICE ? "" : id);
	json_string(&w, "platform", "");
	if (c->npu)
		json_u64_string(&w, "platform_version", c->npu->chip->version);
	else
		json_string(&w, "platform_version", PLATFORM_VERSION);
	json_u64_string(&w, "pid", (uint64_t)getpid());
	json_string(&w, "pid_name", control_program());
	json_string(&w, "upTime", m.up);
	json_u64(&w, "memoryTotal", m.memory_kb);
	json_u64(&w, "cpuNums", m.cpus);
	json_u64(&w, "sysClockFreq", (uint64_t)sysconf(_SC_CLK_TCK));
	json_u64(&w, "cpuCores", m.nr_packages);
	json_u64(&w, "netCardNums", m.nr_cards);
	json_i64(&w, "rank_id", m.rank);
	json_u64(&w, "drvVersion", 0);
	json_string(&w, "cannVersion", "");
	json_string(&w, "ascprofSource", source);
	json_string(&w, "ascprofVersion", ASCPROF_VERSION);
	put_processors(&w, &m, un.machine);
	json_open(&w, "DeviceInfo", '[');
	if (c->npu)
		npu_info(&w, c->device, c->npu);
	else if (c->device != HOST_DEVICE)
		device_info(&w, c->device);
	json_close(&w, ']');
	put_cards(&w, &m);
	json_close(&w, '}');
	return put_json(c, "info.json", &w);
}

/* What is counted in the cores: <core>_profiling, <core>_metrics, ... */
static void put_cores(struct json_writer *w, const struct npu_facts *f, const char *core, const char *interval)
{
	const struct chip_metrics *m = f ? f->metrics : NULL;
	bool sampled = m && f->sample_ms;
	char key[64], events[128] = "";

	if (m)
		chip_events_text(m->event, m->nr, events, sizeof(events));
	snprintf(key, sizeof(key), "%s_profiling", core);
	json_string(w, key, m ? "on" : "off");
	snprintf(key, sizeof(key), "%s_metrics", core);
	json_string(w, key, m ? m->name : "");
	snprintf(key, sizeof(key), "%s_profiling_events", core);
	json_string(w, key, events);
	snprintf(key, sizeof(key), "%s_profiling_mode", core);
	json_string(w, key, sampled ? "sample-based" : "task-based");
	json_u64(w, interval, sampled ? f->sample_ms : 10);
}

/* What is counted in the caches of tasks, as far as it is asked for. */
static void put_caches(struct json_writer *w, const struct control *c)
{
	char l2[128] = "", both[192] = "";
	const uint16_t *events;
	unsigned int nr;

	if (c->npu && c->bits & ACL_PROF_L2CACHE) {
		nr = chip_l2_events(c->npu->chip, &events);
		chip_events_text(events, nr, l2, sizeof(l2));
		nr = chip_smmu_events(&events);
		snprintf(both, sizeof(both), "HA:%s;SMMU:", l2);
		chip_events_text(events, nr, both + strlen(both), sizeof(both) - strlen(both));
	}
	json_string(w, "l2CacheTaskProfilingEvents", l2);
	json_string(w, "npuEvents", both);
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
	json_string(&w, "ddr_profiling_events", hz && c->npu ? "read,write" : "");
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
	json_string(&w, "qosEvents", hz && c->npu ? c->npu->qos_names : "");
	json_u64(&w, "host_sys_pid", (uint64_t)getpid());
	json_u64(&w, "host_disk_freq", set->host_sys & HOST_DISK ? HOST_SYS_HZ : 0);
	put_caches(&w, c);
	put_cores(&w, c->npu, "ai_core", "aicore_sampling_interval");
	put_cores(&w, c->npu, "aiv", "aiv_sampling_interval");
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

static int put_clock(const struct control *c, const char *name, const char *section, uint64_t raw_ns, uint64_t counter)
{
	char text[192];
	int n = snprintf(text, sizeof(text),
			 "%sclock_monotonic_raw: %" PRIu64 "\ncntvct: %" PRIu64 "\n%s", section, raw_ns, counter,
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
	if (c->device == HOST_DEVICE)
		return put_clock(c, "host_start.log", "[Host]\n", c->begin.raw_ns, c->begin.raw_ns);
	snprintf(section, sizeof(section), "[Device%u]\n", c->device);
	err = put_clock(c, "host_start.log", section, c->device_begin_ns, c->device_begin_ns);
	if (err)
		return err;
	*name = "dev_start.log";
	if (c->npu)
		return put_clock(c, "dev_start.log", "", c->npu->begin.device_ns, c->npu->begin.counter);
	return put_clock(c, "dev_start.log", "", c->device_begin_ns, c->device_begin_ns);
}

int control_end(const struct control *c, const struct moment *end)
{
	return put_collection(c, "end_info", end, false);
}
