// SPDX-License-Identifier: Apache-2.0
/* ioctl() that does not give up, PCI addresses and places, neighbours of an NPU. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "collect/drm.h"
#include "collect/pci.h"
#include "tests/unit/planted.h"

#define REQUEST 0x5a17 /* of no driver */
#define DRM_MAJOR 226

static unsigned int calls; /* of ioctl() with REQUEST */
static const int *script; /* errno of each call; 0: it succeeds, with 7 */

int ioctl(int fd, unsigned long request, ...);

/* Takes the place of the C library's, for libdrm as well. */
__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != REQUEST)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	errno = script[calls++];
	return errno ? -1 : 7;
}

static void give_up(int (*call)(int fd, unsigned long request, void *arg))
{
	static const int good[] = { EINTR, EAGAIN, EINTR, EINTR, EAGAIN, 0 };
	static const int bad[] = { EAGAIN, EINTR, EACCES, 0 };

	calls = 0;
	script = good;
	assert_int_equal(call(1, REQUEST, NULL), 7);
	assert_int_equal(calls, 6);
	calls = 0;
	script = bad;
	assert_int_equal(call(1, REQUEST, NULL), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(calls, 3);
}

static void ioctl_is_repeated(void **state)
{
	(void)state;
	give_up(drm_ioctl);
}

static void ioctl_without_the_library(void **state)
{
	struct drm_library none;

	(void)state;
	drm_load(&none, "libdrm-that-is-not-there.so.2");
	assert_non_null(strstr(none.why, "libdrm-that-is-not-there.so.2"));
	assert_null(none.devices);
	give_up(none.ioctl);
}

static void ioctl_of_another_library(void **state)
{
	struct drm_library other;

	(void)state;
	drm_load(&other, "libm.so.6"); /* has none of the functions */
	assert_string_equal(other.why, "libm.so.6 is too old");
	assert_null(other.devices);
	give_up(other.ioctl);
}

static void ioctl_of_the_library(void **state)
{
	struct drm_library real, none;

	(void)state;
	drm_load(&real, DRM_LIBRARY);
	drm_load(&none, "libdrm-that-is-not-there.so.2");
	if (*real.why)
		skip();
	assert_ptr_not_equal(real.ioctl, none.ioctl);
	assert_non_null(real.devices);
	give_up(real.ioctl);
}

static void addresses(void **state)
{
	static const char *const bad[] = {
		"", "0000", "000:01:00.0", "0000:01:00", "0000:01:00.", "0000:01:00.8", "0000:01:20.0",
		"0000:01:00.00", "0000:1:00.0", "0000:01:0.0", "0000-01:00.0", "0000:01:00.0 ", " 000:01:00.0",
		"000g:01:00.0", "pci0000:00", "0000:01:00:0", "0000:AB:00.0", "123456789:01:00.0", "0000:..:00.0",
	};
	struct pci_address a, b;
	char text[PCI_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (pci_parse(bad[i], &a))
			fail_msg("\"%s\" passes for an address", bad[i]);
	assert_true(pci_parse("0001:c2:1f.7", &a));
	assert_int_equal(a.domain, 1);
	assert_int_equal(a.bus, 0xc2);
	assert_int_equal(a.device, 31);
	assert_int_equal(a.function, 7);
	pci_print(&a, text);
	assert_string_equal(text, "0001:c2:1f.7");
	assert_true(pci_parse("10000:e1:00.0", &b));
	assert_int_equal(b.domain, 0x10000);
	pci_print(&b, text);
	assert_string_equal(text, "10000:e1:00.0");
	assert_true(pci_equal(&a, &a));
	assert_false(pci_equal(&a, &b));
}

/* @above: the folders of the bridges, with a slash behind each. */
static void plant_function(const char *above, const char *name, const char *node)
{
	char path[300], target[300];

	snprintf(path, sizeof(path), "devices/%s%s/numa_node", above, name);
	plant_bytes(path, node, strlen(node));
	snprintf(path, sizeof(path), "bus/pci/devices/%s", name);
	snprintf(target, sizeof(target), "../../../devices/%s%s", above, name);
	plant_link(path, target);
}

static struct pci_address at(const char *text)
{
	struct pci_address a;

	assert_true(pci_parse(text, &a));
	return a;
}

static int set_up(void **state)
{
	(void)state;
	return plant_root();
}

static int tear_down(void **state)
{
	(void)state;
	return uproot();
}

/* A server of two sockets: a switch with an NPU and a GPU, a display of its board, more. */
static void plant_server(void)
{
	plant_function("pci0000:00/", "0000:00:08.0", "0\n"); /* the root port */
	plant_function("pci0000:00/0000:00:08.0/0000:01:00.0/0000:02:00.0/", "0000:03:00.0", "0\n"); /* NPU */
	plant_function("pci0000:00/0000:00:08.0/0000:01:00.0/0000:02:01.0/", "0000:04:00.0", "0\n"); /* GPU */
	plant_function("pci0000:00/0000:00:09.0/", "0000:05:00.0", "0\n"); /* display */
	plant_function("pci0000:80/0000:80:08.0/", "0000:81:00.0", "1\n"); /* NPU */
	plant_function("pci0000:80/0000:80:09.0/", "0000:82:00.0", "-1\n"); /* GPU */
	plant_function("pci0000:80/", "0000:80:1f.0", "-1\n"); /* on the root bus */
	plant_function("platform/40000000.pcie/pci0001:00/0001:00:00.0/", "0001:01:00.0", "-1\n"); /* GPU */
	plant_function("platform/40000000.pcie/pci0001:00/0001:00:00.0/", "0001:01:00.1", "-1\n"); /* NPU */
}

static void place(const char *name, const char *port, int node)
{
	struct pci_address a = at(name);
	struct pci_place p;
	char text[PCI_TEXT];

	assert_int_equal(pci_find(root, &a, &p), 0);
	assert_int_equal(p.numa_node, node);
	assert_int_equal(p.has_port, port != NULL);
	if (!port)
		return;
	pci_print(&p.port, text);
	assert_string_equal(text, port);
}

static void places(void **state)
{
	struct pci_address a = at("0000:77:00.0");
	struct pci_place p;

	(void)state;
	plant_server();
	place("0000:03:00.0", "0000:00:08.0", 0);
	place("0000:81:00.0", "0000:80:08.0", 1);
	place("0000:82:00.0", "0000:80:09.0", -1);
	place("0000:00:08.0", NULL, 0);
	place("0000:80:1f.0", NULL, -1);
	place("0001:01:00.0", "0001:00:00.0", -1);
	assert_int_equal(pci_find(root, &a, &p), ENOENT);
	assert_int_equal(pci_find("/no/such/folder", &a, &p), ENOENT);
	plant_function("pci0000:90/", "0000:90:00.0", "many\n");
	place("0000:90:00.0", NULL, -1);
	plant_link("bus/pci/devices/0000:91:00.0", "0000:91:00.0"); /* leads nowhere */
	a = at("0000:91:00.0");
	assert_int_equal(pci_find(root, &a, &p), ELOOP);
}

static struct drm_card card(const char *address)
{
	struct drm_card c = { .at = at(address), .vendor = 0x1234, .device = 0x5678 };

	snprintf(c.node, sizeof(c.node), "/dev/dri/of-%s", address);
	return c;
}

static void neighbours(void **state)
{
	const struct drm_card cards[] = {
		card("0000:03:00.0"), /* the NPU itself, should it have a driver of DRM */
		card("0000:04:00.0"), card("0000:05:00.0"), card("0000:82:00.0"),
		card("0001:01:00.0"), card("0000:77:00.0"), card("0000:80:1f.0"),
	};
	const unsigned int nr = sizeof(cards) / sizeof(cards[0]);
	struct drm_neighbour found[sizeof(cards) / sizeof(cards[0])];
	struct pci_address npu = at("0000:03:00.0");

	(void)state;
	plant_server();
	assert_int_equal(drm_neighbours(root, &npu, cards, nr, found), 2);
	assert_ptr_equal(found[0].card, &cards[1]);
	assert_int_equal(found[0].shares, DRM_SHARES_PORT | DRM_SHARES_NODE);
	assert_ptr_equal(found[1].card, &cards[2]);
	assert_int_equal(found[1].shares, DRM_SHARES_NODE);

	/* nobody on its node: those with no node do not share it */
	npu = at("0000:81:00.0");
	assert_int_equal(drm_neighbours(root, &npu, cards, nr, found), 0);

	npu = at("0001:01:00.1");
	assert_int_equal(drm_neighbours(root, &npu, cards, nr, found), 1);
	assert_ptr_equal(found[0].card, &cards[4]);
	assert_int_equal(found[0].shares, DRM_SHARES_PORT);

	/* functions on the root bus share no port */
	npu = at("0000:00:08.0");
	assert_int_equal(drm_neighbours(root, &npu, &cards[6], 1, found), 0);
	npu = at("0000:77:00.0");
	assert_int_equal(drm_neighbours(root, &npu, cards, nr, found), 0);
	npu = at("0000:03:00.0");
	assert_int_equal(drm_neighbours(root, &npu, cards, 0, found), 0);
}

/* Whatever this machine has; mostly nothing. */
static void cards_of_this_machine(void **state)
{
	struct drm_card cards[DRM_CARDS];
	struct pci_place p;
	int nr = drm_cards(cards), i;

	(void)state;
	print_message("# %d cards%s%s\n", nr, *drm_missing() ? ": " : "", drm_missing());
	if (*drm_missing()) {
		assert_int_equal(nr, -1);
		return;
	}
	assert_in_range(nr, 0, DRM_CARDS);
	if (access("/dev/dri", F_OK))
		assert_int_equal(nr, 0);
	for (i = 0; i < nr; i++) {
		assert_int_equal(strncmp(cards[i].node, "/dev/", 5), 0);
		assert_int_equal(pci_find(NULL, &cards[i].at, &p), 0);
	}
}

static void plant_text(unsigned int minor, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/dev/char/%d:%u/device/%s", DRM_MAJOR, minor, file);
	plant_bytes(path, text, strlen(text));
}

/* A card as the kernel shows it: its node, and what libdrm looks up by the node's number. */
static void plant_card(const char *node, unsigned int minor, const char *slot, const char *vendor, const char *device)
{
	char path[128], uevent[64];

	snprintf(path, sizeof(path), "/dev/dri/%s", node);
	make_parents(path);
	assert_int_equal(mknod(path, S_IFCHR | 0600, makedev(DRM_MAJOR, minor)), 0);
	snprintf(uevent, sizeof(uevent), "DRIVER=card\nPCI_SLOT_NAME=%s\n", slot);
	plant_text(minor, "uevent", uevent);
	plant_text(minor, "drm/version", "drm 1.1.0 20060810\n");
	plant_text(minor, "vendor", vendor);
	plant_text(minor, "device", device);
	plant_text(minor, "subsystem_vendor", vendor);
	plant_text(minor, "subsystem_device", device);
	snprintf(path, sizeof(path), "sys/dev/char/%d:%u/device/subsystem", DRM_MAJOR, minor);
	plant_link(path, "/sys/bus/pci");
}

/* 0: as it should be; 77: this process may not have a /dev of its own. */
static int cards_there(void)
{
	struct drm_card cards[DRM_CARDS];
	struct pci_address display = at("0000:04:00.0"), gpu = at("0000:82:00.0");
	int nr, i, good = 0;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/dev", "tmpfs", 0, NULL) || mount("none", "/sys/dev/char", "tmpfs", 0, NULL) ||
	    mknod("/dev/try", S_IFCHR | 0600, makedev(DRM_MAJOR, 0)))
		return 77;
	nr = drm_cards(cards);
	if (nr != 0)
		return 1; /* no /dev/dri */
	root[0] = '\0';
	plant_card("card0", 0, "0000:04:00.0", "0x1a03\n", "0x2000\n");
	plant_card("card1", 1, "0000:82:00.0", "0x10de\n", "0x20b5\n");
	plant_card("renderD128", 128, "0000:82:00.0", "0x10de\n", "0x20b5\n");
	nr = drm_cards(cards);
	for (i = 0; i < nr; i++) {
		good += pci_equal(&cards[i].at, &display) && cards[i].vendor == 0x1a03 && cards[i].device == 0x2000 &&
			!strcmp(cards[i].node, "/dev/dri/card0");
		good += pci_equal(&cards[i].at, &gpu) && cards[i].vendor == 0x10de && cards[i].device == 0x20b5 &&
			!strcmp(cards[i].node, "/dev/dri/card1");
	}
	return nr == 2 && good == 2 ? 0 : 2;
}

/* The list of the real libdrm, without /dev/dri, and with one that two cards are in. */
static void cards_in_dev_dri(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	if (*drm_missing())
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(cards_there());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ioctl_is_repeated),
		cmocka_unit_test(ioctl_without_the_library),
		cmocka_unit_test(ioctl_of_another_library),
		cmocka_unit_test(ioctl_of_the_library),
		cmocka_unit_test(addresses),
		cmocka_unit_test_setup_teardown(places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(neighbours, set_up, tear_down),
		cmocka_unit_test(cards_of_this_machine),
		cmocka_unit_test(cards_in_dev_dri),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
