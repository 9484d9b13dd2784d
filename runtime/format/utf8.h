/* SPDX-License-Identifier: Apache-2.0 */
/* What is and what is not UTF-8 (RFC 3629: no surrogates, no overlong forms). */
#ifndef ASCPROF_UTF8_H
#define ASCPROF_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at @s, of at most @n bytes: 1 to 4; 0 when the bytes
 * are the beginning of a character that is cut off by the end; -k when the
 * first k bytes can be no part of any.
 */
int utf8_char(const char *s, size_t n);

/*
 * Copies @n bytes to @out, at most @room bytes, as valid UTF-8: what is not
 * becomes U+FFFD, a character cut off at the end is left out, and the copy
 * ends on a character border. Return: bytes written.
 */
size_t utf8_copy(char *out, size_t room, const char *s, size_t n);

#endif /* ASCPROF_UTF8_H */
