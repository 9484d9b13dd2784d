/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/subscribe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "format/utf8.h"
#include "log/log.h"
#include "subscribe/models.h"
#include "subscribe/outlet.h"
#include "subscribe/op_texts.h"

#define DRAIN_NS 30000000000u
#define EXIT_NS 2000000000u

struct subscription {
	struct subscription *next;
	uint32_t model, device;
	bool times;
	aclprofAicoreMetrics metrics;
	int *fd; /* the program's */
	struct outlet *outlet;
	struct outlet_tally tally;
	bool ending; /* takes no more reports */
};

/* The list changes under both locks; so one of the two is enough to read it. */
static struct subscription *first;
static struct subscription *left_behind; /* of a parent: known, and never touched */

_Atomic unsigned int subscriptions;

static struct subscription *find(uint32_t model)
{
	struct subscription *s = first;

	while (s && (s->model != model || s->ending))
		s = s->next;
	return s;
}

bool subscribe_has(uint32_t model)
{
	return find(model);
}

/* ---- beginning ---- */

#define WHO "aclprofModelSubscribe"

static aclError check_settings(const struct aclprofSubscribeConfig *config)
{
	unsigned int m = (unsigned int)config->metrics;

	if (m > ACL_AICORE_MEMORY_ACCESS && m != ACL_AICORE_NONE)
		return fail(ACL_ERROR_INVALID_PARAM, WHO ": aicoreMetrics is %u, expected 0 to %d or %d", m,
			    ACL_AICORE_MEMORY_ACCESS, ACL_AICORE_NONE);
	if (!config->times && m == ACL_AICORE_NONE)
		return fail(ACL_ERROR_INVALID_PARAM,
			    WHO ": profSubscribeConfig asks for nothing: timeInfoSwitch is 0 and aicoreMetrics %d", m);
	return ACL_SUCCESS;
}

static aclError check_others(uint32_t model, uint32_t device, const struct aclprofSubscribeConfig *config)
{
	if (find(model))
		return fail(ACL_ERROR_PROF_REPEAT_SUBSCRIBE,
			    WHO ": modelId %u is subscribed already, expected aclprofModelUnSubscribe before", model);
	for (const struct subscription *s = first; s; s = s->next)
		if (!s->ending && s->device == device && (s->times != config->times || s->metrics != config->metrics))
			return fail(ACL_ERROR_INVALID_PROFILING_CONFIG,
				    WHO ": modelId %u: model %u of the same device %u is subscribed with "
					"timeInfoSwitch %d and aicoreMetrics %d, expected the same",
				    model, s->model, device, s->times, s->metrics);
	return ACL_SUCCESS;
}

static aclError open_failed(int number, int error)
{
	if (error == EBADF)
		return fail(ACL_ERROR_INVALID_PARAM, WHO ": fd holds %d, expected a descriptor open for writing",
			    number);
	return fail(ACL_ERROR_PROFILING_FAILURE, WHO ": descriptor %d: %s", number, strerror(error));
}

aclError subscribe_begin(uint32_t model, uint32_t device, const struct aclprofSubscribeConfig *config)
{
	struct subscription *s;
	aclError ret = check_settings(config);
	int err;

	if (!ret)
		ret = check_others(model, device, config);
	if (ret)
		return ret;
	s = malloc(sizeof(*s));
	if (!s || !op_texts_setup()) {
		free(s);
		return fail(ACL_ERROR_PROFILING_FAILURE, WHO ": no memory");
	}
	*s = (struct subscription){
		.model = model,
		.device = device,
		.times = config->times,
		.metrics = config->metrics,
		.fd = config->fd,
	};
	err = outlet_open(*config->fd, &s->outlet);
	if (err) {
		free(s);
		return open_failed(*config->fd, err);
	}
	outlet_lock();
	s->next = first;
	first = s;
	outlet_unlock();
	atomic_fetch_add(&subscriptions, 1);
	return ACL_SUCCESS;
}

#undef WHO

/* ---- ending ---- */

struct subscription *subscribe_detach(uint32_t model)
{
	struct subscription *s = find(model);

	if (!s)
		return NULL;
	outlet_lock();
	s->ending = true;
	outlet_unlock();
	atomic_fetch_sub(&subscriptions, 1);
	return s;
}

static struct subscribe_result drain(struct subscription *s, uint64_t deadline)
{
	uint64_t lost = outlet_drain(s->outlet, &s->tally, deadline);

	return (struct subscribe_result){ s->tally.written, lost };
}

struct subscribe_result subscribe_drain(struct subscription *s)
{
	return drain(s, clock_ns(CLOCK_MONOTONIC) + DRAIN_NS);
}

bool subscribe_release(struct subscription *s)
{
	struct subscription **link = &first;
	bool shared = false;

	outlet_lock();
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	outlet_unlock();
	for (const struct subscription *other = first; other; other = other->next)
		shared |= other->fd == s->fd;
	outlet_close(s->outlet, s->fd, shared);
	free(s);
	return !first;
}

struct subscribe_result subscribe_halt(void)
{
	uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + EXIT_NS;
	struct subscribe_result sum = { 0, 0 };

	atomic_store(&subscriptions, 0);
	outlet_lock();
	for (struct subscription *s = first; s; s = s->next)
		s->ending = true;
	outlet_unlock();
	for (struct subscription *s = first; s; s = s->next) {
		struct subscribe_result one = drain(s, deadline);

		sum.written += one.written;
		sum.lost += one.lost;
	}
	outlet_halt();
	return sum;
}

/* ---- reports ---- */

#define WHO "ascprof_report_op"
#define OP_BYTES_MAX 4096u /* of any later version */

static aclError check_size(const struct ascprof_op *op)
{
	const unsigned char *bytes = (const unsigned char *)op;

	if (op->size < sizeof(*op) || op->size > OP_BYTES_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->size is %u, expected sizeof(*op): %zu, or up to %u",
				  op->size, sizeof(*op), OP_BYTES_MAX);
	for (uint32_t i = sizeof(*op); i < op->size; i++)
		if (bytes[i])
			return fail_often(ACL_ERROR_INVALID_PARAM,
					  WHO ": op has a value at byte %u, which this library does not know", i);
	return ACL_SUCCESS;
}

static aclError check_op(const struct ascprof_op *op)
{
	if (op->flag > ASCPROF_OP_THREAD)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->flag is %u, expected 0 to %u", op->flag,
				  ASCPROF_OP_THREAD);
	if (op->reserved)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->reserved is %u, expected 0", op->reserved);
	if (op->end_ns < op->start_ns)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->end_ns is %llu, expected not before start_ns, %llu",
				  (unsigned long long)op->end_ns, (unsigned long long)op->start_ns);
	return ACL_SUCCESS;
}

struct op_texts {
	const char *text[TEXTS];
	size_t length[TEXTS];
	char bytes[TEXTS][TEXT_MAX];
};

static aclError take_text(struct op_texts *texts, enum text which, const char *text, const char *field)
{
	size_t length;

	if (!text)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->%s is NULL, expected a text", field);
	length = strnlen(text, TEXT_MAX + 1);
	if (length > TEXT_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->%s is too long, expected at most %u bytes", field,
				  TEXT_MAX);
	texts->text[which] = texts->bytes[which];
	texts->length[which] = utf8_copy(texts->bytes[which], TEXT_MAX, text, length);
	return ACL_SUCCESS;
}

/* Under the outlets' lock. Return: false when the record was lost. */
static bool queue(struct subscription *s, const struct ascprof_op *op, const struct op_texts *texts)
{
	struct op_record record = {
		.model_id = op->model_id,
		.device_id = op->device_id,
		.flag = op->flag,
		.thread_id = op->thread_id,
		.op_index = op_texts_put(texts->text, texts->length),
	};

	if (s->times) {
		record.start = op->start_ns;
		record.end = op->end_ns;
		record.duration = op->duration_us;
		record.execution_time = op->execution_us;
	}
	if (s->metrics != ACL_AICORE_NONE) {
		record.cube_fops = op->cube_fops;
		record.vector_fops = op->vector_fops;
	}
	return outlet_put(s->outlet, &record, &s->tally);
}

static aclError not_subscribed(uint32_t model)
{
	uint32_t device;

	if (models_find(model, &device))
		return ACL_ERROR_PROF_NOT_RUN;
	return fail_often(ACL_ERROR_INVALID_MODEL_ID,
			  WHO ": op->model_id is %u, expected that of a loaded model, which "
			      "MsprofSetDeviceIdByGeModelIdx announced",
			  model);
}

aclError subscribe_report(const struct ascprof_op *op)
{
	struct op_texts texts;
	struct subscription *s;
	uint32_t device = 0;
	bool queued = false;
	aclError ret = check_size(op);

	if (!ret)
		ret = check_op(op);
	if (!ret)
		ret = take_text(&texts, TEXT_TYPE, op->type, "type");
	if (!ret)
		ret = take_text(&texts, TEXT_NAME, op->name, "name");
	if (ret)
		return ret;
	outlet_lock();
	s = find(op->model_id);
	if (s)
		device = s->device;
	if (s && device == op->device_id)
		queued = queue(s, op, &texts);
	outlet_unlock();
	if (!s)
		return not_subscribed(op->model_id);
	if (device != op->device_id)
		return fail_often(ACL_ERROR_INVALID_PARAM, WHO ": op->device_id is %u, expected %u, where model %u is",
				  op->device_id, device, op->model_id);
	if (!queued)
		return fail_often(ACL_ERROR_PROFILING_FAILURE,
				  WHO ": model %u: lost: the reader of the subscription is too slow or has gone",
				  op->model_id);
	return ACL_SUCCESS;
}

/* ---- fork ---- */

void subscribe_fork_lock(void)
{
	outlet_lock();
	models_fork_lock();
	op_texts_fork_lock();
}

void subscribe_fork_unlock(void)
{
	op_texts_fork_unlock();
	models_fork_unlock();
	outlet_unlock();
}

void subscribe_child(void)
{
	struct subscription *last = first;

	atomic_store(&subscriptions, 0);
	models_child();
	op_texts_child();
	while (last && last->next)
		last = last->next;
	if (last) {
		last->next = left_behind;
		left_behind = first;
	}
	first = NULL;
	outlet_child();
}
