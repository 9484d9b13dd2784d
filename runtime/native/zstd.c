/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "native/zstd.h"

#if HAVE_LIBZSTD
#include <zstd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct native_zstd {
	ZSTD_CCtx *context;
	int level;
};

static struct {
	char why[128];
	ZSTD_CCtx *(*new)(void);
	size_t (*free)(ZSTD_CCtx *context);
	size_t (*pack)(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t len, int level);
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
	*(void **)&zstd.pack = symbol(library, "ZSTD_compressCCtx");
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

struct native_zstd *native_zstd_new(int level)
{
	struct native_zstd *z;

	if (*native_zstd_missing())
		return NULL;
	z = malloc(sizeof(*z));
	if (!z)
		return NULL;
	z->level = level;
	z->context = zstd.new();
	if (!z->context) {
		free(z);
		return NULL;
	}
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
	size_t n = zstd.pack(z->context, to, room, from, len, z->level);

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

struct native_zstd *native_zstd_new(int level)
{
	(void)level;
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
