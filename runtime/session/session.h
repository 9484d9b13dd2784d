/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session of this process: what aclprofInit() begins and aclprofFinalize()
 * ends. One lock serialises the life cycle; annotations never take it.
 *
 * Lock order: aclInit's, session, objects, subscriptions (outlets, models, texts of
 * operators), categories, texts, types, commands, flusher, descriptors, ranges, stamps.
 * No lock is held while the program's code runs.
 */
#ifndef ASCPROF_SESSION_H
#define ASCPROF_SESSION_H

#include "session/config.h"
#include "session/settings.h"

/* Installs the handlers at fork and at exit, if they are not. Return: false without memory. */
bool session_install_hooks(void);

aclError session_init(const char *path, size_t length);
aclError session_finalize(void);
aclError session_set(aclprofConfigType type, const char *config, size_t length);
aclError session_warmup(const aclprofConfig *config);
aclError session_start(const aclprofConfig *config);
aclError session_stop(const aclprofConfig *config);

/* Profiling from aclInit to aclFinalize; ignored when profiling is in use already. */
aclError session_command_begin(const char *path, const struct aclprofConfig *config, const struct settings *settings);
aclError session_command_end(void);

/*
 * Callbacks of frameworks are told what has changed, with no lock held; what they
 * know already they are not told again. Start, Stop and Finalize do it
 * themselves; around those for aclInit and aclFinalize the caller does.
 * @devices: a mask of those that are about to stop
 */
void session_tell_start(void);
void session_tell_stop(uint64_t devices);
void session_tell_end(void);

/*
 * Profiling that ascprof record asked for. Claimed, the program's own is refused until its end;
 * false when it is in use already. Between begin and end it records; both may be left out.
 * @id: for the accounting. @keep: the directory, even if nothing comes into it.
 */
bool session_record_claim(void);
aclError session_record_begin(const char *id, const char *path, const struct aclprofConfig *config,
			      const struct settings *settings, bool keep);
bool session_record_end(void); /* Return: whether it recorded */
/* Ends it too, and the claim: the program's path and settings are as they were. */
void session_record_release(void);

/* A subscription excludes a session, and a session subscriptions. */
aclError session_subscribe(uint32_t model, const aclprofSubscribeConfig *config);
aclError session_unsubscribe(uint32_t model);

#endif /* ASCPROF_SESSION_H */
