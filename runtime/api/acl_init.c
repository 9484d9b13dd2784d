/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of acl/acl.h, where their contract is written. */
#include "acl/acl.h"
#include "api/acl_init.h"

#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/hub.h"
#include "log/cancel.h"
#include "log/log.h"
#include "log/strict.h"
#include "session/acl_json.h"
#include "session/session.h"

static struct {
	pthread_mutex_t lock;
	enum { NEVER, DONE, ENDED } state;
} life = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void fork_prepare(void)
{
	pthread_mutex_lock(&life.lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&life.lock);
}

/* As with sessions: a child begins with none. */
static void fork_child(void)
{
	life.state = NEVER;
	pthread_mutex_unlock(&life.lock);
}

static bool fork_hooks;

/* Handlers that were registered last take their lock first, and ours comes before the session's. */
static __attribute__((constructor(102))) void install_fork_hooks(void)
{
	fork_hooks = !pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* The function of that name in AscendCL, if it is in the process behind us. */
static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

bool acl_init_is_missing(void)
{
	bool missing;

	if (real("aclInit"))
		return false;
	pthread_mutex_lock(&life.lock);
	missing = life.state != DONE;
	pthread_mutex_unlock(&life.lock);
	return missing;
}

/* Where results go when the file does not say: as the documentation of acl.json. */
static void default_output(char *path)
{
	const char *work = secure_getenv("ASCEND_WORK_PATH");
	char exe[PATH_MAX] = ".";

	if (work && *work) {
		snprintf(path, PATH_MAX, "%s/profiling_data", work);
		return;
	}
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		exe[1] = '\0';
	snprintf(path, PATH_MAX, "%s", dirname(exe));
}

static aclError begin(const char *config_path)
{
	struct aclprofConfig config = { 0 };
	struct acl_json *json = malloc(sizeof(*json));
	aclError ret;

	if (!json)
		return fail_as(EK_MEMORY, ACL_ERROR_PROFILING_FAILURE, "aclInit: no memory");
	ret = acl_json_read(config_path, json);
	if (!ret && json->on) {
		if (!*json->output)
			default_output(json->output);
		/* nothing says which the program is going to use */
		config.devices = hub_all_devices();
		config.bits = config_implied_bits(json->bits);
		config.metrics = json->metrics;
		ret = session_command_begin(json->output, &config, &json->settings);
	}
	free(json);
	return ret;
}

aclError aclInit(const char *configPath)
{
	aclError (*theirs)(const char *) = (aclError (*)(const char *))real("aclInit");
	char place[STRICT_PLACE];
	aclError ret = ACL_SUCCESS;
	int before;

	if (theirs)
		return theirs(configPath);
	strict_called_from(place, CALLER);
	if (!fork_hooks || !session_install_hooks())
		return fail_as(EK_MEMORY, ACL_ERROR_PROFILING_FAILURE, "aclInit: no memory");
	before = cancel_off();
	pthread_mutex_lock(&life.lock);
	if (life.state == DONE)
		ret = fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called already, expected aclFinalize before");
	else if (configPath && *configPath)
		ret = begin(configPath);
	if (!ret)
		life.state = DONE;
	pthread_mutex_unlock(&life.lock);
	cancel_on_again(before);
	return ret;
}

aclError aclFinalize(void)
{
	aclError (*theirs)(void) = (aclError (*)(void))real("aclFinalize");
	char place[STRICT_PLACE];
	aclError ret;
	int before;

	if (theirs)
		return theirs();
	strict_called_from(place, CALLER);
	before = cancel_off();
	pthread_mutex_lock(&life.lock);
	switch (life.state) {
	case NEVER:
		ret = fail(ACL_ERROR_UNINITIALIZE, "aclFinalize: expected aclInit before");
		break;
	case ENDED:
		ret = fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: called already");
		break;
	default:
		ret = session_command_end();
		life.state = ENDED;
		break;
	}
	pthread_mutex_unlock(&life.lock);
	cancel_on_again(before);
	return ret;
}

const char *aclGetRecentErrMsg(void)
{
	const char *(*theirs)(void) = (const char *(*)(void))real("aclGetRecentErrMsg");
	const char *ours = log_take_error();

	return ours || !theirs ? ours : theirs();
}
