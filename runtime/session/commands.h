/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks of frameworks, which are told when recording starts and stops. They
 * are called by the thread that starts or stops, one command after the other,
 * while no lock is held.
 */
#ifndef ASCPROF_COMMANDS_H
#define ASCPROF_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "ascprof/report.h"

/* One that comes late is told what it missed. Return: false without memory. */
bool commands_register(uint32_t module, ProfCommandHandle handle);
/* Something for all callbacks to be told. @bits: dataTypeConfig; @devices: a mask. Also under a lock. */
void commands_give(enum MsprofCommandHandleType type, uint64_t bits, uint64_t devices);
/*
 * Tells it, with no lock held, and returns when all that was given has been
 * told; at once in a callback, after which it is told.
 */
void commands_tell(void);

/* Around fork(): a child keeps the callbacks, and has no session to tell of. */
void commands_fork_lock(void);
void commands_fork_unlock(void);
void commands_child(void);

#endif /* ASCPROF_COMMANDS_H */
