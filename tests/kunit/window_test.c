// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counter windows: what is believed, and how registers are read.
 */
#include "kmod/core/widen.h"
#include "kmod/core/window.h"
#include "suites.h"

#define ROOM	4096

static struct ascprof_window_head good_head(void)
{
	struct ascprof_window_head head = {
		.magic = cpu_to_le32(ASCPROF_WINDOW_MAGIC),
		.version = cpu_to_le32(ASCPROF_WINDOW_VERSION),
		.count = cpu_to_le32(4),
		.stride = cpu_to_le32(128),
		.first = cpu_to_le32(64),
		.flags = cpu_to_le32(ASCPROF_WINDOW_F_MSIX),
	};

	return head;
}

static struct ascprof_window_entry good_entry(void)
{
	struct ascprof_window_entry entry = {
		.rate = cpu_to_le64(1000000000),
		.width = cpu_to_le32(32),
		.event_class = cpu_to_le32(ASCPROF_CLASS_HBM),
		.scale_num = cpu_to_le32(32),
		.scale_den = cpu_to_le32(1),
		.unit = "bytes",
		.name = "hbm_read",
	};

	return entry;
}

static const struct asc_window layout = { .count = 4, .stride = 128, .first = 64 };

static void window_good_head(struct kunit *test)
{
	struct ascprof_window_head head = good_head();
	struct asc_window window;

	KUNIT_EXPECT_PTR_EQ(test, asc_window_head(&head, ROOM, &window), (const char *)NULL);
	KUNIT_EXPECT_EQ(test, window.count, 4U);
	KUNIT_EXPECT_EQ(test, window.stride, 128U);
	KUNIT_EXPECT_EQ(test, window.first, 64U);
	KUNIT_EXPECT_TRUE(test, window.msix);
	head.flags = 0;
	KUNIT_EXPECT_PTR_EQ(test, asc_window_head(&head, ROOM, &window), (const char *)NULL);
	KUNIT_EXPECT_FALSE(test, window.msix);
}

/* Exactly as much room as it needs, and a byte less. */
static void window_has_to_fit(struct kunit *test)
{
	struct ascprof_window_head head = good_head();
	struct asc_window window;

	KUNIT_EXPECT_PTR_EQ(test, asc_window_head(&head, 64 + 4 * 128, &window),
			    (const char *)NULL);
	KUNIT_EXPECT_NOT_NULL(test, asc_window_head(&head, 64 + 4 * 128 - 1, &window));
	head.first = cpu_to_le32(0xfffffff8);
	KUNIT_EXPECT_NOT_NULL(test, asc_window_head(&head, ROOM, &window));
	head = good_head();
	head.count = cpu_to_le32(512);
	head.stride = cpu_to_le32(4096);
	KUNIT_EXPECT_NOT_NULL(test, asc_window_head(&head, ROOM, &window));
	KUNIT_EXPECT_PTR_EQ(test, asc_window_head(&head, 64 + 512 * 4096, &window),
			    (const char *)NULL);
}

static void window_bad_head(struct kunit *test)
{
	struct ascprof_window_head head;
	struct asc_window window;

#define BAD(field, bad) do { \
		head = good_head(); \
		head.field = cpu_to_le32(bad); \
		KUNIT_EXPECT_NOT_NULL(test, asc_window_head(&head, 1 << 30, &window)); \
	} while (0)

	BAD(magic, 0);
	BAD(magic, U32_MAX);
	BAD(magic, 0x41534357);
	BAD(version, 0);
	BAD(version, 2);
	BAD(count, 0);
	BAD(count, 513);
	BAD(count, U32_MAX);
	BAD(stride, 0);
	BAD(stride, 96);
	BAD(stride, 108);
	BAD(stride, 4104);
	BAD(stride, U32_MAX);
	BAD(first, 0);
	BAD(first, 56);
	BAD(first, 68);
	BAD(first, U32_MAX);
	BAD(flags, 2);
	BAD(reserved[0], 1);
	BAD(reserved[9], 1);
#undef BAD

	memset(&head, 0xff, sizeof(head));
	KUNIT_EXPECT_NOT_NULL(test, asc_window_head(&head, U64_MAX, &window));
}

static void window_good_entry(struct kunit *test)
{
	struct ascprof_window_entry entry = good_entry();
	struct asc_window_counter c[4];

	KUNIT_EXPECT_PTR_EQ(test, asc_window_entry(&entry, &layout, 0, c), (const char *)NULL);
	memset(entry.name, 0, sizeof(entry.name));
	strscpy(entry.name, "level", sizeof(entry.name));
	memset(entry.unit, 0, sizeof(entry.unit));
	entry.value_kind = cpu_to_le32(ASCPROF_VALUE_GAUGE);
	entry.rate = 0;
	entry.width = cpu_to_le32(64);
	KUNIT_EXPECT_PTR_EQ(test, asc_window_entry(&entry, &layout, 1, c), (const char *)NULL);
	KUNIT_EXPECT_EQ(test, c[0].offset, 64U);
	KUNIT_EXPECT_EQ(test, c[0].width, 32U);
	KUNIT_EXPECT_EQ(test, c[0].rate, 1000000000ULL);
	KUNIT_EXPECT_STREQ(test, c[0].event.name, "hbm_read");
	KUNIT_EXPECT_STREQ(test, c[0].event.unit, "bytes");
	KUNIT_EXPECT_EQ(test, c[0].event.scale_num, 32U);
	KUNIT_EXPECT_EQ(test, c[1].offset, 64U + 128);
	KUNIT_EXPECT_EQ(test, c[1].event.config, 1ULL);
	KUNIT_EXPECT_EQ(test, c[1].event.value_kind, (u32)ASCPROF_VALUE_GAUGE);
	KUNIT_EXPECT_STREQ(test, c[1].event.unit, "");
}

static void window_bad_entry(struct kunit *test)
{
	struct ascprof_window_entry entry;
	struct asc_window_counter c[4];

#define BAD(field, bad) do { \
		entry = good_entry(); \
		entry.field = bad; \
		KUNIT_EXPECT_NOT_NULL(test, asc_window_entry(&entry, &layout, 0, c)); \
	} while (0)

	BAD(width, 0);
	BAD(width, cpu_to_le32(31));
	BAD(width, cpu_to_le32(33));
	BAD(width, cpu_to_le32(65));
	BAD(width, cpu_to_le32(U32_MAX));
	BAD(rate, 0);
	BAD(rate, cpu_to_le64(ASC_WIDEN_RATE_MAX + 1));
	BAD(rate, cpu_to_le64(U64_MAX));
	BAD(value_kind, cpu_to_le32(ASCPROF_VALUE_GAUGE));	/* with a rate */
	BAD(value_kind, cpu_to_le32(2));
	BAD(event_class, 0);
	BAD(event_class, cpu_to_le32(ASCPROF_CLASS_OTHER + 1));
	BAD(scale_num, 0);
	BAD(scale_den, 0);
	BAD(reserved, cpu_to_le32(1));
	BAD(unit[0], '\n');
	BAD(unit[15], 'x');
	BAD(name[0], 0);
	BAD(name[0], '\x7f');
	BAD(name[47], 'x');
#undef BAD

	entry = good_entry();
	KUNIT_EXPECT_PTR_EQ(test, asc_window_entry(&entry, &layout, 0, c), (const char *)NULL);
	KUNIT_EXPECT_NOT_NULL(test, asc_window_entry(&entry, &layout, 1, c));
	memset(&entry, 0xff, sizeof(entry));
	KUNIT_EXPECT_NOT_NULL(test, asc_window_entry(&entry, &layout, 1, c));
}

/**
 * struct script - a register that changes while it is read
 * @word: what each read finds, in turn
 * @reads: how many were made
 * @last: offset of the last
 * @magic: what offset 0 holds
 */
struct script {
	u32 word[16];
	u32 reads;
	u32 last;
	u32 magic;
};

static u32 scripted(void *ctx, u32 offset)
{
	struct script *s = ctx;

	s->last = offset;
	if (offset == 0)
		return s->magic;
	return s->word[s->reads++];
}

static int read_script(struct script *s, u32 width, u64 *value)
{
	const struct asc_window_io io = { .read32 = scripted, .ctx = s };
	const struct asc_window_counter c = { .offset = 64, .width = width };

	s->reads = 0;
	return asc_window_read(&io, &c, value);
}

static void window_read_narrow(struct kunit *test)
{
	struct script s = { .word = { 0x12345678 }, .magic = ASCPROF_WINDOW_MAGIC };
	u64 value;

	KUNIT_EXPECT_EQ(test, read_script(&s, 32, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0x12345678ULL);
	KUNIT_EXPECT_EQ(test, s.reads, 1U);
	KUNIT_EXPECT_EQ(test, s.last, 64U);
}

static void window_read_wide(struct kunit *test)
{
	struct script s = { .word = { 7, 0xfffffffe, 7 }, .magic = ASCPROF_WINDOW_MAGIC };
	u64 value;

	KUNIT_EXPECT_EQ(test, read_script(&s, 64, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0x7fffffffeULL);
	KUNIT_EXPECT_EQ(test, s.reads, 3U);
}

/* The carry comes between the words: neither half of a wrong number gets out. */
static void window_read_torn(struct kunit *test)
{
	struct script s = { .word = { 7, 3, 8, 4, 8 }, .magic = ASCPROF_WINDOW_MAGIC };
	u64 value;

	KUNIT_EXPECT_EQ(test, read_script(&s, 48, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0x800000004ULL);
	KUNIT_EXPECT_EQ(test, s.reads, 5U);
}

static void window_read_never_still(struct kunit *test)
{
	struct script s = { .word = { 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5 },
			    .magic = ASCPROF_WINDOW_MAGIC };
	u64 value;

	KUNIT_EXPECT_EQ(test, read_script(&s, 64, &value), -EAGAIN);
	KUNIT_EXPECT_LE(test, s.reads, 16U);
}

static void window_read_ones(struct kunit *test)
{
	struct script s = { .magic = ASCPROF_WINDOW_MAGIC };
	u64 value;

	memset(s.word, 0xff, sizeof(s.word));
	/* a counter may have that value */
	KUNIT_EXPECT_EQ(test, read_script(&s, 32, &value), 0);
	KUNIT_EXPECT_EQ(test, value, (u64)U32_MAX);
	KUNIT_EXPECT_EQ(test, s.last, 0U);
	KUNIT_EXPECT_EQ(test, read_script(&s, 64, &value), 0);
	KUNIT_EXPECT_EQ(test, value, U64_MAX);
	/* a device may not */
	s.magic = U32_MAX;
	KUNIT_EXPECT_EQ(test, read_script(&s, 32, &value), -ENODEV);
	KUNIT_EXPECT_EQ(test, read_script(&s, 48, &value), -ENODEV);
	KUNIT_EXPECT_EQ(test, read_script(&s, 64, &value), -ENODEV);
}

/* It goes while it is read: the words before are still of a counter. */
static void window_read_going(struct kunit *test)
{
	struct script s = { .word = { 7, U32_MAX, U32_MAX, U32_MAX, U32_MAX }, .magic = U32_MAX };
	u64 value;

	KUNIT_EXPECT_EQ(test, read_script(&s, 64, &value), -ENODEV);
}

static void window_refresh(struct kunit *test)
{
	struct asc_window_counter c[3] = {
		{ .width = 64, .rate = 1 },
		{ .width = 32, .rate = 0 },
		{ .width = 64, .rate = 0 },
	};

	KUNIT_EXPECT_EQ(test, asc_window_refresh(c, 3), U64_MAX);
	KUNIT_EXPECT_EQ(test, asc_window_refresh(c, 0), U64_MAX);
	c[1].rate = 1000000000;
	KUNIT_EXPECT_EQ(test, asc_window_refresh(c, 3), 4294967295ULL / 4);
	c[2].width = 48;
	c[2].rate = ASC_WIDEN_RATE_MAX;
	KUNIT_EXPECT_EQ(test, asc_window_refresh(c, 3), 4294967295ULL / 4);
	c[1].rate = ASC_WIDEN_RATE_MAX;
	KUNIT_EXPECT_LT(test, asc_window_refresh(c, 3), 429496729ULL / 2);
	c[1].rate = 1;
	c[2].rate = 1;
	KUNIT_EXPECT_EQ(test, asc_window_refresh(c, 3), 60ULL * NSEC_PER_SEC);
}

/* At the stated rate, read as often as that, no wrap is ever lost. */
static void window_refresh_is_enough(struct kunit *test)
{
	static const u32 widths[] = { 32, 48 };
	struct asc_window_counter c = { .rate = ASC_WIDEN_RATE_MAX };
	struct asc_widen widen;
	u64 step, now, value;
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		c.width = widths[i];
		/* twice as late as asked for is still in time */
		step = 2 * asc_window_refresh(&c, 1);
		asc_widen_init(&widen, c.width, c.rate, 0, 0);
		for (k = 1; k <= 1000; k++) {
			now = k * step;
			value = now * (ASC_WIDEN_RATE_MAX / NSEC_PER_SEC);
			KUNIT_ASSERT_EQ(test, asc_widen(&widen, value & widen.mask, now), 0);
			KUNIT_ASSERT_EQ(test, widen.total, value);
		}
	}
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_good_head),
	KUNIT_CASE(window_has_to_fit),
	KUNIT_CASE(window_bad_head),
	KUNIT_CASE(window_good_entry),
	KUNIT_CASE(window_bad_entry),
	KUNIT_CASE(window_read_narrow),
	KUNIT_CASE(window_read_wide),
	KUNIT_CASE(window_read_torn),
	KUNIT_CASE(window_read_never_still),
	KUNIT_CASE(window_read_ones),
	KUNIT_CASE(window_read_going),
	KUNIT_CASE(window_refresh),
	KUNIT_CASE(window_refresh_is_enough),
	{}
};

struct kunit_suite asc_window_suite = {
	.name = "ascprof_window",
	.test_cases = window_cases,
};
