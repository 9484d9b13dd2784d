/* SPDX-License-Identifier: Apache-2.0 */
/* The result path of aclprofInit(), and the PROF_* directories below it. */
#ifndef ASCPROF_PATH_H
#define ASCPROF_PATH_H

#include <limits.h>

#include "acl/acl_base.h"

/*
 * Makes @path absolute in @out (PATH_MAX bytes) and checks its characters.
 * @call names the function in messages. Return: 0 or ACL_ERROR_INVALID_FILE.
 */
aclError path_absolute(const char *call, const char *path, char *out);

/* Makes what is missing of @path; it must be a directory we can write. */
aclError path_prepare(const char *call, const char *path);

/*
 * A new directory PROF_<index>_<time>_<pid and letters> below @parent, mode
 * 0750. Its name is put into @name (PATH_MAX bytes, with @parent). Return: its
 * descriptor, or -1 with the reason told.
 */
int path_new_result(const char *parent, unsigned int index, char *name);

#endif /* ASCPROF_PATH_H */
