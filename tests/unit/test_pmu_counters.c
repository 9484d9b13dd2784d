// SPDX-License-Identifier: Apache-2.0
/* Counters of PMUs in a planted sysfs that stand for clocks of the kernel: samples by perf_event_open. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/pmu_counters.h"
#include "tests/unit/planted.h"

static char note[200];
static char buf[HOST_TEXT_MAX];

static void plant(const char *pmu, const char *file, const char *content)
{
	char path[256];

	snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", pmu, file);
	plant_bytes(path, content, strlen(content));
}

/* @event counts nanoseconds of CPU 0. */
static void plant_pmu(const char *pmu, const char *event)
{
	char file[64];

	plant(pmu, "type", "1\n");
	plant(pmu, "cpumask", "0\n");
	plant(pmu, "format/event", "config:0-7\n");
	snprintf(file, sizeof(file), "events/%s", event);
	plant(pmu, file, "event=0x0\n");
}

static int set_up(void **state)
{
	(void)state;
	setenv("ASCPROF_DEVICE", "/nonexistent", 1);
	return plant_root();
}

static int tear_down(void **state)
{
	(void)state;
	return uproot();
}

static bool may_count(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr) };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_none(void **state)
{
	(void)state;
	assert_null(pmu_counters_open(root, 50, note, sizeof(note)));
	assert_string_equal(note, "this machine shows no PMU of caches, memory or PCIe");
}

/* Said with both reasons. */
static void test_refused(void **state)
{
	(void)state;
	plant_pmu("hisi_sccl1_ddrc0", "flux_rd");
	plant("hisi_sccl1_ddrc0", "type", "2000000000\n"); /* nobody's */
	assert_null(pmu_counters_open(root, 50, note, sizeof(note)));
	assert_non_null(strstr(note, "1 counters of PMUs: the module: No such file or directory; perf_event_open: "));
}

static unsigned long long read_line(const char **at, const char *counter, const char *rest)
{
	unsigned long long count, enabled, running;
	char name[64], tail[128];

	assert_int_equal(sscanf(*at, "%63s %llu %llu %llu %127[^\n]", name, &count, &enabled, &running, tail), 5);
	assert_string_equal(name, counter);
	assert_string_equal(tail, rest);
	assert_true(running <= enabled);
	*at = strchr(*at, '\n') + 1;
	return count;
}

static void test_samples(void **state)
{
	unsigned long long before = 0, stamp;
	struct pmu_counters *p;
	uint64_t ns, last = 0;

	(void)state;
	if (!may_count())
		skip();
	plant_pmu("hisi_sccl1_ddrc0", "flux_rd");
	plant_pmu("hisi_sccl1_l3c0", "l3c_ref");
	plant_pmu("hisi_pcie0_core0", "rx_mrd_flux"); /* counts for one device, and nobody has told of one */
	p = pmu_counters_open(root, 50, note, sizeof(note));
	assert_non_null(p);
	assert_string_equal(note, "2 counters of the host's PMUs");
	assert_false(pmu_counters_by_module(p));
	for (int i = 0; i < 3; i++) {
		struct host_text t = { buf, sizeof(buf), 0 };
		const char *at = buf;
		unsigned long long count;

		assert_true(pmu_counters_next(p, &t, &ns));
		assert_int_equal(sscanf(at, "time %llu\n", &stamp), 1);
		assert_int_equal(stamp, ns);
		assert_true(ns > last);
		last = ns;
		at = strchr(at, '\n') + 1;
		count = read_line(&at, "hisi_sccl1_ddrc0/flux_rd", "32/1 bytes DDR_controller");
		assert_true(count > before);
		before = count;
		read_line(&at, "hisi_sccl1_l3c0/l3c_ref", "1/1 requests L3_cache");
		assert_ptr_equal(at, buf + t.len);
		assert_false(pmu_counters_next(p, &t, &ns)); /* one for each time */
	}
	assert_int_equal(pmu_counters_lost(p), 0);
	pmu_counters_stop(p);
	pmu_counters_close(p);
}

static void plant_npu(const char *file, const char *content)
{
	char path[128];

	snprintf(path, sizeof(path), "bus/pci/devices/0000:81:00.0/%s", file);
	plant_bytes(path, content, strlen(content));
}

/* What the counters are said to be, of a sample. */
static const char *sample(const char *counter)
{
	struct pmu_counters *p = pmu_counters_open(root, 50, note, sizeof(note));
	struct host_text t = { buf, sizeof(buf) - 1, 0 };
	const char *line;
	uint64_t ns;

	assert_non_null(p);
	assert_true(pmu_counters_next(p, &t, &ns));
	buf[t.len] = '\0';
	pmu_counters_close(p);
	line = strstr(buf, counter);
	return line ? line : "";
}

/* An NPU on the bus is enough for what counts for one; its number is the driver's, if that tells it. */
static void test_npu(void **state)
{
	(void)state;
	if (!may_count())
		skip();
	plant_pmu("hisi_pcie0_core0", "rx_mrd_flux");
	plant("hisi_pcie0_core0", "format/bdf", "config2:16-31\n");
	plant_npu("vendor", "0x19e5\n");
	plant_npu("device", "0xa126\n"); /* no NPU */
	assert_null(pmu_counters_open(root, 50, note, sizeof(note)));
	plant_npu("device", "0xd802\n");
	assert_non_null(strstr(sample("hisi_pcie0_core0/rx_mrd_flux"), " 4/1 bytes PCIe_root_of_NPU_0000:81:00.0\n"));
	plant_npu("davinci_dev_id", "3\n");
	assert_non_null(strstr(sample("hisi_pcie0_core0/rx_mrd_flux"), " 4/1 bytes PCIe_root_of_NPU_3\n"));
}

/* What the kernel does not take is left out, and counted. */
static void test_left_out(void **state)
{
	(void)state;
	if (!may_count())
		skip();
	plant_pmu("hisi_sccl1_ddrc0", "flux_rd");
	plant("hisi_sccl1_ddrc0", "type", "2000000000\n");
	plant_pmu("hisi_sccl1_hha0", "rx_ops_num");
	plant_pmu("hisi_sccl1_l3c0", "l3c_ref");
	plant("hisi_sccl1_l3c0", "type", "2000000000\n");
	assert_non_null(strstr(sample("hisi_sccl1_hha0/rx_ops_num"), " 1/1 requests "));
	assert_string_equal(note, "1 counters of the host's PMUs; the kernel refused 2 more");
	assert_null(strstr(buf, "ddrc"));
	assert_null(strstr(buf, "l3c"));
}

/* What a PMU cannot count at once is left out, rather than all of it refused. */
static void test_too_many_of_one(void **state)
{
	static const char *const events[] = { "rd_cpipe", "wr_cpipe", "rd_hit_cpipe", "wr_hit_cpipe", "rd_spipe",
					      "wr_spipe", "rd_hit_spipe", "wr_hit_spipe", "victim_num" };
	struct pmu_counters *p;

	(void)state;
	if (!may_count())
		skip();
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		plant_pmu("hisi_sccl1_l3c0", events[i]);
	plant_pmu("hisi_sccl3_l3c0", "rd_cpipe");
	p = pmu_counters_open(root, 50, note, sizeof(note));
	assert_non_null(p);
	assert_string_equal(note, "9 counters of the host's PMUs"); /* eight and one */
	pmu_counters_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_many_of_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_npu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_left_out, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
