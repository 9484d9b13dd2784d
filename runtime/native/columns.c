/* SPDX-License-Identifier: Apache-2.0 */
#include "native/columns.h"

#include <string.h>

/* 'b' and 'd' of a description tell which counter a row is of. */
static uint8_t width_of(char column)
{
	return column == 'b' ? 2 : column == 'd' ? 4 : (uint8_t)(column - '0');
}

static bool same_counter(const char *description, const char *a, const char *b)
{
	for (; *description; description++) {
		uint8_t width = width_of(*description);

		if (*description > '9' && memcmp(a, b, width) != 0)
			return false;
		a += width;
		b += width;
	}
	return true;
}

void columns_describe(struct columns *c, const char *description, const void *rows, uint32_t len)
{
	uint32_t most, away = 1;

	*c = (struct columns) { .nr = (uint32_t)strlen(description) };
	for (uint32_t i = 0; i < c->nr; i++) {
		c->width[i] = width_of(description[i]);
		c->row_bytes += c->width[i];
	}
	most = len / c->row_bytes < COLUMNS_AWAY_MAX ? len / c->row_bytes : COLUMNS_AWAY_MAX;
	while (away < most && !same_counter(description, rows, (const char *)rows + away * c->row_bytes))
		away++;
	c->away = away < most ? away : 1;
}

bool columns_are_sound(const struct columns *c)
{
	uint32_t sum = 0;

	if (!c->nr || c->nr > COLUMNS_MAX || !c->away || c->away > COLUMNS_AWAY_MAX)
		return false;
	for (uint32_t i = 0; i < c->nr; i++) {
		if (c->width[i] != 1 && c->width[i] != 2 && c->width[i] != 4 && c->width[i] != 8)
			return false;
		sum += c->width[i];
	}
	return sum == c->row_bytes && sum <= COLUMNS_ROW_MAX;
}

static uint64_t number_at(const char *at, uint8_t width)
{
	uint64_t number = 0;

	memcpy(&number, at, width);
	return number;
}

/* A small difference has small bytes, whichever sign it has; of @bits bits as of 64. */
static uint64_t zigzag(uint64_t difference, unsigned int bits)
{
	return difference << 1 ^ (0 - (difference >> (bits - 1) & 1));
}

static uint64_t zagzig(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

void columns_split(const struct columns *c, void *to, const void *rows, uint32_t nr_rows)
{
	const char *from = rows;
	char *out = to;

	for (uint32_t k = 0; k < c->nr; k++) {
		uint8_t width = c->width[k];

		for (uint32_t i = 0; i < nr_rows; i++) {
			const char *at = from + (size_t)i * c->row_bytes;
			uint64_t before = i < c->away ? 0 : number_at(at - (size_t)c->away * c->row_bytes, width);
			uint64_t coded = zigzag(number_at(at, width) - before, width * 8u);

			/* bytes of equal weight together: the high ones are zeros in a row */
			for (uint32_t b = 0; b < width; b++)
				out[(size_t)b * nr_rows + i] = (char)(coded >> 8 * b);
		}
		from += width;
		out += (size_t)width * nr_rows;
	}
}

void columns_join(const struct columns *c, void *rows, const void *from, uint32_t nr_rows)
{
	const unsigned char *in = from;
	char *to = rows;

	for (uint32_t k = 0; k < c->nr; k++) {
		uint8_t width = c->width[k];

		for (uint32_t i = 0; i < nr_rows; i++) {
			char *at = to + (size_t)i * c->row_bytes;
			uint64_t number = i < c->away ? 0 : number_at(at - (size_t)c->away * c->row_bytes, width);
			uint64_t coded = 0;

			for (uint32_t b = 0; b < width; b++)
				coded |= (uint64_t)in[(size_t)b * nr_rows + i] << 8 * b;
			number += zagzig(coded);
			memcpy(at, &number, width);
		}
		to += width;
		in += (size_t)width * nr_rows;
	}
}
