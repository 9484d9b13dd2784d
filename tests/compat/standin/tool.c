// SPDX-License-Identifier: Apache-2.0
/*
 * Stand-in for the command-line tool that records a program which does not ask
 * for it: preloaded, it has aclInit read the acl.json that STANDIN_ACL_JSON
 * names, where the program names none.
 */
#include <dlfcn.h>
#include <stdlib.h>

int aclInit(const char *configPath);

int aclInit(const char *configPath)
{
	int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "aclInit");

	return real ? real(configPath ? configPath : getenv("STANDIN_ACL_JSON")) : -1;
}
