/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collect/npus.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/sysfs.h"

/* The same as in the module, whose licence is another: a test compares both. */
const char *npus_family(uint16_t vendor, uint16_t device)
{
	static const struct {
		uint16_t device;
		bool others; /* sold under other vendors' ids too */
		const char *family;
	} chips[] = {
		{ 0xd100, false, "Ascend 310" },	 { 0xd105, false, "Ascend 310B" },
		{ 0xd500, true, "Ascend 310P" },	 { 0xd501, false, "Ascend 310P Duo" },
		{ 0xd801, false, "Ascend 910" },	 { 0xd802, true, "Ascend 910B" },
		{ 0xd803, false, "Ascend 910_93" },	 { 0xd804, false, "Ascend 910B, two dies" },
		{ 0xd806, false, "Ascend 950" },	 { 0xd805, false, "Ascend 910B, virtual function" },
		{ 0xd807, false, "Ascend 910_96" },	 { 0xd808, false, "Ascend 350" },
	};
	bool other = vendor == 0x20c6 || vendor == 0x203f || vendor == 0x20e9;

	if (vendor != 0x19e5 && !other)
		return NULL;
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (chips[i].device == device)
			return other && !chips[i].others ? NULL : chips[i].family;
	return NULL;
}

static int read_of(const char *root, const struct pci_address *at, const char *file, char text[SYSFS_TEXT])
{
	char path[PATH_MAX], name[PCI_TEXT];

	pci_print(at, name);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", root, name, file);
	return sysfs_text(AT_FDCWD, path, text);
}

static bool read_number(const char *root, const struct pci_address *at, const char *file, uint64_t max, uint64_t *value)
{
	char text[SYSFS_TEXT];

	return !read_of(root, at, file, text) && !sysfs_number(text, max, value);
}

/* Devices that the module's parameter pci_ids adds. */
static bool named(const char *root, const struct npus_one *npu)
{
	char path[PATH_MAX], ids[SYSFS_TEXT], id[16];

	snprintf(path, sizeof(path), "%s/module/ascprof/parameters/pci_ids", root);
	if (sysfs_text(AT_FDCWD, path, ids))
		return false;
	snprintf(id, sizeof(id), "%04x:%04x", npu->vendor, npu->device);
	return strcasestr(ids, id);
}

static bool look(const char *root, const char *name, struct npus_one *npu)
{
	uint64_t vendor, device, number;

	if (!pci_parse(name, &npu->at) || !read_number(root, &npu->at, "vendor", UINT16_MAX, &vendor) ||
	    !read_number(root, &npu->at, "device", UINT16_MAX, &device))
		return false;
	npu->vendor = (uint16_t)vendor;
	npu->device = (uint16_t)device;
	npu->family = npus_family(npu->vendor, npu->device);
	if (!npu->family && named(root, npu))
		npu->family = "device of pci_ids";
	npu->number = read_number(root, &npu->at, "davinci_dev_id", NPUS_MAX - 1, &number) ? (int)number : -1;
	return npu->family;
}

unsigned int npus_find(const char *root, struct npus_one list[NPUS_MAX])
{
	struct dirent **names;
	unsigned int found = 0;
	char path[PATH_MAX];
	int nr;

	root = root ? root : "/sys";
	snprintf(path, sizeof(path), "%s/bus/pci/devices", root);
	nr = scandir(path, &names, NULL, alphasort);
	if (nr < 0)
		return 0;
	for (int i = 0; i < nr; i++) {
		if (found < NPUS_MAX && look(root, names[i]->d_name, &list[found]))
			found++;
		free(names[i]);
	}
	free(names);
	return found;
}
