/* SPDX-License-Identifier: Apache-2.0 */
/* What ascprof record says to a process, in its environment or at its socket. */
#include "tests/fuzz/readers/reader.h"

#include <stdlib.h>
#include <string.h>

#include "session/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct record_request r;
	char *text = malloc(size + 1); /* ends where it ends: what is read behind it shows */
	struct json_doc doc;

	memcpy(text, data, size);
	if (json_read(&doc, text, size, REQUEST_MAX)) {
		request_number(&doc, "pid");
		if (!request_read("fuzz", &doc, &r) && (!*r.id || !memchr(r.id, 0, sizeof(r.id)) ||
							!memchr(r.what.output, 0, sizeof(r.what.output))))
			abort();
		json_doc_free(&doc);
	}
	free(text);
	return 0;
}
