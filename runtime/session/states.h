/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state table: which call is allowed in which state of the process, in
 * both eras, and what it returns where it is not.
 */
#ifndef ASCPROF_STATES_H
#define ASCPROF_STATES_H

#include <stdbool.h>

#include "acl/acl_base.h"

enum state {
	STATE_OFF,
	STATE_COMMAND, /* aclInit configured profiling */
	STATE_RECORD, /* ascprof record did, from the program's start to its end or while it is attached */
	STATE_READY, /* initialised, nothing runs */
	STATE_RUNNING,
	STATE_SUBSCRIBED, /* to a model; there is no session then */
	STATES,
};

enum call {
	CALL_INIT,
	CALL_SET_CONFIG,
	CALL_START,
	CALL_STOP,
	CALL_FINALIZE,
	CALL_WARMUP,
	CALL_SUBSCRIBE,
	CALL_UNSUBSCRIBE,
	CALLS,
};

/* Beside error codes the table holds: */
#define STATE_GO 0 /* do it */
#define STATE_NOTHING (-1) /* succeed, and do nothing */

/* ASCPROF_COMPAT=head: behave as the newest vendor release, not as documented. */
bool states_newest_era(void);

/* What @call comes to in @state: one of the two above, or an error code. */
int states_verdict(enum call call, enum state state);

/* The same, with the reason of an error told; @who is the function's name. */
int states_check(enum call call, enum state state, const char *who);

#endif /* ASCPROF_STATES_H */
