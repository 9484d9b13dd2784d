// SPDX-License-Identifier: Apache-2.0
/* The doctor's checks over planted machines: what is found, and what is told to do about it. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "kmod/core/pci.h"
#include "tests/unit/planted.h"
#include "tools/doctor.h"

#define ORDINARY "Name:\tascprof\nCapPrm:\tffffffffffffffff\nCapEff:\t0000000000000000\n"
#define PERFMON "Name:\tascprof\nCapEff:\t0000004000000000\n"
#define EVERYBODY "         0          0 4294967295\n"

static struct doctor d;

static void plant(const char *file, const char *content)
{
	plant_bytes(file, content, strlen(content));
}

static int set_up(void **state)
{
	(void)state;
	d = (struct doctor){ .root = root };
	unsetenv("ASCPROF_DEVICE");
	return plant_root();
}

static int tear_down(void **state)
{
	(void)state;
	doctor_release(&d);
	return uproot();
}

/* The next finding; @text and @mend are parts of it. */
static void expect(unsigned int at, enum doctor_state state, const char *check, const char *text, const char *mend)
{
	const struct doctor_finding *f = &d.list[at];

	assert_true(at < d.nr);
	if (f->state != state || strcmp(f->check, check) || !strstr(f->text, text) || !strstr(f->mend, mend) ||
	    (!*mend && *f->mend))
		fail_msg("%u: state %d of %s: '%s', '%s'; expected %d of %s: '%s', '%s'", at, f->state, f->check,
			 f->text, f->mend, state, check, text, mend);
}

static void ids_are_those_of_the_module(void **state)
{
	static const uint16_t vendors[] = { 0x19e5, 0x20c6, 0x203f, 0x20e9, 0x1af4, 0x8086, 0, 0xffff };
	unsigned int found = 0;

	(void)state;
	for (size_t v = 0; v < sizeof(vendors) / sizeof(vendors[0]); v++) {
		for (unsigned int id = 0; id <= 0xffff; id++) {
			const char *theirs = asc_pci_npu(vendors[v], (uint16_t)id);
			const char *ours = npus_family(vendors[v], (uint16_t)id);

			found += theirs != NULL;
			if (!theirs != !ours || (theirs && strcmp(theirs, ours)))
				fail_msg("%04x:%04x is %s, and to the module %s", vendors[v], id, ours, theirs);
		}
	}
	assert_in_range(found, 18, 100);
}

static void counters(void **state)
{
	static const struct {
		unsigned int module;
		int perf;
		bool capable;
		enum doctor_state state;
		const char *text, *mend;
	} cases[] = {
		{ 2, 4, true, DOCTOR_OK, "CAP_PERFMON", "" },
		{ 2, -1, false, DOCTOR_NOTE, "paranoid of the module is 2", "parameters/paranoid" },
		{ 1, 3, false, DOCTOR_NOTE, "perf_event_paranoid is 3", "perf_event_paranoid=0" },
		{ 1, 1, false, DOCTOR_NOTE, "perf_event_paranoid is 1", "setcap cap_perfmon+ep" },
		{ 1, 0, false, DOCTOR_OK, "bandwidth", "" },
		{ 0, 0, false, DOCTOR_OK, "all may be counted, every 10 ms", "" },
		{ 0, 2, false, DOCTOR_NOTE, "perf_event_paranoid is 2", "perf_event_paranoid=0" },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		doctor_counters(&d, cases[i].module, cases[i].perf, cases[i].capable);
		expect(i, cases[i].state, "counters", cases[i].text, cases[i].mend);
	}
}

static void rights(void **state)
{
	(void)state;
	plant("proc/self/status", PERFMON);
	plant("proc/self/uid_map", EVERYBODY);
	assert_true(doctor_capable(&d, DOCTOR_CAP_PERFMON));
	assert_false(doctor_capable(&d, DOCTOR_CAP_SYS_ADMIN));
	plant("proc/self/uid_map", "         0       1000          1\n"); /* root of its own name space */
	assert_false(doctor_capable(&d, DOCTOR_CAP_PERFMON));
	plant("proc/self/uid_map", EVERYBODY);
	plant("proc/self/status", ORDINARY);
	assert_false(doctor_capable(&d, DOCTOR_CAP_PERFMON));

	plant("sys/module/ascprof/parameters/paranoid", "1\n");
	plant("proc/sys/kernel/perf_event_paranoid", "-1\n");
	doctor_rights(&d);
	expect(0, DOCTOR_OK, "counters", "bandwidth", "");
	plant("proc/sys/kernel/perf_event_paranoid", "3\n");
	doctor_rights(&d);
	expect(1, DOCTOR_NOTE, "counters", "is 3", "sysctl");
	plant("proc/self/status", "CapEff:\t0000000000200000\n"); /* CAP_SYS_ADMIN counts as well */
	doctor_rights(&d);
	expect(2, DOCTOR_OK, "counters", "all", "");
}

static void module_is_not_there(void **state)
{
	struct utsname name;
	char path[200];

	(void)state;
	doctor_module(&d);
	expect(0, DOCTOR_PROBLEM, "module", "not installed", "dkms add SOURCES && dkms install ascprof/");
	plant("usr/src/ascprof-" ASCPROF_VERSION "/dkms.conf", "\n");
	doctor_module(&d);
	expect(1, DOCTOR_PROBLEM, "module", "not installed", "dkms install ascprof/");
	assert_null(strstr(d.list[1].mend, "dkms add"));
	uname(&name);
	snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", name.release);
	plant(path, "kernel/a.ko: kernel/ascprof.ko\n");
	doctor_module(&d);
	expect(2, DOCTOR_PROBLEM, "module", "not installed", "dkms");
	plant(path, "kernel/a.ko:\nupdates/dkms/ascprof.ko.xz:\n");
	doctor_module(&d);
	expect(3, DOCTOR_PROBLEM, "module", "not loaded", "modprobe ascprof");
	assert_int_equal(d.nr, 4);
	assert_int_equal(doctor_count(&d, DOCTOR_PROBLEM), 4);
}

/* No headers to build it with, and a kernel that asks for signatures. */
static void module_cannot_be_loaded(void **state)
{
	struct utsname name;
	char path[200];

	(void)state;
	uname(&name);
	doctor_module(&d);
	expect(0, DOCTOR_PROBLEM, "module", "not installed", "apt install linux-headers-");
	snprintf(path, sizeof(path), "lib/modules/%s/build", name.release);
	plant(path, "\n");
	plant("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	doctor_module(&d);
	expect(1, DOCTOR_PROBLEM, "module", "not installed", "dkms install");
	assert_null(strstr(d.list[1].mend, "linux-headers"));
	plant("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	doctor_module(&d);
	expect(2, DOCTOR_NOTE, "signature", "lockdown is integrity", "mokutil --import");
	expect(3, DOCTOR_PROBLEM, "module", "not installed", "dkms install");
	plant("sys/kernel/security/lockdown", "no brackets\n");
	doctor_module(&d);
	expect(4, DOCTOR_PROBLEM, "module", "not installed", "dkms install");
	assert_int_equal(d.nr, 5);
}

static void module_is_loaded(void **state)
{
	char path[200];

	(void)state;
	plant("sys/module/ascprof/parameters/paranoid", "2\n");
	plant("sys/kernel/ascprof/version", ASCPROF_VERSION "\n");
	plant("sys/kernel/ascprof/sources/1/name", "perf\n");
	plant("sys/kernel/ascprof/sources/2/name", "sim0\n");
	snprintf(path, sizeof(path), "%s/nothing", root);
	setenv("ASCPROF_DEVICE", path, 1);
	doctor_module(&d);
	expect(0, DOCTOR_OK, "module", "is loaded: 2 sources, 0 streams", "");
	expect(1, DOCTOR_PROBLEM, "device", "/nothing: No such file", "udevadm");

	plant("sys/kernel/ascprof/version", "9.9\n");
	setenv("ASCPROF_DEVICE", "/dev/null", 1);
	doctor_module(&d);
	expect(2, DOCTOR_NOTE, "module", "version 9.9", "modprobe -r ascprof");
	expect(3, DOCTOR_PROBLEM, "device", "not a device of the module", "unset ASCPROF_DEVICE");
	assert_int_equal(d.nr, 4);
}

/* Only root can become somebody else. */
static void device_of_a_group(void **state)
{
	char path[200];

	(void)state;
	if (geteuid())
		skip();
	plant("sys/module/ascprof/parameters/paranoid", "2\n");
	plant("device", "");
	snprintf(path, sizeof(path), "%s/device", root);
	setenv("ASCPROF_DEVICE", path, 1);
	assert_int_equal(chmod(root, 0755), 0);
	assert_int_equal(chown(path, 0, 1), 0); /* daemon, on every system */
	assert_int_equal(chmod(path, 0660), 0);
	assert_int_equal(seteuid(65534), 0);
	doctor_module(&d);
	assert_int_equal(seteuid(0), 0);
	expect(1, DOCTOR_PROBLEM, "device", "Permission denied", "usermod -aG daemon ");
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(seteuid(65534), 0);
	doctor_module(&d);
	assert_int_equal(seteuid(0), 0);
	expect(3, DOCTOR_PROBLEM, "device", "Permission denied", "groupadd --system ascprof");
}

static void plant_device(const char *port, const char *name, const char *vendor, const char *device)
{
	char folder[200], path[300], target[300];

	snprintf(folder, sizeof(folder), "sys/devices/pci0000:00/%s/%s", port, name);
	snprintf(path, sizeof(path), "%s/vendor", folder);
	plant(path, vendor);
	snprintf(path, sizeof(path), "%s/device", folder);
	plant(path, device);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", name);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/%s/%s", port, name);
	plant_link(path, target);
}

static void plant_link_facts(const char *name, const char *which, const char *speed, const char *width)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s_link_speed", name, which);
	plant(path, speed);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s_link_width", name, which);
	plant(path, width);
}

static void npus(void **state)
{
	struct npus_one list[NPUS_MAX];

	(void)state;
	assert_int_equal(doctor_find_npus(&d, list), 0);
	plant_device("0000:00:01.0", "0000:02:00.0", "0x19e5\n", "0xd802\n");
	plant_device("0000:00:01.0", "0000:01:00.0", "0x19e5\n", "0xd500\n");
	plant_device("0000:00:01.0", "0000:03:00.0", "0x19e5\n", "0xa126\n"); /* an NVMe function */
	plant_device("0000:00:01.0", "0000:04:00.0", "0x1AF4\n", "0x1110\n");
	plant_device("0000:00:01.0", "0000:05:00.0", "nonsense\n", "0xd802\n");
	plant("sys/devices/pci0000:00/0000:00:01.0/0000:02:00.0/numa_node", "1\n");
	plant_link_facts("0000:01:00.0", "current", "8.0 GT/s PCIe\n", "8\n");
	plant_link_facts("0000:01:00.0", "max", "16.0 GT/s PCIe\n", "16\n");
	plant_link_facts("0000:02:00.0", "current", "16.0 GT/s PCIe\n", "16\n");
	plant_link_facts("0000:02:00.0", "max", "16.0 GT/s PCIe\n", "16\n");
	assert_int_equal(doctor_find_npus(&d, list), 2);
	assert_int_equal(list[0].device, 0xd500);
	assert_int_equal(list[1].at.bus, 2);

	doctor_npus(&d);
	expect(0, DOCTOR_NOTE, "npu", "0000:01:00.0: Ascend 310P, link 8.0 GT/s PCIe x8 of 16.0 GT/s PCIe x16, no NUMA",
	       "lspci");
	expect(1, DOCTOR_OK, "npu", "0000:02:00.0: Ascend 910B, link 16.0 GT/s PCIe x16, NUMA node 1", "");
	expect(d.nr - 1, DOCTOR_PROBLEM, "driver", "libascend_hal.so", "--library");

	plant("sys/module/ascprof/parameters/pci_ids", "1234:5678,1AF4:1110\n");
	assert_int_equal(doctor_find_npus(&d, list), 3);
	assert_int_equal(list[2].device, 0x1110);
}

static void no_npu(void **state)
{
	(void)state;
	doctor_npus(&d);
	expect(0, DOCTOR_NOTE, "npu", "none on the PCI bus", "");
	expect(d.nr - 1, DOCTOR_NOTE, "driver", "libascend_hal.so", "");
}

static void pmus(void **state)
{
	(void)state;
	doctor_pmus(&d);
	expect(0, DOCTOR_NOTE, "pmus", "No such file", "");
	plant("sys/bus/event_source/devices/software/type", "1\n");
	doctor_pmus(&d);
	expect(1, DOCTOR_NOTE, "pmus", "none that is known", "");
	for (char socket = '1'; socket <= '3'; socket++) {
		char path[200];

		snprintf(path, sizeof(path), "sys/bus/event_source/devices/hisi_sccl%c_ddrc0/type", socket);
		plant(path, socket == '2' ? "x\n" : "12\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/hisi_sccl%c_ddrc0/cpumask", socket);
		plant(path, "0\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/hisi_sccl%c_ddrc0/format/event", socket);
		plant(path, "config:0-7\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/hisi_sccl%c_ddrc0/events/flux_rd", socket);
		plant(path, "config=0x1\n");
	}
	doctor_pmus(&d);
	expect(2, DOCTOR_OK, "pmus", "of 2 PMUs (hisi_sccl1_ddrc0, ...)", "");
	expect(3, DOCTOR_NOTE, "pmus", "left out, the first: ", "");
	assert_int_equal(d.nr, 4);
}

/* In a child, since it cannot be undone. */
static int forbidden(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	doctor_io_uring(&d);
	plant("proc/sys/kernel/io_uring_disabled", "0\n");
	doctor_io_uring(&d);
	plant("proc/sys/kernel/io_uring_disabled", "2\n");
	doctor_io_uring(&d);
	return d.nr == 3 && strstr(d.list[0].mend, "seccomp") && strstr(d.list[1].mend, "seccomp") &&
	       strstr(d.list[2].mend, "sysctl -w kernel.io_uring_disabled=0") ? 0 : 1;
}

static void io_uring_is_forbidden(void **state)
{
	pid_t child;
	int status;

	(void)state;
	doctor_io_uring(&d);
	if (strstr(d.list[0].text, "liburing"))
		skip();
	doctor_release(&d);
	child = fork();
	if (!child)
		_exit(forbidden());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void texts_are_clean(void **state)
{
	(void)state;
	doctor_say(&d, DOCTOR_OK, "source", "a\033[2Jb\n%s", "c\x7f");
	expect(0, DOCTOR_OK, "source", "a?[2Jb?c?", "");
	doctor_mend(&d, "%0*d", 500, 0);
	assert_int_equal(strlen(d.list[0].mend), sizeof(d.list[0].mend) - 1);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_those_of_the_module),
		WITH_ROOT(counters),
		WITH_ROOT(rights),
		WITH_ROOT(module_is_not_there),
		WITH_ROOT(module_cannot_be_loaded),
		WITH_ROOT(module_is_loaded),
		WITH_ROOT(device_of_a_group),
		WITH_ROOT(npus),
		WITH_ROOT(no_npu),
		WITH_ROOT(pmus),
		WITH_ROOT(io_uring_is_forbidden),
		WITH_ROOT(texts_are_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
