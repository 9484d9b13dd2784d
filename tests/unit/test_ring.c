// SPDX-License-Identifier: Apache-2.0
/* What the calls put into a thread's ring, byte by byte: texts of every length, and a ring that is full, lap after lap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl_prof.h"
#include "annotate/gate.h"
#include "annotate/thread.h"
#include "clock/clock.h"

#define LAPS 5
#define NO_ZERO TX_MESSAGE_MAX

static const char behind[TX_MESSAGE_MAX + 1] = { [0 ... TX_MESSAGE_MAX - 1] = '#' };

/* Texts that differ in every byte, from text to text and within it. */
static char letter(unsigned int text, unsigned int at)
{
	return (char)('0' + (text * 7 + at) % 75);
}

static const struct tx_record *record_at(uint64_t tail)
{
	return (const void *)(tx_self->ring + (tail & (TX_RING_BYTES - 1)));
}

/* The record at @tail holds text number @text, of @len bytes; where the next one begins. */
static uint64_t expect(uint64_t tail, enum tx_kind kind, unsigned int text, unsigned int len)
{
	const struct tx_record *r = record_at(tail);

	assert_int_equal(r->kind, kind);
	assert_int_equal(r->has, TX_BODY_PLAIN);
	assert_int_equal(r->message_len, len);
	assert_int_equal(r->len, (sizeof(*r) + len + 7) / 8 * 8);
	assert_true(r->start && r->start <= r->end);
	for (unsigned int i = 0; i < r->len - sizeof(*r); i++)
		assert_int_equal(r->body[i], i < len ? letter(text, i) : 0);
	return tail + r->len;
}

static uint64_t read_back(uint64_t tail)
{
	atomic_store(&tx_self->tail, tail);
	return tail;
}

/* A stamp with the text, cut by a zero at @zero, out of memory with other letters around. */
static void *stamp_of(unsigned int text, unsigned int len, unsigned int zero)
{
	static char around[3 * TX_MESSAGE_MAX];
	char *from = around + TX_MESSAGE_MAX;
	void *stamp = aclprofCreateStamp();

	memset(around, '!', sizeof(around));
	for (unsigned int i = 0; i < len; i++)
		from[i] = letter(text, i);
	if (zero < len)
		from[zero] = 0;
	/* what was there before is longer, and stays behind the text */
	assert_int_equal(aclprofSetStampTraceMessage(stamp, behind, TX_MESSAGE_MAX), 0);
	assert_int_equal(aclprofSetStampTraceMessage(stamp, from, len), 0);
	return stamp;
}

static int open_gate(void **state)
{
	(void)state;
	setenv("ASCPROF_LOG", "off", 1);
	clock_setup();
	if (tx_threads_setup())
		return -1;
	gate_open(true, false);
	return 0;
}

static int shut_gate(void **state)
{
	(void)state;
	return gate_shut() ? 0 : -1;
}

static void test_lengths(void **state)
{
	uint64_t tail = 0;

	(void)state;
	for (unsigned int len = 0; len <= TX_MESSAGE_MAX; len++)
		for (unsigned int zero = 0; zero <= NO_ZERO; zero++) {
			unsigned int is = zero < len ? zero : len;
			void *stamp = stamp_of(len, len, zero);
			uint32_t id;

			assert_int_equal(aclprofMark(stamp), 0);
			tail = expect(tail, TX_KIND_MARK, len, is);
			assert_int_equal(aclprofPush(stamp), 0);
			assert_int_equal(aclprofPop(), 0);
			tail = expect(tail, TX_KIND_PUSH_POP, len, is);
			assert_int_equal(aclprofRangeStart(stamp, &id), 0);
			assert_int_equal(aclprofRangeStop(id), 0);
			tail = read_back(expect(tail, TX_KIND_RANGE, len, is));
			aclprofDestroyStamp(stamp);
		}
}

/* Which text has which length: short ones more often, whose records have the most behind them. */
static unsigned int length_of(unsigned int text)
{
	return text % 3 ? text * 5 % 24 : text % (TX_MESSAGE_MAX + 1);
}

static aclError annotate(unsigned int text)
{
	void *stamp = stamp_of(text, length_of(text), NO_ZERO);
	uint32_t id;
	aclError ret;

	if (text % 3 == 0) {
		ret = aclprofMark(stamp);
	} else if (text % 3 == 1) {
		assert_int_equal(aclprofPush(stamp), 0);
		ret = aclprofPop();
	} else {
		assert_int_equal(aclprofRangeStart(stamp, &id), 0);
		ret = aclprofRangeStop(id);
	}
	aclprofDestroyStamp(stamp);
	return ret;
}

static uint64_t skip_pad(uint64_t tail)
{
	const struct tx_record *r = record_at(tail);

	return r->kind == TX_RECORD_PAD ? tail + r->len : tail;
}

static void test_full(void **state)
{
	static const enum tx_kind kinds[] = { TX_KIND_MARK, TX_KIND_PUSH_POP, TX_KIND_RANGE };
	uint64_t tail = read_back(atomic_load(&tx_self->head));
	unsigned int in = 0, out = 0;

	(void)state;
	for (unsigned int lap = 0; lap < LAPS; lap++) {
		/* the last that fit, and those that do not, leave the first as they were */
		while (annotate(in) == ACL_SUCCESS)
			in++;
		assert_true(atomic_load(&tx_self->head) - tail <= TX_RING_BYTES);
		assert_true(atomic_load(&tx_self->head) - tail > TX_RING_BYTES - 1024);
		/* all but some, so that each lap ends elsewhere; the last one whole */
		while (out < in - (lap + 1 < LAPS ? 1000 * lap : 0)) {
			tail = expect(skip_pad(tail), kinds[out % 3], out, length_of(out));
			out++;
		}
		read_back(tail);
	}
	assert_int_equal(out, in);
	assert_true(skip_pad(tail) == atomic_load(&tx_self->head) || tail == atomic_load(&tx_self->head));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, open_gate, shut_gate);
}
