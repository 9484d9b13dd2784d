/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers as the public parser prints them. It computes with doubles
 * and with decimals made from the shortest text of a double; its tables can be
 * compared cell by cell only by doing the same steps. Build what includes this
 * without contraction of a * b + c (-ffp-contract=off).
 */
#ifndef ASCPROF_DECIMAL_H
#define ASCPROF_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

#define DECIMAL_SCALE 16 /* decimals of the fixed-point numbers below */
#define DECIMAL_TEXT 40 /* bytes that the text functions may write */

/* a / b, to the nearest, ties to even; b > 0 */
int128 div_half_even(int128 a, int128 b);

/* The shortest decimal that reads back as @v: @digits * 10^@exponent, @v > 0 and finite. */
void decimal_shortest(double v, uint64_t *digits, int *exponent);

/*
 * That decimal times 10^DECIMAL_SCALE; what is smaller is cut off, what is
 * beyond +-1e20 becomes 0.
 */
int128 decimal_fixed(double v);

/* Thousandths of a fixed-point number, at most what fits, and of a double below 1e12; ties to even. */
int64_t decimal_thousandths(int128 fixed);
int64_t decimal_round_thousandths(double v);

/*
 * Text of @v rounded to three decimals (ties to even, of the exact binary
 * value), shortest form with at least one decimal: "593.936", "0.0". Return:
 * its end; no terminating zero.
 */
char *decimal_round3(char *to, double v);
char *decimal_repr(char *to, double v); /* unrounded: "0.1", "1e-05", "1e+16" */

/*
 * @total * 64 / 2^20 / s in thousandths, ties to even, where s is the shortest
 * decimal of @seconds; 0 when @seconds is not positive, INT64_MAX when too large.
 */
int64_t decimal_llc_rate(uint128 total, double seconds);

#endif /* ASCPROF_DECIMAL_H */
