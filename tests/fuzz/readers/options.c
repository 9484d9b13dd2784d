/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines and the conditions in them. Arguments are ended by zeros; the last is a text to look at. */
#include "tests/fuzz/readers/reader.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "export/filter.h"
#include "tools/options.h"

#define MOST 16

static void add(struct filter *f, int letter, const char *value)
{
	if (letter == 'F' || letter == 'T')
		filter_add_time(f, letter == 'T', value);
	else if (letter == 'p')
		filter_add_pid(f, value);
	else if (letter == 't')
		filter_add_tid(f, value);
	else if (letter == 'k')
		filter_add_kind(f, value);
	else if (letter == 'n' && strlen(value) < 64 && !strchr(value, '\\') && !strchr(value, '{'))
		filter_add_name(f, value); /* the C library's expressions are its own matter */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *argv[MOST + 2] = { (char[]){ "export" } };
	struct filter f = { 0 };
	const char *value, *last;
	int argc = 1, letter;

	memcpy(text, data, size);
	text[size] = 0;
	for (char *at = text; at <= text + size && argc < MOST; at += strlen(at) + 1)
		argv[argc++] = at;
	last = argv[argc - 1];
	optind = 0; /* getopt begins anew */
	while ((letter = options_next(&command_export, argc, argv, &value)) != OPTIONS_END && letter > 0)
		if (value)
			add(&f, letter, value);
	filter_origin(&f, 1800000000000000000);
	filter_wants_time(&f, 1800000000000000000, 1800000000000000001);
	filter_wants_name(&f, last, strnlen(last, 256));
	filter_free(&f);
	free(text);
	return 0;
}
