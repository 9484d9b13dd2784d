/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol buffers, written into memory that has room: each function writes at
 * @to and returns the end. A message inside of a message is begun with room
 * for a length of up to 2^21 - 1 and gets it in the end, always in three bytes.
 */
#ifndef ASCPROF_PROTO_H
#define ASCPROF_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PROTO_NUMBER 12 /* bytes that a field with a number may take */
#define PROTO_LENGTH_MAX ((1u << 21) - 1)

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };

static inline char *proto_varint(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

static inline char *proto_tag(char *to, unsigned int field, enum proto_wire wire)
{
	return proto_varint(to, (uint64_t)field << 3 | wire);
}

static inline char *proto_u64(char *to, unsigned int field, uint64_t v)
{
	return proto_varint(proto_tag(to, field, PROTO_VARINT), v);
}

static inline char *proto_double(char *to, unsigned int field, double v)
{
	to = proto_tag(to, field, PROTO_FIXED64);
	memcpy(to, &v, sizeof(v));
	return to + sizeof(v);
}

static inline char *proto_bytes(char *to, unsigned int field, const char *s, size_t n)
{
	to = proto_varint(proto_tag(to, field, PROTO_BYTES), n);
	memcpy(to, s, n);
	return to + n;
}

/* *@begin is for proto_end(). */
static inline char *proto_begin(char *to, unsigned int field, char **begin)
{
	to = proto_tag(to, field, PROTO_BYTES);
	*begin = to;
	return to + 3;
}

static inline void proto_end(const char *to, char *begin)
{
	size_t n = (size_t)(to - begin) - 3;

	begin[0] = (char)(n | 0x80);
	begin[1] = (char)(n >> 7 | 0x80);
	begin[2] = (char)(n >> 14);
}

#endif /* ASCPROF_PROTO_H */
