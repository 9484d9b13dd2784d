// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that annotate with devices, tensors, texts and details, while
 * sessions begin and end: what a call returned is true, and the accounts are even.
 */
#define MSTX_NO_IMPL
#include "device.h"
#include "mstx.h"

#include <pthread.h>

#include <mstx/ms_tools_ext.h>

#include "acl/acl_prof_optional.h"
#include "tensors.h"

#define THREADS 4
#define SESSIONS (T_TSAN ? 8 : 25)

static atomic_bool done;
static atomic_ulong marked, launched, detailed;

static void launch(aclprofTensor *tensors, unsigned int nr)
{
	aclprofTensorInfo info = {
		.opNameId = aclprofStr2Id("operator"), .tensorNum = nr, .stream = DEVICE_STREAM, .tensors = tensors,
	};
	aclprofEventAttributes attributes = { .version = 1, .size = sizeof(attributes), .message.tensorInfo = &info };

	if (!aclprofRangePushEx(&attributes) && !aclprofRangePop())
		atomic_fetch_add(&launched, nr > 5 ? 2 : 1);
}

static void stamps(void)
{
	void *stamp = aclprofCreateStamp();
	uint64_t value = 5;

	if (!stamp)
		return;
	if (!aclprofSetStampCategory(stamp, 3) && !aclprofSetStampPayload(stamp, 1, &value) && !aclprofMark(stamp))
		atomic_fetch_add(&detailed, 1);
	if (!aclprofPush(stamp))
		aclprofPop();
	aclprofDestroyStamp(stamp);
}

static void *annotate(void *arg)
{
	aclprofTensor tensors[8] = { { .shapeDim = 2, .shape = { 3, 4 } } };
	aclprofStepInfo *step;
	char text[32];

	for (unsigned int i = 0; !atomic_load(&done); i++) {
		if (!aclprofMarkEx("in a stream", 11, DEVICE_STREAM))
			atomic_fetch_add(&marked, 1);
		mstxRangeEnd(mstxRangeStartA("range", DEVICE_STREAM));
		launch(tensors, i % 9);
		stamps();
		snprintf(text, sizeof(text), "%p %u", arg, i % 200);
		aclprofStr2Id(text);
		aclprofSetCategoryName(i % 100, text);
		step = aclprofCreateStepInfo();
		aclprofGetStepTimestamp(step, ACL_STEP_START, DEVICE_STREAM);
		aclprofDestroyStepInfo(step);
		if (i % 16 == 0)
			t_sleep_us(200); /* rings must not fill up */
	}
	return NULL;
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);
	unsigned long marks = 0, tensors = 0, details = 0;
	static struct tensor_rows rows;
	pthread_t thread[THREADS];
	struct prof_list list;

	setenv("ASCPROF_LOG", "off", 1);
	device_load(RTLD_GLOBAL);
	t_code(t_init(dir), 0);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, annotate, (void *)i);
	for (int i = 0; i < SESSIONS; i++) {
		t_code(aclprofStart(config), 0);
		t_sleep_us(20000);
		t_code(aclprofStop(config), 0);
	}
	atomic_store(&done, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
	prof_check(dir, "", NULL);
	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++) {
		struct mstx_events all;
		struct prof_rows stamped;

		mstx_read(&all, list.path[i]);
		marks += mstx_count(&all, ROW_TX_MARK_EX);
		mstx_free(&all);
		tensor_read(&rows, list.path[i]);
		tensors += rows.count;
		prof_rows(&stamped, list.path[i]);
		for (size_t k = 0; k < stamped.count; k++)
			details += stamped.row[k].event == ROW_TX_MARK && !stamped.row[k].info_type &&
				   stamped.row[k].category == 3 && stamped.row[k].payload == 5;
		prof_rows_free(&stamped);
	}
	t_check(marks > 0 && tensors > 0 && details > 0, "nothing recorded");
	t_equal((long long)marks, (long long)atomic_load(&marked), "marks in streams");
	t_equal((long long)tensors, (long long)atomic_load(&launched), "rows of tensors");
	t_equal((long long)details, (long long)atomic_load(&detailed), "marks with details");
	prof_free(&list);
	return t_end();
}
