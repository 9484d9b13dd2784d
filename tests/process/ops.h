/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of subscriptions share: operators to report, and a reader of records. */
#ifndef ASCPROF_TEST_OPS_H
#define ASCPROF_TEST_OPS_H

#include "t.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ascprof/models.h"

#define OPS_BYTES 80

/* The @i-th execution of an operator of @model, on device 0. */
static inline struct ascprof_op ops_make(uint32_t model, uint64_t i)
{
	return (struct ascprof_op){
		.size = sizeof(struct ascprof_op),
		.model_id = model,
		.thread_id = 7,
		.type = "MatMul",
		.name = "net/layer/MatMul",
		.start_ns = 1000 * i + 1,
		.end_ns = 1000 * i + 501,
		.duration_us = i,
	};
}

static inline aclError ops_report(uint32_t model, uint64_t i)
{
	struct ascprof_op op = ops_make(model, i);

	return ascprof_report_op(&op);
}

/* A model on device 0 with times, written to *fd. */
static inline void ops_subscribe(uint32_t model, int *fd)
{
	aclprofSubscribeConfig *config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, fd);

	t_code(MsprofSetDeviceIdByGeModelIdx(model, 0), 0);
	t_equal(aclprofModelSubscribe(model, config), 0, "subscribing to %u (%s)", model, ascprof_last_error());
	t_code(aclprofDestroySubscribeConfig(config), 0);
}

/* Reads one whole record. Return: false at the end. */
static inline bool ops_read(int fd, char record[OPS_BYTES])
{
	size_t have = 0;

	while (have < OPS_BYTES) {
		ssize_t n = read(fd, record + have, OPS_BYTES - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	t_check(!have || have == OPS_BYTES, "a record of %zu bytes", have);
	return have == OPS_BYTES;
}

struct ops_reader {
	pthread_t thread;
	int fd;
	unsigned int nap_us; /* after each record */
	atomic_ulong records;
	uint64_t last[64]; /* duration of the last record, by model */
};

/* Records are whole, and those of one model come in the order of their reports. */
static inline void *ops_reader_main(void *arg)
{
	struct ops_reader *reader = arg;
	char record[OPS_BYTES], name[64];

	while (ops_read(reader->fd, record)) {
		uint32_t n = 0;
		uint64_t took = aclprofGetOpDuration(record, OPS_BYTES, 0);
		size_t model = aclprofGetModelId(record, OPS_BYTES, 0) % 64;

		t_code(aclprofGetOpNum(record, OPS_BYTES, &n), 0);
		t_code(aclprofGetOpName(record, OPS_BYTES, 0, name, sizeof(name)), 0);
		t_check(!strcmp(name, "net/layer/MatMul"), "name %s", name);
		t_check(took > reader->last[model], "operator %lu of model %zu after %lu", took, model,
			reader->last[model]);
		reader->last[model] = took;
		atomic_fetch_add(&reader->records, 1);
		if (reader->nap_us)
			t_sleep_us(reader->nap_us);
	}
	return NULL;
}

static inline void ops_reader_start(struct ops_reader *reader, int fd, unsigned int nap_us)
{
	memset(reader, 0, sizeof(*reader));
	reader->fd = fd;
	reader->nap_us = nap_us;
	pthread_create(&reader->thread, NULL, ops_reader_main, reader);
}

/* Waits for the end of the pipe. Return: records read. */
static inline unsigned long ops_reader_end(struct ops_reader *reader)
{
	pthread_join(reader->thread, NULL);
	close(reader->fd);
	return atomic_load(&reader->records);
}

#endif /* ASCPROF_TEST_OPS_H */
