/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace_pieces.h"

#include <string.h>

#include "format/escape.h"
#include "export/text.h"

#define SAFE_INTEGER (1ULL << 53) /* what viewers keep exact */

char *trace_put_key(char *to, const char *key)
{
	*to++ = '"';
	to = text_copy(to, key, strlen(key));
	return text_literal(to, "\":");
}

int64_t trace_span(int64_t from, int64_t to)
{
	int64_t v;

	return __builtin_sub_overflow(to, from, &v) ? INT64_MAX : v;
}

char *trace_put_ts(char *to, const struct trace *t, int64_t wall)
{
	to = text_literal(to, ",\"ts\":");
	return text_thousandths(to, trace_span(t->origin, wall));
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

void trace_metadata(struct trace *t, const char *what, const char *key, uint64_t pid, uint64_t tid,
		     const char *value)
{
	char *to = out_room(&t->out, ESCAPE_ROOM(strlen(value)) + TRACE_ROOM);

	to = text_literal(to, ",\n{\"name\":\"");
	to = text_copy(to, what, strlen(what));
	to = text_literal(to, "\",\"ph\":\"M\"");
	to = trace_put_track(to, pid, tid);
	to = text_literal(to, ",\"args\":{");
	to = trace_put_key(to, key);
	*to++ = '"';
	to = escape_json(to, value, strlen(value));
	to = text_literal(to, "\"}}");
	out_used(&t->out, to);
}

void trace_sort_index(struct trace *t, uint64_t pid, uint64_t index)
{
	char *to = out_room(&t->out, TRACE_ROOM);

	to = text_literal(to, ",\n{\"name\":\"process_sort_index\",\"ph\":\"M\"");
	to = trace_put_track(to, pid, 0);
	to = text_literal(to, ",\"args\":{\"sort_index\":");
	to = text_u64(to, index);
	to = text_literal(to, "}}");
	out_used(&t->out, to);
}
