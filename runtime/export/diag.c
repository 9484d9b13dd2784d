/* SPDX-License-Identifier: Apache-2.0 */
#include "export/diag.h"

#include <stdarg.h>
#include <stdio.h>

static void defuse(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

void diag_warn(struct diag *d, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	defuse(text);
	d->warnings++;
	if (!d->quiet)
		fprintf(stderr, "%s: warning: %s\n", d->program, text);
}

int diag_fail(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (d->error[0])
		return -1;
	va_start(ap, fmt);
	vsnprintf(d->error, sizeof(d->error), fmt, ap);
	va_end(ap);
	defuse(d->error);
	return -1;
}
