// SPDX-License-Identifier: Apache-2.0
/*
 * A program that subscribes to two models through two pipes, executes both, and
 * prints what it reads. A model that is not subscribed is executed between.
 *
 *   subscribe MODEL MODEL MODEL     files; the second one is not subscribed
 *
 * Compiled against the public headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "check.h"
#include "models.h"

#define MODELS 3
#define TURNS 3

/* One line for each record: model, type, name, microseconds. */
static void print(char *data, size_t length)
{
	uint32_t count = 0;

	is("GetOpNum", aclprofGetOpNum(data, length, &count), ACL_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		size_t type_length = 0, name_length = 0;
		char type[ACL_PROF_MAX_OP_TYPE_LEN], name[ACL_PROF_MAX_OP_NAME_LEN];
		uint64_t us = aclprofGetOpDuration(data, length, i);

		is("GetOpTypeLen", aclprofGetOpTypeLen(data, length, i, &type_length), ACL_SUCCESS);
		is("GetOpNameLen", aclprofGetOpNameLen(data, length, i, &name_length), ACL_SUCCESS);
		is("GetOpType", aclprofGetOpType(data, length, i, type, type_length), ACL_SUCCESS);
		is("GetOpName", aclprofGetOpName(data, length, i, name, name_length), ACL_SUCCESS);
		is("GetOpFlag", aclprofGetOpFlag(data, length, i), ACL_SUBSCRIBE_OP);
		is("ns", (long long)(aclprofGetOpEnd(data, length, i) - aclprofGetOpStart(data, length, i)),
		   (long long)us * 1000);
		printf("%zu %s %s %llu\n", aclprofGetModelId(data, length, i), type, name, (unsigned long long)us);
	}
}

static void read_all(int fd, size_t record)
{
	char *data = malloc(record * 5);
	ssize_t length;

	while ((length = read(fd, data, record * 5)) > 0)
		print(data, (size_t)length);
	is("end of the pipe", length, 0);
	free(data);
	close(fd);
}

int main(int argc, char **argv)
{
	int pipes[MODELS][2] = { 0 };
	uint32_t id[MODELS];
	size_t record = 0;

	if (argc != 1 + MODELS)
		return 2;
	is("aclInit", aclInit(NULL), ACL_SUCCESS);
	is("SetDevice", aclrtSetDevice(0), ACL_SUCCESS);
	is("GetOpDescSize", aclprofGetOpDescSize(&record), ACL_SUCCESS);
	for (int i = 0; i < MODELS; i++) {
		aclprofSubscribeConfig *config;

		is("LoadFromFile", aclmdlLoadFromFile(argv[1 + i], &id[i]), ACL_SUCCESS);
		if (i == 1 || pipe(pipes[i]))
			continue;
		config = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &pipes[i][1]);
		is("ModelSubscribe", aclprofModelSubscribe(id[i], config), ACL_SUCCESS);
		is("DestroySubscribeConfig", aclprofDestroySubscribeConfig(config), ACL_SUCCESS);
	}
	for (int turn = 0; turn < TURNS; turn++)
		for (int i = 0; i < MODELS; i++)
			is("Execute", aclmdlExecute(id[i], NULL, NULL), ACL_SUCCESS);
	for (int i = 0; i < MODELS; i++) {
		if (i != 1)
			is("ModelUnSubscribe", aclprofModelUnSubscribe(id[i]), ACL_SUCCESS);
		is("Unload", aclmdlUnload(id[i]), ACL_SUCCESS);
		if (i == 1)
			continue;
		is("the descriptor, afterwards", pipes[i][1], -1);
		read_all(pipes[i][0], record);
	}
	is("ResetDevice", aclrtResetDevice(0), ACL_SUCCESS);
	is("aclFinalize", aclFinalize(), ACL_SUCCESS);
	return failures != 0;
}
