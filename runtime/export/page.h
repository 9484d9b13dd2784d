/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of HTML that needs nothing else: style and script are in it, and the
 * page forbids everything besides these two and all connections. Not thread-safe.
 */
#ifndef ASCPROF_PAGE_H
#define ASCPROF_PAGE_H

#include <stddef.h>

#include "export/out.h"

/* Up to the begin of the body; @title is foreign text. The end, with the script. */
void page_begin(struct out *o, const char *title);
void page_end(struct out *o);

/* Our own words and markup. */
void page_print(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Foreign text, as text between tags or in a quoted attribute, and inside a
 * JSON string in a script element; at most @most characters, then "…". What
 * comes out is valid UTF-8 without markup; control characters are shown by
 * their pictures, and those that change the direction of text by U+FFFD.
 */
void page_text(struct out *o, const char *s, size_t n, size_t most);
void page_json(struct out *o, const char *s, size_t n, size_t most);

#endif /* ASCPROF_PAGE_H */
