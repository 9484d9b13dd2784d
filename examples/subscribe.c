/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of a subscription: one thread prints the operators of a model as
 * they arrive; the program itself plays the framework that executes the model,
 * and reports what each operator took.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <acl/acl_prof.h>
#include <ascprof/ascprof.h>
#include <ascprof/models.h>

#define MODEL 1
#define DEVICE 0
#define STEPS 3

static void print_one(const char *records, size_t bytes, uint32_t i)
{
	char type[ACL_PROF_MAX_OP_TYPE_LEN] = "", name[ACL_PROF_MAX_OP_NAME_LEN] = "";

	aclprofGetOpType(records, bytes, i, type, sizeof(type));
	aclprofGetOpName(records, bytes, i, name, sizeof(name));
	printf("model %zu  %-8s %-16s %6llu us\n", aclprofGetModelId(records, bytes, i), type, name,
	       (unsigned long long)aclprofGetOpDuration(records, bytes, i));
}

/* Reads until the subscription ends, which closes the other end of the pipe. */
static void *reader(void *arg)
{
	int fd = *(int *)arg;
	size_t size = 0, room;
	char *records;
	ssize_t bytes;

	aclprofGetOpDescSize(&size);
	room = 10 * size;
	records = malloc(room);
	while (records && (bytes = read(fd, records, room)) > 0) {
		uint32_t n = 0;

		if (aclprofGetOpNum(records, (size_t)bytes, &n))
			break;
		for (uint32_t i = 0; i < n; i++)
			print_one(records, (size_t)bytes, i);
	}
	free(records);
	return NULL;
}

/* ---- the framework's part ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int execute(const char *type, const char *name, unsigned int iterations)
{
	struct ascprof_op op = { .size = sizeof(op), .model_id = MODEL, .device_id = DEVICE, .type = type, .name = name };
	volatile double sum = 0; /* some work */

	op.start_ns = now_ns();
	for (unsigned int i = 0; i < iterations; i++)
		sum = sum + i * 0.5;
	op.end_ns = now_ns();
	op.duration_us = (op.end_ns - op.start_ns) / 1000;
	return ascprof_report_op(&op);
}

static int execute_model(void)
{
	return execute("Conv2D", "layer1/conv", 400000) || execute("Relu", "layer1/relu", 50000) ||
	       execute("MatMul", "head/dense", 200000);
}

int main(void)
{
	aclprofSubscribeConfig *config;
	pthread_t thread;
	int fds[2], failed = 0;

	if (pipe(fds)) {
		perror("pipe");
		return 1;
	}
	MsprofSetDeviceIdByGeModelIdx(MODEL, DEVICE); /* what a framework does when it has loaded a model */
	config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &fds[1]);
	if (aclprofModelSubscribe(MODEL, config) || pthread_create(&thread, NULL, reader, &fds[0])) {
		fprintf(stderr, "%s\n", ascprof_last_error());
		return 1;
	}
	for (int step = 0; step < STEPS; step++)
		failed |= execute_model();
	failed |= aclprofModelUnSubscribe(MODEL); /* closes fds[1], and the reader sees the end */
	pthread_join(thread, NULL);
	close(fds[0]);
	aclprofDestroySubscribeConfig(config);
	MsprofUnsetDeviceIdByGeModelIdx(MODEL, DEVICE);
	return failed ? 1 : 0;
}
