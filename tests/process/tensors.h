/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tensors, read back. */
#ifndef ASCPROF_TEST_TENSORS_H
#define ASCPROF_TEST_TENSORS_H

#include "prof.h"
#include "t.h"

#define TENSOR_ROWS 65536u

struct tensor_rows {
	size_t count;
	struct row_tensors row[TENSOR_ROWS];
};

/* All of a PROF_ directory, in the order of the file; none when there is no file. */
static inline void tensor_read(struct tensor_rows *rows, const char *prof)
{
	rows->count = 0;
	for (unsigned int k = 0; k < 8; k++) {
		FILE *file = fopen(t_path("%s/host/data/aging.additional.tensor_info.slice_%u", prof, k), "re");

		if (!file)
			continue;
		rows->count += fread(&rows->row[rows->count], sizeof(rows->row[0]), TENSOR_ROWS - rows->count, file);
		fclose(file);
	}
}

#endif /* ASCPROF_TEST_TENSORS_H */
