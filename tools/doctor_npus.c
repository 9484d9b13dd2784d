/* SPDX-License-Identifier: Apache-2.0 */
/* NPUs on the PCI bus, what sits beside them, and the library of their driver. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/drm.h"
#include "collect/hal.h"
#include "tools/doctor.h"

#define HAL "libascend_hal.so"

unsigned int doctor_find_npus(const struct doctor *d, struct npus_one list[NPUS_MAX])
{
	char sys[300];

	snprintf(sys, sizeof(sys), "%s/sys", d->root);
	return npus_find(sys, list);
}

struct link {
	char speed[SYSFS_TEXT];
	char width[SYSFS_TEXT];
};

static bool read_link(const struct doctor *d, const char *name, const char *which, struct link *link)
{
	return !doctor_read(d, link->speed, "/sys/bus/pci/devices/%s/%s_link_speed", name, which) &&
	       !doctor_read(d, link->width, "/sys/bus/pci/devices/%s/%s_link_width", name, which);
}

/* Return: whether the link runs at less than it could. */
static bool describe_link(const struct doctor *d, const char *name, char *text, size_t size)
{
	struct link now, most;

	if (!read_link(d, name, "current", &now)) {
		snprintf(text, size, "no PCIe link");
		return false;
	}
	if (!read_link(d, name, "max", &most) ||
	    (!strcmp(now.speed, most.speed) && !strcmp(now.width, most.width))) {
		snprintf(text, size, "link %.24s x%.8s", now.speed, now.width);
		return false;
	}
	snprintf(text, size, "link %.24s x%.8s of %.24s x%.8s", now.speed, now.width, most.speed, most.width);
	return true;
}

static void say_neighbours(struct doctor *d, const struct npus_one *npu, const char *name)
{
	static const char *const what[] = {
		[DRM_SHARES_PORT] = "root port",
		[DRM_SHARES_NODE] = "NUMA node",
		[DRM_SHARES_PORT | DRM_SHARES_NODE] = "root port and NUMA node",
	};
	struct drm_card cards[DRM_CARDS];
	struct drm_neighbour found[DRM_CARDS];
	char sys[300], at[PCI_TEXT];
	int nr = drm_cards(cards);
	unsigned int n;

	snprintf(sys, sizeof(sys), "%s/sys", d->root);
	n = nr > 0 ? drm_neighbours(sys, &npu->at, cards, (unsigned int)nr, found) : 0;
	for (unsigned int i = 0; i < n; i++) {
		pci_print(&found[i].card->at, at);
		doctor_say(d, DOCTOR_OK, "neighbour", "%s (%s) shares the %s of %s: its traffic is counted there too",
			   at, found[i].card->node, what[found[i].shares], name);
	}
}

static void say_npu(struct doctor *d, const struct npus_one *npu)
{
	char sys[300], link[96], node[32] = "no NUMA node", name[PCI_TEXT];
	struct pci_place place;
	bool slow;

	pci_print(&npu->at, name);
	snprintf(sys, sizeof(sys), "%s/sys", d->root);
	if (!pci_find(sys, &npu->at, &place) && place.numa_node >= 0)
		snprintf(node, sizeof(node), "NUMA node %d", place.numa_node);
	slow = describe_link(d, name, link, sizeof(link));
	doctor_say(d, slow ? DOCTOR_NOTE : DOCTOR_OK, "npu", "%s: %s, %s, %s", name, npu->family, link, node);
	if (slow)
		doctor_mend(d, "lspci -vv -s %s; look at its slot", name);
	say_neighbours(d, npu, name);
}

static void say_library(struct doctor *d, bool npus)
{
	const char *missing = "";
	struct hal hal;
	char why[200];

	if (!hal_open(&hal, HAL, why, sizeof(why))) {
		missing = hal_missing(&hal);
		hal_close(&hal);
		if (missing)
			snprintf(why, sizeof(why), HAL ": has no function %s", missing);
	}
	if (!missing) {
		doctor_say(d, DOCTOR_OK, "driver", HAL " has the profiling channels");
		return;
	}
	doctor_say(d, npus ? DOCTOR_PROBLEM : DOCTOR_NOTE, "driver", "%s", why);
	if (npus)
		doctor_mend(d, "ascprof bridge --library FILE, or name its folder in LD_LIBRARY_PATH");
}

void doctor_npus(struct doctor *d)
{
	struct npus_one npus[NPUS_MAX];
	struct drm_card cards[DRM_CARDS];
	unsigned int nr = doctor_find_npus(d, npus);

	if (!nr)
		doctor_say(d, DOCTOR_NOTE, "npu", "none on the PCI bus");
	for (unsigned int i = 0; i < nr; i++)
		say_npu(d, &npus[i]);
	if (*drm_missing()) {
		doctor_say(d, DOCTOR_NOTE, "libdrm", "%s: cards beside an NPU are not named", drm_missing());
		doctor_mend(d, HAVE_LIBDRM ? "apt-get install libdrm2" : "apt-get install libdrm-dev && make clean all");
	} else {
		doctor_say(d, DOCTOR_OK, "libdrm", "there, and knows of %d cards on the PCI bus", drm_cards(cards));
	}
	say_library(d, nr > 0);
}
