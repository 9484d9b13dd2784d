/* SPDX-License-Identifier: Apache-2.0 */
#include "export/page.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "format/utf8.h"
#include "page_hashes.h"

/* page/style.css and page/script.js, as they are, and how long they are */
#define asset(name, file)                                                                            \
	__asm__(".pushsection .rodata\n.balign 8\n" #name "_len:\n.quad " #name "_end - " #name "\n" \
		#name ":\n.incbin \"" file "\"\n" #name "_end:\n.popsection");                        \
	extern const char name[] __attribute__((visibility("hidden")));                              \
	extern const uint64_t name##_len __attribute__((visibility("hidden")))

asset(page_style, "runtime/export/page/style.css");
asset(page_script, "runtime/export/page/script.js");

void page_print(struct out *o, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	out_text(o, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

#define literal(o, s) out_text(o, s, sizeof(s) - 1)

void page_begin(struct out *o, const char *title)
{
	literal(o, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
		   "style-src 'sha256-" PAGE_STYLE_HASH "'; script-src 'sha256-" PAGE_SCRIPT_HASH "'; "
		   "base-uri 'none'; form-action 'none'\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
		   "<link rel=\"icon\" href=\"data:,\">\n<title>");
	page_text(o, title, strlen(title), 100);
	literal(o, "</title>\n<style>");
	out_text(o, page_style, page_style_len);
	literal(o, "</style>\n</head>\n<body>\n");
}

void page_end(struct out *o)
{
	literal(o, "<script>");
	out_text(o, page_script, page_script_len);
	literal(o, "</script>\n</body>\n</html>\n");
}

/* ---- foreign text ---- */

static uint32_t decode(const char *s, int len)
{
	const unsigned char *u = (const unsigned char *)s;

	switch (len) {
	case 1:
		return u[0];
	case 2:
		return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
	case 3:
		return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	default:
		return (u[0] & 7u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
	}
}

/* Marks, embeddings, overrides and isolates; line and paragraph separators; byte order mark. */
static bool is_invisible(uint32_t c)
{
	return c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe007f);
}

/* What stands for a character that cannot be shown; NULL: it can. */
static const char *picture(uint32_t c, char *room)
{
	if (c >= 0x20 && c != 0x7f && (c < 0x80 || c >= 0xa0) && !is_invisible(c))
		return NULL;
	if (c >= 0x80)
		return "\xef\xbf\xbd";
	memcpy(room, "\xe2\x90", 2);
	room[2] = (char)(0x80 + (c == 0x7f ? 0x21 : c));
	room[3] = 0;
	return room;
}

static const char *html_of(char c)
{
	return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : c == '\'' ? "&#39;" : NULL;
}

static const char *json_of(char c)
{
	return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '<' ? "\\u003c" : c == '>' ? "\\u003e" :
	       c == '&' ? "\\u0026" : NULL;
}

static void put(struct out *o, const char *s, size_t n, size_t most, const char *(*special)(char c))
{
	for (; n && most; most--) {
		int len = utf8_char(s, n);
		size_t taken = len > 0 ? (size_t)len : len ? (size_t)-len : n;
		const char *instead = "\xef\xbf\xbd";
		char room[4];

		if (len > 0) {
			instead = picture(decode(s, len), room);
			if (!instead && len == 1)
				instead = special(*s);
		}
		if (instead)
			out_text(o, instead, strlen(instead));
		else
			out_text(o, s, taken);
		s += taken;
		n -= taken;
	}
	if (n)
		literal(o, "\xe2\x80\xa6");
}

void page_text(struct out *o, const char *s, size_t n, size_t most)
{
	put(o, s, n, most, html_of);
}

void page_json(struct out *o, const char *s, size_t n, size_t most)
{
	put(o, s, n, most, json_of);
}
