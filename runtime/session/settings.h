/* SPDX-License-Identifier: Apache-2.0 */
/* The options of aclprofSetConfig(): their grammar, and their values. */
#ifndef ASCPROF_SETTINGS_H
#define ASCPROF_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_prof.h"

enum llc_mode { LLC_READ, LLC_WRITE };

struct settings {
	uint64_t storage_limit_mb; /* 0: not set */
	uint32_t hardware_mem_hz; /* 0: not collected; likewise the next two */
	uint32_t io_hz;
	uint32_t dvpp_hz;
	enum llc_mode llc_mode;
};

/* Checks the arguments that are wrong whatever the state. */
aclError settings_check_arguments(aclprofConfigType type, const char *config, size_t length);
/* Changes @s, or leaves it as it was. */
aclError settings_set(struct settings *s, aclprofConfigType type, const char *config);

#endif /* ASCPROF_SETTINGS_H */
