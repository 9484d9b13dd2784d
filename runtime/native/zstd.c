/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "native/zstd.h"

#include <string.h>

static char *put_number(char *to, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (char)(value >> 8 * i);
	return to + bytes;
}

/* RFC 8878: a frame of one segment, with its length in four bytes, and of blocks that are stored. */
size_t native_zstd_store(void *to, const void *from, uint32_t len)
{
	char *at = put_number(to, 0xFD2FB528u, 4);
	uint32_t done = 0, block;

	at = put_number(at, 0xA0, 1);
	at = put_number(at, len, 4);
	do {
		block = len - done < NATIVE_ZSTD_BLOCK ? len - done : NATIVE_ZSTD_BLOCK;
		at = put_number(at, block << 3 | (done + block == len), 3);
		memcpy(at, (const char *)from + done, block);
		at += block;
		done += block;
	} while (done < len);
	return (size_t)(at - (char *)to);
}

#if HAVE_LIBZSTD
#include <zstd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct native_zstd {
	ZSTD_CCtx *context;
};

static struct {
	char why[128];
	ZSTD_CCtx *(*new)(void);
	size_t (*free)(ZSTD_CCtx *context);
	size_t (*set)(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value);
	size_t (*pack)(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t len);
	size_t (*unpack)(void *to, size_t room, const void *from, size_t len);
	size_t (*frame)(const void *from, size_t len);
	unsigned int (*error)(size_t code);
} zstd;

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		snprintf(zstd.why, sizeof(zstd.why), "libzstd.so.1 has no %s", name);
	return found;
}

static void load(void)
{
	void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);

	zstd.why[0] = '\0';
	if (!library) {
		snprintf(zstd.why, sizeof(zstd.why), "%s", dlerror());
		return;
	}
	*(void **)&zstd.new = symbol(library, "ZSTD_createCCtx");
	*(void **)&zstd.free = symbol(library, "ZSTD_freeCCtx");
	*(void **)&zstd.set = symbol(library, "ZSTD_CCtx_setParameter");
	*(void **)&zstd.pack = symbol(library, "ZSTD_compress2");
	*(void **)&zstd.unpack = symbol(library, "ZSTD_decompress");
	*(void **)&zstd.frame = symbol(library, "ZSTD_findFrameCompressedSize");
	*(void **)&zstd.error = symbol(library, "ZSTD_isError");
}

const char *native_zstd_missing(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return zstd.why;
}

struct native_zstd *native_zstd_new(int level, bool checksums)
{
	struct native_zstd *z;

	if (*native_zstd_missing())
		return NULL;
	z = malloc(sizeof(*z));
	if (!z)
		return NULL;
	z->context = zstd.new();
	if (!z->context) {
		free(z);
		return NULL;
	}
	zstd.set(z->context, ZSTD_c_compressionLevel, level);
	zstd.set(z->context, ZSTD_c_checksumFlag, checksums);
	return z;
}

void native_zstd_free(struct native_zstd *z)
{
	if (!z)
		return;
	zstd.free(z->context);
	free(z);
}

size_t native_zstd_pack(struct native_zstd *z, void *to, size_t room, const void *from, size_t len)
{
	size_t n = zstd.pack(z->context, to, room, from, len);

	return zstd.error(n) ? 0 : n;
}

size_t native_zstd_frame(const void *from, size_t len)
{
	size_t n;

	if (*native_zstd_missing())
		return 0;
	n = zstd.frame(from, len);
	return zstd.error(n) ? 0 : n;
}

long native_zstd_unpack(void *to, size_t room, const void *from, size_t len)
{
	size_t n;

	if (*native_zstd_missing())
		return -1;
	n = zstd.unpack(to, room, from, len);
	return zstd.error(n) ? -1 : (long)n;
}

#else /* !HAVE_LIBZSTD */

const char *native_zstd_missing(void)
{
	return "built without libzstd";
}

struct native_zstd *native_zstd_new(int level, bool checksums)
{
	(void)level;
	(void)checksums;
	return NULL;
}

void native_zstd_free(struct native_zstd *z)
{
	(void)z;
}

size_t native_zstd_pack(struct native_zstd *z, void *to, size_t room, const void *from, size_t len)
{
	(void)z;
	(void)to;
	(void)room;
	(void)from;
	(void)len;
	return 0;
}

size_t native_zstd_frame(const void *from, size_t len)
{
	(void)from;
	(void)len;
	return 0;
}

long native_zstd_unpack(void *to, size_t room, const void *from, size_t len)
{
	(void)to;
	(void)room;
	(void)from;
	(void)len;
	return -1;
}

#endif
