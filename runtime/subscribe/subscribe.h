/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions to the operators of models. The session says when one may begin
 * and end, and holds its lock then; reports take the outlets' lock alone.
 */
#ifndef ASCPROF_SUBSCRIBE_H
#define ASCPROF_SUBSCRIBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ascprof/models.h"
#include "subscribe/config.h"

struct subscription;

extern _Atomic unsigned int subscriptions __attribute__((visibility("hidden"))); /* that take reports */

bool subscribe_has(uint32_t model);
/* Return: 0, or an error with its reason told. */
aclError subscribe_begin(uint32_t model, uint32_t device, const struct aclprofSubscribeConfig *config);

/* Ending has three steps, since waiting for the reader must not hold up the session. */
struct subscription *subscribe_detach(uint32_t model); /* takes no more reports; NULL: there is none */
struct subscribe_result {
	uint64_t written;
	uint64_t lost;
} subscribe_drain(struct subscription *s); /* without the session's lock */
bool subscribe_release(struct subscription *s); /* Return: none is left */

/* At exit: nothing more is taken, what was reported is written. */
struct subscribe_result subscribe_halt(void);

aclError subscribe_report(const struct ascprof_op *op);

void subscribe_fork_lock(void);
void subscribe_fork_unlock(void);
void subscribe_child(void); /* after subscribe_fork_unlock() */

#endif /* ASCPROF_SUBSCRIBE_H */
