/* SPDX-License-Identifier: Apache-2.0 */
#include "session/request.h"

#include "collect/hub.h"
#include "log/log.h"
#include "session/session.h"

uint64_t request_number(const struct json_doc *doc, const char *key)
{
	uint64_t value;

	return json_get_u64(doc, json_find(doc, doc->node, key), &value) ? value : 0;
}

aclError request_read(const char *who, const struct json_doc *doc, struct record_request *r)
{
	r->what.on = false;
	r->devices = request_number(doc, "devices");
	if (json_get_string(doc, json_find(doc, doc->node, "id"), r->id, sizeof(r->id)) <= 0)
		return fail(ACL_ERROR_INVALID_PARAM, "%s: an id was expected", who);
	return acl_json_profiler(who, doc, &r->what);
}

aclError request_begin(const struct record_request *r, bool first)
{
	const struct acl_json *what = &r->what;
	struct aclprofConfig config = { .metrics = what->metrics };

	config.bits = config_implied_bits(first ? what->bits : what->bits & ACL_PROF_MSPROFTX);
	/* The counters of the machine are in the directory of the program, once. */
	if (first)
		config.devices = r->devices == UINT64_MAX ? hub_all_devices() : r->devices;
	return session_record_begin(r->id, what->output, &config, &what->settings, first);
}
