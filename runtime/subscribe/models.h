/* SPDX-License-Identifier: Apache-2.0 */
/* The models that are loaded, as far as somebody has told us. */
#ifndef ASCPROF_MODELS_TABLE_H
#define ASCPROF_MODELS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Loaded; a model known already moves to @device. Return: false without memory. */
bool models_set(uint32_t model, uint32_t device);
void models_unset(uint32_t model); /* unknown ones are ignored */
bool models_find(uint32_t model, uint32_t *device);

void models_fork_lock(void);
void models_fork_unlock(void);
void models_child(void); /* after models_fork_unlock(): none is loaded there */

#endif /* ASCPROF_MODELS_TABLE_H */
