// SPDX-License-Identifier: Apache-2.0
/* Nodes of memory, in a planted sysfs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/numa.h"
#include "tests/unit/planted.h"

static char buf[4096];
static struct host_text text = { buf, sizeof(buf), 0 };

static void plant(const char *file, const char *content)
{
	char path[128];

	snprintf(path, sizeof(path), "devices/system/node/%s", file);
	plant_bytes(path, content, strlen(content));
}

static int set_up(void **state)
{
	(void)state;
	text.len = 0;
	return plant_root();
}

static int tear_down(void **state)
{
	(void)state;
	return uproot();
}

static void test_nodes(void **state)
{
	(void)state;
	plant("online", "0,2\n");
	plant("node0/numastat", "numa_hit 10\nnuma_miss 1\nnuma_foreign 2\ninterleave_hit 3\nlocal_node 9\nother_node 1\n");
	plant("node0/meminfo", "Node 0 MemTotal:       8000 kB\nNode 0 MemFree:        1234 kB\nNode 0 MemUsed: 6766 kB\n");
	plant("node2/numastat", "numa_hit 18446744073709551615\n"); /* of an odd kernel */
	plant("node2/meminfo", "Node 2 MemTotal: 0 kB\n");
	assert_int_equal(numa_put(root, &text), 2);
	assert_string_equal(buf, "node0 8000 1234 10 1 2 9 1\nnode2 0 0 18446744073709551615 0 0 0 0\n");
}

/* A node that goes away is left out; without any there is a reason. */
static void test_gone(void **state)
{
	(void)state;
	plant("online", "0-1\n");
	plant("node1/numastat", "numa_hit 5\n");
	plant("node1/meminfo", "");
	errno = 0;
	assert_int_equal(numa_put(root, &text), 0);
	assert_int_not_equal(errno, 0);
	plant("node1/meminfo", "Node 1 MemTotal: 7 kB\n");
	assert_int_equal(numa_put(root, &text), 1);
	assert_string_equal(buf, "node1 7 0 5 0 0 0 0\n");
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(numa_put(root, &text), 0);
	assert_int_equal(errno, ENOENT);
	plant("online", "some\n");
	assert_int_equal(numa_put(root, &text), 0);
	assert_int_equal(errno, EINVAL);
}

/* Pages of each mapping, in the size that it has; a node that holds nothing any more is told of still. */
static void test_own(void **state)
{
	static const char maps[] = "5500 default file=/bin/N1=7 mapped=2 N0=2 kernelpagesize_kB=4\n"
				   "5501 bind:2 anon=10 dirty=10 active=0 N0=1 N2=9 kernelpagesize_kB=2048\n"
				   "7ffc default stack anon=3 N2=3 kernelpagesize_kB=4\n"
				   "7ffd default\n"
				   "7ffe default N999=5 kernelpagesize_kB=4\n";
	unsigned int nodes = 0;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/maps", root);
	plant_bytes("maps", maps, sizeof(maps) - 1);
	assert_int_equal(numa_put_own(path, &nodes, &text), 0);
	assert_string_equal(buf, "own0 2056\nown1 0\nown2 18444\n");
	text.len = 0;
	plant_bytes("maps", "5500 default N0=1 kernelpagesize_kB=64\n", 39);
	assert_int_equal(numa_put_own(path, &nodes, &text), 0);
	assert_string_equal(buf, "own0 64\nown1 0\nown2 0\n");
	assert_int_equal(remove(path), 0);
	assert_int_equal(numa_put_own(path, &nodes, &text), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nodes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
