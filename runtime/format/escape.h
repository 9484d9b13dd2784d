/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where foreign text enters what we write. What comes out is valid
 * UTF-8: bytes that are none become U+FFFD. Each function writes at @to, which
 * has room for ESCAPE_ROOM(@n) bytes, and returns the end.
 */
#ifndef ASCPROF_ESCAPE_H
#define ASCPROF_ESCAPE_H

#include <stddef.h>

#define ESCAPE_ROOM(n) (6 * (n) + 16)

/* Nothing but that: three times @n bytes are enough. */
char *escape_utf8(char *to, const char *s, size_t n);
/* The inside of a JSON string: quotes are the caller's. */
char *escape_json(char *to, const char *s, size_t n);
/*
 * A CSV field, in quotes (and quotes in it doubled) only where it must be. What a
 * spreadsheet would take for a formula gets an apostrophe in front.
 */
char *escape_csv(char *to, const char *s, size_t n);
/*
 * For a terminal: control characters become '.', at most @columns characters
 * are written, and what is longer ends in "..". Return: the end; sets *@used.
 */
char *escape_terminal(char *to, const char *s, size_t n, unsigned int columns, unsigned int *used);

#endif /* ASCPROF_ESCAPE_H */
