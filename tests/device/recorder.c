// SPDX-License-Identifier: Apache-2.0
/*
 * recorder DIRECTORY LIBRUNTIME
 *
 * Records what needs a device runtime, and what frameworks set by name, with
 * the stand-in for that runtime. Prints a line for each operator: its name, the
 * number of its tensors, the shapes of inputs and of outputs, as the public
 * parser writes them.
 */
#define MSTX_NO_IMPL
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <mstx/ms_tools_ext.h>

#include "acl/acl_prof_optional.h"

#define STREAM ((void *)0x57ea0)
#define TENSORS 12

static int failures;

static void must(int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "%s: %d\n", what, code);
	failures++;
}

static void marks(void)
{
	static const char long_text[] = "a mark in a stream, with all the text that one row of msproftx has room for: "
					"данные, 数据, and then some letters to the end of it ...... to the end";
	mstxRangeId range = mstxRangeStartA("range in a stream", STREAM);

	must(aclprofMarkEx("in a stream", 11, STREAM), "MarkEx");
	must(aclprofMarkEx("in a stream, \"again\"", 20, STREAM), "MarkEx");
	must(aclprofMarkEx(long_text, strlen(long_text), STREAM), "MarkEx");
	mstxMarkA("mark in a stream", STREAM);
	mstxRangeEnd(range);
}

static void details(void)
{
	uint64_t u64 = INT64_MAX;
	double f64 = 0.25;
	int32_t i32 = -5;
	void *values[] = { &u64, &u64, NULL, &f64, &i32, &i32 };
	uint32_t range;

	must(aclprofSetCategoryName(3, "forward"), "SetCategoryName");
	for (int type = 0; type < 6; type++) {
		void *stamp = aclprofCreateStamp();

		must(aclprofSetStampTraceMessage(stamp, "detailed", 8), "SetStampTraceMessage");
		must(aclprofSetStampCategory(stamp, type == 5 ? UINT32_MAX : (uint32_t)type), "SetStampCategory");
		if (values[type])
			must(aclprofSetStampPayload(stamp, type, values[type]), "SetStampPayload");
		must(aclprofMark(stamp), "Mark");
		must(aclprofPush(stamp), "Push");
		must(aclprofRangeStart(stamp, &range), "RangeStart");
		must(aclprofRangeStop(range), "RangeStop");
		must(aclprofPop(), "Pop");
		aclprofDestroyStamp(stamp);
	}
}

static void shapes(const aclprofTensor *tensors, uint32_t nr, uint32_t type)
{
	const char *between = "";

	for (uint32_t i = 0; i < nr; i++) {
		if (tensors[i].type != type)
			continue;
		fputs(between, stdout);
		for (uint32_t d = 0; d < tensors[i].shapeDim; d++)
			printf("%s%u", d ? "," : "", tensors[i].shape[d]);
		between = ";";
	}
}

static void operators(void)
{
	aclprofTensor tensors[TENSORS];
	char name[32];

	for (uint32_t nr = 0; nr <= TENSORS; nr++) {
		aclprofTensorInfo info = { .tensorNum = nr, .stream = STREAM, .tensors = tensors };
		aclprofEventAttributes attributes = {
			.version = ACL_PROF_EVENT_ATTR_VERSION, .size = sizeof(attributes), .message.tensorInfo = &info,
		};

		for (uint32_t i = 0; i < nr; i++)
			tensors[i] = (aclprofTensor){
				.type = i % 3 == 2, .format = 2, .dataType = 1, .shapeDim = 1 + i % 8,
				.shape = { nr, i + 1, 3, 4, 5, 6, 7, 8 },
			};
		snprintf(name, sizeof(name), "MatMul_%u", nr);
		info.opNameId = aclprofStr2Id(name);
		info.opTypeId = aclprofStr2Id("MatMul");
		must(aclprofRangePushEx(&attributes), "RangePushEx");
		must(aclprofRangePop(), "RangePop");
		printf("%s %u ", name, nr);
		shapes(tensors, nr, 0);
		printf(" ");
		shapes(tensors, nr, 1);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	aclprofConfig *config;

	if (argc != 3)
		return 2;
	if (!dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL)) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	must(aclprofInit(argv[1], strlen(argv[1])), "Init");
	must(aclprofStart(config), "Start");
	marks();
	details();
	operators();
	must(aclprofStop(config), "Stop");
	aclprofDestroyConfig(config);
	must(aclprofFinalize(), "Finalize");
	return failures != 0;
}
