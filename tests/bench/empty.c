// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/empty.h"

__attribute__((visibility("default"))) int bench_empty(void *nothing)
{
	return !nothing;
}
