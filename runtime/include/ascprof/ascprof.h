/* SPDX-License-Identifier: Apache-2.0 */
/* What libascprof offers beside the aclprof interface. */
#ifndef ASCPROF_ASCPROF_H
#define ASCPROF_ASCPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Own functions
 *
 * Threads: Safe in any thread at any time; each thread has an error of its own.
 * Source: Of ascprof alone.
 */

/**
 * ascprof_last_error - why the last failing call of this thread failed
 *
 * That is told of all functions of the library, those of mstx too, which return
 * no error.
 *
 * Return: one line, without a newline: what was wrong, which argument, what
 * was expected; "" when nothing failed. Valid until the thread's next failing
 * call of this library.
 */
__attribute__((visibility("default"))) const char *ascprof_last_error(void);

/**
 * ascprof_version - version of the library
 *
 * Return: a constant string, "major.minor.patch".
 */
__attribute__((visibility("default"))) const char *ascprof_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_ASCPROF_H */
