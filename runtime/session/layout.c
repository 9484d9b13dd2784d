/* SPDX-License-Identifier: Apache-2.0 */
#include "session/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "native/zstd.h"

static bool read_native(void)
{
	const char *text = secure_getenv("ASCPROF_LAYOUT");

	if (!text || !strcmp(text, "prof"))
		return false;
	if (!strcmp(text, "native"))
		return true;
	log_line(LOG_WARN, "ASCPROF_LAYOUT is \"%s\", expected prof or native; writing prof", text);
	return false;
}

static int read_zstd(void)
{
	const char *text = secure_getenv("ASCPROF_COMPRESS");
	long level = 1;
	char *end;

	if (!text || !*text || !strcmp(text, "none"))
		return 0;
	if (!strncmp(text, "zstd:", 5) && isdigit((unsigned char)text[5])) {
		level = strtol(text + 5, &end, 10);
		if (*end || level > NATIVE_ZSTD_LEVEL_MAX)
			level = 0;
	} else if (strcmp(text, "zstd") != 0) {
		level = 0;
	}
	if (level < 1) {
		log_line(LOG_WARN, "ASCPROF_COMPRESS is \"%s\", expected none, zstd or zstd:1 to zstd:%d; not compressing",
			 text, NATIVE_ZSTD_LEVEL_MAX);
		return 0;
	}
	if (*native_zstd_missing()) {
		log_line(LOG_WARN, "ASCPROF_COMPRESS is \"%s\", which cannot be had: %s; not compressing", text,
			 native_zstd_missing());
		return 0;
	}
	return (int)level;
}

void layout_read(struct layout *layout)
{
	layout->native = read_native();
	layout->zstd = read_zstd();
}
