// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/empty.h"

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *bench_empty_create(void)
{
	return NULL;
}

EXPORTED int bench_empty_message(void *stamp, const char *text, uint32_t len)
{
	(void)text;
	(void)len;
	return !stamp;
}

EXPORTED int bench_empty_call(void *stamp)
{
	return !stamp;
}
