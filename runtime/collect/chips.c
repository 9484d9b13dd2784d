/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/chips.h"

#include <stdio.h>

#include "acl/acl_prof.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct chip chips[] = {
	{ 0, CHIP_310, "Ascend 310", 19200, 680 },
	{ 1, CHIP_910, "Ascend 910", 100000, 1000 },
	{ 2, CHIP_310P, "Ascend 310P", 38400, 1080 },
	{ 3, CHIP_310P, "Ascend 310P", 38400, 1080 },
	{ 4, CHIP_310P, "Ascend 310P", 38400, 1080 },
	{ 5, CHIP_910B, "Ascend 910B", 50000, 1800 },
	{ 7, CHIP_310B, "Ascend 310B", 48000, 1000 },
	{ 8, CHIP_310B, "Ascend 310B", 48000, 1000 },
	{ 11, CHIP_310B, "Ascend 310B", 48000, 1000 },
	{ 15, CHIP_950, "Ascend 950", 1000000, 1650 },
	{ 16, CHIP_950, "Ascend 950", 1000000, 1650 },
};

#define BEFORE_950 (CHIP_ALL & ~CHIP_950)

/* The first that has the number and the family holds. */
static const struct chip_metrics metrics[] = {
	{ ACL_AICORE_ARITHMETIC_UTILIZATION, CHIP_950, "ArithmeticUtilization", 2, { 0x323, 0x324 } },
	{ ACL_AICORE_ARITHMETIC_UTILIZATION, BEFORE_950, "ArithmeticUtilization", 7,
	  { 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f } },
	{ ACL_AICORE_PIPE_UTILIZATION, CHIP_950, "PipeUtilization", 9,
	  { 0x501, 0x301, 0x1, 0x701, 0x202, 0x203, 0x34, 0x35, 0x714 } },
	{ ACL_AICORE_PIPE_UTILIZATION, BEFORE_950, "PipeUtilization", 8,
	  { 0x8, 0xa, 0x9, 0xb, 0xc, 0xd, 0x54, 0x55 } },
	{ ACL_AICORE_MEMORY_BANDWIDTH, CHIP_950, "Memory", 8,
	  { 0x422, 0x423, 0x56f, 0x571, 0x570, 0x572, 0x707, 0x709 } },
	{ ACL_AICORE_MEMORY_BANDWIDTH, BEFORE_950, "Memory", 8,
	  { 0x15, 0x16, 0x31, 0x32, 0xf, 0x10, 0x12, 0x13 } },
	{ ACL_AICORE_L0B_AND_WIDTH, CHIP_950, "MemoryL0", 7, { 0x304, 0x703, 0x306, 0x705, 0x712, 0x30a, 0x308 } },
	{ ACL_AICORE_L0B_AND_WIDTH, BEFORE_950, "MemoryL0", 8,
	  { 0x1b, 0x1c, 0x21, 0x22, 0x27, 0x28, 0x29, 0x2a } },
	{ ACL_AICORE_RESOURCE_CONFLICT_RATIO, CHIP_950, "ResourceConflictRatio", 4,
	  { 0x540, 0x556, 0x502, 0x528 } },
	{ ACL_AICORE_RESOURCE_CONFLICT_RATIO, BEFORE_950, "ResourceConflictRatio", 3, { 0x64, 0x65, 0x66 } },
	{ ACL_AICORE_MEMORY_UB, CHIP_950, "MemoryUB", 7, { 0x3, 0x5, 0x70c, 0x206, 0x204, 0x571, 0x572 } },
	{ ACL_AICORE_MEMORY_UB, CHIP_310B, "MemoryUB", 7, { 0x37, 0x38, 0x1a5, 0x1a6, 0x17f, 0x180, 0x191 } },
	{ ACL_AICORE_MEMORY_UB, BEFORE_950, "MemoryUB", 8, { 0x10, 0x13, 0x37, 0x38, 0x3d, 0x3e, 0x43, 0x44 } },
	{ ACL_AICORE_L2_CACHE, CHIP_950, "L2Cache", 6, { 0x424, 0x425, 0x426, 0x42a, 0x42b, 0x42c } },
	{ ACL_AICORE_L2_CACHE, BEFORE_950, "L2Cache", 6, { 0x500, 0x502, 0x504, 0x506, 0x508, 0x50a } },
	{ ACL_AICORE_PIPE_EXECUTE_UTILIZATION, CHIP_310B, "PipelineExecuteUtilization", 8,
	  { 0x12c, 0x49, 0x4a, 0x9, 0x302, 0xc, 0xd, 0x303 } },
	{ ACL_AICORE_MEMORY_ACCESS, CHIP_910B, "MemoryAccess", 8,
	  { 0x32, 0x3d, 0x3e, 0x206, 0x20c, 0x50c, 0x50d, 0x50e } },
};

const struct chip *chip_of(unsigned int version)
{
	for (size_t i = 0; i < COUNT(chips); i++)
		if (chips[i].version == version)
			return &chips[i];
	return NULL;
}

const struct chip_metrics *chip_metrics_of(const struct chip *chip, unsigned int number)
{
	for (size_t i = 0; i < COUNT(metrics); i++)
		if (metrics[i].number == number && metrics[i].families & chip->family)
			return &metrics[i];
	return NULL;
}

unsigned int chip_l2_events(const struct chip *chip, const uint16_t **events)
{
	static const uint16_t of_910[] = { 0x5b, 0x59, 0x5c, 0x7d, 0x7e, 0x71, 0x79, 0x7c };
	static const uint16_t of_310p[] = { 0x78, 0x79, 0x77, 0x71, 0x6a, 0x6c, 0x74, 0x62 };
	static const uint16_t of_950[] = { 0x00, 0x81, 0x82, 0x83, 0x74, 0x75 };
	static const uint16_t usual[] = { 0xf6, 0xfb, 0xfc, 0xbf, 0x90, 0x91, 0x9c, 0x9d };

	switch (chip->family) {
	case CHIP_910:
		*events = of_910;
		return COUNT(of_910);
	case CHIP_310P:
		*events = of_310p;
		return COUNT(of_310p);
	case CHIP_950:
		*events = of_950;
		return COUNT(of_950);
	default:
		*events = usual;
		return COUNT(usual);
	}
}

unsigned int chip_smmu_events(const uint16_t **events)
{
	static const uint16_t smmu[] = { 0x02, 0x8a, 0x8b, 0x8c, 0x8d };

	*events = smmu;
	return COUNT(smmu);
}

void chip_events_text(const uint16_t *events, unsigned int nr, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0; i < nr && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, events[i] ? "%s0x%x" : "%s0x%02x", i ? "," : "", events[i]);
}
