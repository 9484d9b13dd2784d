/* SPDX-License-Identifier: Apache-2.0 */
/* Step objects: test vectors 131 to 133, with a stand-in for the device runtime. */
#include "tests/unit/test_api_cases.h"

#include <pthread.h>

#include "tests/process/device.h"

#define BAD ACL_ERROR_INVALID_PARAM

static void vector_131(void)
{
	t_refused(aclprofGetStepTimestamp(NULL, ACL_STEP_START, NULL), BAD, "aclprofGetStepTimestamp stepInfo NULL");
	t_refused(aclprofGetStepTimestamp(NULL, (aclprofStepTag)77, NULL), BAD, "stepInfo NULL");
}

static void vector_132(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	aclprofStepInfo *first = aclprofCreateStepInfo(), *second = aclprofCreateStepInfo();

	t_check(first && second && first != second, "objects %p and %p", (void *)first, (void *)second);
	t_code(aclprofGetStepTimestamp(first, ACL_STEP_START, NULL), 0);
	t_refused(aclprofGetStepTimestamp(first, ACL_STEP_START, NULL), BAD, "ACL_STEP_START before");
	t_code(aclprofGetStepTimestamp(first, ACL_STEP_END, DEVICE_STREAM), 0);
	t_code(aclprofGetStepTimestamp(first, ACL_STEP_END, DEVICE_STREAM), BAD);
	/* the end may come first, and another tag is none */
	t_code(aclprofGetStepTimestamp(second, ACL_STEP_END, NULL), 0);
	t_code(aclprofGetStepTimestamp(second, ACL_STEP_START, NULL), 0);
	t_refused(aclprofGetStepTimestamp(second, (aclprofStepTag)2, NULL), BAD, "tag 2");
	t_code(aclprofGetStepTimestamp(second, (aclprofStepTag)-1, NULL), BAD);
	t_equal(device->traces, 4, "calls of the runtime");
	for (unsigned int i = 0; i < 4; i++) {
		t_equal(device->trace[i].id, i < 2 ? 1 : 2, "index in call %u", i);
		t_equal(device->trace[i].model, 0xFFFFFFFFll, "model in call %u", i);
		t_equal(device->trace[i].tag, i == 1 || i == 2, "tag in call %u", i);
		t_check(device->trace[i].stream == (i == 1 ? DEVICE_STREAM : NULL), "stream in call %u", i);
	}
	aclprofDestroyStepInfo(first);
	aclprofDestroyStepInfo(second);
}

static void vector_133(void)
{
	aclprofStepInfo *step = aclprofCreateStepInfo();
	const char *text;

	t_stderr_begin();
	aclprofDestroyStepInfo(NULL);
	text = t_stderr_end();
	t_check(t_lines(text) == 1 && strstr(text, "NULL"), "printed: %s", text);
	aclprofDestroyStepInfo(step);
	t_stderr_begin();
	aclprofDestroyStepInfo(step);
	text = t_stderr_end();
	t_check(t_lines(text) == 1 && strstr(text, "longer"), "printed: %s", text);
	t_refused(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), BAD, "stepInfo longer");
}

/* A failure uses nothing up. */
static void try_again(void)
{
	aclprofStepInfo *step = aclprofCreateStepInfo();
	struct device_standin *device;

	t_refused(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), ACL_ERROR_FEATURE_UNSUPPORTED,
		  "aclprofGetStepTimestamp runtime rtProfilerTraceEx");
	device = device_load(RTLD_GLOBAL);
	t_sleep_us(150000);
	device->refuse_trace = 5;
	t_code(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), ACL_ERROR_GE_FAILURE);
	t_code(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), ACL_ERROR_GE_FAILURE);
	device->refuse_trace = 0;
	t_code(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), 0);
	t_code(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), BAD);
	aclprofDestroyStepInfo(step);
}

static void *steps(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++) {
		aclprofStepInfo *step = aclprofCreateStepInfo();

		t_code(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), 0);
		aclprofDestroyStepInfo(step);
	}
	return NULL;
}

static void threads(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, steps, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	t_equal(device->traces, 4000, "calls of the runtime");
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_131), CASE(vector_132), CASE(vector_133), CASE(try_again), CASE(threads),
	};

	return api_cases("api_step", cases, sizeof(cases) / sizeof(cases[0]));
}
