/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of control files: every value, by every way that there is to ask for it. */
#include "tests/fuzz/readers/reader.h"

#include <stdlib.h>
#include <string.h>

#include "format/json_read.h"

static void look(const struct json_doc *doc, const struct json_node *node)
{
	char text[32];
	int64_t i;
	uint64_t u;
	int n = json_get_string(doc, node, text, sizeof(text));

	if (n >= 0 && strlen(text) >= sizeof(text))
		abort();
	json_get_i64(doc, node, &i);
	json_get_u64(doc, node, &u);
	json_find(doc, node, "pid");
	for (const struct json_node *child = json_first(doc, node); child; child = json_next(doc, node, child))
		look(doc, child);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_doc doc;
	char *text = malloc(size + 1); /* ends where it ends: what is read behind it shows */

	memcpy(text, data, size);
	if (json_read(&doc, text, size, 1 << 20)) {
		look(&doc, doc.node);
		json_doc_free(&doc);
	}
	free(text);
	return 0;
}
