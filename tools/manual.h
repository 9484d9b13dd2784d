/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages from the table of commands; packaging/man/parts has what only a page tells. */
#ifndef ASCPROF_MANUAL_H
#define ASCPROF_MANUAL_H

#include "tools/options.h"

/* Prints ascprof-<name>(1), or for NULL the list of commands in ascprof(1), in mdoc. */
void manual_print(const struct command *c);

#endif /* ASCPROF_MANUAL_H */
