/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the tests that use the library in whole processes. A failed check
 * is printed and counted, and the test goes on; t_end() turns the count into
 * the exit status.
 */
#ifndef ASCPROF_TEST_T_H
#define ASCPROF_TEST_T_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "ascprof/ascprof.h"

#define T_PASS 0
#define T_FAIL 1
#define T_SKIP 77

#define T_NOBODY 65534

#if defined(__SANITIZE_THREAD__)
#define T_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define T_TSAN 1
#endif
#endif
#ifndef T_TSAN
#define T_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define T_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define T_ASAN 1
#endif
#endif
#ifndef T_ASAN
#define T_ASAN 0
#endif

void t_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int t_end(void);
unsigned int t_failures(void); /* failed checks so far */
_Noreturn void t_skip(const char *reason);

#define T_SANITIZED (T_ASAN || T_TSAN)

/* t_check(condition, "what was wrong", ...) */
#define t_check(condition, ...) ((condition) ? (void)0 : t_fail(__FILE__, __LINE__, __VA_ARGS__))

/* t_equal(actual, expected, "name of the value", ...) */
#define t_equal(actual, expected, ...)                                                   \
	do {                                                                             \
		long long actual_ = (actual), expected_ = (expected);                    \
		char name_[256];                                                         \
		snprintf(name_, sizeof(name_), __VA_ARGS__);                             \
		t_check(actual_ == expected_, "%s: %lld, expected %lld", name_, actual_, \
			expected_);                                                      \
	} while (0)

/* The call returns the code. */
#define t_code(call, code) t_equal(call, code, "%s", #call)

/*
 * The call returns the code, prints exactly one line, which holds every word of
 * words ("a b|c": a, and b or c), and leaves the same as ascprof_last_error().
 */
#define t_refused(call, code, words)                                           \
	do {                                                                   \
		t_stderr_begin();                                              \
		long long got_ = (long long)(call);                            \
		t_refused_check(__FILE__, __LINE__, #call, got_, code, words); \
	} while (0)
void t_refused_check(const char *file, int line, const char *call, long long got, long long code,
		     const char *words);

/* Catches what the process writes to its standard error output. */
void t_stderr_begin(void);
const char *t_stderr_end(void);
unsigned int t_lines(const char *text);

/*
 * A new empty directory, removed with all it holds when the process that asked
 * for it ends by exit(). The path stays valid.
 */
const char *t_dir(void);
const char *t_open_dir(void); /* reached without root, whatever TMPDIR is */
/* A formatted text, kept until 32 later ones of the thread. */
const char *t_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
void t_remove(const char *path);
mode_t t_mode(const char *path);
bool t_exists(const char *path);
void t_write_file(const char *path, const char *text);
void t_print_file(const char *path);

/* Runs body in a child: its exit status, or 128 + signal. */
int t_child(void (*body)(const void *), const void *arg);
pid_t t_spawn(void (*body)(const void *), const void *arg);
void t_forked(unsigned int seconds); /* in a child by fork(): limits its life, forgets failures */
int t_wait(pid_t pid);
void t_drop_root(void);
/* From now on these system calls, from first to last, fail; false: cannot be done. */
bool t_refuse(long first, long last, int error);

/* A child that runs /proc/self/exe with arguments; as t_spawn. */
pid_t t_exec_self(char *const argv[], const char *out, const char *err);

uint64_t t_raw_ns(void);
void t_sleep_us(unsigned int us);
unsigned int t_count_fds(void);
/* Of this process; waits up to 2 s for those above expected to go. */
unsigned int t_count_threads(unsigned int expected);
long t_status_kb(const char *key);
pid_t t_flusher(void); /* the library's thread, by its name; 0: none */
unsigned int t_random(unsigned int *state, unsigned int below);

/* Shorthands of the interface under test. */
aclError t_init(const char *path);
aclError t_set(aclprofConfigType type, const char *text);
aclprofConfig *t_config(uint64_t bits, unsigned int count, ...);
void *t_stamp(const char *text);
/* Init, and Start of device 0 with msproftx; the config to stop with. */
aclprofConfig *t_start(const char *path);
void t_stop(aclprofConfig *config);

#endif /* ASCPROF_TEST_T_H */
