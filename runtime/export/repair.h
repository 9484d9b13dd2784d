/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completes what a killed program, or a machine that lost power, left: slices
 * are cut to what is whole, .done, end_info and the accounting are written.
 * Nothing that can be read is removed. Not thread-safe.
 */
#ifndef ASCPROF_REPAIR_H
#define ASCPROF_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/prof.h"

struct repaired {
	unsigned int slices; /* that got their .done */
	uint64_t cut_bytes; /* of torn ends */
	unsigned int control_files; /* end_info, ascprof.json */
};

/*
 * @prof: as prof_set_open() found it. @force: even if its program seems to run.
 * Return: 0, also when there was nothing to do; -1 with a message.
 */
int repair(const struct prof *prof, bool force, struct repaired *out, struct diag *diag);

#endif /* ASCPROF_REPAIR_H */
