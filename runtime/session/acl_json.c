/* SPDX-License-Identifier: Apache-2.0 */
#include "session/acl_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/json_read.h"
#include "log/log.h"

#define FILE_MAX (1u << 20)
#define TEXT_MAX 4096

/* What a key's value may be, and what it does. */
struct reading {
	const struct json_doc *doc;
	struct acl_json *out;
	const char *who; /* the function, or the variable, for messages */
};

struct word {
	const char *text;
	uint64_t bits;
};

struct key {
	const char *name;
	/* Exactly one of the three kinds: */
	const struct word *words; /* a string out of these */
	aclprofConfigType type; /* an option of aclprofSetConfig */
	aclError (*special)(struct reading *r, const struct key *k, const struct json_node *value);
	bool integer; /* with `type`: a JSON number instead of a string */
};

static const struct word on_off_api[] = { { "on", ACL_PROF_ACL_API }, { "off", 0 }, { 0 } };
static const struct word on_off_runtime[] = { { "on", ACL_PROF_RUNTIME_API }, { "off", 0 }, { 0 } };
static const struct word on_off_aicpu[] = { { "on", ACL_PROF_AICPU }, { "off", 0 }, { 0 } };
static const struct word on_off_l2[] = { { "on", ACL_PROF_L2CACHE }, { "off", 0 }, { 0 } };
static const struct word on_off_hccl[] = { { "on", ACL_PROF_HCCL_TRACE }, { "off", 0 }, { 0 } };
static const struct word on_off_tx[] = { { "on", ACL_PROF_MSPROFTX }, { "off", 0 }, { 0 } };
static const struct word on_off_memory[] = { { "on", ACL_PROF_TASK_MEMORY }, { "off", 0 }, { 0 } };
static const struct word on_off_nothing[] = { { "on", 0 }, { "off", 0 }, { 0 } };
static const struct word task_time[] = {
	{ "on", ACL_PROF_TASK_TIME }, { "off", 0 }, { "l0", ACL_PROF_TASK_TIME_L0 }, { "l1", ACL_PROF_TASK_TIME },
	{ "l2", ACL_PROF_TASK_TIME_L2 }, { "l3", ACL_PROF_TASK_TIME_L3 }, { 0 },
};
static const struct word ge_api[] = {
	{ "off", 0 }, { "l0", ACL_PROF_GE_API_L0 }, { "l1", ACL_PROF_GE_API_L0 | ACL_PROF_GE_API_L1 }, { 0 },
};

static const char *const metric_names[] = {
	[ACL_AICORE_ARITHMETIC_UTILIZATION] = "ArithmeticUtilization",
	[ACL_AICORE_PIPE_UTILIZATION] = "PipeUtilization",
	[ACL_AICORE_MEMORY_BANDWIDTH] = "Memory",
	[ACL_AICORE_L0B_AND_WIDTH] = "MemoryL0",
	[ACL_AICORE_RESOURCE_CONFLICT_RATIO] = "ResourceConflictRatio",
	[ACL_AICORE_MEMORY_UB] = "MemoryUB",
	[ACL_AICORE_L2_CACHE] = "L2Cache",
	[ACL_AICORE_PIPE_EXECUTE_UTILIZATION] = "PipelineExecuteUtilization",
	[ACL_AICORE_MEMORY_ACCESS] = "MemoryAccess",
};

static aclError wrong(const struct reading *r, const struct key *k, const char *expected)
{
	return fail_as(EK_JSON, ACL_ERROR_INVALID_PARAM, "%s: profiler.%s: expected %s", r->who, k->name, expected);
}

static bool text_of(const struct reading *r, const struct json_node *value, char *text)
{
	return json_get_string(r->doc, value, text, TEXT_MAX) >= 0;
}

static aclError read_switch(struct reading *r, const struct key *k, const struct json_node *value)
{
	char text[TEXT_MAX];

	if (!text_of(r, value, text))
		return wrong(r, k, "\"on\" or \"off\"");
	r->out->on = !strcmp(text, "on");
	return ACL_SUCCESS;
}

static aclError read_output(struct reading *r, const struct key *k, const struct json_node *value)
{
	if (json_get_string(r->doc, value, r->out->output, sizeof(r->out->output)) < 0)
		return wrong(r, k, "the path of a directory");
	return ACL_SUCCESS;
}

/* "Custom:" and up to eight events, decimal or 0x... */
static bool custom_metrics(const char *text)
{
	char *end;
	int events = 0;

	if (strncmp(text, "Custom:", 7))
		return false;
	text += 7;
	do {
		if (*text < '0' || *text > '9' || ++events > 8)
			return false;
		errno = 0;
		if (strtoul(text, &end, 0) > UINT16_MAX || errno)
			return false;
		text = end + 1;
	} while (*end == ',');
	return !*end;
}

static aclError read_metrics(struct reading *r, const struct key *k, const struct json_node *value)
{
	char text[TEXT_MAX];

	if (!text_of(r, value, text) || strlen(text) > 70)
		return wrong(r, k, "the name of a metric group, or \"Custom:\" and up to 8 events");
	r->out->bits &= ~ACL_PROF_AICORE_METRICS;
	r->out->metrics = ACL_AICORE_NONE;
	if (!*text)
		return ACL_SUCCESS;
	r->out->bits |= ACL_PROF_AICORE_METRICS;
	if (custom_metrics(text))
		return ACL_SUCCESS;
	for (size_t i = 0; i < sizeof(metric_names) / sizeof(metric_names[0]); i++) {
		if (!strcmp(text, metric_names[i])) {
			r->out->metrics = (aclprofAicoreMetrics)i;
			return ACL_SUCCESS;
		}
	}
	return wrong(r, k, "the name of a metric group, or \"Custom:\" and up to 8 events");
}

static aclError read_instr_freq(struct reading *r, const struct key *k, const struct json_node *value)
{
	uint64_t cycles;

	if (!json_get_u64(r->doc, value, &cycles) || cycles < 300 || cycles > 30000)
		return wrong(r, k, "a number of cycles from 300 to 30000");
	return ACL_SUCCESS;
}

static const struct key keys[] = {
	{ .name = "switch", .special = read_switch },
	{ .name = "output", .special = read_output },
	{ .name = "storage_limit", .type = ACL_PROF_STORAGE_LIMIT },
	{ .name = "aic_metrics", .special = read_metrics },
	{ .name = "ascendcl", .words = on_off_api },
	{ .name = "runtime_api", .words = on_off_runtime },
	{ .name = "task_time", .words = task_time },
	{ .name = "aicpu", .words = on_off_aicpu },
	{ .name = "l2", .words = on_off_l2 },
	{ .name = "hccl", .words = on_off_hccl },
	{ .name = "msproftx", .words = on_off_tx },
	{ .name = "task_memory", .words = on_off_memory },
	{ .name = "task_tsfw", .words = on_off_nothing },
	{ .name = "ge_api", .words = ge_api },
	{ .name = "instr_profiling", .words = on_off_nothing },
	{ .name = "instr_profiling_freq", .special = read_instr_freq },
	{ .name = "sys_hardware_mem_freq", .type = ACL_PROF_SYS_HARDWARE_MEM_FREQ, .integer = true },
	{ .name = "llc_profiling", .type = ACL_PROF_LLC_MODE },
	{ .name = "sys_io_sampling_freq", .type = ACL_PROF_SYS_IO_FREQ, .integer = true },
	{ .name = "sys_interconnection_freq", .type = ACL_PROF_SYS_INTERCONNECTION_FREQ, .integer = true },
	{ .name = "dvpp_freq", .type = ACL_PROF_DVPP_FREQ, .integer = true },
	{ .name = "host_sys", .type = ACL_PROF_HOST_SYS },
	{ .name = "host_sys_usage", .type = ACL_PROF_HOST_SYS_USAGE },
	{ .name = "host_sys_usage_freq", .type = ACL_PROF_HOST_SYS_USAGE_FREQ, .integer = true },
	{ .name = "sys_lp_freq", .type = ACL_PROF_LOW_POWER_FREQ, .integer = true },
	{ .name = "sys_mem_serviceflow", .type = ACL_PROF_SYS_MEM_SERVICEFLOW },
	{ .name = "sys_cpu_freq", .type = ACL_PROF_SYS_CPU_FREQ, .integer = true },
	{ .name = "optype", .type = ACL_PROF_OPTYPE },
};

static aclError read_word(struct reading *r, const struct key *k, const struct json_node *value)
{
	char text[TEXT_MAX], expected[128] = "one of";
	uint64_t mine = 0;

	for (const struct word *w = k->words; w->text; w++) {
		mine |= w->bits;
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), " \"%s\"", w->text);
	}
	for (const struct word *w = k->words; text_of(r, value, text) && w->text; w++) {
		if (strcmp(w->text, text))
			continue;
		r->out->bits = (r->out->bits & ~mine) | w->bits;
		return ACL_SUCCESS;
	}
	return wrong(r, k, expected);
}

/* The same judge as aclprofSetConfig's; what it refuses is a bad parameter here. */
static aclError read_option(struct reading *r, const struct key *k, const struct json_node *value)
{
	char text[TEXT_MAX], name[64];
	uint64_t n;

	if (k->integer) {
		if (!json_get_u64(r->doc, value, &n))
			return wrong(r, k, "a whole number");
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	} else if (!text_of(r, value, text) || strlen(text) > SETTINGS_TEXT_MAX) {
		return wrong(r, k, "a string of at most 256 bytes");
	}
	snprintf(name, sizeof(name), "profiler.%s", k->name);
	return settings_set(&r->out->settings, k->type, text,
			    &(struct setter) { r->who, name, ACL_ERROR_INVALID_PARAM, EK_JSON });
}

static aclError read_key(struct reading *r, const char *name, const struct json_node *value)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct key *k = &keys[i];

		if (strcmp(k->name, name))
			continue;
		if (k->special)
			return k->special(r, k, value);
		return k->words ? read_word(r, k, value) : read_option(r, k, value);
	}
	return fail_as(EK_PARAMETER, ACL_ERROR_INVALID_PARAM, "%s: profiler.%s: unknown key", r->who, name);
}

static aclError read_profiler(struct reading *r, const struct json_node *profiler)
{
	const struct json_node *key, *value;
	aclError ret = ACL_SUCCESS;

	/* Switched off, nothing else is looked at. */
	value = json_find(r->doc, profiler, "switch");
	if (!value)
		return ACL_SUCCESS;
	ret = read_switch(r, &keys[0], value);
	if (ret || !r->out->on)
		return ret;
	for (key = json_first(r->doc, profiler); key && !ret; key = json_next(r->doc, profiler, value)) {
		char name[TEXT_MAX];

		value = json_next(r->doc, profiler, key);
		if (json_get_string(r->doc, key, name, sizeof(name)) < 0)
			snprintf(name, sizeof(name), "?");
		ret = read_key(r, name, value);
	}
	return ret;
}

/* The whole file, or NULL with the reason told. */
static char *load(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(FILE_MAX + 1);

	if (!f)
		log_line(LOG_WARN, "aclInit: configPath \"%s\": %s; not profiling", path, strerror(errno));
	if (!f || !text) {
		free(text);
		if (f)
			fclose(f);
		return NULL;
	}
	*len = fread(text, 1, FILE_MAX + 1, f);
	if (ferror(f) || *len > FILE_MAX) {
		log_line(LOG_WARN, "aclInit: configPath \"%s\": %s; not profiling", path,
			 ferror(f) ? "cannot be read" : "larger than 1 MiB");
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static void defaults(struct acl_json *out)
{
	memset(out, 0, sizeof(*out));
	out->bits = ACL_PROF_ACL_API | ACL_PROF_RUNTIME_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS;
	out->metrics = ACL_AICORE_PIPE_UTILIZATION;
}

aclError acl_json_profiler(const char *who, const struct json_doc *doc, struct acl_json *out)
{
	const struct json_node *profiler = json_find(doc, doc->node, "profiler");
	struct reading r = { doc, out, who };

	defaults(out);
	if (!profiler)
		return ACL_SUCCESS;
	if (profiler->type != JSON_OBJECT)
		return fail_as(EK_JSON, ACL_ERROR_INVALID_PARAM, "%s: profiler: expected an object", who);
	return read_profiler(&r, profiler);
}

aclError acl_json_read(const char *path, struct acl_json *out)
{
	struct json_doc doc;
	aclError ret;
	size_t len;
	char *text;

	defaults(out);
	text = load(path, &len);
	if (!text)
		return ACL_SUCCESS;
	if (!json_read(&doc, text, len, FILE_MAX)) {
		log_line(LOG_WARN, "aclInit: configPath \"%s\": byte %zu: %s; not profiling", path, doc.error_at,
			 doc.error);
		free(text);
		return ACL_SUCCESS;
	}
	ret = acl_json_profiler("aclInit", &doc, out);
	json_doc_free(&doc);
	free(text);
	return ret;
}

aclError acl_json_read_profiler(const char *text, size_t len, struct acl_json *out)
{
	struct json_doc doc;
	struct reading r = { &doc, out, "MsprofInit" };
	aclError ret;

	defaults(out);
	if (len && !text[len - 1])
		len--;
	if (!json_read(&doc, text, len, FILE_MAX))
		return fail_as(EK_JSON, ACL_ERROR_INVALID_PARAM, "MsprofInit: byte %zu: %s", doc.error_at, doc.error);
	if (doc.node->type == JSON_OBJECT)
		ret = read_profiler(&r, doc.node);
	else
		ret = fail_as(EK_JSON, ACL_ERROR_INVALID_PARAM, "MsprofInit: data: expected an object");
	json_doc_free(&doc);
	return ret;
}
