/* SPDX-License-Identifier: Apache-2.0 */
/* What frameworks find by name: categories, payloads, and what is refused. */
#include "tests/unit/test_api_cases.h"
#include "tests/unit/test_api_session.h"

#include "acl/acl_prof_optional.h"
#include "tests/process/mstx.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN
#define UNSUPPORTED ACL_ERROR_FEATURE_UNSUPPORTED

static struct prof_rows rows;

static void stop(void)
{
	prof_rows(&rows, session_end(""));
}

static void row_is(size_t i, enum row_tx_event event, uint32_t category, int32_t type, uint64_t payload)
{
	t_check(i < rows.count, "row %zu of %zu", i, rows.count);
	if (i >= rows.count)
		return;
	t_equal(rows.row[i].event, event, "event of row %zu", i);
	t_equal(rows.row[i].info_type, 0, "info type of row %zu", i);
	t_equal(rows.row[i].category, category, "category of row %zu", i);
	t_equal(rows.row[i].payload_type, type, "payload type of row %zu", i);
	t_equal((long long)rows.row[i].payload, (long long)payload, "payload of row %zu", i);
	t_check(!strcmp(rows.row[i].message, "detailed"), "message of row %zu: '%.155s'", i, rows.row[i].message);
}

static void all_events(void)
{
	uint64_t value = 123456789012345;
	void *stamp;
	uint32_t id;

	session_begin();
	stamp = t_stamp("detailed");
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampCategory(stamp, 7), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT64, &value), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofPush(stamp), 0);
	t_code(aclprofRangeStart(stamp, &id), 0);
	/* open ranges keep what the stamp had */
	t_code(aclprofSetStampCategory(stamp, 8), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_NONE, &value), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofPop(), 0);
	t_code(aclprofRangeStop(id), 0);
	t_code(aclprofRangeStop(id), NOT_RUN);
	t_code(aclprofSetStampTraceMessage(stamp, "detailed", 8), 0);
	aclprofDestroyStamp(stamp);
	aclprofDestroyStamp(stamp);
	t_code(aclprofMark(stamp), BAD);
	/* and are not what the next stamp has, at the same address */
	t_check(t_stamp("detailed") == stamp, "another stamp");
	t_code(aclprofMark(stamp), 0);
	stop();
	t_equal((long long)rows.count, 7, "rows");
	row_is(0, ROW_TX_MARK, 0, 0, 0);
	row_is(1, ROW_TX_MARK, 7, 0, 0);
	row_is(2, ROW_TX_MARK, 7, ASCPROF_PAYLOAD_UINT64, value);
	row_is(3, ROW_TX_MARK, 8, 0, 0);
	row_is(4, ROW_TX_PUSH_POP, 7, ASCPROF_PAYLOAD_UINT64, value);
	row_is(5, ROW_TX_RANGE, 7, ASCPROF_PAYLOAD_UINT64, value);
	row_is(6, ROW_TX_MARK, 0, 0, 0);
}

static uint64_t bits_of(const void *value, size_t size)
{
	uint64_t bits = 0;

	memcpy(&bits, value, size);
	return bits;
}

static void payloads(void)
{
	uint64_t u64 = INT64_MAX;
	int64_t i64 = -1;
	double f64 = 1.5, negative = -1.5;
	struct {
		uint32_t u32, guard;
	} two = { UINT32_MAX, UINT32_MAX };
	int32_t i32 = -2;
	float f32 = -2.5f;
	void *stamp;

	session_begin();
	stamp = t_stamp("detailed");
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT64, &u64), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_DOUBLE, &f64), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT32, &two.u32), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_INT32, &i32), 0);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_FLOAT, &f32), 0);
	t_code(aclprofMark(stamp), 0);
	/* what would spoil the directory changes nothing */
	t_refused(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_INT64, &i64), BAD, "aclprofSetStampPayload 2^63");
	u64 = 1ULL << 63;
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT64, &u64), BAD);
	t_code(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_DOUBLE, &negative), BAD);
	t_code(aclprofMark(stamp), 0);
	stop();
	row_is(0, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_UINT64, INT64_MAX);
	row_is(1, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_DOUBLE, bits_of(&f64, 8));
	row_is(2, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_UINT32, UINT32_MAX);
	row_is(3, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_INT32, bits_of(&i32, 4));
	row_is(4, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_FLOAT, bits_of(&f32, 4));
	row_is(5, ROW_TX_MARK, 0, ASCPROF_PAYLOAD_FLOAT, bits_of(&f32, 4));
}

static void refusals(void)
{
	uint64_t value = 1;
	void *stamp;

	t_code(aclprofSetStampCategory(&value, 1), NOT_RUN);
	t_code(aclprofSetStampCategory(NULL, 1), BAD);
	t_code(aclprofSetStampPayload(&value, 1, &value), NOT_RUN);
	t_code(aclprofSetStampTagName(&value, "tag", 3), NOT_RUN);
	t_code(aclprofSetStampCallStack(NULL, "call", 4), BAD);
	session_begin();
	stamp = t_stamp("detailed");
	t_refused(aclprofSetStampCategory(&value, 1), BAD, "aclprofSetStampCategory stamp");
	t_sleep_us(1100000);
	t_refused(aclprofSetStampPayload(stamp, ASCPROF_PAYLOAD_UINT64, NULL), BAD, "value NULL");
	t_code(aclprofSetStampPayload(stamp, 7, &value), BAD);
	t_code(aclprofSetStampPayload(stamp, -1, &value), BAD);
	t_code(aclprofSetStampPayload(&value, 1, &value), BAD);
	t_sleep_us(1100000);
	t_refused(aclprofSetStampTagName(stamp, "tag", 3), UNSUPPORTED, "aclprofSetStampTagName no place");
	t_sleep_us(1100000);
	t_refused(aclprofSetStampCallStack(stamp, "call", 4), UNSUPPORTED, "aclprofSetStampCallStack no place");
	t_code(aclprofMark(stamp), 0);
	t_refused(aclprofRegisterDeviceCallback(), UNSUPPORTED, "aclprofRegisterDeviceCallback aclprofCreateConfig");
	stop();
	row_is(0, ROW_TX_MARK, 0, 0, 0);
}

static void category_names(void)
{
	char name[129];
	char *text;

	memset(name, 'n', sizeof(name));
	name[128] = 0;
	t_refused(aclprofSetCategoryName(1, NULL), BAD, "aclprofSetCategoryName categoryName NULL");
	t_code(aclprofSetCategoryName(1, ""), BAD);
	t_code(aclprofSetCategoryName(1, name), BAD);
	t_code(aclprofSetCategoryName(7, "forward"), 0);
	session_begin();
	t_code(aclprofSetCategoryName(0xffffffff, "say \"hi\""), 0);
	t_code(aclprofSetCategoryName(8, "first"), 0);
	t_code(aclprofSetCategoryName(8, name + 1), 0);
	stop();
	text = mstx_file(t_path("%s/ascprof.json", prof_only(dir)));
	t_check(strstr(text, "\"categories\":[{\"category\":7,\"name\":\"forward\"},"
			     "{\"category\":4294967295,\"name\":\"say \\\"hi\\\"\"},{\"category\":8,\"name\":\"nnn"),
		"%s", text);
	for (uint32_t i = 100; i < 100 + 1021; i++)
		t_code(aclprofSetCategoryName(i, "more"), 0);
	t_refused(aclprofSetCategoryName(5000, "too many"), ACL_ERROR_BAD_ALLOC, "1024");
	t_code(aclprofSetCategoryName(100, "renamed"), 0);
	free(text);
}

static void features(void)
{
	size_t n = 99;
	void *data = NULL;

	t_refused(aclprofGetSupportedFeatures(NULL, &data), BAD, "featuresSize NULL");
	t_refused(aclprofGetSupportedFeaturesV2(&n, NULL), BAD, "featuresData NULL");
	t_code(aclprofGetSupportedFeatures(&n, &data), 0);
	t_check(n == 0 && data, "%zu features at %p", n, data);
	t_refused(aclprofGetSupportedFeatures(&n, &data), BAD, "featuresData expected NULL");
	data = NULL;
	t_code(aclprofGetSupportedFeaturesV2(&n, &data), 0);
	t_check(n == 0 && data, "%zu features at %p", n, data);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(all_events), CASE(payloads), CASE(refusals), CASE(category_names), CASE(features),
	};

	return api_cases("api_optional", cases, sizeof(cases) / sizeof(cases[0]));
}
