/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/sysfs.h"

bool pci_parse(const char *text, struct pci_address *address)
{
	size_t domain = strspn(text, "0123456789abcdef");
	unsigned int d, b, s, f;

	/* hubs of volume management have domains of five digits and more */
	if (domain < 4 || domain > 8 || strlen(text) != domain + 8 ||
	    strspn(text + domain, ":0123456789abcdef.") != 8 || text[domain + 6] != '.' ||
	    sscanf(text + domain, ":%2x:%2x.%1x", &b, &s, &f) != 3 || s > 31 || f > 7)
		return false;
	d = (unsigned int)strtoul(text, NULL, 16);
	*address = (struct pci_address){ d, (uint8_t)b, (uint8_t)s, (uint8_t)f };
	return true;
}

void pci_print(const struct pci_address *a, char text[PCI_TEXT])
{
	snprintf(text, PCI_TEXT, "%04x:%02x:%02x.%x", a->domain, a->bus, a->device, a->function);
}

bool pci_equal(const struct pci_address *a, const struct pci_address *b)
{
	return a->domain == b->domain && a->bus == b->bus && a->device == b->device &&
	       a->function == b->function;
}

/* The folder of a function lies in those of the bridges above it; the first is the root port. */
static void find_port(char *folder, const struct pci_address *address, struct pci_place *place)
{
	char *save, *part;

	place->has_port = false;
	for (part = strtok_r(folder, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		if (!pci_parse(part, &place->port))
			continue;
		place->has_port = !pci_equal(&place->port, address);
		return;
	}
}

static int find_node(const char *folder)
{
	char path[PATH_MAX + 16], text[SYSFS_TEXT];
	uint64_t node;

	snprintf(path, sizeof(path), "%s/numa_node", folder);
	if (sysfs_text(AT_FDCWD, path, text) || sysfs_number(text, INT_MAX, &node))
		return -1;
	return (int)node;
}

int pci_find(const char *root, const struct pci_address *address, struct pci_place *place)
{
	char path[PATH_MAX], folder[PATH_MAX], name[PCI_TEXT];
	int len;

	pci_print(address, name);
	len = snprintf(path, sizeof(path), "%s/bus/pci/devices/%s", root ? root : "/sys", name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return ENAMETOOLONG;
	if (!realpath(path, folder))
		return errno;
	place->numa_node = find_node(folder);
	find_port(folder, address, place);
	return 0;
}
