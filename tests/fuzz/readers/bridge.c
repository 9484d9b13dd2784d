/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the vendor's profiling channels, as the bridge takes them. The first byte says of which kind. */
#include "tests/fuzz/readers/reader.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bridge_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum bridge_kind kind = (enum bridge_kind)(size ? data[0] % BRIDGE_KINDS : 0);
	size_t bytes = bridge_record_bytes(kind);
	uint8_t *copy = malloc(bytes); /* ends where it ends: what is read behind it shows */

	for (size_t at = 1; at < size && size - at >= bytes; at += bytes) {
		struct bridge_record record = { 0 };
		struct ascprof_event event;

		memcpy(copy, data + at, bytes);
		if (!bridge_decode(kind, copy, &record))
			continue;
		if (record.nr > BRIDGE_VALUES)
			abort();
		for (unsigned int i = 0; i < record.nr; i++) {
			bridge_describe(kind, &record.value[i], &event);
			if (!memchr(event.name, 0, sizeof(event.name)) || !memchr(event.unit, 0, sizeof(event.unit)))
				abort();
		}
	}
	free(copy);
	return 0;
}
