/* SPDX-License-Identifier: Apache-2.0 */
#include "export/unpack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "export/native.h"
#include "native/frames.h"
#include "native/rows.h"

#define ZSTD_ENDING ".zst"

enum packed unpack_kind(const char *name, size_t *len)
{
	static const char native[] = NATIVE_TAG_NAME ".slice_";
	const size_t ending = sizeof(ZSTD_ENDING) - 1;

	*len = strlen(name);
	if (!strncmp(name, native, sizeof(native) - 1))
		return PACKED_NATIVE;
	if (*len <= ending || strcmp(name + *len - ending, ZSTD_ENDING))
		return PACKED_NOT;
	*len -= ending;
	return PACKED_ZSTD;
}

bool unpack_is_slice(const char *name)
{
	const char *at = strstr(name, ".slice_");
	size_t len;

	if (!at || name[0] == '.')
		return false;
	for (at += 7; *at >= '0' && *at <= '9'; at++)
		;
	return !*at || (unpack_kind(name, &len) == PACKED_ZSTD && name + len == at);
}

bool unpack_is_done(int dir_fd)
{
	struct stat st;

	return !fstatat(dir_fd, UNPACK_MARK, &st, AT_SYMLINK_NOFOLLOW);
}

struct rows {
	int (*put)(void *arg, const void *data, size_t len);
	void *arg;
	struct unpacked *out;
	const struct native_reading *reading;
	struct row_tx row[NATIVE_ROWS_MAX];
	char text[NATIVE_ROWS_TEXT];
};

static int put_event(void *arg, const struct native_event *e)
{
	struct rows *r = arg;
	size_t len = native_rows_text(e, r->text);
	uint32_t n = native_rows_count(e, r->text, len);

	native_rows_fill(r->row, n, r->reading->pid, e, r->text, len);
	r->out->bytes += n * sizeof(r->row[0]);
	return r->put(r->arg, r->row, n * sizeof(r->row[0]));
}

static int unpack_native(const void *slice, size_t size, int (*put)(void *arg, const void *data, size_t len),
			 void *arg, struct unpacked *out)
{
	struct rows *r = malloc(sizeof(*r));
	struct native_reading reading;
	int ret;

	if (!r)
		return -1;
	r->put = put;
	r->arg = arg;
	r->out = out;
	r->reading = &reading;
	ret = native_read(slice, size, put_event, r, &reading);
	out->good_bytes = reading.good_bytes;
	out->wrong = reading.wrong;
	free(r);
	return ret ? -1 : 0;
}

static int unpack_zstd(const char *slice, size_t size, int (*put)(void *arg, const void *data, size_t len), void *arg,
		       struct unpacked *out)
{
	char *plain = malloc(2 * FRAMES_MAX);
	int ret = plain ? 0 : -1;

	if (*native_zstd_missing()) {
		out->wrong = "it is compressed, and libzstd is not here";
		size = 0;
	}
	while (!ret && out->good_bytes < size) {
		size_t len;
		long n = frames_unpack(plain, slice + out->good_bytes, size - out->good_bytes, plain + FRAMES_MAX, &len);

		if (n < 0) {
			out->wrong = "a frame is damaged or cut off";
			break;
		}
		ret = put(arg, plain, (size_t)n);
		out->bytes += (size_t)n;
		out->good_bytes += len;
	}
	free(plain);
	return ret;
}

int unpack_slice(enum packed kind, const void *slice, size_t size,
		 int (*put)(void *arg, const void *data, size_t len), void *arg, struct unpacked *out)
{
	*out = (struct unpacked) { 0 };
	if (kind == PACKED_NATIVE)
		return unpack_native(slice, size, put, arg, out);
	return unpack_zstd(slice, size, put, arg, out);
}
