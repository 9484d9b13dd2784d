/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_PCI_H
#define ASC_CORE_PCI_H

#include "platform.h"

#define ASC_PCI_IDS_MAX	16	/* in one parameter */

/**
 * struct asc_pci_id - vendor and device of a PCI function
 * @vendor: likewise
 * @device: likewise
 */
struct asc_pci_id {
	u16 vendor;
	u16 device;
};

/**
 * struct asc_pci_ids - a list of them, from a module parameter
 * @nr: how many
 * @id: they
 */
struct asc_pci_ids {
	u32 nr;
	struct asc_pci_id id[ASC_PCI_IDS_MAX];
};

int asc_pci_ids_parse(const char *text, struct asc_pci_ids *ids);
bool asc_pci_ids_have(const struct asc_pci_ids *ids, u16 vendor, u16 device);
const char *asc_pci_npu(u16 vendor, u16 device);
u32 asc_pci_pack(u32 domain, u8 bus, u8 devfn);
u32 asc_pci_link_speed(u16 status);
u32 asc_pci_link_width(u16 status);
int asc_pci_aer_total(const char *text, u64 *total);

#endif /* ASC_CORE_PCI_H */
