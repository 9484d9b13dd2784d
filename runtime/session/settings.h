/* SPDX-License-Identifier: Apache-2.0 */
/* The options of aclprofSetConfig() and acl.json: their grammar, and their values. */
#ifndef ASCPROF_SETTINGS_H
#define ASCPROF_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_prof.h"
#include "log/log.h"

#define SETTINGS_TEXT_MAX 256u /* bytes of a value */

enum llc_mode { LLC_READ, LLC_WRITE };

/* What ACL_PROF_HOST_SYS and ACL_PROF_HOST_SYS_USAGE list. */
enum host_item {
	HOST_CPU = 1u << 0,
	HOST_MEM = 1u << 1,
	HOST_DISK = 1u << 2,
	HOST_NETWORK = 1u << 3,
	HOST_OSRT = 1u << 4,
	HOST_NUMA = 1u << 5,
};

/* Zero and empty: not set, and so not collected. */
struct settings {
	uint64_t storage_limit_mb;
	uint32_t hardware_mem_hz;
	uint32_t io_hz;
	uint32_t interconnection_hz;
	uint32_t dvpp_hz;
	uint32_t low_power_hz;
	uint32_t cpu_hz;
	uint32_t host_usage_hz;
	uint32_t host_sys; /* enum host_item */
	uint32_t host_usage;
	enum llc_mode llc_mode;
	char serviceflow[SETTINGS_TEXT_MAX + 1];
	char optype[SETTINGS_TEXT_MAX + 1];
	char nts_metrics[SETTINGS_TEXT_MAX + 1];
};

/* Checks the arguments that are wrong whatever the state. */
aclError settings_check_arguments(aclprofConfigType type, const char *config, size_t length);

/* Who sets what, and how a refusal is told. */
struct setter {
	const char *call; /* the function */
	const char *name; /* of the type, or the key */
	aclError code;
	enum ek ek;
};

/* Changes @s, or leaves it as it was. ACL_PROF_PATH is not for here: it belongs to the session. */
aclError settings_set(struct settings *s, aclprofConfigType type, const char *config, const struct setter *by);

/* The setter that aclprofSetConfig() is. */
struct setter settings_setter(aclprofConfigType type);

/* Name of a type, for messages. */
const char *settings_name(aclprofConfigType type);

/* Calls @fn for each option that is set and that nothing here can collect; @driver: the vendor's is there. */
void settings_missing(const struct settings *s, bool driver, void (*fn)(void *arg, const char *name, const char *why), void *arg);

#endif /* ASCPROF_SETTINGS_H */
