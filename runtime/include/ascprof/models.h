/* SPDX-License-Identifier: Apache-2.0 */
/* For whoever executes models, and has their operators reported to those who subscribed. */
#ifndef ASCPROF_MODELS_H
#define ASCPROF_MODELS_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Models and their operators
 *
 * For whoever executes models: runtimes, frameworks, and what stands in for
 * them. They tell the library which models are loaded and what each operator
 * took; aclprofModelSubscribe hands that on to those who subscribed. Nothing
 * arrives there that was not reported here. A forked child begins with no model
 * and no subscription.
 *
 * Threads: Safe in any thread at any time. Not for signal handlers.
 * Source: Names, arguments and results of Msprof* functions are those of the
 * public source of CANN's runtime (hicann/runtime), where this is how a
 * framework announces a model.
 */

/**
 * MsprofSetDeviceIdByGeModelIdx - a model was loaded, and can be subscribed
 * @geModelIdx: its id, as aclmdlLoadFromFile returns it
 * @deviceId: where it was loaded; for a model known already, its new device
 *
 * If another library of the process has the function too, it is told as well.
 *
 * Return: 0; 200000 no memory; what that other function returned.
 */
__attribute__((visibility("default"))) int32_t MsprofSetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
									     const uint32_t deviceId);

/**
 * MsprofUnsetDeviceIdByGeModelIdx - a model was unloaded
 * @geModelIdx: its id; an unknown one is ignored
 * @deviceId: ignored, since ids are unique in a process
 *
 * A subscription to it goes on until aclprofModelUnSubscribe: results may still
 * be on their way.
 *
 * Return: 0; what the function returned that another library of the process has.
 */
__attribute__((visibility("default"))) int32_t MsprofUnsetDeviceIdByGeModelIdx(const uint32_t geModelIdx,
									       const uint32_t deviceId);

/* flag of what ascprof_report_op is given: */
#define ASCPROF_OP 0u /* an operator */
#define ASCPROF_OP_SUBGRAPH 1u /* a subgraph */
#define ASCPROF_OP_THREAD 2u /* a thread of an operator, named by thread_id */

/* One execution of one operator. Later versions append to it. */
struct ascprof_op {
	uint32_t size; /* sizeof(struct ascprof_op) */
	uint32_t model_id;
	uint32_t device_id; /* of the model */
	uint32_t flag;
	uint32_t thread_id;
	uint32_t reserved; /* 0 */
	const char *type; /* such as "MatMul": UTF-8, at most 4095 bytes; copied */
	const char *name; /* such as "layer1/dense/MatMul": the same */
	uint64_t start_ns;
	uint64_t end_ns; /* not before start_ns */
	uint64_t duration_us; /* scheduling and execution */
	uint64_t execution_us; /* in the AI core */
	uint64_t cube_fops;
	uint64_t vector_fops;
};

/**
 * ascprof_report_op - an operator of a model was executed
 * @op: what it took; fields that are not known are 0
 *
 * Never waits: the record is queued for the subscription's descriptor, and lost
 * and counted where the queue (16,384 records for each descriptor) is full or
 * its reader has gone. A subscription without times gets times of 0, one
 * without AI core metrics counts of 0.
 *
 * Example:
 *	MsprofSetDeviceIdByGeModelIdx(model, 0);
 *	struct ascprof_op op = { .size = sizeof(op), .model_id = model,
 *				 .type = "MatMul", .name = "layer1/MatMul",
 *				 .start_ns = begin, .end_ns = end };
 *	ascprof_report_op(&op);
 *
 * Source: Of ascprof alone.
 * Return: 0, and it is queued; 100000 a wrong argument; 100011 no such model was
 * announced; 100043 nobody subscribed to the model, which costs a load and a
 * branch where nothing at all is subscribed; 500005 it was lost.
 */
__attribute__((visibility("default"))) aclError ascprof_report_op(const struct ascprof_op *op);

#ifdef __cplusplus
}
#endif

#endif /* ASCPROF_MODELS_H */
