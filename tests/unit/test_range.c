// SPDX-License-Identifier: Apache-2.0
/* How many ranges are open, in more blocks of ids than are looked into, ended by their own thread and by others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "annotate/range.h"

#define NR 80000 /* of 256 a block, 256 blocks of which are looked into */

static struct tx_thread one = { .range_id = RANGE_NO_BLOCK }, other = { .range_id = RANGE_NO_BLOCK };
static uint32_t id[NR];

static void begin(struct tx_thread *t, uint32_t *to)
{
	struct range_slot *slot = range_next(t, to, "open", 4);

	assert_non_null(slot);
	atomic_store(&slot->domain, NULL);
	range_publish(slot, *to);
}

static void end(struct tx_thread *t, uint32_t which)
{
	struct range_slot *slot;

	assert_int_equal(range_take(which, NULL, &slot), RANGE_OK);
	range_put(t, slot, which);
}

static void expect(uint64_t nr)
{
	uint64_t open[TX_KINDS];

	range_count(open);
	assert_int_equal(open[TX_KIND_RANGE], nr);
	assert_int_equal(open[TX_KIND_MSTX_RANGE], 0);
}

static void test_count(void **state)
{
	uint64_t left[TX_KINDS] = { 0 };
	struct tx_oldest oldest = { 0 };

	(void)state;
	expect(0);
	for (unsigned int i = 0; i < NR; i++)
		begin(&one, &id[i]);
	expect(NR);
	for (unsigned int i = 0; i < NR; i += 2)
		end(i % 4 ? &one : &other, id[i]);
	expect(NR / 2);
	begin(&other, &id[0]);
	expect(NR / 2 + 1);
	for (unsigned int i = 1; i < NR; i += 2)
		end(&one, id[i]);
	expect(1);
	begin(&one, &id[1]);
	range_release(&one); /* its thread has ended */
	expect(2);
	range_end_all(left, &oldest);
	assert_int_equal(left[TX_KIND_RANGE], 2);
	expect(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
