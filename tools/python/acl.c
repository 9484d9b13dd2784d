/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module itself, and what a profiling script needs of AscendCL beside
 * acl.prof: AscendCL's functions where they are in the process.
 */
#include "tools/python/module.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <acl/acl.h>
#include <ascprof/ascprof.h>

#define ACL_ERROR_RT_INVALID_DEVICEID 107001 /* what AscendCL returns for it */

/* Looked up at each call: AscendCL may be loaded after this module. */
static void *in_process(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* ---- acl ---- */

static PyObject *init(PyObject *self, PyObject *args)
{
	const char *path = NULL;
	aclError ret;

	(void)self;
	if (!PyArg_ParseTuple(args, "|s", &path))
		return args_failed("acl.init");
	Py_BEGIN_ALLOW_THREADS
	ret = aclInit(path);
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *finalize(PyObject *self, PyObject *args)
{
	aclError ret;

	(void)self;
	(void)args;
	Py_BEGIN_ALLOW_THREADS
	ret = aclFinalize();
	Py_END_ALLOW_THREADS
	return code(ret);
}

static PyObject *get_recent_err_msg(PyObject *self, PyObject *args)
{
	const char *text = aclGetRecentErrMsg();

	(void)self;
	(void)args;
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyMethodDef acl_methods[] = {
	{ "init", init, METH_VARARGS,
	  DOC("init", "config_path='', /",
	      "Begin, and record what a file asks for until finalize.\n\n"
	      "config_path: str, an acl.json; empty or left out: none.\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclInit. Lets other threads run.") },
	{ "finalize", finalize, METH_VARARGS,
	  DOC("finalize", NO_PARAMETERS,
	      "End what init, or acl.prof.init, began.\n\n"
	      "Returns 0 or an error code.\n"
	      "Calls aclFinalize. Lets other threads run.") },
	{ "get_recent_err_msg", get_recent_err_msg, METH_VARARGS,
	  DOC("get_recent_err_msg", NO_PARAMETERS,
	      "Why the last call of this thread that failed did so, once.\n\n"
	      "Returns a str that begins with a code of the vendor (EK0001 ...), None if\n"
	      "nothing failed since the last call.\n"
	      "Calls aclGetRecentErrMsg.") },
	{ NULL, NULL, 0, NULL },
};

/* ---- acl.rt ---- */

/*
 * Calls @name of the process. Where there is none nothing needs to be set, and
 * only the id is checked: it exists if a configuration can name it.
 */
static PyObject *on_device(PyObject *args, const char *name, const char *function)
{
	aclError (*theirs)(int32_t) = (aclError (*)(int32_t))in_process(name);
	aclprofConfig *config;
	aclError ret;
	uint32_t id;
	int device;

	if (!PyArg_ParseTuple(args, "i", &device))
		return args_failed(function);
	if (theirs) {
		Py_BEGIN_ALLOW_THREADS
		ret = theirs(device);
		Py_END_ALLOW_THREADS
		return code(ret);
	}
	id = (uint32_t)device;
	config = aclprofCreateConfig(&id, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	if (!config)
		return code(ACL_ERROR_RT_INVALID_DEVICEID);
	aclprofDestroyConfig(config);
	return code(ACL_SUCCESS);
}

static PyObject *set_device(PyObject *self, PyObject *args)
{
	(void)self;
	return on_device(args, "aclrtSetDevice", "acl.rt.set_device");
}

static PyObject *reset_device(PyObject *self, PyObject *args)
{
	(void)self;
	return on_device(args, "aclrtResetDevice", "acl.rt.reset_device");
}

static PyMethodDef rt_methods[] = {
	{ "set_device", set_device, METH_VARARGS,
	  DOC("set_device", "device_id, /",
	      "Choose the device of this thread.\n\n"
	      "device_id: int.\n"
	      "Returns what aclrtSetDevice of the process returns. Where there is none: 0 for\n"
	      "an id that create_config accepts, and 107001 for any other.\n"
	      "Lets other threads run.") },
	{ "reset_device", reset_device, METH_VARARGS,
	  DOC("reset_device", "device_id, /",
	      "Release a device.\n\n"
	      "device_id: int.\n"
	      "Returns what aclrtResetDevice of the process returns. Where there is none: 0 for\n"
	      "an id that create_config accepts, and 107001 for any other.\n"
	      "Lets other threads run.") },
	{ NULL, NULL, 0, NULL },
};

/* ---- the module ---- */

/*
 * A session is the process's: two interpreters would start and stop each
 * other's. The first that imports the module has it.
 */
static bool claim(void)
{
	static _Atomic int64_t owner = -1;
	int64_t seen = -1, self = PyInterpreterState_GetID(PyInterpreterState_Get());

	if (self < 0)
		return false;
	if (atomic_compare_exchange_strong(&owner, &seen, self) || seen == self)
		return true;
	PyErr_SetString(PyExc_ImportError, "acl: another interpreter of this process has imported it already; "
					   "profiling is for one interpreter of a process");
	return false;
}

/* Makes @name of @parent, also in sys.modules. Return: a borrowed reference, or NULL. */
static PyObject *add_submodule(PyObject *parent, const char *name, const char *doc, PyMethodDef *methods)
{
	PyObject *parent_name = PyModule_GetNameObject(parent);
	PyObject *full_name = parent_name ? PyUnicode_FromFormat("%U.%s", parent_name, name) : NULL;
	PyObject *module = full_name ? PyModule_NewObject(full_name) : NULL;

	if (module && (PyModule_SetDocString(module, doc) || PyModule_AddFunctions(module, methods) ||
		       PyDict_SetItem(PyImport_GetModuleDict(), full_name, module) ||
		       PyObject_SetAttrString(parent, name, module))) {
		Py_DECREF(module);
		module = NULL;
	}
	Py_XDECREF(module); /* the parent holds it */
	Py_XDECREF(full_name);
	Py_XDECREF(parent_name);
	return module;
}

static int fill(PyObject *module)
{
	PyObject *prof;

	if (!claim())
		return -1;
	prof = add_submodule(module, "prof",
			     "Record performance data of this process, and annotate it.\n\n"
			     "Functions return 0, or the error code of the C function; constants are\n"
			     "those of acl_prof.h. Bad arguments raise TypeError.",
			     prof_methods);
	if (!prof || PyModule_AddFunctions(prof, subscribe_methods))
		return -1;
	return add_submodule(module, "rt", "Devices.", rt_methods) ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, fill },
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "acl",
	.m_doc = "The profiling part of pyACL, on ascprof.",
	.m_methods = acl_methods,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit_acl(void); /* Python.h leaves the prototype to us */

PyMODINIT_FUNC PyInit_acl(void)
{
	return PyModuleDef_Init(&definition);
}
