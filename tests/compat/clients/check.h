/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIENTS_CHECK_H
#define CLIENTS_CHECK_H

#include <stdio.h>

static int failures;

/* Prints what is not as expected, and counts it. */
static void is(const char *what, long long got, long long expected)
{
	if (got == expected)
		return;
	printf("%s: %lld, expected %lld\n", what, got, expected);
	failures++;
}

#endif /* CLIENTS_CHECK_H */
