/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "format/utf8.h"
#include "tools/serve.h"

void serve_family(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

/* Valid UTF-8 in one line; control characters become '?'. */
void serve_label(FILE *to, bool first, const char *name, const char *value)
{
	size_t n = strlen(value);

	fprintf(to, "%s%s=\"", first ? "" : ",", name);
	while (n) {
		int len = utf8_char(value, n);
		size_t taken = len > 0 ? (size_t)len : len ? (size_t)-len : n;

		if (len <= 0)
			fputs("\xef\xbf\xbd", to);
		else if (len == 1 && (*value == '"' || *value == '\\'))
			fprintf(to, "\\%c", *value);
		else if (len == 1 && ((unsigned char)*value < 0x20 || *value == 0x7f))
			fputc('?', to);
		else
			fwrite(value, 1, taken, to);
		value += taken;
		n -= taken;
	}
	fputc('"', to);
}
