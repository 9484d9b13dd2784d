/* SPDX-License-Identifier: Apache-2.0 */
#include "session/states.h"

#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "session/injected.h"

#define UNINIT ACL_ERROR_UNINITIALIZE
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN
#define ALREADY ACL_ERROR_PROF_ALREADY_RUN
#define REPEAT ACL_ERROR_REPEAT_INITIALIZE
#define CONFLICT ACL_ERROR_PROF_API_CONFLICT
#define GO STATE_GO
#define NOTHING STATE_NOTHING

/* { as documented, newest release } */
#define BOTH(code) { code, code }

static const int verdicts[CALLS][STATES][2] = {
	/*                     OFF                   COMMAND        RECORD         READY                 RUNNING
	 *                     SUBSCRIBED */
	[CALL_INIT]        = { BOTH(GO),             BOTH(ALREADY), BOTH(ALREADY), BOTH(REPEAT),         BOTH(REPEAT),
			       BOTH(CONFLICT) },
	[CALL_SET_CONFIG]  = { { UNINIT, GO },       BOTH(GO),      BOTH(GO),      BOTH(GO),             BOTH(GO),
			       BOTH(GO) },
	[CALL_START]       = { { NOT_RUN, GO },      BOTH(ALREADY), BOTH(ALREADY), BOTH(GO),             BOTH(GO),
			       BOTH(CONFLICT) },
	[CALL_STOP]        = { { NOT_RUN, NOTHING }, BOTH(ALREADY), BOTH(ALREADY), { NOT_RUN, NOTHING }, BOTH(GO),
			       BOTH(CONFLICT) },
	[CALL_FINALIZE]    = { { NOT_RUN, NOTHING }, BOTH(ALREADY), BOTH(ALREADY), BOTH(GO),             BOTH(GO),
			       BOTH(CONFLICT) },
	[CALL_WARMUP]      = { BOTH(NOT_RUN),        BOTH(ALREADY), BOTH(ALREADY), BOTH(GO),             BOTH(CONFLICT),
			       BOTH(CONFLICT) },
	[CALL_SUBSCRIBE]   = { BOTH(GO),             BOTH(ALREADY), BOTH(ALREADY), BOTH(CONFLICT),       BOTH(CONFLICT),
			       BOTH(GO) },
	[CALL_UNSUBSCRIBE] = { BOTH(GO),             BOTH(ALREADY), BOTH(ALREADY), BOTH(CONFLICT),       BOTH(CONFLICT),
			       BOTH(GO) },
};

static const char *const reasons[STATES] = {
	[STATE_OFF] = "profiling is not initialised, expected aclprofInit before",
	[STATE_COMMAND] = "profiling was configured by aclInit and runs until aclFinalize",
	[STATE_RECORD] = "ascprof record profiles this program until it ends",
	[STATE_READY] = "profiling is initialised and not started",
	[STATE_RUNNING] = "profiling is running, expected aclprofStop before",
	[STATE_SUBSCRIBED] = "a model is subscribed, expected aclprofModelUnSubscribe before",
};

bool states_newest_era(void)
{
	const char *compat = secure_getenv("ASCPROF_COMPAT");

	return compat && !strcmp(compat, "head");
}

int states_verdict(enum call call, enum state state)
{
	int verdict = verdicts[call][state][states_newest_era()];

	if (verdict == ALREADY && state == STATE_RECORD && call < CALL_SUBSCRIBE && injected_ignores_own())
		return NOTHING;
	return verdict;
}

int states_check(enum call call, enum state state, const char *who)
{
	int verdict = states_verdict(call, state);

	if (verdict > 0)
		fail_as(state == STATE_COMMAND || state == STATE_RECORD ? EK_MODE : EK_ORDER, verdict, "%s: %s",
			who, reasons[state]);
	return verdict;
}
