/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace_pieces.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "export/text.h"
#include "format/escape.h"

#define SAFE_INTEGER (1ULL << 53) /* what viewers keep exact */

char *trace_put_key(char *to, const char *key)
{
	*to++ = '"';
	to = text_copy(to, key, strlen(key));
	return text_literal(to, "\":");
}

char *trace_put_track(char *to, uint64_t pid, uint64_t tid)
{
	to = text_literal(to, ",\"pid\":");
	to = text_u64(to, pid);
	to = text_literal(to, ",\"tid\":");
	return text_u64(to, tid);
}

char *trace_put_integer(char *to, uint64_t v)
{
	if (v <= SAFE_INTEGER)
		return text_u64(to, v);
	*to++ = '"';
	to = text_u64(to, v);
	*to++ = '"';
	return to;
}

void trace_metadata(struct out *o, const char *what, const char *key, uint64_t pid, uint64_t tid,
		    const char *value)
{
	char *to = out_room(o, ESCAPE_ROOM(strlen(value)) + TRACE_ROOM);

	to = text_literal(to, ",\n{\"name\":\"");
	to = text_copy(to, what, strlen(what));
	to = text_literal(to, "\",\"ph\":\"M\"");
	to = trace_put_track(to, pid, tid);
	to = text_literal(to, ",\"args\":{");
	to = trace_put_key(to, key);
	*to++ = '"';
	to = escape_json(to, value, strlen(value));
	to = text_literal(to, "\"}}");
	out_used(o, to);
}

void trace_sort_index(struct out *o, uint64_t pid, uint64_t index)
{
	char *to = out_room(o, TRACE_ROOM);

	to = text_literal(to, ",\n{\"name\":\"process_sort_index\",\"ph\":\"M\"");
	to = trace_put_track(to, pid, 0);
	to = text_literal(to, ",\"args\":{\"sort_index\":");
	to = text_u64(to, index);
	to = text_literal(to, "}}");
	out_used(o, to);
}

void trace_put_origin(struct out *o, int64_t origin)
{
	char *to = out_room(o, TRACE_ROOM);
	time_t seconds = (time_t)(origin / 1000000000);
	int64_t ns = origin % 1000000000;
	char utc[48];
	struct tm tm;

	if (ns < 0) {
		ns += 1000000000;
		seconds--;
	}
	if (!gmtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(utc, sizeof(utc), "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ns);
	to = text_literal(to, "[\n{\"name\":\"ascprof_origin\",\"ph\":\"M\",\"ts\":0.000");
	to = trace_put_track(to, 0, 0);
	to = text_literal(to, ",\"args\":{\"wall_clock_us\":\"");
	to = text_thousandths(to, origin);
	to = text_literal(to, "\",\"utc\":\"");
	to = text_copy(to, utc, strlen(utc));
	to = text_literal(to, "\"}}");
	out_used(o, to);
}
