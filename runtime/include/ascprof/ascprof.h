/* SPDX-License-Identifier: Apache-2.0 */
/* What libascprof offers beside the aclprof interface. */
#ifndef ASCPROF_ASCPROF_H
#define ASCPROF_ASCPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ascprof_last_error - why the last failing call of this thread failed
 *
 * Return: one line, without a newline: what was wrong, which argument, what
 * was expected. "" when nothing failed. Valid until the thread's next failing
 * call of this library. Thread-safe.
 */
__attribute__((visibility("default"))) const char *ascprof_last_error(void);

/**
 * ascprof_version - version of the library, "major.minor.patch"
 *
 * Return: a constant string. Thread-safe.
 */
__attribute__((visibility("default"))) const char *ascprof_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ASCPROF_H */
