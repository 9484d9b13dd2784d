/* SPDX-License-Identifier: Apache-2.0 */
/* Containers: their signs, and the limits of control groups, in folders that stand for a machine. Texts of /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/container.h"
#include "host/text.h"

static char root[64];

static void put_file(const char *path, const char *text)
{
	char full[512], command[1100];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", full);
	assert_int_equal(system(command), 0);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void put_link(const char *name, const char *target)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/proc/self/ns", root);
	mkdir(full, 0755);
	snprintf(full, sizeof(full), "%s/proc/self/ns/%s", root, name);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static int setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/ascprof-host.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void test_nothing(void **state)
{
	struct container c;

	(void)state;
	container_read(&c, root);
	assert_string_equal(c.evidence, "");
	assert_int_equal(c.memory_bytes, 0);
	assert_int_equal(c.cpu_thousandths, 0);
}

static void test_first_name_spaces(void **state)
{
	struct container c;

	(void)state;
	put_file("/proc/self/cgroup", "0::/\n");
	put_link("pid", "pid:[4026531836]");
	put_link("cgroup", "cgroup:[4026531835]");
	container_read(&c, root);
	assert_string_equal(c.evidence, "");
	put_link("cgroup", "cgroup:[4026532777]");
	container_read(&c, root);
	assert_string_equal(c.evidence, "a cgroup name space");
	put_link("pid", "pid:[4026532778]");
	container_read(&c, root);
	assert_string_equal(c.evidence, "a PID name space");
	put_file("/run/.containerenv", "");
	container_read(&c, root);
	assert_string_equal(c.evidence, "/run/.containerenv");
}

/* The least of a group and all above it. */
static void test_version_2(void **state)
{
	struct container c;

	(void)state;
	put_file("/proc/self/cgroup", "0::/kube/pod/one\n");
	put_file("/proc/self/mountinfo",
		 "22 1 0:21 / /proc rw - proc proc rw\n"
		 "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
	put_file("/sys/fs/cgroup/kube/pod/one/memory.max", "max\n");
	put_file("/sys/fs/cgroup/kube/pod/one/cpu.max", "max 100000\n");
	container_read(&c, root);
	assert_int_equal(c.memory_bytes, 0);
	assert_int_equal(c.cpu_thousandths, 0);
	put_file("/sys/fs/cgroup/kube/pod/one/cpu.max", "250000 100000\n");
	put_file("/sys/fs/cgroup/kube/pod/cpu.max", "300000 200000\n");
	put_file("/sys/fs/cgroup/kube/memory.max", "4294967296\n");
	container_read(&c, root);
	assert_int_equal(c.memory_bytes, 4294967296);
	assert_int_equal(c.cpu_thousandths, 1500);
}

static void test_version_1(void **state)
{
	struct container c;

	(void)state;
	put_file("/proc/self/cgroup", "9:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n0::/\n");
	/* A container sees its own group as the root of the mount. */
	put_file("/proc/self/mountinfo",
		 "40 22 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
		 "41 22 0:31 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
	put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put_file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	container_read(&c, root);
	assert_int_equal(c.memory_bytes, 0);
	assert_int_equal(c.cpu_thousandths, 0);
	put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
	put_file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
	container_read(&c, root);
	assert_int_equal(c.memory_bytes, 536870912);
	assert_int_equal(c.cpu_thousandths, 500);
}

/* Names of threads are what readers stumble over. */
static void test_stat(void **state)
{
	char buf[256];
	struct host_text t = { buf, sizeof(buf), 0 };

	(void)state;
	assert_true(host_put_stat(&t, "7 (a b) c): x) S 1 2 3 4\n", 5));
	assert_memory_equal(buf, "7 (a_b)_c)__x) S 1 2\n", t.len);
	t.len = 0;
	assert_true(host_put_stat(&t, "7 (a) S 1 2 3 4\n", UINT32_MAX));
	assert_memory_equal(buf, "7 (a) S 1 2 3 4\n", t.len);
	t.len = 0;
	assert_false(host_put_stat(&t, "7 a S 1 2 3\n", 5));
	assert_int_equal(t.len, 0);
	t.size = 12;
	assert_false(host_put_stat(&t, "7 (a) S 1 2 3 4\n", UINT32_MAX));
	assert_int_equal(t.len, 0);
}

static void test_value(void **state)
{
	(void)state;
	assert_int_equal(host_value("rchar: 5\nread_bytes: 4096\n", "read_bytes:"), 4096);
	assert_int_equal(host_value("rchar: 5\n", "read_bytes:"), 0);
	assert_int_equal(host_value("", "a"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first_name_spaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_2, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
		cmocka_unit_test(test_stat),
		cmocka_unit_test(test_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
