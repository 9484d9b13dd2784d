/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/record.h"

#include <stddef.h>

/* CRC-32C (Castagnoli, reflected 0x82f63b78), four bits at a time. */
static uint32_t crc32c(const unsigned char *p, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	uint32_t crc = UINT32_MAX;

	while (n--) {
		crc ^= *p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

static uint32_t signature(const struct op_record *r)
{
	return crc32c((const unsigned char *)r + sizeof(r->signature), sizeof(*r) - sizeof(r->signature));
}

void op_record_sign(struct op_record *r)
{
	r->signature = signature(r);
}

bool op_record_is_whole(const struct op_record *r)
{
	return r->signature == signature(r);
}
