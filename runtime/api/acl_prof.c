/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle functions of acl/acl_prof.h, where their contract is written. */
#include "acl/acl_prof_optional.h"
#include "ascprof/ascprof.h"

#include "api/acl_init.h"
#include "device/trace.h"
#include "log/log.h"
#include "log/strict.h"
#include "session/session.h"

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
	char place[STRICT_PLACE];

	strict_called_from(place, CALLER);
	if (strict_on() && acl_init_is_missing())
		strict_misuse_inside("aclprofInit: expected aclInit before");
	return session_init(profilerResultPath, length);
}

aclError aclprofFinalize(void)
{
	char place[STRICT_PLACE];

	strict_called_from(place, CALLER);
	return session_finalize();
}

aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength)
{
	return session_set(configType, config, configLength);
}

aclError aclprofWarmup(const aclprofConfig *profilerConfig)
{
	char place[STRICT_PLACE];

	strict_called_from(place, CALLER);
	return session_warmup(profilerConfig);
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
	char place[STRICT_PLACE];

	strict_called_from(place, CALLER);
	device_look();
	return session_start(profilerConfig);
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
	char place[STRICT_PLACE];

	strict_called_from(place, CALLER);
	return session_stop(profilerConfig);
}

const char *ascprof_last_error(void)
{
	return log_last_error();
}

const char *ascprof_version(void)
{
	return ASCPROF_VERSION;
}
