/* SPDX-License-Identifier: Apache-2.0 */
/* zstd, loaded when it is asked for: a program that does not compress does not need it. */
#ifndef ASCPROF_NATIVE_ZSTD_H
#define ASCPROF_NATIVE_ZSTD_H

#include <stddef.h>

#define NATIVE_ZSTD_LEVEL_MAX 19

struct native_zstd;

/* Return: NULL, with the reason in native_zstd_missing(). */
struct native_zstd *native_zstd_new(int level);
void native_zstd_free(struct native_zstd *z);
/* Why there is no zstd, "" when there is. */
const char *native_zstd_missing(void);

/* One frame. Return: its bytes, or 0 when it would not be smaller than @room. */
size_t native_zstd_pack(struct native_zstd *z, void *to, size_t room, const void *from, size_t len);

/* The first frame of @from. Return: its bytes, or 0 when it is none or cut off. */
size_t native_zstd_frame(const void *from, size_t len);

/* One frame. Return: bytes, or -1 when @from is no frame of at most @room bytes. */
long native_zstd_unpack(void *to, size_t room, const void *from, size_t len);

#endif /* ASCPROF_NATIVE_ZSTD_H */
