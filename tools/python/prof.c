/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl.prof: sessions and annotations. Calls that may wait for a disk or for the
 * session's lock let other Python threads run meanwhile; annotations are too
 * short for that.
 */
#include "tools/python/module.h"

#include <stdint.h>
#include <string.h>

PyObject *args_failed(const char *function)
{
	PyErr_Format(PyExc_TypeError, "%s args parse failed", function);
	return NULL;
}

/* The parser's format "k", without the parser: annotations are called often. */
static inline bool one_pointer(PyObject *args, void **out)
{
	PyObject *value;

	if (PyTuple_Size(args) != 1)
		return false;
	value = PyTuple_GetItem(args, 0);
	if (!PyLong_Check(value))
		return false;
	*out = (void *)PyLong_AsUnsignedLongMask(value);
	return true;
}

/* ---- session ---- */

static PyObject *init(PyObject *self, PyObject *args)
{
	const char *path;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &path))
		return args_failed("acl.prof.init");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofInit(path, strlen(path));
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *finalize(PyObject *self, PyObject *args)
{
	aclError ret;

	(void)self;
	(void)args;
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofFinalize();
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *set_config(PyObject *self, PyObject *args)
{
	const char *config;
	aclError ret;
	int type;

	(void)self;
	if (!PyArg_ParseTuple(args, "is", &type, &config))
		return args_failed("acl.prof.set_config");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofSetConfig((aclprofConfigType)type, config, strlen(config));
	Py_END_ALLOW_THREADS
	return code(ret);
}

/* Copies the items, cut to 32 bits as pyACL does. Return: false with an exception. */
static bool device_ids(PyObject *list, uint32_t *ids, Py_ssize_t n)
{
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PyList_GetItem(list, i);
		unsigned long long id;

		if (!PyLong_Check(item)) {
			PyErr_SetString(PyExc_TypeError, "the first argument is not list of int");
			return false;
		}
		id = PyLong_AsUnsignedLongLong(item);
		if (id == (unsigned long long)-1 && PyErr_Occurred()) {
			PyErr_Format(PyExc_ValueError,
				     "acl.prof.create_config: device_list[%zd] is out of range, expected 0 to 2**64-1",
				     i);
			return false;
		}
		ids[i] = (uint32_t)id;
	}
	return true;
}

static PyObject *create_config(PyObject *self, PyObject *args)
{
	unsigned long long bits;
	unsigned long events;
	PyObject *list, *result = NULL;
	uint32_t *ids;
	Py_ssize_t n;
	int metrics;

	(void)self;
	if (!PyArg_ParseTuple(args, "OikK", &list, &metrics, &events, &bits))
		return args_failed("acl.prof.create_config");
	if (!PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "argument 1 is not list");
		return NULL;
	}
	n = PyList_Size(list);
	ids = PyMem_Malloc((size_t)n * sizeof(*ids));
	if (!ids)
		return PyErr_NoMemory();
	if (device_ids(list, ids, n))
		result = PyLong_FromVoidPtr(aclprofCreateConfig(ids, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
								(aclprofAicoreMetrics)metrics,
								(const aclprofAicoreEvents *)events, bits));
	PyMem_Free(ids);
	return result;
}

static PyObject *destroy_config(PyObject *self, PyObject *args)
{
	void *config;

	(void)self;
	if (!one_pointer(args, &config))
		return args_failed("acl.prof.destroy_config");
	return code(aclprofDestroyConfig(config));
}

static PyObject *start(PyObject *self, PyObject *args)
{
	void *config;
	aclError ret;

	(void)self;
	if (!one_pointer(args, &config))
		return args_failed("acl.prof.start");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofStart(config);
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *stop(PyObject *self, PyObject *args)
{
	void *config;
	aclError ret;

	(void)self;
	if (!one_pointer(args, &config))
		return args_failed("acl.prof.stop");
	Py_BEGIN_ALLOW_THREADS
	ret = aclprofStop(config);
	Py_END_ALLOW_THREADS
	return code(ret);
}

/* ---- annotations ---- */

static PyObject *create_stamp(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return PyLong_FromVoidPtr(aclprofCreateStamp());
}

static PyObject *destroy_stamp(PyObject *self, PyObject *args)
{
	void *stamp;

	(void)self;
	if (!one_pointer(args, &stamp))
		return args_failed("acl.prof.destroy_stamp");
	aclprofDestroyStamp(stamp);
	Py_RETURN_NONE;
}

static PyObject *set_stamp_trace_message(PyObject *self, PyObject *args)
{
	unsigned long stamp;
	const char *message;
	unsigned int length;

	(void)self;
	if (!PyArg_ParseTuple(args, "ksI", &stamp, &message, &length))
		return args_failed("acl.prof.set_stamp_trace_message");
	return code(aclprofSetStampTraceMessage((void *)stamp, message, length));
}

static PyObject *mark(PyObject *self, PyObject *args)
{
	void *stamp;

	(void)self;
	if (!one_pointer(args, &stamp))
		return args_failed("acl.prof.mark");
	return code(aclprofMark(stamp));
}

static PyObject *push(PyObject *self, PyObject *args)
{
	void *stamp;

	(void)self;
	if (!one_pointer(args, &stamp))
		return args_failed("acl.prof.push");
	return code(aclprofPush(stamp));
}

static PyObject *pop(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return code(aclprofPop());
}

static PyObject *range_start(PyObject *self, PyObject *args)
{
	uint32_t id = 0;
	void *stamp;
	aclError ret;

	(void)self;
	if (!one_pointer(args, &stamp))
		return args_failed("acl.prof.range_start");
	ret = aclprofRangeStart(stamp, &id);
	return Py_BuildValue("Ii", ret ? 0 : id, ret);
}

static PyObject *range_stop(PyObject *self, PyObject *args)
{
	unsigned int id;

	(void)self;
	if (!PyArg_ParseTuple(args, "I", &id))
		return args_failed("acl.prof.range_stop");
	return code(aclprofRangeStop(id));
}

PyMethodDef prof_methods[] = {
	{ "init", init, METH_VARARGS,
	  DOC("init", "profiler_result_path, /",
	      "Name the directory below which results are written; it is made if missing.\n\n"
	      "profiler_result_path: str of 1 to 4095 bytes as UTF-8.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofInit. Lets other threads run.") },
	{ "finalize", finalize, METH_VARARGS,
	  DOC("finalize", NO_PARAMETERS,
	      "Stop what still records, write it out, and forget the result directory.\n\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofFinalize. Lets other threads run.") },
	{ "create_config", create_config, METH_VARARGS,
	  DOC("create_config", "device_list, aicore_metrics, aicore_events, data_type_config, /",
	      "Describe what to record on which devices.\n\n"
	      "device_list: list of int, device ids; may be empty if data_type_config has\n"
	      "  ACL_PROF_MSPROFTX (0x80).\n"
	      "aicore_metrics: int, an aclprofAicoreMetrics.\n"
	      "aicore_events: 0.\n"
	      "data_type_config: int, OR of ACL_PROF_ bits.\n"
	      "Returns an int for start and stop, 0 on failure.\n"
	      "Raises TypeError if device_list is no list of int, ValueError if an item is\n"
	      "negative or above 2**64-1.\n"
	      "Calls aclprofCreateConfig.") },
	{ "destroy_config", destroy_config, METH_VARARGS,
	  DOC("destroy_config", "profiler_config, /",
	      "Free what create_config returned; what records goes on.\n\n"
	      "profiler_config: int from create_config.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofDestroyConfig.") },
	{ "start", start, METH_VARARGS,
	  DOC("start", "profiler_config, /",
	      "Begin to record, into a new PROF_* directory.\n\n"
	      "profiler_config: int from create_config.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofStart. Lets other threads run.") },
	{ "stop", stop, METH_VARARGS,
	  DOC("stop", "profiler_config, /",
	      "End recording; everything is on disk when it returns.\n\n"
	      "profiler_config: what start was given, or an equal one.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofStop. Lets other threads run.") },
	{ "set_config", set_config, METH_VARARGS,
	  DOC("set_config", "config_type, config, /",
	      "Set one option for the next start.\n\n"
	      "config_type: int, one aclprofConfigType.\n"
	      "config: str, its value (\"50\", not 50).\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofSetConfig. Lets other threads run.") },
	{ "create_stamp", create_stamp, METH_VARARGS,
	  DOC("create_stamp", NO_PARAMETERS,
	      "Get a stamp, which carries an annotation.\n\n"
	      "Returns an int, 0 when nothing records ACL_PROF_MSPROFTX.\n"
	      "Calls aclprofCreateStamp.") },
	{ "destroy_stamp", destroy_stamp, METH_VARARGS,
	  DOC("destroy_stamp", "stamp, /",
	      "Give a stamp back; ranges begun with it stay open.\n\n"
	      "stamp: int from create_stamp.\n"
	      "Returns None.\n"
	      "Calls aclprofDestroyStamp.") },
	{ "set_stamp_trace_message", set_stamp_trace_message, METH_VARARGS,
	  DOC("set_stamp_trace_message", "stamp, msg, msg_len, /",
	      "Set the text of a stamp.\n\n"
	      "stamp: int from create_stamp.\n"
	      "msg: str.\n"
	      "msg_len: int, bytes of its UTF-8 form that count, at most 127; for text beyond\n"
	      "  ASCII that is len(msg.encode()).\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofSetStampTraceMessage.") },
	{ "mark", mark, METH_VARARGS,
	  DOC("mark", "stamp, /",
	      "Record an instant.\n\n"
	      "stamp: int from create_stamp.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofMark.") },
	{ "push", push, METH_VARARGS,
	  DOC("push", "stamp, /",
	      "Begin a range that this thread ends with pop; they nest.\n\n"
	      "stamp: int from create_stamp.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofPush.") },
	{ "pop", pop, METH_VARARGS,
	  DOC("pop", NO_PARAMETERS,
	      "End the range that this thread pushed last.\n\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofPop.") },
	{ "range_start", range_start, METH_VARARGS,
	  DOC("range_start", "stamp, /",
	      "Begin a range that any thread may end.\n\n"
	      "stamp: int from create_stamp.\n"
	      "Returns (range_id, ret): the id for range_stop, 0 on failure; 0 or an error code.\n"
	      "Calls aclprofRangeStart.") },
	{ "range_stop", range_stop, METH_VARARGS,
	  DOC("range_stop", "range_id, /",
	      "End a range, from any thread.\n\n"
	      "range_id: int from range_start.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclprofRangeStop.") },
	{ NULL, NULL, 0, NULL },
};
