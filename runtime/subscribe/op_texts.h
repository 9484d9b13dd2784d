/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Type and name of operators that were reported. Records carry an index in
 * place of them, and whoever reads the records asks for the texts by it, once
 * each. What nobody asks for goes when TEXTS_OPS later operators have come, or
 * TEXTS_BYTES of their texts: that much memory is used, and no more.
 */
#ifndef ASCPROF_OP_TEXTS_H
#define ASCPROF_OP_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTS_OPS 65536u
#define TEXTS_BYTES (16u << 20)
#define TEXT_MAX 4095u /* bytes of one */

enum text { TEXT_TYPE, TEXT_NAME, TEXTS };

/* Gets the memory, if it is not there. Return: false without. */
bool op_texts_setup(void);

/* Keeps both texts, of at most TEXT_MAX bytes each. Return: their index, never 0. */
uint64_t op_texts_put(const char *const text[TEXTS], const size_t length[TEXTS]);

/* Return: false when the text was taken already, or is too old, or never was. */
bool op_texts_length(uint64_t index, enum text which, size_t *length);
/* The same, and it is gone. Cut to @room - 1 bytes on a character border, ends with a zero. */
bool op_texts_take(uint64_t index, enum text which, char *out, size_t room);

void op_texts_fork_lock(void);
void op_texts_fork_unlock(void);
void op_texts_child(void); /* after op_texts_fork_unlock(): indexes differ from the parent's */

#endif /* ASCPROF_OP_TEXTS_H */
