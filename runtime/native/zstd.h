/* SPDX-License-Identifier: Apache-2.0 */
/* zstd, loaded when it is asked for: a program that does not compress does not need it. */
#ifndef ASCPROF_NATIVE_ZSTD_H
#define ASCPROF_NATIVE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_ZSTD_LEVEL_MAX 19

struct native_zstd;

/* @checksums: each frame has one. Return: NULL, with the reason in native_zstd_missing(), or without memory. */
struct native_zstd *native_zstd_new(int level, bool checksums);
void native_zstd_free(struct native_zstd *z);
/* Why there is no zstd, "" when there is. */
const char *native_zstd_missing(void);

/* One frame. Return: its bytes, or 0 when it would not be smaller than @room. */
size_t native_zstd_pack(struct native_zstd *z, void *to, size_t room, const void *from, size_t len);

/*
 * One frame for @from as it is, which needs neither zstd nor memory: for what would get no smaller, or when
 * there is no memory. @to: NATIVE_ZSTD_STORED(@len) bytes. Return: its bytes.
 */
#define NATIVE_ZSTD_BLOCK (128u << 10)
#define NATIVE_ZSTD_STORED(len) ((len) + 9 + 3 * ((len) / NATIVE_ZSTD_BLOCK + 1))
size_t native_zstd_store(void *to, const void *from, uint32_t len);

/* The first frame of @from. Return: its bytes, or 0 when it is none or cut off. */
size_t native_zstd_frame(const void *from, size_t len);

/* One frame. Return: bytes, or -1 when @from is no frame of at most @room bytes. */
long native_zstd_unpack(void *to, size_t room, const void *from, size_t len);

#endif /* ASCPROF_NATIVE_ZSTD_H */
