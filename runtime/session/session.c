/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "annotate/categories.h"
#include "annotate/gate.h"
#include "annotate/range.h"
#include "annotate/stamp.h"
#include "annotate/texts.h"
#include "annotate/thread.h"
#include "annotate/types.h"
#include "clock/clock.h"
#include "collect/hal.h"
#include "collect/poller.h"
#include "flush/flusher.h"
#include "host/pthread_calls.h"
#include "log/cancel.h"
#include "log/log.h"
#include "log/strict.h"
#include "session/account.h"
#include "session/attach.h"
#include "session/commands.h"
#include "session/fds.h"
#include "session/injected.h"
#include "session/path.h"
#include "session/run.h"
#include "session/states.h"
#include "subscribe/models.h"
#include "subscribe/subscribe.h"

#define EXIT_WAIT_S 2
#define INDEX_MAX 999999u

static struct session {
	pthread_mutex_t lock;
	bool hooks; /* at exit, and what else the first session needs */
	sigset_t mask; /* of the thread that forks */
	bool warm; /* the flusher runs already */
	enum state state;
	char path[PATH_MAX];
	struct settings settings;
	/* the program's, while ascprof record has its own in their place */
	char own_path[PATH_MAX];
	struct settings own_settings;
	char record[REQUEST_ID_LEN]; /* the id of that, or "" */
	bool exiting;
	unsigned int starts;
	/* What runs. The first has the host part, and stays until all have ended. */
	struct run *run[CONFIG_DEVICES + 1];
	unsigned int nr_runs;
	uint64_t told; /* devices of which callbacks know that they run */
	uint64_t told_bits;
	bool told_any; /* since the session began */
	struct run *left_behind; /* runs of a parent: known, and never touched */
} session = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Return: what unlock() wants. What is done under the lock waits, and touches files. */
static int lock(void)
{
	int before = cancel_off();

	pthread_mutex_lock(&session.lock);
	return before;
}

static void unlock(int before)
{
	pthread_mutex_unlock(&session.lock);
	cancel_on_again(before);
}

static enum io_choice io_choice(void)
{
	const char *io = secure_getenv("ASCPROF_IO");

	if (io && !strcmp(io, "io_uring"))
		return IO_URING;
	if (io && !strcmp(io, "pwritev"))
		return IO_PWRITEV;
	return IO_AUTO;
}

/* The value of @name is @word, not @usual, which is what holds for all others. */
static bool asked_for(const char *name, const char *word, const char *usual)
{
	const char *value = secure_getenv(name);

	if (!value || !*value || !strcmp(value, usual))
		return false;
	if (!strcmp(value, word))
		return true;
	log_line(LOG_WARN, "%s is \"%s\", expected %s or %s: taken as %s", name, value, usual, word, usual);
	return false;
}

/* ---- fork and exit ---- */

/* A signal handler that annotates may need one of the locks, of which this thread has all. */
static void fork_prepare(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&session.lock);
	session.mask = before;
	objects_fork_lock();
	subscribe_fork_lock();
	categories_fork_lock();
	texts_fork_lock();
	types_fork_lock();
	commands_fork_lock();
	fds_fork_lock();
	range_fork_lock();
	stamp_fork_lock();
}

static void unlock_after_fork(void)
{
	sigset_t before = session.mask;

	pthread_mutex_unlock(&session.lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void fork_parent(void)
{
	stamp_fork_unlock();
	range_fork_unlock();
	fds_fork_unlock();
	commands_fork_unlock();
	types_fork_unlock();
	texts_fork_unlock();
	categories_fork_unlock();
	subscribe_fork_unlock();
	objects_fork_unlock();
	unlock_after_fork();
}

/* No log line, no allocation: the child may have been forked by a thread of many. */
static void fork_child(void)
{
	gate_child();
	stamp_fork_unlock();
	range_fork_unlock();
	fds_fork_unlock();
	commands_fork_unlock();
	types_fork_unlock();
	texts_fork_unlock();
	categories_fork_unlock();
	subscribe_fork_unlock();
	objects_fork_unlock();
	commands_child();
	tx_threads_child();
	stamp_child();
	range_child();
	flusher_child();
	poller_child();
	pthread_calls_child();
	subscribe_child();
	fds_child();
	session.state = STATE_OFF;
	session.warm = false;
	session.told = 0;
	session.told_any = false;
	while (session.nr_runs) {
		struct run *run = session.run[--session.nr_runs];

		run->next = session.left_behind;
		session.left_behind = run;
	}
	injected_child();
	attach_child();
	unlock_after_fork();
	injected_child_begin();
	attach_child_begin();
}

/* At once, and not with the first session: without one there are locks, too. */
static bool fork_hooks;

static __attribute__((constructor(101))) void install_fork_hooks(void)
{
	fork_hooks = !pthread_atfork(fork_prepare, fork_parent, fork_child);
	/* Early, too, so that its key is low: of a high one, a thread's first annotation would allocate memory. */
	tx_threads_setup();
}

static aclError stop_all(const char *call, const char *state);
static void cool_down(void);
static void end_record(void);

static void halt_subscriptions(void)
{
	struct subscribe_result all;

	log_line(LOG_WARN, "the program ends without aclprofModelUnSubscribe: ended for it");
	all = subscribe_halt();
	if (all.lost)
		log_line(LOG_WARN, "subscriptions: %llu of %llu records were lost",
			 (unsigned long long)all.lost, (unsigned long long)(all.written + all.lost));
}

static void at_exit(void)
{
	struct timespec until;
	int before = cancel_off();

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXIT_WAIT_S;
	/* exit() may have been called while another thread is inside Start or Stop. */
	if (pthread_mutex_timedlock(&session.lock, &until)) {
		cancel_on_again(before);
		return;
	}
	strict_called_from(NULL, NULL);
	session.exiting = true;
	if (session.state == STATE_RECORD) {
		end_record();
	} else if (session.nr_runs) {
		log_line(LOG_WARN, "the program ends without aclprofStop: stopped for it");
		stop_all("exit", "exit");
	}
	if (session.state == STATE_SUBSCRIBED)
		halt_subscriptions();
	cool_down();
	poller_wait(EXIT_WAIT_S);
	session.state = STATE_OFF;
	unlock(before);
}

static bool install_hooks(void)
{
	if (session.hooks)
		return true;
	clock_setup();
	if (!fork_hooks || tx_threads_setup() || atexit(at_exit))
		return false;
	session.hooks = true;
	return true;
}

bool session_install_hooks(void)
{
	int before = lock();
	bool installed = install_hooks();

	unlock(before);
	return installed;
}

/* ---- Init, Finalize, SetConfig ---- */

static aclError check_path_argument(const char *path, size_t length)
{
	if (!path)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
			       "aclprofInit: profilerResultPath is NULL, expected a path");
	if (!length || length >= PATH_MAX)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofInit: length is %zu, expected 1 to %d", length,
			    PATH_MAX - 1);
	if (strnlen(path, length + 1) != length)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofInit: length is %zu, expected strlen(profilerResultPath)",
			    length);
	return ACL_SUCCESS;
}

static aclError init_locked(const char *call, const char *path)
{
	char absolute[PATH_MAX];
	aclError ret;

	if (!install_hooks())
		return fail_as(EK_MEMORY, ACL_ERROR_PROFILING_FAILURE, "%s: no memory", call);
	ret = path_absolute(call, path, absolute);
	/* The newest release looks at the directory when Start needs it. */
	if (!ret && !states_newest_era())
		ret = path_prepare(call, absolute);
	if (ret)
		return ret;
	memcpy(session.path, absolute, sizeof(absolute));
	session.state = STATE_READY;
	return ACL_SUCCESS;
}

/* What a call returns that there was nothing to do for. */
static aclError done(int ret)
{
	return ret == STATE_NOTHING ? ACL_SUCCESS : ret;
}

aclError session_init(const char *path, size_t length)
{
	const char *mode = secure_getenv("PROFILING_MODE");
	aclError ret;
	int before;

	if (mode && !strcmp(mode, "dynamic"))
		return fail(ACL_ERROR_FEATURE_UNSUPPORTED,
			    "aclprofInit: PROFILING_MODE is \"dynamic\", which leaves profiling to the command line");
	ret = check_path_argument(path, length);
	if (ret)
		return ret;
	before = lock();
	ret = states_check(CALL_INIT, session.state, "aclprofInit");
	if (!ret)
		ret = init_locked("aclprofInit", path);
	unlock(before);
	return done(ret);
}

static aclError finalize_locked(const char *call)
{
	aclError ret = ACL_SUCCESS;

	if (session.nr_runs) {
		if (session.state != STATE_COMMAND)
			log_line(LOG_WARN, "%s before aclprofStop: stopped for it", call);
		ret = stop_all(call, "finalized");
	}
	cool_down();
	io_bufs_free();
	session.state = STATE_OFF;
	return ret;
}

aclError session_finalize(void)
{
	int before, ret;

	session_tell_stop(UINT64_MAX);
	before = lock();
	ret = states_check(CALL_FINALIZE, session.state, "aclprofFinalize");
	if (ret == STATE_GO)
		ret = finalize_locked("aclprofFinalize");
	unlock(before);
	session_tell_end();
	return done(ret);
}

/* Before Init a path is only kept; after, it is the next Start's. */
static aclError set_path(const char *path)
{
	char absolute[PATH_MAX];
	aclError ret;

	if (!*path)
		return ACL_SUCCESS;
	if (session.state == STATE_OFF) {
		snprintf(session.path, sizeof(session.path), "%s", path);
		return ACL_SUCCESS;
	}
	if (path_absolute("aclprofSetConfig", path, absolute))
		return ACL_ERROR_INVALID_PROFILING_CONFIG;
	ret = states_newest_era() ? ACL_SUCCESS : path_prepare("aclprofSetConfig", absolute);
	if (!ret)
		memcpy(session.path, absolute, sizeof(absolute));
	return ret;
}

aclError session_set(aclprofConfigType type, const char *config, size_t length)
{
	aclError ret = settings_check_arguments(type, config, length);
	struct setter by;
	int before;

	if (ret)
		return ret;
	by = settings_setter(type);
	before = lock();
	ret = states_check(CALL_SET_CONFIG, session.state, "aclprofSetConfig");
	if (!ret && type == ACL_PROF_PATH)
		ret = set_path(config);
	else if (!ret)
		ret = settings_set(&session.settings, type, config, &by);
	unlock(before);
	return ret;
}

/* ---- telling frameworks ---- */

static uint64_t running_devices(void)
{
	uint64_t devices = 0;

	for (unsigned int i = 0; i < session.nr_runs; i++)
		devices |= session.run[i]->devices;
	return devices;
}

void session_tell_start(void)
{
	int before = lock();
	uint64_t news = running_devices() & ~session.told;

	if (news) {
		session.told |= news;
		session.told_bits = session.run[0]->bits;
		session.told_any = true;
		commands_give(PROF_COMMANDHANDLE_TYPE_INIT, 0, 0);
		commands_give(PROF_COMMANDHANDLE_TYPE_START, session.told_bits, news);
	}
	pthread_mutex_unlock(&session.lock);
	commands_tell();
	cancel_on_again(before);
}

void session_tell_stop(uint64_t devices)
{
	int before = lock();
	uint64_t both = session.told & devices;

	if (both) {
		session.told &= ~both;
		commands_give(PROF_COMMANDHANDLE_TYPE_STOP, session.told_bits, both);
	}
	pthread_mutex_unlock(&session.lock);
	commands_tell();
	cancel_on_again(before);
}

void session_tell_end(void)
{
	int before = lock();

	if (session.told_any && session.state == STATE_OFF) {
		session.told = 0;
		session.told_any = false;
		commands_give(PROF_COMMANDHANDLE_TYPE_FINALIZE, 0, 0);
	}
	pthread_mutex_unlock(&session.lock);
	commands_tell();
	cancel_on_again(before);
}

/* ---- Start ---- */

/* fail(), for what strict mode reports. */
__attribute__((format(printf, 2, 3)))
static aclError misused(aclError code, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fail(code, "%s", text);
	strict_misuse_inside("%s", text);
	return code;
}

/* What Start and Stop require of their argument, whatever the state. */
static aclError check_config(const char *call, const aclprofConfig *config, struct aclprofConfig *copy)
{
	if (!config)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
			       "%s: profilerConfig is NULL, expected one from aclprofCreateConfig", call);
	if (!config_copy(config, copy))
		return misused(ACL_ERROR_INVALID_PARAM, "%s: profilerConfig %p is not (or no longer) a configuration",
			       call, (const void *)config);
	if (copy->bits & ~CONFIG_KNOWN_BITS)
		return fail(ACL_ERROR_PROF_MODULES_UNSUPPORTED,
			    "%s: dataTypeConfig has the unknown bits 0x%llx", call,
			    (unsigned long long)(copy->bits & ~CONFIG_KNOWN_BITS));
	return ACL_SUCCESS;
}

/* All that runs at one time runs with the same dataTypeConfig. */
static aclError check_bits(const char *call, const struct aclprofConfig *config)
{
	if (!session.nr_runs || session.run[0]->bits == config->bits)
		return ACL_SUCCESS;
	return misused(ACL_ERROR_INVALID_PROFILING_CONFIG,
		       "%s: dataTypeConfig is 0x%llx, expected 0x%llx, which is running", call,
		       (unsigned long long)(config->bits & ~CONFIG_BIT_OWN),
		       (unsigned long long)(session.run[0]->bits & ~CONFIG_BIT_OWN));
}

static aclError check_devices(const struct aclprofConfig *config)
{
	for (unsigned int i = 0; i < session.nr_runs; i++) {
		uint64_t both = session.run[i]->devices & config->devices;

		if (both)
			return fail(ACL_ERROR_PROF_ALREADY_RUN, "aclprofStart: device %d is running already, into %s",
				    __builtin_ctzll(both), session.run[i]->path);
		if (!config->devices && session.run[i]->host_only)
			return fail(ACL_ERROR_PROF_ALREADY_RUN,
				    "aclprofStart: the host alone is running already, into %s", session.run[i]->path);
	}
	return ACL_SUCCESS;
}

static aclError check_metrics(const struct aclprofConfig *config)
{
	unsigned int m = (unsigned int)config->metrics;

	if (!(config->bits & ACL_PROF_AICORE_METRICS) || m <= ACL_AICORE_MEMORY_ACCESS || m == ACL_AICORE_NONE)
		return ACL_SUCCESS;
	return fail(ACL_ERROR_INVALID_PARAM, "aclprofStart: aicoreMetrics is %u, expected 0 to %d or %d", m,
		    ACL_AICORE_MEMORY_ACCESS, ACL_AICORE_NONE);
}

static aclError begin(const struct aclprofConfig *config)
{
	bool first = !session.nr_runs;
	struct run *run;
	aclError ret;
	int err;

	run = run_create(session.path, session.starts % INDEX_MAX + 1, config, &session.settings, first, &ret);
	if (!run)
		return ret;
	memcpy(run->record, session.record, sizeof(run->record));
	ret = run_start_devices(run);
	if (ret) {
		run_abandon(run);
		return ret;
	}
	err = flusher_add(run);
	if (err) {
		flusher_end_devices(run, run->devices);
		flusher_end_host(run);
		flusher_remove(run, "failed");
		ret = fail(ACL_ERROR_INVALID_FILE, "aclprofStart: result directory %s: ascprof.json: %s", run->path,
			   strerror(err));
		run_close(run);
		return ret;
	}
	session.starts++;
	session.run[session.nr_runs++] = run;
	if (first)
		gate_open(run->annotated, asked_for("ASCPROF_ON_FULL", "wait", "drop"));
	log_line(LOG_INFO, "recording into %s", run->path);
	return ACL_SUCCESS;
}

/* The flusher runs while something is recorded, and from Warmup on. */
static aclError warm_up(const char *call)
{
	int err;

	if (session.warm)
		return ACL_SUCCESS;
	err = flusher_start(io_choice());
	if (err)
		return fail_as(EK_THREAD, ACL_ERROR_PROFILING_FAILURE, "%s: starting the flusher: %s", call,
			       strerror(err));
	session.warm = true;
	return ACL_SUCCESS;
}

static void cool_down(void)
{
	if (session.warm)
		flusher_stop();
	session.warm = false;
}

static aclError start_locked(const struct aclprofConfig *config)
{
	aclError ret = states_check(CALL_START, session.state, "aclprofStart");

	if (!ret && session.state == STATE_OFF)
		ret = init_locked("aclprofStart", *session.path ? session.path : "./");
	if (!ret)
		ret = check_bits("aclprofStart", config);
	if (ret)
		return ret;
	/* The newest release starts nothing more until all has been stopped. */
	if (session.nr_runs && states_newest_era())
		return ACL_SUCCESS;
	ret = check_devices(config);
	if (!ret)
		ret = check_metrics(config);
	if (!ret && states_newest_era())
		ret = path_prepare("aclprofStart", session.path);
	if (!ret)
		ret = warm_up("aclprofStart");
	if (ret)
		return ret;
	ret = begin(config);
	if (session.nr_runs)
		session.state = STATE_RUNNING;
	else
		cool_down();
	return ret;
}

aclError session_warmup(const aclprofConfig *config)
{
	struct aclprofConfig copy;
	aclError ret = check_config("aclprofWarmup", config, &copy);
	int before;

	if (ret)
		return ret;
	before = lock();
	ret = states_check(CALL_WARMUP, session.state, "aclprofWarmup");
	if (!ret && session.warm)
		ret = fail_as(EK_ORDER, ACL_ERROR_PROF_API_CONFLICT,
			      "aclprofWarmup: called already, expected aclprofStart");
	if (!ret)
		ret = check_metrics(&copy);
	if (!ret)
		ret = warm_up("aclprofWarmup");
	unlock(before);
	return done(ret);
}

aclError session_start(const aclprofConfig *config)
{
	struct aclprofConfig copy;
	aclError ret = check_config("aclprofStart", config, &copy);
	char why[256];
	int before;

	if (ret)
		return ret;
	/* Takes the loader's lock, as no one may who has the session's. */
	if (copy.devices)
		hal_shared(why, sizeof(why));
	before = lock();
	ret = start_locked(&copy);
	unlock(before);
	session_tell_start();
	return done(ret);
}

/* ---- Stop ---- */

static bool active(const struct run *run)
{
	return run->devices || run->host_only;
}

/* Ranges that nobody ended are lost: not an error, and not to be silent about. */
static void tell_open(const struct run *run, const char *call)
{
	unsigned long long n = account_open(run);

	if (!n)
		return;
	log_line(LOG_WARN, "%s: %llu %s begun and not ended: no record is made of %s", call, n,
		 n == 1 ? "range was" : "ranges were", n == 1 ? "it" : "them");
	if (run->oldest_open.start)
		strict_misuse_inside("%s: %llu begun and not ended, the oldest is \"%s\"", call, n,
				     run->oldest_open.message);
	else
		strict_misuse_inside("%s: %llu begun and not ended", call, n);
}

/* Ends run @i for good. Return: 0, or 500005 with the reason told. */
static aclError end_run(unsigned int i, const char *call, const char *state)
{
	struct run *run = session.run[i];
	aclError ret = ACL_SUCCESS;
	char losses[256];
	int err;

	flusher_end_host(run);
	err = flusher_remove(run, state);
	tell_open(run, call);
	if (err)
		ret = fail(ACL_ERROR_PROFILING_FAILURE, "%s: not all data could be written into %s: %s", call,
			   run->path, run->store.error ? run->store.failed : strerror(err));
	else if (account_losses(run, losses, sizeof(losses)) && asked_for("ASCPROF_ON_LOSS", "fail", "count"))
		ret = fail(ACL_ERROR_PROFILING_FAILURE, "%s: not all that was recorded is in %s: %s", call, run->path,
			   losses);
	else
		log_line(LOG_INFO, "recorded into %s", run->path);
	if (run->unless_empty && run_is_empty(run))
		run_remove(run);
	run_close(run);
	session.nr_runs--;
	memmove(&session.run[i], &session.run[i + 1], (session.nr_runs - i) * sizeof(session.run[0]));
	return ret;
}

static aclError end_inactive(const char *call, const char *state)
{
	aclError ret = ACL_SUCCESS, one;
	bool any = false;

	for (unsigned int i = session.nr_runs; i-- > 1;) {
		if (active(session.run[i])) {
			any = true;
			continue;
		}
		one = end_run(i, call, state);
		ret = ret ? ret : one;
	}
	/* The host part ends with the last device of any run. */
	if (any || active(session.run[0]))
		return ret;
	if (!gate_shut())
		log_line(LOG_WARN, "a thread stays inside an annotation or a report; what it records is not counted");
	one = end_run(0, call, state);
	ret = ret ? ret : one;
	cool_down();
	if (session.state == STATE_RUNNING)
		session.state = STATE_READY;
	return ret;
}

static aclError stop_all(const char *call, const char *state)
{
	gate_stop_waiting();
	for (unsigned int i = 0; i < session.nr_runs; i++) {
		flusher_end_devices(session.run[i], session.run[i]->devices);
		session.run[i]->devices = 0;
		session.run[i]->host_only = false;
	}
	return end_inactive(call, state);
}

/* Whether nothing is left when the devices that @config lists are stopped. */
static bool lists_all(const struct aclprofConfig *config)
{
	for (unsigned int i = 0; i < session.nr_runs; i++) {
		const struct run *run = session.run[i];

		if (run->devices & ~config->devices || (run->host_only && config->devices))
			return false;
	}
	return true;
}

/* Ends the devices that @config lists. Return: false when none of them runs. */
static bool stop_listed(const struct aclprofConfig *config)
{
	bool any = false;

	/* Nobody waits for room while Stop waits for the disk. */
	if (lists_all(config))
		gate_stop_waiting();
	for (unsigned int i = 0; i < session.nr_runs; i++) {
		struct run *run = session.run[i];
		uint64_t both = run->devices & config->devices;

		if (both) {
			flusher_end_devices(run, both);
			run->devices &= ~both;
			any = true;
		}
		if (!config->devices && run->host_only) {
			run->host_only = false;
			any = true;
		}
	}
	return any;
}

/* @config NULL: everything, as the newest release does in any case. */
static aclError stop_locked(const struct aclprofConfig *config)
{
	int ret = states_check(CALL_STOP, session.state, "aclprofStop");

	if (!ret && config)
		ret = check_bits("aclprofStop", config);
	if (ret)
		return done(ret);
	if (states_newest_era())
		return stop_all("aclprofStop", "stopped");
	if (!stop_listed(config))
		return misused(ACL_ERROR_PROF_NOT_RUN, "aclprofStop: profilerConfig: none of its devices is running, "
						       "expected aclprofStart before");
	return end_inactive("aclprofStop", "stopped");
}

/* Which devices session_stop() is going to stop, if it can. */
static uint64_t about_to_stop(const aclprofConfig *config)
{
	struct aclprofConfig copy;
	uint64_t devices = 0;
	int before;

	if (states_newest_era())
		return UINT64_MAX;
	if (!config || !config_copy(config, &copy))
		return 0;
	before = lock();
	if (session.state == STATE_RUNNING && session.nr_runs && session.run[0]->bits == copy.bits)
		devices = copy.devices;
	unlock(before);
	return devices;
}

/* Frameworks are told first, since they may have more to report then. */
aclError session_stop(const aclprofConfig *config)
{
	struct aclprofConfig copy;
	bool newest = states_newest_era(), everything = !config && newest;
	aclError ret = ACL_SUCCESS;
	int before;

	session_tell_stop(about_to_stop(config));
	before = lock();

	/* Without an Init the newest release does not look at the argument. */
	if (newest && session.state == STATE_OFF)
		goto out;
	if (!everything)
		ret = check_config("aclprofStop", config, &copy);
	if (!ret)
		ret = stop_locked(everything ? NULL : &copy);
out:
	unlock(before);
	return ret;
}

/* ---- profiling that aclInit configures ---- */

static aclError command_locked(const char *call, const char *path, const struct aclprofConfig *config,
			       const struct settings *settings)
{
	char absolute[PATH_MAX];
	aclError ret;

	if (!install_hooks())
		return fail_as(EK_MEMORY, ACL_ERROR_PROFILING_FAILURE, "%s: no memory", call);
	ret = path_absolute(call, path, absolute);
	if (!ret)
		ret = path_prepare(call, absolute);
	if (!ret)
		ret = check_metrics(config);
	if (!ret)
		ret = warm_up(call);
	if (ret)
		return ret;
	memcpy(session.path, absolute, sizeof(absolute));
	session.settings = *settings;
	ret = begin(config);
	if (ret)
		cool_down();
	return ret;
}

aclError session_command_begin(const char *path, const struct aclprofConfig *config, const struct settings *settings)
{
	aclError ret = ACL_SUCCESS;
	char why[256];
	int before;

	if (config->devices)
		hal_shared(why, sizeof(why));
	before = lock();
	if (session.state != STATE_OFF) {
		log_line(LOG_WARN, "aclInit: its profiler configuration is ignored: profiling is in use already");
	} else {
		ret = command_locked("aclInit", path, config, settings);
		if (!ret)
			session.state = STATE_COMMAND;
	}
	unlock(before);
	return ret;
}

aclError session_command_end(void)
{
	aclError ret = ACL_SUCCESS;
	int before = lock();

	/* A subscription is no session, and goes on; what ascprof record began is not the program's to end. */
	if (session.state != STATE_OFF && session.state != STATE_SUBSCRIBED && session.state != STATE_RECORD)
		ret = finalize_locked("aclFinalize");
	unlock(before);
	return ret;
}

/* ---- profiling that ascprof record asked for ---- */

bool session_record_claim(void)
{
	int before = lock();
	bool claimed = session.state == STATE_OFF && !session.exiting && install_hooks();

	if (claimed) {
		session.state = STATE_RECORD;
		memcpy(session.own_path, session.path, sizeof(session.path));
		session.own_settings = session.settings;
	}
	unlock(before);
	return claimed;
}

aclError session_record_begin(const char *id, const char *path, const struct aclprofConfig *config,
			      const struct settings *settings, bool keep)
{
	aclError ret = ACL_SUCCESS;
	int before = lock();

	if (session.state == STATE_RECORD && !session.nr_runs) {
		snprintf(session.record, sizeof(session.record), "%s", id);
		ret = command_locked("ascprof record", path, config, settings);
		if (!ret)
			session.run[0]->unless_empty = !keep;
	}
	unlock(before);
	return ret;
}

static void end_record(void)
{
	if (session.nr_runs)
		stop_all("ascprof record", "stopped");
}

bool session_record_end(void)
{
	int before = lock();
	bool runs = session.state == STATE_RECORD && session.nr_runs;

	if (runs)
		end_record();
	unlock(before);
	return runs;
}

void session_record_release(void)
{
	int before = lock();

	if (session.state == STATE_RECORD) {
		end_record();
		cool_down();
		session.record[0] = '\0';
		memcpy(session.path, session.own_path, sizeof(session.path));
		session.settings = session.own_settings;
		session.state = STATE_OFF;
	}
	unlock(before);
}

/* ---- subscription ---- */

static aclError check_model(const char *call, uint32_t model, uint32_t *device)
{
	if (models_find(model, device))
		return ACL_SUCCESS;
	return fail(ACL_ERROR_INVALID_MODEL_ID, "%s: modelId is %u, expected that of a loaded model", call, model);
}

static aclError subscribe_locked(uint32_t model, uint32_t device, const struct aclprofSubscribeConfig *config)
{
	aclError ret = states_check(CALL_SUBSCRIBE, session.state, "aclprofModelSubscribe");

	if (!ret && !install_hooks())
		ret = fail(ACL_ERROR_PROFILING_FAILURE, "aclprofModelSubscribe: no memory");
	if (!ret)
		ret = subscribe_begin(model, device, config);
	if (!ret)
		session.state = STATE_SUBSCRIBED;
	return ret;
}

aclError session_subscribe(uint32_t model, const aclprofSubscribeConfig *config)
{
	struct aclprofSubscribeConfig copy;
	uint32_t device;
	aclError ret = check_model("aclprofModelSubscribe", model, &device);
	int before;

	if (!ret && (!config || !subscribe_config_copy(config, &copy)))
		ret = fail(ACL_ERROR_INVALID_PARAM,
			   "aclprofModelSubscribe: profSubscribeConfig is %p, expected one from "
			   "aclprofCreateSubscribeConfig",
			   (const void *)config);
	if (ret)
		return ret;
	before = lock();
	ret = subscribe_locked(model, device, &copy);
	unlock(before);
	return ret;
}

/* Programs unload a model first and end its subscription after, and may. */
static aclError detach_locked(uint32_t model, struct subscription **subscription)
{
	aclError ret = ACL_SUCCESS;
	uint32_t device;

	if (!subscribe_has(model))
		ret = check_model("aclprofModelUnSubscribe", model, &device);
	if (!ret)
		ret = states_check(CALL_UNSUBSCRIBE, session.state, "aclprofModelUnSubscribe");
	if (ret)
		return ret;
	*subscription = subscribe_detach(model);
	if (!*subscription)
		ret = fail(ACL_ERROR_INVALID_MODEL_ID,
			   "aclprofModelUnSubscribe: modelId %u is not subscribed, expected aclprofModelSubscribe before",
			   model);
	return ret;
}

aclError session_unsubscribe(uint32_t model)
{
	struct subscription *subscription;
	struct subscribe_result result;
	aclError ret;
	int before = lock();

	ret = detach_locked(model, &subscription);
	if (ret) {
		unlock(before);
		return ret;
	}
	pthread_mutex_unlock(&session.lock);
	result = subscribe_drain(subscription);
	pthread_mutex_lock(&session.lock);
	if (subscribe_release(subscription))
		session.state = STATE_OFF;
	unlock(before);
	if (!result.lost)
		return ACL_SUCCESS;
	return fail(ACL_ERROR_PROFILING_FAILURE,
		    "aclprofModelUnSubscribe: modelId %u: %llu of %llu records were lost, because the reader was too "
		    "slow or has gone",
		    model, (unsigned long long)result.lost, (unsigned long long)(result.written + result.lost));
}
