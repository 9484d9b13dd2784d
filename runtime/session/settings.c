/* SPDX-License-Identifier: Apache-2.0 */
#include "session/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "log/log.h"

#define VALUE_MAX_BYTES 256u

/*
 * Digits only, no more of them than the maximum has, within the limits. So
 * "05" is 5, and "0050" is refused where 100 is the maximum.
 */
static bool number(const char *text, size_t len, uint64_t min, uint64_t max, uint64_t *out)
{
	char digits[24];
	uint64_t value = 0;

	if (!len || len > (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)max))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	if (value < min || value > max)
		return false;
	*out = value;
	return true;
}

static aclError refused(const char *name, const char *value, const char *expected)
{
	return fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "aclprofSetConfig: %s: config is \"%s\", expected %s", name,
		    value, expected);
}

static aclError set_hz(uint32_t *hz, const char *name, const char *config)
{
	uint64_t value;

	if (!number(config, strlen(config), 1, 100, &value))
		return refused(name, config, "a frequency in Hz from \"1\" to \"100\"");
	*hz = (uint32_t)value;
	return ACL_SUCCESS;
}

static aclError set_storage_limit(struct settings *s, const char *config)
{
	size_t len = strlen(config);
	uint64_t mb = 0;

	if (len && (len < 3 || strcmp(config + len - 2, "MB") ||
		    !number(config, len - 2, 200, 4294967296u, &mb)))
		return refused("ACL_PROF_STORAGE_LIMIT", config, "\"200MB\" to \"4294967296MB\"");
	s->storage_limit_mb = mb;
	return ACL_SUCCESS;
}

static aclError set_llc_mode(struct settings *s, const char *config)
{
	if (!strcmp(config, "read"))
		s->llc_mode = LLC_READ;
	else if (!strcmp(config, "write"))
		s->llc_mode = LLC_WRITE;
	else
		return refused("ACL_PROF_LLC_MODE", config, "\"read\" or \"write\"");
	return ACL_SUCCESS;
}

aclError settings_check_arguments(aclprofConfigType type, const char *config, size_t length)
{
	if ((int)type <= ACL_PROF_ARGS_MIN || (int)type >= ACL_PROF_ARGS_MAX)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: configType is %d, expected 1 to %d",
			    (int)type, ACL_PROF_ARGS_MAX - 1);
	if (length > VALUE_MAX_BYTES)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: configLength is %zu, expected at most %u",
			    length, VALUE_MAX_BYTES);
	if (!config)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: config is NULL, expected text");
	if (strnlen(config, length + 1) != length)
		return fail(ACL_ERROR_INVALID_PARAM,
			    "aclprofSetConfig: configLength is %zu, expected strlen(config)", length);
	return ACL_SUCCESS;
}

aclError settings_set(struct settings *s, aclprofConfigType type, const char *config)
{
	switch (type) {
	case ACL_PROF_STORAGE_LIMIT:
		return set_storage_limit(s, config);
	case ACL_PROF_SYS_HARDWARE_MEM_FREQ:
		return set_hz(&s->hardware_mem_hz, "ACL_PROF_SYS_HARDWARE_MEM_FREQ", config);
	case ACL_PROF_LLC_MODE:
		return set_llc_mode(s, config);
	case ACL_PROF_SYS_IO_FREQ:
		return set_hz(&s->io_hz, "ACL_PROF_SYS_IO_FREQ", config);
	case ACL_PROF_DVPP_FREQ:
		return set_hz(&s->dvpp_hz, "ACL_PROF_DVPP_FREQ", config);
	default:
		return fail(ACL_ERROR_INVALID_PROFILING_CONFIG,
			    "aclprofSetConfig: configType %d is not available in this version", (int)type);
	}
}
