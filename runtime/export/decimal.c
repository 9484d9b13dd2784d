/* SPDX-License-Identifier: Apache-2.0 */
#include "export/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text.h"

#define DOUBLE_FRACTION 52

/* A positive double is mantissa * 2^-shift. */
static uint64_t split(double v, int *shift)
{
	uint64_t bits;
	int exponent;

	memcpy(&bits, &v, sizeof(bits));
	exponent = (int)(bits >> DOUBLE_FRACTION & 0x7ff);
	bits &= (1ULL << DOUBLE_FRACTION) - 1;
	*shift = 1075 - (exponent ? exponent : 1);
	return exponent ? bits | 1ULL << DOUBLE_FRACTION : bits;
}

int128 div_half_even(int128 a, int128 b)
{
	int128 q = a / b, r = a % b;

	if (r < 0) { /* towards minus infinity */
		r += b;
		q--;
	}
	if (r > b - r || (r == b - r && (q & 1)))
		q++;
	return q;
}

/* v / 2^shift */
static uint128 shift_half_even(uint128 v, int shift)
{
	uint128 q = v >> shift, twice = (v - (q << shift)) << 1, one = (uint128)1 << shift;

	return q + (twice > one || (twice == one && (q & 1)));
}

void decimal_shortest(double v, uint64_t *digits, int *exponent)
{
	char text[32];
	char *end;

	for (int n = 1; n <= 17; n++) {
		snprintf(text, sizeof(text), "%.*e", n - 1, v);
		if (strtod(text, NULL) == v)
			break;
	}
	*digits = 0;
	*exponent = 0;
	for (end = text; *end != 'e'; end++) {
		if (*end == '.')
			*exponent = 1; /* counts the decimals from here on */
		else
			*digits = *digits * 10 + (uint64_t)(*end - '0');
	}
	*exponent = atoi(end + 1) - (*exponent ? (int)(end - text) - 2 : 0);
}

static int128 power10(int n)
{
	int128 v = 1;

	while (n-- > 0)
		v *= 10;
	return v;
}

static int128 fixed_slow(double v)
{
	uint64_t digits;
	int exponent;
	int128 fixed;

	if (v == 0 || !isfinite(v) || fabs(v) > 1e20)
		return 0;
	decimal_shortest(fabs(v), &digits, &exponent);
	exponent += DECIMAL_SCALE;
	if (exponent < -20)
		return 0;
	fixed = exponent < 0 ? digits / power10(-exponent) : digits * power10(exponent);
	return v < 0 ? -fixed : fixed;
}

/*
 * From 1 to 2^53 the shortest decimal is the whole part and as many decimals
 * as bring it within half a step of v; all of that fits 128 bits.
 */
int128 decimal_fixed(double v)
{
	uint64_t mantissa, fraction, whole;
	uint128 decimals = 1;
	int shift;

	if (!(v >= 1 && v < 9007199254740992.0))
		return fixed_slow(v);
	mantissa = split(v, &shift);
	whole = mantissa >> shift;
	fraction = mantissa & ((1ULL << shift) - 1);
	if (mantissa == 1ULL << DOUBLE_FRACTION)
		return fixed_slow(v); /* the step below is smaller */
	for (int n = 0;; n++, decimals *= 10) {
		uint128 scaled = fraction * decimals;
		uint128 near = shift_half_even(scaled, shift);
		uint128 value = near << shift;
		uint128 off = value > scaled ? value - scaled : scaled - value;

		if (2 * off < decimals || (2 * off == decimals && !(mantissa & 1)))
			return ((int128)whole * power10(n) + (int128)near) *
			       power10(DECIMAL_SCALE - n);
	}
}

int64_t decimal_thousandths(int128 fixed)
{
	int128 n = div_half_even(fixed, power10(DECIMAL_SCALE - 3));

	return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

char *decimal_repr(char *to, double v)
{
	char digits[24];
	uint64_t value;
	int exponent, n, point;

	if (v < 0)
		*to++ = '-';
	if (v == 0 || !isfinite(v)) {
		memcpy(to, v == 0 ? "0.0" : "nan", 3);
		return to + 3;
	}
	decimal_shortest(fabs(v), &value, &exponent);
	while (value % 10 == 0) {
		value /= 10;
		exponent++;
	}
	n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	point = n + exponent; /* digits before the point */
	if (point > 16 || point < -3) {
		to += snprintf(to, DECIMAL_TEXT - 1, "%c%s%se%c%02d", digits[0],
			       n > 1 ? "." : "", digits + 1, point > 0 ? '+' : '-',
			       abs(point - 1));
		return to;
	}
	if (point <= 0)
		return to + snprintf(to, DECIMAL_TEXT - 1, "0.%.*s%s", -point, "000", digits);
	if (point >= n)
		return to + snprintf(to, DECIMAL_TEXT - 1, "%s%.*s.0", digits, point - n,
				     "0000000000000000");
	return to + snprintf(to, DECIMAL_TEXT - 1, "%.*s.%s", point, digits, digits + point);
}

int64_t decimal_round_thousandths(double v)
{
	uint64_t q;
	int shift;

	if (!(fabs(v) < 1e12))
		return 0;
	q = split(fabs(v), &shift) * 1000;
	q = shift > 63 ? 0 : (uint64_t)shift_half_even(q, shift);
	return v < 0 ? -(int64_t)q : (int64_t)q;
}

char *decimal_round3(char *to, double v)
{
	if (!(fabs(v) < 1e12))
		return decimal_repr(to, v);
	to = text_thousandths(to, decimal_round_thousandths(v));
	for (int i = 0; i < 2 && to[-1] == '0'; i++)
		to--;
	return to;
}

int64_t decimal_llc_rate(uint128 total, double seconds)
{
	uint128 numerator, denominator, rest, q;
	uint64_t digits;
	int exponent;

	if (!(seconds > 0 && seconds < 1e15))
		return 0;
	decimal_shortest(seconds, &digits, &exponent);
	/* total * 64 / 2^20 * 1000 / (digits * 10^exponent), digit by digit */
	numerator = total * 1000;
	denominator = (uint128)digits * (uint128)power10(exponent) << 14;
	q = numerator / denominator;
	rest = numerator % denominator;
	for (; exponent < 0; exponent++) {
		rest *= 10;
		q = q * 10 + rest / denominator;
		rest %= denominator;
		if (q > INT64_MAX)
			return INT64_MAX;
	}
	if (rest > denominator - rest || (rest == denominator - rest && (q & 1)))
		q++;
	return q > INT64_MAX ? INT64_MAX : (int64_t)q;
}
