/* SPDX-License-Identifier: Apache-2.0 */
/* aclprofRangePushEx and aclprofRangePop: test vector 146, with a stand-in for the device runtime. */
#include "tests/unit/test_api_cases.h"
#include "tests/unit/test_api_session.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "tests/process/device.h"
#include "tests/process/mstx.h"
#include "tests/process/tensors.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN

static struct tensor_rows rows;

static aclprofTensor tensors[1025];
static aclprofTensorInfo info;
static aclprofEventAttributes attr;

/* An operator with so many tensors, each told from the others. */
static aclprofEventAttributes *launch(uint64_t name, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && i < 1025; i++)
		tensors[i] = (aclprofTensor){
			.type = i % 2, .format = 2, .dataType = 1, .shapeDim = i % 9,
			.shape = { i + 1, 2, 3, 4, 5, 6, 7, 8 },
		};
	info = (aclprofTensorInfo){
		.opNameId = name, .opTypeId = 77, .tensorNum = nr, .kernelType = 3, .blockNums = 24,
		.stream = DEVICE_STREAM, .tensors = tensors,
	};
	attr = (aclprofEventAttributes){
		.version = ACL_PROF_EVENT_ATTR_VERSION, .size = sizeof(attr),
		.messageType = ACL_PROF_MESSAGE_TYPE_TENSOR_INFO, .message.tensorInfo = &info,
	};
	return &attr;
}

static void stop(void)
{
	tensor_read(&rows, session_end(""));
}

static void tensor_is(const struct row_tensor *t, uint32_t i)
{
	t_equal(t->type, i % 2, "type of tensor %u", i);
	t_equal(t->format, 2, "format of tensor %u", i);
	t_equal(t->data_type, 1, "data type of tensor %u", i);
	for (uint32_t d = 0; d < 8; d++)
		t_equal(t->shape[d], d >= i % 9 ? 0 : d ? d + 1 : i + 1, "dimension %u of tensor %u", d, i);
}

/* So many rows from @at on are that operator's. */
static void rows_are(size_t at, uint64_t name, uint32_t nr, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < nr || !i; i += ROW_TENSORS, at++) {
		const struct row_tensors *r = &rows.row[at];

		t_check(at < rows.count, "row %zu of %zu", at, rows.count);
		t_equal((long long)r->op_name, (long long)name, "name in row %zu", at);
		t_equal(r->nr, nr - i < ROW_TENSORS ? nr - i : ROW_TENSORS, "tensors in row %zu", at);
		t_equal(r->tid, syscall(SYS_gettid), "thread of row %zu", at);
		t_check(r->stamp >= from && r->stamp <= to, "row %zu at %lu, not from %lu to %lu", at, r->stamp, from,
			to);
		t_check(r->stamp == rows.row[at - i / ROW_TENSORS].stamp, "rows of one launch at two times");
		for (uint32_t k = 0; k < r->nr; k++)
			tensor_is(&r->tensor[k], i + k);
	}
}

static void vector_146(void)
{
	t_code(aclprofRangePushEx(NULL), BAD);
	t_code(aclprofRangePushEx(launch(1, 0)), NOT_RUN);
	t_code(aclprofRangePop(), NOT_RUN);
	device_load(RTLD_GLOBAL);
	session_begin();
	t_refused(aclprofRangePushEx(NULL), BAD, "aclprofRangePushEx attr NULL");
	t_sleep_us(1100000);
	t_refused(aclprofRangePop(), NOT_RUN, "aclprofRangePop aclprofRangePushEx");
	launch(1, 1)->messageType = 1;
	t_code(aclprofRangePushEx(&attr), BAD);
	launch(1, 1)->message.tensorInfo = NULL;
	t_code(aclprofRangePushEx(&attr), BAD);
	launch(1, 1);
	info.tensors = NULL;
	t_code(aclprofRangePushEx(&attr), BAD);
	info.tensorNum = 0;
	t_code(aclprofRangePushEx(&attr), 0);
	t_code(aclprofRangePop(), 0);
	launch(1, 2);
	tensors[1].shapeDim = 9;
	t_sleep_us(1100000);
	t_refused(aclprofRangePushEx(&attr), BAD, "tensors[1].shapeDim 9 8");
	t_code(aclprofRangePushEx(launch(1, 1025)), BAD);
	t_code(aclprofRangePop(), NOT_RUN);
	stop();
	t_equal((long long)rows.count, 1, "rows");
}

static void no_runtime(void)
{
	session_begin();
	t_refused(aclprofRangePushEx(launch(1, 1)), ACL_ERROR_FEATURE_UNSUPPORTED,
		  "aclprofRangePushEx runtime rtsStreamGetAttribute");
	t_code(aclprofRangePop(), NOT_RUN);
	stop();
	t_equal((long long)rows.count, 0, "rows");
}

static void contents(void)
{
	static const uint32_t counts[] = { 0, 1, 5, 6, 10, 11, 1024 };
	struct device_standin *device = device_load(RTLD_GLOBAL);
	struct mstx_account a;
	uint64_t from, to;
	size_t at = 0;

	session_begin();
	from = t_raw_ns();
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		t_code(aclprofRangePushEx(launch(100 + i, counts[i])), 0);
		/* the copy is deep */
		memset(tensors, 0xff, sizeof(tensors));
		memset(&info, 0xff, sizeof(info));
		t_code(aclprofRangePop(), 0);
	}
	to = t_raw_ns() + 1000000;
	stop();
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		rows_are(at, 100 + i, counts[i], from, to);
		at += counts[i] ? (counts[i] + 4) / 5 : 1;
	}
	t_equal((long long)rows.count, (long long)at, "rows");
	a = mstx_account(prof_only(dir), "tensor_info");
	t_equal((long long)a.produced, (long long)at, "produced");
	t_equal((long long)a.written, (long long)at, "written");
	t_equal(device->attributes, 7, "calls of rtsStreamGetAttribute");
	t_check(device->attribute == 4 && device->attribute_stream == DEVICE_STREAM, "attribute %d of %p",
		device->attribute, device->attribute_stream);
}

/* The stamp is the middle of the launch. */
static void middle(void)
{
	uint64_t begin, end, expected;

	device_load(RTLD_GLOBAL);
	session_begin();
	begin = t_raw_ns();
	t_code(aclprofRangePushEx(launch(1, 1)), 0);
	t_sleep_us(20000);
	t_code(aclprofRangePop(), 0);
	end = t_raw_ns();
	stop();
	expected = begin / 2 + end / 2;
	t_check(rows.row[0].stamp > expected - 2000000 && rows.row[0].stamp < expected + 2000000,
		"stamp %lu, expected about %lu", rows.row[0].stamp, expected);
}

static void *inner(void *arg)
{
	aclprofTensorInfo own = { .opNameId = 9, .stream = DEVICE_STREAM };
	aclprofEventAttributes its = { .version = 1, .size = sizeof(its), .message.tensorInfo = &own };

	(void)arg;
	t_code(aclprofRangePop(), NOT_RUN); /* what is begun is a thread's own */
	t_code(aclprofRangePushEx(&its), 0);
	t_code(aclprofRangePop(), 0);
	return NULL;
}

static void nesting(void)
{
	pthread_t thread;
	void *stamp;

	device_load(RTLD_GLOBAL);
	session_begin();
	stamp = t_stamp("apart");
	for (uint64_t i = 0; i < 3000; i++) {
		t_code(aclprofRangePushEx(launch(i, (uint32_t)(i % 13))), 0);
		if (i % 1000 == 0)
			t_code(aclprofPush(stamp), 0);
	}
	pthread_create(&thread, NULL, inner, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2996; i++)
		t_code(aclprofRangePop(), 0);
	t_code(aclprofPop(), 0);
	t_stderr_begin();
	t_code(aclprofStop(config), 0);
	t_check(strstr(t_stderr_end(), "6 ranges were begun and not ended"), "not told");
	t_code(aclprofStart(config), 0);
	t_code(aclprofRangePop(), NOT_RUN); /* of the session before */
	t_code(aclprofRangePushEx(launch(1, 1)), 0);
	t_code(aclprofRangePop(), 0);
	t_stop(config);
	prof_check(dir, "", NULL);
}

static void runtime_keeps(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	uint32_t head[2], count;
	uint64_t ids[2];

	device->keeps_ops = 1;
	session_begin();
	t_code(aclprofRangePushEx(launch(4321, 3)), 0);
	t_code(aclprofRangePop(), 0);
	t_equal(device->ops, 1, "calls of rtCacheLastTaskOpInfo");
	t_equal((long long)device->op_size, 48 + 3 * 44, "bytes");
	memcpy(head, device->op, sizeof(head));
	memcpy(ids, device->op + 8, sizeof(ids));
	memcpy(&count, device->op + 44, sizeof(count));
	t_check(head[0] == 3 && head[1] == 24 && ids[0] == 4321 && ids[1] == 77 && count == 3,
		"%u %u %lu %lu %u", head[0], head[1], ids[0], ids[1], count);
	for (uint32_t i = 0; i < 3; i++)
		tensor_is((const struct row_tensor *)(device->op + 48 + i * 44), i);
	device->refuse_op = 1;
	t_code(aclprofRangePushEx(launch(4321, 3)), 0);
	t_code(aclprofRangePop(), ACL_ERROR_PROFILING_FAILURE);
	device->refuse_op = 0;
	device->refuse_attribute = 1;
	t_code(aclprofRangePushEx(launch(4321, 3)), 0);
	t_code(aclprofRangePop(), ACL_ERROR_PROFILING_FAILURE);
	t_code(aclprofRangePop(), NOT_RUN); /* a refused one is over, too */
	stop();
	t_equal((long long)rows.count, 0, "rows");
}

static struct device_standin *popped_by;

static void pop_inside(void)
{
	popped_by->inside = NULL;
	t_code(aclprofRangePop(), 0);
}

/* While the runtime is asked about the last operator, it, or a signal handler, ends that one. */
static void ended_inside(void)
{
	popped_by = device_load(RTLD_GLOBAL);
	session_begin();
	for (uint64_t depth = 1; depth <= 2; depth++) {
		for (uint64_t i = 0; i < depth; i++)
			t_code(aclprofRangePushEx(launch(i, 1)), 0);
		popped_by->inside = pop_inside;
		t_code(aclprofRangePop(), NOT_RUN);
		for (uint64_t i = 1; i < depth; i++)
			t_code(aclprofRangePop(), 0);
	}
	t_code(aclprofRangePop(), NOT_RUN);
	stop();
	t_equal((long long)rows.count, 3, "rows");
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_146), CASE(no_runtime), CASE(contents), CASE(middle), CASE(nesting), CASE(runtime_keeps),
		CASE(ended_inside),
	};

	return api_cases("api_tensors", cases, sizeof(cases) / sizeof(cases[0]));
}
