/* SPDX-License-Identifier: Apache-2.0 */
/* Where a PCI function sits: the root port above it, and its NUMA node. */
#ifndef ASCPROF_PCI_H
#define ASCPROF_PCI_H

#include <stdbool.h>
#include <stdint.h>

#define PCI_TEXT 24 /* an address as text, with the terminating zero */

struct pci_address {
	uint32_t domain;
	uint8_t bus;
	uint8_t device; /* 0 to 31 */
	uint8_t function; /* 0 to 7 */
};

struct pci_place {
	bool has_port; /* false: the function is on the root bus itself */
	struct pci_address port;
	int numa_node; /* -1: the firmware does not say */
};

/* "dddd:bb:dd.f", as sysfs names functions; nothing else. */
bool pci_parse(const char *text, struct pci_address *address);
void pci_print(const struct pci_address *address, char text[PCI_TEXT]);
bool pci_equal(const struct pci_address *a, const struct pci_address *b);

/* @root: where sysfs is; NULL: /sys. Return: 0, or an errno (ENOENT: no such function). */
int pci_find(const char *root, const struct pci_address *address, struct pci_place *place);

#endif /* ASCPROF_PCI_H */
