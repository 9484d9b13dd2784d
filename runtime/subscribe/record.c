/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/record.h"

#include "format/crc32c.h"

static uint32_t signature(const struct op_record *r)
{
	return crc32c(UINT32_MAX, (const unsigned char *)r + sizeof(r->signature), sizeof(*r) - sizeof(r->signature));
}

void op_record_sign(struct op_record *r)
{
	r->signature = signature(r);
}

bool op_record_is_whole(const struct op_record *r)
{
	return r->signature == signature(r);
}
