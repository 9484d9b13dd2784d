/* SPDX-License-Identifier: Apache-2.0 */
/* What a subscription writes for one operator; the layout is the public one. */
#ifndef ASCPROF_OP_RECORD_H
#define ASCPROF_OP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct op_record {
	uint32_t signature; /* of all that follows: CRC-32C without the last inversion */
	uint32_t model_id;
	uint32_t flag; /* aclprofSubscribeOpFlag */
	uint32_t thread_id;
	uint64_t op_index; /* where its texts are, see texts.h */
	uint64_t duration; /* us */
	uint64_t start; /* ns */
	uint64_t end;
	uint64_t execution_time; /* us */
	uint64_t cube_fops;
	uint64_t vector_fops;
	uint32_t device_id;
	uint32_t zero;
};

_Static_assert(sizeof(struct op_record) == 80, "the public layout has 80 bytes");

void op_record_sign(struct op_record *r);
bool op_record_is_whole(const struct op_record *r); /* its signature is right */

#endif /* ASCPROF_OP_RECORD_H */
