// SPDX-License-Identifier: Apache-2.0
/*
 * closer LIBRARY DIRECTORY exit|stay|again [npu]
 *
 * A program that is not linked with the library: it loads it, records some
 * marks, closes it, and ends, or lives on, or loads it again to stop. npu: with
 * what device 0 has.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_prof.h"

#define MARKS 1000

static void *library;

static void *function(const char *name)
{
	void *address = dlsym(library, name);

	if (!address) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return address;
}

#define CALL(name) ((__typeof__(name) *)function(#name))

static void must(int code, const char *what)
{
	if (code) {
		fprintf(stderr, "%s: %d\n", what, code);
		exit(1);
	}
}

static void load(const char *path)
{
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint32_t device = 0, devices = argc == 5;
	aclprofConfig *config;
	void *stamp;

	if (argc != 4 && argc != 5)
		return 2;
	load(argv[1]);
	must(CALL(aclprofInit)(argv[2], strlen(argv[2])), "Init");
	config = CALL(aclprofCreateConfig)(&device, devices, ACL_AICORE_NONE, NULL,
					   ACL_PROF_MSPROFTX | (devices ? ACL_PROF_TASK_TIME : 0));
	must(CALL(aclprofStart)(config), "Start");
	stamp = CALL(aclprofCreateStamp)();
	must(CALL(aclprofSetStampTraceMessage)(stamp, "closed", 6), "SetStampTraceMessage");
	for (int i = 0; i < MARKS; i++)
		must(CALL(aclprofMark)(stamp), "Mark");
	must(dlclose(library), "dlclose");
	printf("closed\n");
	fflush(stdout);
	if (!strcmp(argv[3], "stay"))
		pause();
	if (!strcmp(argv[3], "again")) {
		load(argv[1]);
		must(CALL(aclprofMark)(stamp), "Mark");
		must(CALL(aclprofStop)(config), "Stop");
		must(CALL(aclprofFinalize)(), "Finalize");
	}
	return 0;
}
