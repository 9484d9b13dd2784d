/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python module `acl`: argument and return conventions of pyACL over the C
 * functions. It keeps no Python object and no state of its own; what functions
 * do is the library's affair.
 */
#ifndef ASCPROF_PYTHON_MODULE_H
#define ASCPROF_PYTHON_MODULE_H

/* One binary for Python 3.9 and every later one. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <stdbool.h>

#include <acl/acl_prof.h>

/* A docstring whose first line tells help() and inspect the parameters. */
#define DOC(name, parameters, text) name "($module, " parameters ")\n--\n\n" text
/* pyACL ignores what functions without parameters are given, and so do we. */
#define NO_PARAMETERS "/, *ignored"

extern PyMethodDef prof_methods[];
extern PyMethodDef subscribe_methods[];

/* Raises TypeError with the one text that pyACL has for bad arguments; NULL. */
PyObject *args_failed(const char *function);

static inline PyObject *code(aclError ret)
{
	return PyLong_FromLong(ret);
}

#endif /* ASCPROF_PYTHON_MODULE_H */
