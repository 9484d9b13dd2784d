// SPDX-License-Identifier: GPL-2.0-only
/*
 * What PCI says of an NPU: ids, addresses, link, errors.
 */
#include "pci.h"

/**
 * struct npu - one kind of NPU
 * @id: its PCI id
 * @name: product family
 */
struct npu {
	struct asc_pci_id id;
	const char *name;
};

/*
 * The functions that the vendor's PCI driver binds, and 310, which only the
 * alias lists of its modules name. Those lists also name 19e5:a126, which is an
 * NVMe function and no NPU.
 */
static const struct npu npus[] = {
	{ { 0x19e5, 0xd100 }, "Ascend 310" },
	{ { 0x19e5, 0xd105 }, "Ascend 310B" },
	{ { 0x19e5, 0xd500 }, "Ascend 310P" },
	{ { 0x19e5, 0xd501 }, "Ascend 310P Duo" },
	{ { 0x19e5, 0xd801 }, "Ascend 910" },
	{ { 0x19e5, 0xd802 }, "Ascend 910B" },
	{ { 0x19e5, 0xd803 }, "Ascend 910_93" },
	{ { 0x19e5, 0xd804 }, "Ascend 910B, two dies" },
	{ { 0x19e5, 0xd805 }, "Ascend 910B, virtual function" },
	{ { 0x19e5, 0xd806 }, "Ascend 950" },
	{ { 0x19e5, 0xd807 }, "Ascend 910_96" },
	{ { 0x19e5, 0xd808 }, "Ascend 350" },
	{ { 0x20c6, 0xd500 }, "Ascend 310P" },
	{ { 0x20c6, 0xd802 }, "Ascend 910B" },
	{ { 0x203f, 0xd500 }, "Ascend 310P" },
	{ { 0x203f, 0xd802 }, "Ascend 910B" },
	{ { 0x20e9, 0xd500 }, "Ascend 310P" },
	{ { 0x20e9, 0xd802 }, "Ascend 910B" },
};

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' ? c | 0x20 : c) : NULL;

	return at ? at - digits : -1;
}

/* Exactly four digits. Return: behind them, or NULL. */
static const char *parse_hex(const char *text, u16 *value)
{
	u32 n = 0;
	int i, digit;

	for (i = 0; i < 4; i++) {
		digit = hex_digit(text[i]);
		if (digit < 0)
			return NULL;
		n = n << 4 | digit;
	}
	*value = n;
	return text + 4;
}

/**
 * asc_pci_ids_parse() - read a list of ids
 * @text: vvvv:dddd,vvvv:dddd... in hexadecimal digits, or nothing; a newline
 *	at its end does no harm
 * @ids: result, of no use after an error
 *
 * Return: 0; -EINVAL for anything else, and for the ids 0000 and ffff, which no
 * device has; -E2BIG for more than ASC_PCI_IDS_MAX.
 */
int asc_pci_ids_parse(const char *text, struct asc_pci_ids *ids)
{
	struct asc_pci_id id;

	ids->nr = 0;
	if (!*text || !strcmp(text, "\n"))
		return 0;
	for (;;) {
		text = parse_hex(text, &id.vendor);
		if (!text || *text++ != ':')
			return -EINVAL;
		text = parse_hex(text, &id.device);
		if (!text || !id.vendor || id.vendor == 0xffff || id.device == 0xffff)
			return -EINVAL;
		if (!asc_pci_ids_have(ids, id.vendor, id.device)) {
			if (ids->nr == ASC_PCI_IDS_MAX)
				return -E2BIG;
			ids->id[ids->nr++] = id;
		}
		if (*text == '\n')
			text++;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

/**
 * asc_pci_ids_have() - is it in the list?
 * @ids: the list
 * @vendor: of a device
 * @device: likewise
 */
bool asc_pci_ids_have(const struct asc_pci_ids *ids, u16 vendor, u16 device)
{
	u32 i;

	for (i = 0; i < ids->nr; i++)
		if (ids->id[i].vendor == vendor && ids->id[i].device == device)
			return true;
	return false;
}

/**
 * asc_pci_npu() - is that an NPU?
 * @vendor: of a device
 * @device: likewise
 *
 * Return: its product family, or NULL.
 */
const char *asc_pci_npu(u16 vendor, u16 device)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(npus); i++)
		if (npus[i].id.vendor == vendor && npus[i].id.device == device)
			return npus[i].name;
	return NULL;
}

/**
 * asc_pci_pack() - bus address as one number
 * @domain: of a function
 * @bus: likewise
 * @devfn: likewise
 *
 * Return: as in struct ascprof_source; 0 for a domain that does not fit.
 */
u32 asc_pci_pack(u32 domain, u8 bus, u8 devfn)
{
	return domain > 0xffff ? 0 : domain << 16 | (u32)bus << 8 | devfn;
}

/**
 * asc_pci_link_speed() - speed from the link status register
 * @status: of a PCI Express function
 *
 * Return: mega transfers per second and lane; 0 if it is unknown.
 */
u32 asc_pci_link_speed(u16 status)
{
	static const u32 speeds[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };
	u32 code = status & 0xf;

	return code < ARRAY_SIZE(speeds) ? speeds[code] : 0;
}

/**
 * asc_pci_link_width() - lanes from the link status register
 * @status: of a PCI Express function
 */
u32 asc_pci_link_width(u16 status)
{
	return status >> 4 & 0x3f;
}

/**
 * asc_pci_aer_total() - the sum in a list of error counts
 * @text: lines of a name and a number; the sum's name begins with TOTAL_ERR
 * @total: result
 *
 * Return: 0 or -EINVAL.
 */
int asc_pci_aer_total(const char *text, u64 *total)
{
	static const char name[] = "TOTAL_ERR";
	const char *p = text;
	u64 n = 0;

	while (strncmp(p, name, sizeof(name) - 1)) {
		p = strchr(p, '\n');
		if (!p)
			return -EINVAL;
		p++;
	}
	p = strchr(p, ' ');
	if (!p || hex_digit(p[1]) < 0 || hex_digit(p[1]) > 9)
		return -EINVAL;
	for (p++; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (*p - '0');
	*total = n;
	return 0;
}
