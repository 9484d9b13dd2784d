// SPDX-License-Identifier: Apache-2.0
/* What becomes of a message: length, zeros, UTF-8. */
#include "prof.h"
#include "t.h"

#include <sys/mman.h>

#define FFFD "\xef\xbf\xbd"
#define LONG "0123456789012345678901234567890123456789012345678901234567890123"
#define LONG_126 LONG "01234567890123456789012345678901234567890123456789012345678901"

static const struct message {
	const char *text;
	int length;	 /* -1: strlen */
	const char *row; /* NULL: the text */
} messages[] = {
	{ "", -1, NULL },
	{ "x", -1, NULL },
	{ LONG_126, -1, NULL },
	{ LONG_126 "6", -1, NULL },
	{ "ends early", 4, "ends" },
	{ "no text", 0, "" },
	{ "zero\0behind", 11, "zero" },
	{ "\0behind", 7, "" },
	{ "tab\tline\nquote\"back\\slash", -1, NULL },
	{ "\x01\x1f\x7f", -1, NULL },
	{ "gr\xc3\xbc\xc3\x9f", -1, NULL },
	{ "\xe6\x95\xb0\xe6\x8d\xae", -1, NULL },
	{ "\xf0\x9f\x98\x80", -1, NULL },
	{ "\xf4\x8f\xbf\xbf", -1, NULL },
	/* len() of Python counts characters: never half of one */
	{ "\xe6\x95\xb0\xe6\x8d\xae", 4, "\xe6\x95\xb0" },
	{ "\xe6\x95\xb0\xe6\x8d\xae", 5, "\xe6\x95\xb0" },
	{ "a\xf0\x9f\x98\x80", 4, "a" },
	{ "\xc3\xbc", 1, "" },
	{ "a\x80z", -1, "a" FFFD "z" },
	{ "a\xffz", -1, "a" FFFD "z" },
	{ "\xc0\x80", -1, FFFD FFFD },			      /* zero, too long */
	{ "\xe0\x80\x80z", -1, FFFD FFFD FFFD "z" },	      /* the same */
	{ "\xed\xa0\x80z", -1, FFFD FFFD FFFD "z" },	      /* half of a surrogate pair */
	{ "\xf4\x90\x80\x80z", -1, FFFD FFFD FFFD FFFD "z" }, /* above U+10FFFF */
	{ "\xf8\x88\x80\x80\x80z", -1, FFFD FFFD FFFD FFFD FFFD "z" },
	{ "\xe6\x95z", -1, FFFD "z" },		  /* begun and broken off */
	{ "\xef\xbf\xbe\xef\xbb\xbf", -1, NULL }, /* noncharacter, byte order mark */
};

#define COUNT (sizeof(messages) / sizeof(messages[0]))

/* 127 bytes that each need three: as many as the row holds, whole. */
static void grown(const struct row_tx *row)
{
	size_t length = strnlen(row->message, sizeof(row->message));

	t_check(length >= 127 && length <= 155 && length % 3 == 0, "127 bad bytes became %zu bytes",
		length);
	for (size_t i = 0; i + 3 <= length; i += 3)
		t_check(!memcmp(row->message + i, FFFD, 3), "byte %zu", i);
}

/* A text without a zero, right before memory that cannot be read. */
static const char *at_page_end(size_t length)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mprotect(memory + page, (size_t)page, PROT_NONE))
		abort();
	memset(memory + page - length, 'e', length);
	return memory + page - length;
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_rows rows;
	char bad[127], big[128];
	void *stamp = aclprofCreateStamp();

	for (size_t i = 0; i < COUNT; i++) {
		const struct message *m = &messages[i];
		uint32_t length = (uint32_t)(m->length < 0 ? (int)strlen(m->text) : m->length);

		t_equal(aclprofSetStampTraceMessage(stamp, m->text, length), 0, "message %zu", i);
		t_code(aclprofMark(stamp), 0);
	}
	/* refused: the row has the message before */
	memset(big, 'b', sizeof(big));
	t_stderr_begin();
	t_equal(aclprofSetStampTraceMessage(stamp, big, 128), ACL_ERROR_INVALID_PARAM, "128 bytes");
	t_stderr_end();
	t_code(aclprofMark(stamp), 0);
	memset(bad, 0xff, sizeof(bad));
	t_equal(aclprofSetStampTraceMessage(stamp, bad, 127), 0, "127 bad bytes");
	t_code(aclprofMark(stamp), 0);
	/* the text is copied at once */
	memset(big, 'c', sizeof(big));
	t_equal(aclprofSetStampTraceMessage(stamp, big, 5), 0, "5 bytes");
	memset(big, 'd', sizeof(big));
	t_code(aclprofMark(stamp), 0);
	for (uint32_t length = 0; length <= 127; length++) {
		t_equal(aclprofSetStampTraceMessage(stamp, at_page_end(length), length), 0,
			"at the end of a page");
		t_code(aclprofMark(stamp), 0);
	}
	t_stop(config);

	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
	t_equal(rows.count, COUNT + 3 + 128, "rows");
	if (rows.count != COUNT + 3 + 128)
		return t_end();
	for (size_t i = 0; i <= COUNT; i++) {
		const struct message *m = &messages[i < COUNT ? i : COUNT - 1];
		const char *expected = m->row ? m->row : m->text;

		t_check(!strcmp(rows.row[i].message, expected), "row %zu: '%s', expected '%s'", i,
			rows.row[i].message, expected);
	}
	grown(&rows.row[COUNT + 1]);
	t_check(!strcmp(rows.row[COUNT + 2].message, "ccccc"), "'%s'", rows.row[COUNT + 2].message);
	for (size_t length = 0; length <= 127; length++)
		t_check(strlen(rows.row[COUNT + 3 + length].message) == length &&
				strspn(rows.row[COUNT + 3 + length].message, "e") == length,
			"%zu bytes at the end of a page became '%s'", length,
			rows.row[COUNT + 3 + length].message);
	prof_rows_free(&rows);
	return t_end();
}
