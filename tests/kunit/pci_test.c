// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is read out of PCI, and lists of ids.
 */
#include "kmod/core/pci.h"
#include "suites.h"

static void pci_ids_good(struct kunit *test)
{
	struct asc_pci_ids ids;

	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse("", &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, 0U);
	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse("\n", &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, 0U);
	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse("1af4:1110", &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, 1U);
	KUNIT_EXPECT_EQ(test, ids.id[0].vendor, 0x1af4);
	KUNIT_EXPECT_EQ(test, ids.id[0].device, 0x1110);
	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse("1AF4:1110,19e5:D802\n", &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, 2U);
	KUNIT_EXPECT_EQ(test, ids.id[1].vendor, 0x19e5);
	KUNIT_EXPECT_EQ(test, ids.id[1].device, 0xd802);
}

static void pci_ids_bad(struct kunit *test)
{
	static const char * const bad[] = {
		" ", ",", ":", "1af4", "1af4:", ":1110", "1af4:111", "1af4:11100", "1af:1110",
		"1af4-1110", "1af4:1110,", ",1af4:1110", "1af4:1110,,1af4:1111", "1af4:1110 ",
		" 1af4:1110", "0x1af4:0x1110", "1ag4:1110", "1af4:1110;1af4:1111", "0000:1110",
		"ffff:1110", "1af4:ffff", "1af4:1110\n\n", "1af4:1110\n1", "-1:-1", "*:*",
	};
	struct asc_pci_ids ids;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, asc_pci_ids_parse(bad[i], &ids), -EINVAL, "%s", bad[i]);
}

static void pci_ids_many(struct kunit *test)
{
	char text[10 * (ASC_PCI_IDS_MAX + 1) + 1];
	struct asc_pci_ids ids;
	u32 i;

	for (i = 0; i <= ASC_PCI_IDS_MAX; i++)
		snprintf(text + 10 * i, 11, "19e5:%04x,", i + 1);
	text[10 * ASC_PCI_IDS_MAX - 1] = 0;
	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse(text, &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, (u32)ASC_PCI_IDS_MAX);
	text[10 * ASC_PCI_IDS_MAX - 1] = ',';
	text[10 * (ASC_PCI_IDS_MAX + 1) - 1] = 0;
	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse(text, &ids), -E2BIG);
}

static void pci_ids_twice(struct kunit *test)
{
	struct asc_pci_ids ids;

	KUNIT_EXPECT_EQ(test, asc_pci_ids_parse("1af4:1110,1AF4:1110,1af4:1110", &ids), 0);
	KUNIT_EXPECT_EQ(test, ids.nr, 1U);
	KUNIT_EXPECT_TRUE(test, asc_pci_ids_have(&ids, 0x1af4, 0x1110));
	KUNIT_EXPECT_FALSE(test, asc_pci_ids_have(&ids, 0x1110, 0x1af4));
	KUNIT_EXPECT_FALSE(test, asc_pci_ids_have(&ids, 0, 0));
}

static void pci_npus(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, asc_pci_npu(0x19e5, 0xd801), "Ascend 910");
	KUNIT_EXPECT_STREQ(test, asc_pci_npu(0x19e5, 0xd100), "Ascend 310");
	KUNIT_EXPECT_STREQ(test, asc_pci_npu(0x20e9, 0xd802), "Ascend 910B");
	/* an NVMe function, though the vendor's alias lists name it */
	KUNIT_EXPECT_NULL(test, asc_pci_npu(0x19e5, 0xa126));
	/* the root complex of the server, and chips of others */
	KUNIT_EXPECT_NULL(test, asc_pci_npu(0x19e5, 0xa12d));
	KUNIT_EXPECT_NULL(test, asc_pci_npu(0x1af4, 0xd802));
	KUNIT_EXPECT_NULL(test, asc_pci_npu(0x20c6, 0xd801));
	KUNIT_EXPECT_NULL(test, asc_pci_npu(0xffff, 0xffff));
}

static void pci_address(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asc_pci_pack(0, 0xc1, 0), 0xc100U);
	KUNIT_EXPECT_EQ(test, asc_pci_pack(0xffff, 0xff, 0xff), 0xffffffffU);
	KUNIT_EXPECT_EQ(test, asc_pci_pack(1, 2, 3 << 3 | 4), 0x0001021cU);
	KUNIT_EXPECT_EQ(test, asc_pci_pack(0x10000, 2, 8), 0U);
}

static void pci_link(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asc_pci_link_speed(0x1011), 2500U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_width(0x1011), 1U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_speed(0x7104), 16000U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_width(0x7104), 16U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_speed(0x0086), 64000U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_speed(0), 0U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_speed(0xffff), 0U);
	KUNIT_EXPECT_EQ(test, asc_pci_link_width(0xffff), 63U);
}

static void pci_aer(struct kunit *test)
{
	u64 total = 0;

	KUNIT_EXPECT_EQ(test, asc_pci_aer_total("RxErr 0\nBadTLP 3\nTOTAL_ERR_COR 3\n", &total), 0);
	KUNIT_EXPECT_EQ(test, total, 3ULL);
	KUNIT_EXPECT_EQ(test, asc_pci_aer_total("TOTAL_ERR_FATAL 18446744073709551615", &total), 0);
	KUNIT_EXPECT_EQ(test, total, U64_MAX);
	KUNIT_EXPECT_EQ(test, asc_pci_aer_total("TOTAL_ERR_NONFATAL 0\n", &total), 0);
	KUNIT_EXPECT_EQ(test, total, 0ULL);
}

static void pci_aer_bad(struct kunit *test)
{
	static const char * const bad[] = {
		"", "\n", "RxErr 0\n", "TOTAL_ERR", "TOTAL_ERR_COR", "TOTAL_ERR_COR ",
		"TOTAL_ERR_COR x", "TOTAL_ERR_COR -1", "TOTAL_ERR_COR a", "XTOTAL_ERR_COR 1",
	};
	u64 total;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, asc_pci_aer_total(bad[i], &total), -EINVAL, "%s", bad[i]);
}

static struct kunit_case pci_cases[] = {
	KUNIT_CASE(pci_ids_good),
	KUNIT_CASE(pci_ids_bad),
	KUNIT_CASE(pci_ids_many),
	KUNIT_CASE(pci_ids_twice),
	KUNIT_CASE(pci_npus),
	KUNIT_CASE(pci_address),
	KUNIT_CASE(pci_link),
	KUNIT_CASE(pci_aer),
	KUNIT_CASE(pci_aer_bad),
	{}
};

struct kunit_suite asc_pci_suite = {
	.name = "ascprof_pci",
	.test_cases = pci_cases,
};
