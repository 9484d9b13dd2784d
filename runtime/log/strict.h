/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict mode, ASCPROF_STRICT=1 or abort: misuse of the interface is reported
 * with the place of the call, beside the error that it is in any case. Only
 * paths that fail ask for it.
 */
#ifndef ASCPROF_STRICT_H
#define ASCPROF_STRICT_H

#include <stdbool.h>

/* Where the public function that asks this was called from. */
#define CALLER __builtin_return_address(0)

bool strict_on(void);

/*
 * One line, when strict mode is on; with `abort` the last that the program
 * prints.
 * @caller: CALLER of the public function
 */
void strict_misuse(const void *caller, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same for what is found deep inside a life cycle call. It says first where
 * it was called, with no lock held, for finding the name takes the loader's.
 * @place: STRICT_PLACE bytes that stay until the call returns; NULL, and
 *	@caller too, when nobody called
 */
#define STRICT_PLACE 256
void strict_called_from(char *place, const void *caller);
void strict_misuse_inside(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* ASCPROF_STRICT_H */
