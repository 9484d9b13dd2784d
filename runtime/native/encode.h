/* SPDX-License-Identifier: Apache-2.0 */
/* From events to blocks of the native layout. For the flusher's thread alone. */
#ifndef ASCPROF_NATIVE_ENCODE_H
#define ASCPROF_NATIVE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/block.h"

struct native_encoder;

/* @level: of zstd; 0: none. Return: NULL without memory. */
struct native_encoder *native_encoder_new(uint32_t pid, int level);
void native_encoder_free(struct native_encoder *e);

/* A new slice begins: nothing of the last one can be referred to. No event is pending. */
void native_new_slice(struct native_encoder *e);

/* Return: whether the block is full and has to be taken before the next event. */
bool native_put(struct native_encoder *e, const struct native_event *event);

bool native_pending(const struct native_encoder *e);

/*
 * Writes the block of all pending events to @to, which has NATIVE_BLOCK_MAX
 * bytes of room, and how many there are of each kind to @events.
 * Return: its bytes, a multiple of NATIVE_PAGE.
 */
size_t native_take(struct native_encoder *e, void *to, uint32_t events[NATIVE_KINDS]);

/* Forgets all pending events; says how many of each kind. */
void native_drop(struct native_encoder *e, uint32_t events[NATIVE_KINDS]);

#endif /* ASCPROF_NATIVE_ENCODE_H */
