/* SPDX-License-Identifier: Apache-2.0 */
/* The NPUs on the PCI bus, as sysfs has them: with or without any module, the vendor's driver or its library. */
#ifndef ASCPROF_NPUS_H
#define ASCPROF_NPUS_H

#include <stdint.h>

#include "collect/pci.h"

#define NPUS_MAX 64

struct npus_one {
	struct pci_address at;
	uint16_t vendor;
	uint16_t device;
	const char *family;
	int number; /* that the vendor's driver gave it; -1: it did not */
};

/* Product family of a PCI id, or NULL for what is no NPU. */
const char *npus_family(uint16_t vendor, uint16_t device);

/* In order of their addresses. @root: where sysfs is; NULL: /sys. Return: how many. */
unsigned int npus_find(const char *root, struct npus_one list[NPUS_MAX]);

/* As filters of PMUs want it. */
static inline uint16_t npus_bdf(const struct pci_address *at)
{
	return (uint16_t)(at->bus << 8 | at->device << 3 | at->function);
}

#endif /* ASCPROF_NPUS_H */
