/* SPDX-License-Identifier: Apache-2.0 */
/* Completions of shells from the table of commands. */
#ifndef ASCPROF_COMPLETION_H
#define ASCPROF_COMPLETION_H

void completion_bash(void);
void completion_fish(void);
void completion_zsh(void);

#endif /* ASCPROF_COMPLETION_H */
