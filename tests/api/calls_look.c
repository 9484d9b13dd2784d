// SPDX-License-Identifier: Apache-2.0
/* Rows: calls of our own, which look at what was recorded. */
#include "calls.h"

#include <stdlib.h>

#include "tests/process/prof.h"
#include "tests/process/t.h"

CALL(Env)
{
	setenv(ptr(a, 0), ptr(a, 1), 1);
	return nothing;
}

/* Equal(x, y): 1 or 0 */
CALL(Equal)
{
	return number(num(a, 0, 0) == num(a, 1, 0));
}

CALL(Value)
{
	return number(num(a, 0, 0));
}

CALL(Exists)
{
	return number(t_exists(ptr(a, 0)));
}

/* File(path): makes one */
CALL(File)
{
	t_write_file(ptr(a, 0), "");
	return nothing;
}

/* Results(path): PROF_ directories in it */
CALL(Results)
{
	struct prof_list list;

	prof_find(&list, ptr(a, 0));
	prof_free(&list);
	return number(list.count);
}

/* Only(path, file, text): 1 when that file of the only PROF_ directory has the text */
CALL(Only)
{
	static char content[1 << 16];
	const char *prof = prof_only(ptr(a, 0));
	FILE *file = prof ? fopen(t_path("%s/%s", prof, (const char *)ptr(a, 1)), "r") : NULL;

	if (!file)
		return number(0);
	content[fread(content, 1, sizeof(content) - 1, file)] = 0;
	fclose(file);
	return number(strstr(content, ptr(a, 2)) != NULL);
}

/* Written(kind, "all"): rows of a kind; Written(kind): of a kind with stamps' rows only */
static struct answer written(const struct arguments *a, enum row_tx_event event)
{
	struct prof_rows rows;
	size_t count = 0;

	prof_rows(&rows, prof_only(ptr(a, 0)));
	for (size_t i = 0; i < rows.count; i++)
		count += rows.row[i].event == event && (a->count < 2 || !strcmp(rows.row[i].message, ptr(a, 1)));
	prof_rows_free(&rows);
	return number(count);
}

/* Marks(path), Marks(path, message), ...: rows in the only PROF_ directory */
CALL(Marks)
{
	return written(a, ROW_TX_MARK);
}

CALL(Pushes)
{
	return written(a, ROW_TX_PUSH_POP);
}

CALL(Ranges)
{
	return written(a, ROW_TX_RANGE);
}

/* Message(path, row): the text of a row */
CALL(Message)
{
	static char kept[ROW_TX_MESSAGE_MAX + 1];
	struct prof_rows rows;
	uint64_t i = num(a, 1, 0);

	prof_rows(&rows, prof_only(ptr(a, 0)));
	if (i >= rows.count)
		row_broken("%zu rows were written", rows.count);
	snprintf(kept, sizeof(kept), "%s", rows.row[i].message);
	prof_rows_free(&rows);
	return text(kept);
}

/* Stamps(n): the last of n that are created and kept */
CALL(Stamps)
{
	void *stamp = NULL;

	for (uint64_t i = 0; i < num(a, 0, 0); i++)
		stamp = ACL(CreateStamp)();
	return pointer(stamp);
}

/* Loop(n): n times create, message, mark, destroy; calls that did not return 0 */
CALL(Loop)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < num(a, 0, 0); i++) {
		void *stamp = ACL(CreateStamp)();

		bad += ACL(SetStampTraceMessage)(stamp, "test msprof tx", 14) != 0;
		bad += ACL(Mark)(stamp) != 0;
		ACL(DestroyStamp)(stamp);
	}
	return number(bad);
}

const struct row_call calls_look[] = {
	ENTRY(Env, 2, 2), ENTRY(Equal, 2, 2), ENTRY(Value, 1, 1), ENTRY(Exists, 1, 1),
	ENTRY(File, 1, 1), ENTRY(Results, 1, 1), ENTRY(Only, 3, 3), ENTRY(Marks, 1, 2),
	ENTRY(Pushes, 1, 2), ENTRY(Ranges, 1, 2), ENTRY(Message, 2, 2), ENTRY(Stamps, 1, 1),
	ENTRY(Loop, 1, 1),
	{ 0 },
};
