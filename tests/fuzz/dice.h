/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed repeats. */
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <stdint.h>

struct dice {
	uint64_t state;	/* not 0 */
};

static inline uint64_t roll(struct dice *dice)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return dice->state;
}

/* One of n. */
static inline unsigned int pick(struct dice *dice, unsigned int n)
{
	return (unsigned int)((roll(dice) >> 20) % n);
}

#endif /* FUZZ_DICE_H */
