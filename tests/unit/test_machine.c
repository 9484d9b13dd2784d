/* SPDX-License-Identifier: Apache-2.0 */
/* What info.json tells of the machine, from planted files, and where there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/machine.h"
#include "tests/unit/planted.h"

static struct machine m;

static void begin(const char *rank)
{
	assert_int_equal(plant_root(), 0);
	if (rank)
		setenv("RANK_ID", rank, 1);
	else
		unsetenv("RANK_ID");
}

static void put(const char *path, const char *text)
{
	plant_bytes(path, text, strlen(text));
}

static void two_sockets(void **unused)
{
	char text[2048] = "";

	(void)unused;
	begin("12");
	for (int i = 0; i < 6; i++)
		sprintf(text + strlen(text),
			"processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon: 8 cores\nphysical id\t: %d\n"
			"cpu cores\t: 2\n\n", i, i % 3 ? 5 : 0);
	put("proc/cpuinfo", text);
	put("proc/meminfo", "MemTotalX: 1 kB\nMemTotal:       24683652 kB\nMemFree: 5 kB\n");
	put("proc/uptime", "123.45 678.90\n");
	put("sys/class/net/lo/speed", "");
	put("sys/class/net/eth1/speed", "25000\n");
	put("sys/class/net/eth0/speed", "1000\n");
	put("sys/class/net/down/speed", "-1\n");
	machine_read(&m, root);
	assert_int_equal(m.nr_packages, 2);
	assert_int_equal(m.package[0].id, 0);
	assert_int_equal(m.package[0].cpus, 2);
	assert_int_equal(m.package[1].id, 5);
	assert_int_equal(m.package[1].cpus, 4);
	assert_string_equal(m.package[1].vendor, "GenuineIntel");
	assert_string_equal(m.package[1].model, "Xeon: 8 cores");
	assert_int_equal(m.memory_kb, 24683652);
	assert_string_equal(m.up, "123.45 678.90");
	assert_int_equal(m.nr_cards, 2);
	assert_string_equal(m.card[0].name, "eth0");
	assert_int_equal(m.card[0].mbit, 1000);
	assert_string_equal(m.card[1].name, "eth1");
	assert_int_equal(m.card[1].mbit, 25000);
	assert_int_equal(m.rank, 12);
	assert_int_equal(uproot(), 0);
}

/* ARM's processors have neither a name nor sockets there. */
static void arm(void **unused)
{
	(void)unused;
	begin("twelve");
	put("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 200.00\nCPU implementer\t: 0x48\nCPU part\t: 0xd01\n\n"
			     "processor\t: 1\nCPU implementer\t: 0x48\nCPU part\t: 0xd01\n\n");
	machine_read(&m, root);
	assert_int_equal(m.nr_packages, 1);
	assert_int_equal(m.package[0].cpus, 2);
	assert_string_equal(m.package[0].vendor, "HiSilicon");
	assert_string_equal(m.package[0].model, "part 0xd01");
	assert_int_equal(m.rank, -1);
	assert_int_equal(uproot(), 0);
}

/* A container without /proc and /sys: what the kernel says, and no cards. */
static void nothing(void **unused)
{
	(void)unused;
	begin(NULL);
	machine_read(&m, root);
	assert_int_equal(m.nr_packages, 1);
	assert_int_equal(m.package[0].cpus, sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(m.cpus, sysconf(_SC_NPROCESSORS_CONF));
	assert_string_equal(m.package[0].vendor, "");
	assert_true(m.memory_kb >= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 1024 - 1024);
	assert_true(strtod(m.up, NULL) > 0);
	assert_null(strchr(m.up, ' '));
	assert_int_equal(m.nr_cards, 0);
	assert_int_equal(m.rank, -1);
	assert_int_equal(uproot(), 0);
}

/* More sockets than there is room for: the last takes them. */
static void too_many(void **unused)
{
	static char text[16384];

	(void)unused;
	begin("99999999999999999999");
	for (unsigned int i = 0; i < MACHINE_PACKAGES + 10; i++)
		sprintf(text + strlen(text), "processor\t: %u\nphysical id\t: %u\n\n", i, i);
	put("proc/cpuinfo", text);
	machine_read(&m, root);
	assert_int_equal(m.nr_packages, MACHINE_PACKAGES);
	assert_int_equal(m.package[MACHINE_PACKAGES - 1].cpus, 11);
	assert_int_equal(m.rank, -1);
	assert_int_equal(uproot(), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_sockets), cmocka_unit_test(arm),
		cmocka_unit_test(nothing),     cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
