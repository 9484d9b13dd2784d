/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl.prof: marks on a stream, step info, subscription to a model's operators.
 */
#include "tools/python/module.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 4096u

static PyObject *text(const char *bytes)
{
	return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "replace");
}

/* ---- marks on a stream, step info ---- */

static PyObject *mark_ex(PyObject *self, PyObject *args)
{
	const char *message;
	unsigned long stream;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "sk", &message, &stream))
		return args_failed("acl.prof.mark_ex");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofMarkEx(message, strlen(message), (aclrtStream)stream);
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *create_step_info(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return PyLong_FromVoidPtr(aclprofCreateStepInfo());
}

static PyObject *get_step_timestamp(PyObject *self, PyObject *args)
{
	unsigned long info, stream;
	aclError ret;
	int tag;

	(void)self;
	if (!PyArg_ParseTuple(args, "kik", &info, &tag, &stream))
		return args_failed("acl.prof.get_step_timestamp");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofGetStepTimestamp((aclprofStepInfo *)info, (aclprofStepTag)tag, (aclrtStream)stream);
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *destroy_step_info(PyObject *self, PyObject *args)
{
	unsigned long info;

	(void)self;
	if (!PyArg_ParseTuple(args, "k", &info))
		return args_failed("acl.prof.destroy_step_info");
	aclprofDestroyStepInfo((aclprofStepInfo *)info);
	Py_RETURN_NONE;
}

/* ---- subscription ---- */

/*
 * The library keeps the address of the descriptor's number, and writes -1 there
 * when the last subscription ends, even after its configuration was destroyed.
 * So each configuration has a number of its own, and one that was subscribed
 * with is never freed. The interpreter's lock guards the list.
 */
static struct descriptor {
	struct descriptor *next;
	const void *config;
	unsigned int subscriptions;
	int fd;
} *descriptors;

static struct descriptor **descriptor_of(const void *config)
{
	struct descriptor **link = &descriptors;

	while (*link && (*link)->config != config)
		link = &(*link)->next;
	return link;
}

static PyObject *create_subscribe_config(PyObject *self, PyObject *args)
{
	unsigned char time_info;
	struct descriptor *d;
	int metrics, fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "bii", &time_info, &metrics, &fd))
		return args_failed("acl.prof.create_subscribe_config");
	d = malloc(sizeof(*d));
	if (!d)
		return PyErr_NoMemory();
	d->fd = fd;
	d->subscriptions = 0;
	d->config = aclprofCreateSubscribeConfig((int8_t)time_info, (aclprofAicoreMetrics)metrics, &d->fd);
	if (!d->config) {
		free(d);
		return PyLong_FromLong(0);
	}
	d->next = descriptors;
	descriptors = d;
	return PyLong_FromVoidPtr((void *)d->config);
}

static PyObject *destroy_subscribe_config(PyObject *self, PyObject *args)
{
	struct descriptor **link, *d;
	unsigned long config;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "k", &config))
		return args_failed("acl.prof.destroy_subscribe_config");
	ret = aclprofDestroySubscribeConfig((const aclprofSubscribeConfig *)config);
	link = descriptor_of((const void *)config);
	d = *link;
	if (d && !ret) {
		d->config = NULL; /* its address may be given out again */
		if (!d->subscriptions) {
			*link = d->next;
			free(d);
		}
	}
	return code(ret);
}

static PyObject *model_subscribe(PyObject *self, PyObject *args)
{
	unsigned long config;
	struct descriptor *d;
	unsigned int model;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "Ik", &model, &config))
		return args_failed("acl.prof.model_subscribe");
	d = *descriptor_of((const void *)config);
	if (d)
		d->subscriptions++; /* before the call: from then on the library has the address */
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofModelSubscribe(model, (const aclprofSubscribeConfig *)config);
	Py_END_ALLOW_THREADS
	if (d && ret)
		d->subscriptions--; /* it is still there: what has subscriptions is not freed */
	return code(ret);
}

static PyObject *unsubscribe(unsigned int model)
{
	aclError ret;

	Py_BEGIN_ALLOW_THREADS
	ret = aclprofModelUnSubscribe(model);
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *model_un_subscribe(PyObject *self, PyObject *args)
{
	unsigned int model;

	(void)self;
	if (!PyArg_ParseTuple(args, "I", &model))
		return args_failed("acl.prof.model_un_subscribe");
	return unsubscribe(model);
}

static PyObject *model_unsubscribe(PyObject *self, PyObject *args)
{
	unsigned int model;

	(void)self;
	if (!PyArg_ParseTuple(args, "I", &model))
		return args_failed("acl.prof.model_unsubscribe");
	return unsubscribe(model);
}

/* ---- what arrived for a subscription ---- */

typedef aclError (*length_fn)(const void *data, size_t len, uint32_t index, size_t *length);
typedef aclError (*name_fn)(const void *data, size_t len, uint32_t index, char *buffer, size_t size);
typedef uint64_t (*number_fn)(const void *data, size_t len, uint32_t index);

struct record {
	unsigned long data, len;
	unsigned int index;
};

static bool record(PyObject *args, struct record *r)
{
	return PyArg_ParseTuple(args, "kkI", &r->data, &r->len, &r->index);
}

static PyObject *name_length(PyObject *args, length_fn get, const char *function)
{
	size_t length = 0;
	struct record r;
	aclError ret;

	if (!record(args, &r))
		return args_failed(function);
	ret = get((const void *)r.data, r.len, r.index, &length);
	return Py_BuildValue("ni", (Py_ssize_t)length, ret);
}

static PyObject *name(PyObject *args, name_fn get, const char *function)
{
	char buffer[NAME_MAX_BYTES + 1] = "";
	unsigned long size;
	struct record r;
	aclError ret = ACL_ERROR_INVALID_PARAM;

	if (!PyArg_ParseTuple(args, "kkIk", &r.data, &r.len, &r.index, &size))
		return args_failed(function);
	if (size <= NAME_MAX_BYTES)
		ret = get((const void *)r.data, r.len, r.index, buffer, size);
	if (ret)
		buffer[0] = '\0';
	return Py_BuildValue("Ni", text(buffer), ret);
}

/* As name(), with a buffer as long as the library says. */
static PyObject *whole_name(PyObject *args, length_fn get_length, name_fn get, const char *function)
{
	PyObject *result;
	struct record r;
	size_t length = 0;
	char *buffer;
	aclError ret;

	if (!record(args, &r))
		return args_failed(function);
	ret = get_length((const void *)r.data, r.len, r.index, &length);
	if (ret)
		return Py_BuildValue("Oi", Py_None, ret);
	buffer = PyMem_Malloc(length + 1);
	if (!buffer)
		return PyErr_NoMemory();
	memset(buffer, 0, length + 1);
	ret = get((const void *)r.data, r.len, r.index, buffer, length);
	if (ret)
		buffer[0] = '\0';
	result = Py_BuildValue("Ni", text(buffer), ret);
	PyMem_Free(buffer);
	return result;
}

static PyObject *number(PyObject *args, number_fn get, const char *function)
{
	struct record r;

	if (!record(args, &r))
		return args_failed(function);
	return PyLong_FromUnsignedLongLong(get((const void *)r.data, r.len, r.index));
}

static PyObject *get_op_desc_size(PyObject *self, PyObject *args)
{
	size_t size = 0;
	aclError ret = aclprofGetOpDescSize(&size);

	(void)self;
	(void)args;
	return Py_BuildValue("ni", (Py_ssize_t)size, ret);
}

static PyObject *get_op_num(PyObject *self, PyObject *args)
{
	unsigned long data, len;
	uint32_t n = 0;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "kk", &data, &len))
		return args_failed("acl.prof.get_op_num");
	ret = aclprofGetOpNum((const void *)data, len, &n);
	return Py_BuildValue("Ii", n, ret);
}

static PyObject *get_op_type_len(PyObject *self, PyObject *args)
{
	(void)self;
	return name_length(args, aclprofGetOpTypeLen, "acl.prof.get_op_type_len");
}

static PyObject *get_op_name_len(PyObject *self, PyObject *args)
{
	(void)self;
	return name_length(args, aclprofGetOpNameLen, "acl.prof.get_op_name_len");
}

static PyObject *get_op_type(PyObject *self, PyObject *args)
{
	(void)self;
	return name(args, aclprofGetOpType, "acl.prof.get_op_type");
}

static PyObject *get_op_name(PyObject *self, PyObject *args)
{
	(void)self;
	return name(args, aclprofGetOpName, "acl.prof.get_op_name");
}

static PyObject *get_op_type_v2(PyObject *self, PyObject *args)
{
	(void)self;
	return whole_name(args, aclprofGetOpTypeLen, aclprofGetOpType, "acl.prof.get_op_type_v2");
}

static PyObject *get_op_name_v2(PyObject *self, PyObject *args)
{
	(void)self;
	return whole_name(args, aclprofGetOpNameLen, aclprofGetOpName, "acl.prof.get_op_name_v2");
}

static PyObject *get_op_start(PyObject *self, PyObject *args)
{
	(void)self;
	return number(args, aclprofGetOpStart, "acl.prof.get_op_start");
}

static PyObject *get_op_end(PyObject *self, PyObject *args)
{
	(void)self;
	return number(args, aclprofGetOpEnd, "acl.prof.get_op_end");
}

static PyObject *get_op_duration(PyObject *self, PyObject *args)
{
	(void)self;
	return number(args, aclprofGetOpDuration, "acl.prof.get_op_duration");
}

static PyObject *get_model_id(PyObject *self, PyObject *args)
{
	struct record r;

	(void)self;
	if (!record(args, &r))
		return args_failed("acl.prof.get_model_id");
	return PyLong_FromSize_t(aclprofGetModelId((const void *)r.data, r.len, r.index));
}

#define RECORD "data: int, address of the records.\nlength: int, their bytes.\nindex: int, of the record, from 0.\n"
#define METHOD(name, parameters, text) { #name, name, METH_VARARGS, DOC(#name, parameters, text) }

PyMethodDef subscribe_methods[] = {
	METHOD(create_subscribe_config, "time_info_switch, aicore_metrics, fd, /",
	       "Describe what to receive of a model's operators.\n\n"
	       "time_info_switch: 0 or 1, whether to have times.\n"
	       "aicore_metrics: int, an aclprofAicoreMetrics.\n"
	       "fd: int, descriptor that records are written to; closed when the last\n"
	       "  subscription with it ends.\n"
	       "Returns an int for model_subscribe, 0 on failure.\n"
	       "Calls aclprofCreateSubscribeConfig."),
	METHOD(destroy_subscribe_config, "subscribe_config, /",
	       "Free what create_subscribe_config returned; subscriptions go on.\n\n"
	       "subscribe_config: int from create_subscribe_config.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofDestroySubscribeConfig."),
	METHOD(model_subscribe, "model_id, subscribe_config, /",
	       "Receive what a loaded model's operators did.\n\n"
	       "model_id: int.\n"
	       "subscribe_config: int from create_subscribe_config.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofModelSubscribe. Lets other threads run."),
	METHOD(model_un_subscribe, "model_id, /",
	       "End a subscription, when the reader has had all of it.\n\n"
	       "model_id: int.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofModelUnSubscribe. Lets other threads run."),
	METHOD(model_unsubscribe, "model_id, /",
	       "The other spelling of model_un_subscribe.\n\n"
	       "model_id: int.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofModelUnSubscribe. Lets other threads run."),
	METHOD(get_op_desc_size, NO_PARAMETERS,
	       "Bytes of one record.\n\n"
	       "Returns (size, ret).\n"
	       "Calls aclprofGetOpDescSize."),
	METHOD(get_op_num, "data, length, /",
	       "Number of records.\n\n"
	       "data: int, address of the records.\n"
	       "length: int, their bytes.\n"
	       "Returns (number, ret).\n"
	       "Calls aclprofGetOpNum."),
	METHOD(get_op_type_len, "data, length, index, /",
	       "Bytes of the operator's type, a zero at the end included.\n\n" RECORD
	       "Returns (length, ret).\n"
	       "Calls aclprofGetOpTypeLen."),
	METHOD(get_op_type, "data, length, index, buffer_length, /",
	       "Type of the operator, once.\n\n" RECORD
	       "buffer_length: int, room in bytes, at most 4096.\n"
	       "Returns (type, ret), an empty type on failure.\n"
	       "Calls aclprofGetOpType."),
	METHOD(get_op_type_v2, "data, length, index, /",
	       "Type of the operator, of any length, once.\n\n" RECORD
	       "Returns (type, ret), (None, ret) when the length is not known.\n"
	       "Calls aclprofGetOpTypeLen and aclprofGetOpType."),
	METHOD(get_op_name_len, "data, length, index, /",
	       "Bytes of the operator's name, a zero at the end included.\n\n" RECORD
	       "Returns (length, ret).\n"
	       "Calls aclprofGetOpNameLen."),
	METHOD(get_op_name, "data, length, index, buffer_length, /",
	       "Name of the operator, once.\n\n" RECORD
	       "buffer_length: int, room in bytes, at most 4096.\n"
	       "Returns (name, ret), an empty name on failure.\n"
	       "Calls aclprofGetOpName."),
	METHOD(get_op_name_v2, "data, length, index, /",
	       "Name of the operator, of any length, once.\n\n" RECORD
	       "Returns (name, ret), (None, ret) when the length is not known.\n"
	       "Calls aclprofGetOpNameLen and aclprofGetOpName."),
	METHOD(get_op_start, "data, length, index, /",
	       "When the operator began, in ns.\n\n" RECORD
	       "Returns an int, 0 on failure.\n"
	       "Calls aclprofGetOpStart."),
	METHOD(get_op_end, "data, length, index, /",
	       "When the operator ended, in ns.\n\n" RECORD
	       "Returns an int, 0 on failure.\n"
	       "Calls aclprofGetOpEnd."),
	METHOD(get_op_duration, "data, length, index, /",
	       "How long the operator took, scheduling included, in microseconds.\n\n" RECORD
	       "Returns an int, 0 on failure.\n"
	       "Calls aclprofGetOpDuration."),
	METHOD(get_model_id, "data, length, index, /",
	       "The model that the operator belongs to.\n\n" RECORD
	       "Returns an int, an error code on failure.\n"
	       "Calls aclprofGetModelId."),
	METHOD(mark_ex, "msg, stream, /",
	       "Record an instant on the host and on a stream of a device.\n\n"
	       "msg: str of 1 to 155 bytes as UTF-8.\n"
	       "stream: int, a stream of the device runtime.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofMarkEx. Lets other threads run."),
	METHOD(create_step_info, NO_PARAMETERS,
	       "Get an object that marks begin and end of a step.\n\n"
	       "Returns an int, 0 on failure.\n"
	       "Calls aclprofCreateStepInfo."),
	METHOD(get_step_timestamp, "step_info, tag, stream, /",
	       "Mark begin or end of a step on a stream.\n\n"
	       "step_info: int from create_step_info.\n"
	       "tag: 0 for the begin, 1 for the end.\n"
	       "stream: int, a stream of the device runtime.\n"
	       "Returns 0 or an error code.\n"
	       "Calls aclprofGetStepTimestamp. Lets other threads run."),
	METHOD(destroy_step_info, "step_info, /",
	       "Give back what create_step_info returned.\n\n"
	       "step_info: int from create_step_info.\n"
	       "Returns None.\n"
	       "Calls aclprofDestroyStepInfo."),
	{ NULL, NULL, 0, NULL },
};
