// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter window: what a device says of its counters, and how they are read.
 *
 * DOC: distrust
 *
 * A window is believed only as a whole: one value that makes no sense, and the
 * device is not taken. Nothing is read outside of what the head claims, and
 * that has to lie inside the BAR.
 *
 * DOC: gone
 *
 * A device that was pulled out answers every read with ones. A counter may have
 * that value too; the magic number may not.
 */
#include "policy.h"
#include "widen.h"
#include "window.h"

#define STRIDE_MAX	4096
#define GONE		U32_MAX
#define TRIES		4
#define REFRESH_SHARE	4	/* of the time to a wrap: twice before half of it */
#define REFRESH_MAX	(60ULL * NSEC_PER_SEC)

/**
 * asc_window_head() - take in the head of a window
 * @head: as the device shows it
 * @room: bytes of the BAR
 * @window: result
 *
 * Return: NULL, or what is wrong with it.
 */
const char *asc_window_head(const struct ascprof_window_head *head, u64 room,
			    struct asc_window *window)
{
	u32 flags = le32_to_cpu(head->flags);

	BUILD_BUG_ON(sizeof(*head) != 64);
	BUILD_BUG_ON(sizeof(struct ascprof_window_entry) != 104);

	if (le32_to_cpu(head->magic) != ASCPROF_WINDOW_MAGIC)
		return "magic number is not that of a counter window";
	if (le32_to_cpu(head->version) != ASCPROF_WINDOW_VERSION)
		return "version is not 1";
	window->count = le32_to_cpu(head->count);
	window->stride = le32_to_cpu(head->stride);
	window->first = le32_to_cpu(head->first);
	window->msix = flags & ASCPROF_WINDOW_F_MSIX;
	if (!window->count || window->count > ASCPROF_MAX_COUNTERS)
		return "count is not 1 to 512";
	if (window->stride < sizeof(struct ascprof_window_entry) ||
	    window->stride > STRIDE_MAX || !IS_ALIGNED(window->stride, 8))
		return "stride is not a multiple of 8 from 104 to 4096";
	if (window->first < sizeof(*head) || !IS_ALIGNED(window->first, 8))
		return "offset of the first entry is not a multiple of 8 from 64 on";
	if (window->first + (u64)window->count * window->stride > room)
		return "entries reach beyond the BAR";
	if (flags & ~ASCPROF_WINDOW_F_MSIX || memchr_inv(head->reserved, 0, sizeof(head->reserved)))
		return "unknown flags or reserved words are set";
	return NULL;
}

static const char *check_numbers(const struct asc_window_counter *c)
{
	if (c->width != 32 && c->width != 48 && c->width != 64)
		return "width is not 32, 48 or 64";
	if (c->event.event_class < ASCPROF_CLASS_LLC || c->event.event_class > ASCPROF_CLASS_OTHER)
		return "class is unknown";
	if (!c->event.scale_num || !c->event.scale_den)
		return "scale is zero";
	switch (c->event.value_kind) {
	case ASCPROF_VALUE_COUNT:
		return c->rate && c->rate <= ASC_WIDEN_RATE_MAX ? NULL :
			"rate is not 1 to 10000000000";
	case ASCPROF_VALUE_GAUGE:
		return c->rate ? "a gauge has a rate" : NULL;
	default:
		return "kind of value is unknown";
	}
}

/**
 * asc_window_entry() - take in one entry
 * @entry: as the device shows it
 * @window: its head
 * @index: which entry
 * @counters: those before it, taken in; this one is filled in
 *
 * Return: NULL, or what is wrong with it.
 */
const char *asc_window_entry(const struct ascprof_window_entry *entry,
			     const struct asc_window *window, u32 index,
			     struct asc_window_counter *counters)
{
	struct asc_window_counter *c = &counters[index];
	const char *wrong;
	u32 i;

	memset(c, 0, sizeof(*c));
	c->offset = window->first + index * window->stride;
	c->width = le32_to_cpu(entry->width);
	c->rate = le64_to_cpu(entry->rate);
	c->event.config = index;
	c->event.value_kind = le32_to_cpu(entry->value_kind);
	c->event.event_class = le32_to_cpu(entry->event_class);
	c->event.scale_num = le32_to_cpu(entry->scale_num);
	c->event.scale_den = le32_to_cpu(entry->scale_den);
	wrong = check_numbers(c);
	if (wrong)
		return wrong;
	if (entry->reserved)
		return "reserved word is set";
	if (!asc_policy_text(entry->unit, sizeof(entry->unit)))
		return "unit is not printable text";
	if (!entry->name[0] || !asc_policy_text(entry->name, sizeof(entry->name)))
		return "name is not printable text";
	for (i = 0; i < index; i++)
		if (!strcmp(counters[i].event.name, entry->name))
			return "name is not unique";
	strscpy(c->event.unit, entry->unit, sizeof(c->event.unit));
	strscpy(c->event.name, entry->name, sizeof(c->event.name));
	return NULL;
}

/* High, low, high again, until no carry came between. */
static int read_wide(const struct asc_window_io *io, u32 offset, u64 *value, bool *ones)
{
	u32 high, low, again = io->read32(io->ctx, offset + 4);
	int i;

	for (i = 0; i < TRIES; i++) {
		high = again;
		low = io->read32(io->ctx, offset);
		again = io->read32(io->ctx, offset + 4);
		if (high == again) {
			*value = (u64)high << 32 | low;
			*ones = high == GONE || low == GONE;
			return 0;
		}
	}
	*ones = again == GONE || low == GONE;
	return -EAGAIN;
}

/**
 * asc_window_read() - read one register
 * @io: how
 * @counter: which
 * @value: result, with whatever the bits above its width are
 *
 * Return: 0; -ENODEV if the device is not there any more; -EAGAIN if the
 * register changes faster than it can be read.
 */
int asc_window_read(const struct asc_window_io *io, const struct asc_window_counter *counter,
		    u64 *value)
{
	bool ones;
	int ret = 0;

	if (counter->width > 32) {
		ret = read_wide(io, counter->offset, value, &ones);
	} else {
		*value = io->read32(io->ctx, counter->offset);
		ones = *value == GONE;
	}
	if (ones && io->read32(io->ctx, 0) != ASCPROF_WINDOW_MAGIC)
		return -ENODEV;
	return ret;
}

/**
 * asc_window_refresh() - how often the registers have to be read at least
 * @counters: all of a window
 * @nr: how many
 *
 * Return: ns, well before half a wrap of the fastest; U64_MAX if none wraps
 * within a life of the machine.
 */
u64 asc_window_refresh(const struct asc_window_counter *counters, u32 nr)
{
	u64 shortest = U64_MAX;
	struct asc_widen widen;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!counters[i].rate)
			continue;
		asc_widen_init(&widen, counters[i].width, counters[i].rate, 0, 0);
		shortest = min_t(u64, shortest, widen.safe_ns);
	}
	if (shortest == U64_MAX)
		return U64_MAX;
	return min_t(u64, shortest / REFRESH_SHARE, REFRESH_MAX);
}
