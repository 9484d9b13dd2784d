/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that a row of the table may name, and their arguments. */
#ifndef ASCPROF_TEST_ROWS_H
#define ASCPROF_TEST_ROWS_H

#include <stdint.h>
#include <stddef.h>

#define ROW_ARGS 8
#define ROW_LIST 80

struct argument {
	uint64_t number; /* also a pointer; 0 for NULL */
	char *text; /* NULL: it is a number */
	uint64_t *out; /* &variable */
	uint32_t list[ROW_LIST]; /* [1,2] */
	unsigned int listed;
};

struct arguments {
	unsigned int count;
	struct argument at[ROW_ARGS];
};

enum answer_kind { ANSWER_NOTHING, ANSWER_NUMBER, ANSWER_POINTER, ANSWER_TEXT };

struct answer {
	enum answer_kind kind;
	uint64_t number; /* codes are sign extended */
	const char *text;
};

struct row_call {
	const char *name;
	struct answer (*call)(const struct arguments *a);
	unsigned int least, most; /* arguments */
};

/* NULL: there is no such call. */
const struct row_call *row_call(const char *name);

struct row_name {
	const char *name;
	uint64_t number;
};

/* A constant of the interface; NULL: there is none. */
const struct row_name *row_name(const char *name);

/* Makes the calls of a row, in a folder; ends the program where something else than expected comes. */
void row_steps(char *calls, const char *folder);

/* A call cannot be made: ends the row. */
_Noreturn void row_broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* ASCPROF_TEST_ROWS_H */
