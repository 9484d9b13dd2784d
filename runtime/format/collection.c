/* SPDX-License-Identifier: Apache-2.0 */
#include "format/collection.h"

#include <stdio.h>
#include <time.h>

#define DATE_BYTES 64

static const char *date(uint64_t real_ns, char *text)
{
	time_t sec = (time_t)(real_ns / 1000000000u);
	struct tm tm;

	localtime_r(&sec, &tm);
	snprintf(text, DATE_BYTES, "%04d-%02d-%02d %02d:%02d:%02d.%06u", tm.tm_year + 1900, tm.tm_mon + 1,
		 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (unsigned int)(real_ns / 1000 % 1000000));
	return text;
}

void collection_write(struct json_writer *w, const struct moment *m, bool begin)
{
	const char *time_key = begin ? "collectionTimeBegin" : "collectionTimeEnd";
	char text[DATE_BYTES];

	date(m->real_ns, text);
	json_open(w, NULL, '{');
	json_string(w, "collectionDateBegin", begin ? text : "");
	json_string(w, "collectionDateEnd", begin ? "" : text);
	if (begin)
		json_u64_string(w, time_key, m->real_ns / 1000);
	else
		json_string(w, "collectionTimeBegin", "");
	if (begin)
		json_string(w, "collectionTimeEnd", "");
	else
		json_u64_string(w, time_key, m->real_ns / 1000);
	json_u64_string(w, "clockMonotonicRaw", m->raw_ns);
	json_close(w, '}');
}
