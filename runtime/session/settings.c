/* SPDX-License-Identifier: Apache-2.0 */
#include "session/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

#define NTS_EVENTS_MAX 10

/* One value to judge, and whom to name when it is refused. */
struct value {
	const char *text;
	const struct setter *by;
};

static aclError refused(const struct value *v, const char *expected)
{
	return fail_as(v->by->ek, v->by->code, "%s: %s: value is \"%s\", expected %s", v->by->call, v->by->name,
		       v->text, expected);
}

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

static aclError set_hz(const struct value *v, uint32_t *hz, uint32_t max)
{
	char expected[64];
	uint64_t value;

	snprintf(expected, sizeof(expected), "a frequency in Hz from \"1\" to \"%u\"", max);
	if (!number(v->text, strlen(v->text), 1, max, &value))
		return refused(v, expected);
	*hz = (uint32_t)value;
	return ACL_SUCCESS;
}

static aclError set_storage_limit(const struct value *v, struct settings *s)
{
	size_t len = strlen(v->text);
	uint64_t mb = 0;

	if (len && (len < 3 || strcmp(v->text + len - 2, "MB") ||
		    !number(v->text, len - 2, 200, 4294967296u, &mb)))
		return refused(v, "\"200MB\" to \"4294967296MB\"");
	s->storage_limit_mb = mb;
	return ACL_SUCCESS;
}

static aclError set_llc_mode(const struct value *v, struct settings *s)
{
	if (!strcmp(v->text, "read"))
		s->llc_mode = LLC_READ;
	else if (!strcmp(v->text, "write"))
		s->llc_mode = LLC_WRITE;
	else
		return refused(v, "\"read\" or \"write\"");
	return ACL_SUCCESS;
}

/* ---- comma lists: nothing is trimmed, no item is empty ---- */

static bool next_item(const char **at, const char **item, size_t *len)
{
	const char *comma;

	if (!*at)
		return false;
	*item = *at;
	comma = strchr(*at, ',');
	*len = comma ? (size_t)(comma - *at) : strlen(*at);
	*at = comma ? comma + 1 : NULL;
	return true;
}

static aclError add_host_items(const struct value *v, uint32_t *items, uint32_t allowed, const char *expected)
{
	static const char *const names[] = { "cpu", "mem", "disk", "network", "osrt", "numa" };
	const char *at = *v->text ? v->text : NULL, *item;
	uint32_t found = 0;
	size_t len;

	while (next_item(&at, &item, &len)) {
		uint32_t bit = 0;

		for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i]) == len && !memcmp(names[i], item, len))
				bit = 1u << i;
		if (!(bit & allowed))
			return refused(v, expected);
		found |= bit;
	}
	*items |= found;
	return ACL_SUCCESS;
}

static bool listed(const char *list, const char *item, size_t len)
{
	const char *at = *list ? list : NULL, *have;
	size_t n;

	while (next_item(&at, &have, &n))
		if (n == len && !memcmp(have, item, len))
			return true;
	return false;
}

static aclError set_optype(const struct value *v, struct settings *s)
{
	char kept[SETTINGS_TEXT_MAX + 1] = "";
	const char *at = v->text, *item;
	size_t len, used = 0;

	while (next_item(&at, &item, &len)) {
		if (!len)
			return refused(v, "operator types, separated by single commas");
		if (listed(kept, item, len))
			continue;
		used += (size_t)snprintf(kept + used, sizeof(kept) - used, "%s%.*s", used ? "," : "", (int)len, item);
	}
	memcpy(s->optype, kept, sizeof(kept));
	return ACL_SUCCESS;
}

static bool event_number(const char *item, size_t len)
{
	char text[16], *end;
	unsigned long n;

	if (!len || len >= sizeof(text) || item[0] < '0' || item[0] > '9')
		return false;
	memcpy(text, item, len);
	text[len] = '\0';
	errno = 0;
	n = strtoul(text, &end, 0);
	return !*end && !errno && n <= 65535;
}

static aclError set_nts_metrics(const struct value *v, struct settings *s)
{
	static const char custom[] = "Custom:";
	const char *at = v->text, *item;
	int events = 0;
	size_t len;

	if (strcmp(v->text, "PipeUtilization")) {
		if (strncmp(v->text, custom, sizeof(custom) - 1))
			return refused(v, "\"PipeUtilization\", or \"Custom:\" and 1 to 10 events");
		at += sizeof(custom) - 1;
		while (next_item(&at, &item, &len))
			if (!event_number(item, len) || ++events > NTS_EVENTS_MAX)
				return refused(v, "\"Custom:\" and 1 to 10 events of 0 to 65535, separated by commas");
	}
	snprintf(s->nts_metrics, sizeof(s->nts_metrics), "%s", v->text);
	return ACL_SUCCESS;
}

static aclError set_serviceflow(const struct value *v, struct settings *s)
{
	if (!*v->text)
		return refused(v, "names of flows, separated by commas");
	snprintf(s->serviceflow, sizeof(s->serviceflow), "%s", v->text);
	return ACL_SUCCESS;
}

/* ---- the public functions ---- */

static const char *const type_names[ACL_PROF_ARGS_MAX] = {
	[ACL_PROF_STORAGE_LIMIT] = "ACL_PROF_STORAGE_LIMIT",
	[ACL_PROF_SYS_HARDWARE_MEM_FREQ] = "ACL_PROF_SYS_HARDWARE_MEM_FREQ",
	[ACL_PROF_LLC_MODE] = "ACL_PROF_LLC_MODE",
	[ACL_PROF_SYS_IO_FREQ] = "ACL_PROF_SYS_IO_FREQ",
	[ACL_PROF_SYS_INTERCONNECTION_FREQ] = "ACL_PROF_SYS_INTERCONNECTION_FREQ",
	[ACL_PROF_DVPP_FREQ] = "ACL_PROF_DVPP_FREQ",
	[ACL_PROF_HOST_SYS] = "ACL_PROF_HOST_SYS",
	[ACL_PROF_HOST_SYS_USAGE] = "ACL_PROF_HOST_SYS_USAGE",
	[ACL_PROF_HOST_SYS_USAGE_FREQ] = "ACL_PROF_HOST_SYS_USAGE_FREQ",
	[ACL_PROF_LOW_POWER_FREQ] = "ACL_PROF_LOW_POWER_FREQ",
	[ACL_PROF_SYS_MEM_SERVICEFLOW] = "ACL_PROF_SYS_MEM_SERVICEFLOW",
	[ACL_PROF_SYS_CPU_FREQ] = "ACL_PROF_SYS_CPU_FREQ",
	[ACL_PROF_OPTYPE] = "ACL_PROF_OPTYPE",
	[ACL_PROF_NTS_METRICS] = "ACL_PROF_NTS_METRICS",
	[ACL_PROF_PATH] = "ACL_PROF_PATH",
};

const char *settings_name(aclprofConfigType type)
{
	return type_names[type] ? type_names[type] : "configType 2";
}

aclError settings_check_arguments(aclprofConfigType type, const char *config, size_t length)
{
	if ((int)type <= ACL_PROF_ARGS_MIN || (int)type >= ACL_PROF_ARGS_MAX)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: configType is %d, expected 1 to %d",
			    (int)type, ACL_PROF_ARGS_MAX - 1);
	if (length > SETTINGS_TEXT_MAX)
		return fail(ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: configLength is %zu, expected at most %u",
			    length, SETTINGS_TEXT_MAX);
	if (!config)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofSetConfig: config is NULL, expected text");
	if (strnlen(config, length + 1) != length)
		return fail(ACL_ERROR_INVALID_PARAM,
			    "aclprofSetConfig: configLength is %zu, expected strlen(config)", length);
	return ACL_SUCCESS;
}

struct setter settings_setter(aclprofConfigType type)
{
	return (struct setter) {
		.call = "aclprofSetConfig",
		.name = settings_name(type),
		.code = type == ACL_PROF_NTS_METRICS ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_INVALID_PROFILING_CONFIG,
		.ek = EK_VALUE,
	};
}

aclError settings_set(struct settings *s, aclprofConfigType type, const char *config, const struct setter *by)
{
	const struct value v = { .text = config, .by = by };

	switch (type) {
	case ACL_PROF_STORAGE_LIMIT:
		return set_storage_limit(&v, s);
	case ACL_PROF_SYS_HARDWARE_MEM_FREQ:
		return set_hz(&v, &s->hardware_mem_hz, 100);
	case ACL_PROF_LLC_MODE:
		return set_llc_mode(&v, s);
	case ACL_PROF_SYS_IO_FREQ:
		return set_hz(&v, &s->io_hz, 100);
	case ACL_PROF_SYS_INTERCONNECTION_FREQ:
		return set_hz(&v, &s->interconnection_hz, 50);
	case ACL_PROF_DVPP_FREQ:
		return set_hz(&v, &s->dvpp_hz, 100);
	case ACL_PROF_HOST_SYS:
		return add_host_items(&v, &s->host_sys, HOST_CPU | HOST_MEM | HOST_DISK | HOST_NETWORK |
				      HOST_OSRT | HOST_NUMA, "a list of cpu, mem, disk, network, osrt, numa");
	case ACL_PROF_HOST_SYS_USAGE:
		return add_host_items(&v, &s->host_usage, HOST_CPU | HOST_MEM, "a list of cpu, mem");
	case ACL_PROF_HOST_SYS_USAGE_FREQ:
		return set_hz(&v, &s->host_usage_hz, 50);
	case ACL_PROF_LOW_POWER_FREQ:
		return set_hz(&v, &s->low_power_hz, 100);
	case ACL_PROF_SYS_MEM_SERVICEFLOW:
		return set_serviceflow(&v, s);
	case ACL_PROF_SYS_CPU_FREQ:
		return set_hz(&v, &s->cpu_hz, 50);
	case ACL_PROF_OPTYPE:
		return set_optype(&v, s);
	case ACL_PROF_NTS_METRICS:
		return set_nts_metrics(&v, s);
	default:
		return fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "%s: configType %d names no option", by->call,
			    (int)type);
	}
}

void settings_missing(const struct settings *s, bool driver, void (*fn)(void *arg, const char *name, const char *why),
		      void *arg)
{
	static const char needs[] = "needs the vendor's driver";
	static const char host[] = "has no collector in this version";

	if (s->io_hz && !driver)
		fn(arg, settings_name(ACL_PROF_SYS_IO_FREQ), needs);
	if (s->interconnection_hz && !driver)
		fn(arg, settings_name(ACL_PROF_SYS_INTERCONNECTION_FREQ), needs);
	if (s->dvpp_hz && !driver)
		fn(arg, settings_name(ACL_PROF_DVPP_FREQ), needs);
	if (s->low_power_hz && !driver)
		fn(arg, settings_name(ACL_PROF_LOW_POWER_FREQ), needs);
	if (s->cpu_hz)
		fn(arg, settings_name(ACL_PROF_SYS_CPU_FREQ), driver ? host : needs);
	if (*s->serviceflow)
		fn(arg, settings_name(ACL_PROF_SYS_MEM_SERVICEFLOW), driver ? host : needs);
	if (*s->optype)
		fn(arg, settings_name(ACL_PROF_OPTYPE), driver ? host : needs);
	if (*s->nts_metrics)
		fn(arg, settings_name(ACL_PROF_NTS_METRICS), driver ? host : needs);
	if (s->host_usage)
		fn(arg, settings_name(ACL_PROF_HOST_SYS_USAGE), "records this process and the machine, no other processes");
}
