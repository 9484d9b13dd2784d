/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mstx functions, and how a program's header is connected with them. Their
 * contract is in mstx/ms_tools_ext.h. Outside a session each is a load and a
 * branch; the names of domains are the program's, and outlive sessions.
 *
 * Programs reach each function by two ways: by name, or through the table that
 * InitInjectionMstx() fills. The names are aliases, because by name we could
 * find the function of another library, which calls through its table.
 */
#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"

#include <string.h>

#include "annotate/emit.h"
#include "annotate/range.h"
#include "device/trace.h"
#include "log/log.h"
#include "log/strict.h"
#include "mstx/domain.h"

#define PUBLIC_NAME(of) __attribute__((alias(#of)))

static __attribute__((noinline)) void not_entered(const char *call, enum enter why)
{
	if (why == ENTER_NO_MEMORY)
		fail_often(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
	else if (why == ENTER_BUSY)
		fail_often(ACL_ERROR_PROFILING_FAILURE, "%s: called by a signal handler inside another annotation",
			   call);
}

static __attribute__((noinline)) void bad_domain(const char *call, const void *handle, const void *caller)
{
	fail_often(ACL_ERROR_INVALID_PARAM, "%s: domain %p is not in use, expected one from mstxDomainCreateA", call,
		   handle);
	if (domain_find(handle))
		strict_misuse(caller, "%s: domain %p was destroyed before", call, handle);
}

/* A spreadsheet takes text that begins so for a formula. */
static inline bool formula(char c)
{
	return c == '=' || c == '+' || c == '-' || c == '@';
}

static __attribute__((noinline)) void bad_message(const char *call, const char *message)
{
	if (!message)
		fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "%s: message is NULL, expected text", call);
	else if (!*message)
		fail_often(ACL_ERROR_INVALID_PARAM, "%s: message is empty", call);
	else if (formula(*message))
		fail_often(ACL_ERROR_INVALID_PARAM, "%s: message begins with %c, expected none of = + - @", call,
			   *message);
	else
		fail_often(ACL_ERROR_INVALID_PARAM, "%s: message has more than %u bytes", call, TX_LONG_MAX);
}

/* Bytes of @message; 0 when it is not to be recorded. */
static inline uint32_t message_length(const char *message)
{
	size_t n;

	if (unlikely(!message || formula(*message)))
		return 0;
	n = strnlen(message, TX_LONG_MAX + 1u);
	return likely(n <= TX_LONG_MAX) ? (uint32_t)n : 0;
}

/*
 * With a stream the device stamps the event as well, under the mark id that
 * the row will have. That comes first, as the runtime's part may take its
 * time, and outside of the annotation, as it may annotate. The host's event
 * does not depend on it.
 * @stream: in: not NULL; out: NULL when the device stamped nothing
 * Return: the mark id.
 */
static __attribute__((noinline)) uint64_t stamp_in_stream(const char *call, const char *message, uint16_t tag,
							  aclrtStream *stream)
{
	struct device_answer answer = { .verdict = DEVICE_ABSENT };
	struct tx_thread *t;
	uint64_t id = 0;

	if (message_length(message) && enter(&t) == ENTER_OK) { /* else the call itself finds out */
		id = next_mark_id(t);
		leave(t);
		answer = device_trace(id, tag, *stream);
	}
	if (answer.verdict == DEVICE_REFUSED)
		device_fail(call, &answer, ACL_ERROR_PROFILING_FAILURE);
	if (answer.verdict != DEVICE_DONE)
		*stream = NULL;
	return id;
}

static inline void record_mark(const char *call, struct tx_thread *t, struct tx_domain *domain, const char *message,
			       uint64_t mark_id)
{
	uint32_t len = message_length(message);
	struct tx_extension extension = { .domain = domain, .tid = t->tid };
	uint64_t now;

	if (unlikely(!len)) {
		bad_message(call, message);
		return;
	}
	extension.mark_id = likely(!mark_id) ? next_mark_id(t) : mark_id;
	now = clock_ticks();
	emit_extended(t, TX_KIND_MSTX_MARK, now, now, &extension, message, len);
}

static __attribute__((noinline)) void not_marked(const char *call, enum enter why)
{
	if (why == ENTER_NO_MEMORY)
		tx_count_lost(TX_KIND_MSTX_MARK, TX_DROP_NO_MEMORY);
	else if (why == ENTER_BUSY)
		tx_count_lost(TX_KIND_MSTX_MARK, TX_DROP_REENTRANT);
	not_entered(call, why);
}

static inline __attribute__((always_inline)) bool enter_mark(const char *call, struct tx_thread **t)
{
	enum enter why = enter(t);

	if (likely(why == ENTER_OK))
		return true;
	if (why != ENTER_OFF)
		not_marked(call, why);
	return false;
}

static inline mstxRangeId begin_range(const char *call, struct tx_thread *t, struct tx_domain *domain,
				      const char *message, uint64_t mark_id, aclrtStream stream)
{
	uint32_t len = message_length(message), id;
	struct range_slot *slot;

	if (unlikely(!len)) {
		bad_message(call, message);
		return 0;
	}
	slot = range_next(t, &id, message, len);
	if (unlikely(!slot)) {
		fail_often(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
		return 0;
	}
	slot->tid = t->tid;
	slot->mark_id = likely(!mark_id) ? next_mark_id(t) : mark_id;
	slot->stream = stream;
	atomic_store_explicit(&slot->domain, domain, memory_order_relaxed);
	slot->start = clock_ticks(); /* last: what we do is not part of the range */
	range_publish(slot, id);
	return id;
}

static __attribute__((noinline)) void not_ended(const char *call, enum range_end why, mstxRangeId id,
						const void *caller)
{
	if (why == RANGE_ENDED_BEFORE) {
		fail_often(ACL_ERROR_PROF_NOT_RUN, "%s: range %llu has ended already", call, (unsigned long long)id);
		strict_misuse(caller, "%s: range %llu has ended already", call, (unsigned long long)id);
	} else if (why == RANGE_OTHER_DOMAIN) {
		fail_often(ACL_ERROR_INVALID_PARAM, "%s: range %llu was begun in another domain, and goes on", call,
			   (unsigned long long)id);
	} else {
		fail_often(ACL_ERROR_INVALID_PARAM, "%s: id %llu was never given out", call, (unsigned long long)id);
	}
}

/* Leaves the annotation. */
static void end_range(const char *call, struct tx_thread *t, struct tx_domain *domain, mstxRangeId id,
		      const void *caller)
{
	uint64_t now = clock_ticks();
	struct device_answer answer;
	struct range_slot *slot;
	aclrtStream stream;
	enum range_end why = id <= UINT32_MAX ? range_take((uint32_t)id, domain, &slot) : RANGE_UNKNOWN;

	if (unlikely(why != RANGE_OK)) {
		leave(t);
		not_ended(call, why, id, caller);
		return;
	}
	/* The row is the beginner's, as the reference has it. */
	struct tx_extension extension = { .domain = domain, .mark_id = slot->mark_id, .tid = slot->tid };

	stream = slot->stream;
	emit_extended(t, TX_KIND_MSTX_RANGE, slot->start, now, &extension, range_message(slot), slot->message_len);
	range_put(t, slot, (uint32_t)id);
	leave(t);
	if (likely(!stream))
		return;
	answer = device_trace(extension.mark_id, DEVICE_TAG_RANGE, stream);
	if (answer.verdict == DEVICE_REFUSED)
		device_fail(call, &answer, ACL_ERROR_PROFILING_FAILURE);
}

/* ---- the functions ---- */

/*
 * What can name a stream exists twice: those that name none, which are most,
 * are compiled without a trace of it.
 */
#define ONE_OF_TWO static inline __attribute__((always_inline))
#define OTHER_OF_TWO static __attribute__((noinline))

ONE_OF_TWO void plain_mark_as(const char *message, uint64_t mark_id)
{
	struct tx_thread *t;

	if (!enter_mark("mstxMarkA", &t))
		return;
	record_mark("mstxMarkA", t, &domain_default, message, mark_id);
	leave(t);
}

OTHER_OF_TWO void plain_mark_in(const char *message, aclrtStream stream)
{
	plain_mark_as(message, stamp_in_stream("mstxMarkA", message, DEVICE_TAG_MARK, &stream));
}

static void plain_mark(const char *message, aclrtStream stream)
{
	if (unlikely(stream))
		plain_mark_in(message, stream);
	else
		plain_mark_as(message, 0);
}

ONE_OF_TWO mstxRangeId plain_range_as(const char *message, uint64_t mark_id, aclrtStream stream)
{
	struct tx_thread *t;
	enum enter why = enter(&t);
	mstxRangeId id;

	if (unlikely(why != ENTER_OK)) {
		not_entered("mstxRangeStartA", why);
		return 0;
	}
	id = begin_range("mstxRangeStartA", t, &domain_default, message, mark_id, stream);
	leave(t);
	return id;
}

OTHER_OF_TWO mstxRangeId plain_range_in(const char *message, aclrtStream stream)
{
	uint64_t mark_id = stamp_in_stream("mstxRangeStartA", message, DEVICE_TAG_RANGE, &stream);

	return plain_range_as(message, mark_id, stream);
}

static mstxRangeId plain_range_start(const char *message, aclrtStream stream)
{
	return unlikely(stream) ? plain_range_in(message, stream) : plain_range_as(message, 0, NULL);
}

static void plain_range_end(mstxRangeId id)
{
	struct tx_thread *t;
	enum enter why;

	if (!id) /* what RangeStart returned when nothing recorded */
		return;
	why = enter(&t);
	if (unlikely(why != ENTER_OK)) {
		not_entered("mstxRangeEnd", why);
		return;
	}
	end_range("mstxRangeEnd", t, &domain_default, id, CALLER);
}

static void get_tool_id(uint64_t *id)
{
	if (id)
		*id = MSTX_TOOL_MSPROF_ID;
}

static aclError check_name(const char *name)
{
	size_t n;

	if (!name)
		return fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "mstxDomainCreateA: name is NULL, expected text");
	n = strnlen(name, DOMAIN_NAME_MAX + 1);
	if (!n || n > DOMAIN_NAME_MAX)
		return fail(ACL_ERROR_INVALID_PARAM, "mstxDomainCreateA: name has %s bytes, expected 1 to %d",
			    n ? "more" : "0", DOMAIN_NAME_MAX);
	if (formula(*name))
		return fail(ACL_ERROR_INVALID_PARAM,
			    "mstxDomainCreateA: name begins with %c, expected none of = + - @", *name);
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return fail(ACL_ERROR_INVALID_PARAM,
				    "mstxDomainCreateA: name holds the control character 0x%02x", (unsigned char)*c);
	if (!strcmp(name, domain_default.name))
		return fail(ACL_ERROR_INVALID_PARAM,
			    "mstxDomainCreateA: name is \"%s\", which is the domain of calls that name none", name);
	return ACL_SUCCESS;
}

static mstxDomainHandle_t create_domain(const char *name)
{
	domain_entry *entry;

	if (check_name(name))
		return NULL;
	entry = domain_create(name);
	if (!entry)
		fail(ACL_ERROR_BAD_ALLOC, "mstxDomainCreateA: no memory, or %d domains already", DOMAINS_MAX);
	return (mstxDomainHandle_t)entry;
}

static void destroy_domain(mstxDomainHandle_t handle)
{
	struct tx_domain *domain = domain_get(handle);

	if (domain)
		domain_destroy(domain);
	else if (handle)
		bad_domain("mstxDomainDestroy", handle, CALLER);
}

ONE_OF_TWO void domain_mark_as(mstxDomainHandle_t handle, const char *message, uint64_t mark_id, const void *caller)
{
	struct tx_domain *domain;
	struct tx_thread *t;

	if (!enter_mark("mstxDomainMarkA", &t))
		return;
	domain = domain_get(handle);
	if (likely(domain))
		record_mark("mstxDomainMarkA", t, domain, message, mark_id);
	leave(t);
	if (unlikely(!domain))
		bad_domain("mstxDomainMarkA", handle, caller);
}

OTHER_OF_TWO void domain_mark_in(mstxDomainHandle_t handle, const char *message, aclrtStream stream,
				 const void *caller)
{
	uint64_t mark_id = 0;

	if (domain_get(handle))
		mark_id = stamp_in_stream("mstxDomainMarkA", message, DEVICE_TAG_MARK, &stream);
	domain_mark_as(handle, message, mark_id, caller);
}

static void domain_mark(mstxDomainHandle_t handle, const char *message, aclrtStream stream)
{
	if (unlikely(stream))
		domain_mark_in(handle, message, stream, CALLER);
	else
		domain_mark_as(handle, message, 0, CALLER);
}

ONE_OF_TWO mstxRangeId domain_range_as(mstxDomainHandle_t handle, const char *message, uint64_t mark_id,
				       aclrtStream stream, const void *caller)
{
	struct tx_domain *domain;
	struct tx_thread *t;
	enum enter why = enter(&t);
	mstxRangeId id = 0;

	if (unlikely(why != ENTER_OK)) {
		not_entered("mstxDomainRangeStartA", why);
		return 0;
	}
	domain = domain_get(handle);
	if (likely(domain))
		id = begin_range("mstxDomainRangeStartA", t, domain, message, mark_id, stream);
	leave(t);
	if (unlikely(!domain))
		bad_domain("mstxDomainRangeStartA", handle, caller);
	return id;
}

OTHER_OF_TWO mstxRangeId domain_range_in(mstxDomainHandle_t handle, const char *message, aclrtStream stream,
					 const void *caller)
{
	uint64_t mark_id = 0;

	if (domain_get(handle))
		mark_id = stamp_in_stream("mstxDomainRangeStartA", message, DEVICE_TAG_RANGE, &stream);
	return domain_range_as(handle, message, mark_id, stream, caller);
}

static mstxRangeId domain_range_start(mstxDomainHandle_t handle, const char *message, aclrtStream stream)
{
	return unlikely(stream) ? domain_range_in(handle, message, stream, CALLER) :
				  domain_range_as(handle, message, 0, NULL, CALLER);
}

static void domain_range_end(mstxDomainHandle_t handle, mstxRangeId id)
{
	struct tx_domain *domain;
	struct tx_thread *t;
	enum enter why;

	if (!id)
		return;
	why = enter(&t);
	if (unlikely(why != ENTER_OK)) {
		not_entered("mstxDomainRangeEnd", why);
		return;
	}
	domain = domain_get(handle);
	if (likely(domain)) {
		end_range("mstxDomainRangeEnd", t, domain, id, CALLER);
		return;
	}
	leave(t);
	bad_domain("mstxDomainRangeEnd", handle, CALLER);
}

void mstxMarkA(const char *message, aclrtStream stream) PUBLIC_NAME(plain_mark);
mstxRangeId mstxRangeStartA(const char *message, aclrtStream stream) PUBLIC_NAME(plain_range_start);
void mstxRangeEnd(mstxRangeId id) PUBLIC_NAME(plain_range_end);
void mstxGetToolId(uint64_t *id) PUBLIC_NAME(get_tool_id);
mstxDomainHandle_t mstxDomainCreateA(const char *name) PUBLIC_NAME(create_domain);
void mstxDomainDestroy(mstxDomainHandle_t domain) PUBLIC_NAME(destroy_domain);
void mstxDomainMarkA(mstxDomainHandle_t domain, const char *message, aclrtStream stream) PUBLIC_NAME(domain_mark);
mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char *message,
				  aclrtStream stream) PUBLIC_NAME(domain_range_start);
void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id) PUBLIC_NAME(domain_range_end);

/* Memory is not followed: these are there to be linked with, and not in the table. */

mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc)
{
	(void)domain;
	(void)desc;
	return NULL;
}

void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap)
{
	(void)domain;
	(void)heap;
}

void mstxMemRegionsRegister(mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc)
{
	(void)domain;
	(void)desc;
}

void mstxMemRegionsUnregister(mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc)
{
	(void)domain;
	(void)desc;
}

/* ---- the table ---- */

/* Writes the functions of one module, as far as this program's table goes. */
static void fill(mstxGetModuleFuncTableFunc get_table, mstxFuncModule module, const mstxFuncPointer *functions,
		 unsigned int count)
{
	mstxFuncTable table = NULL;
	unsigned int size = 0;

	/* A program from before this module has no table for it. */
	if (get_table(module, &table, &size) != MSTX_SUCCESS || !table)
		return;
	for (unsigned int i = 1; i < size && i < count && table[i]; i++)
		*table[i] = functions[i];
}

MSTX_DECLSPEC int InitInjectionMstx(mstxGetModuleFuncTableFunc get_table);

int InitInjectionMstx(mstxGetModuleFuncTableFunc get_table)
{
	static const mstxFuncPointer core[MSTX_API_CORE_SIZE] = {
		[MSTX_API_CORE_MARK_A] = (mstxFuncPointer)plain_mark,
		[MSTX_API_CORE_RANGE_START_A] = (mstxFuncPointer)plain_range_start,
		[MSTX_API_CORE_RANGE_END] = (mstxFuncPointer)plain_range_end,
		[MSTX_API_CORE_GET_TOOL_ID] = (mstxFuncPointer)get_tool_id,
	};
	static const mstxFuncPointer domain[MSTX_API_CORE2_SIZE] = {
		[MSTX_API_CORE2_DOMAIN_CREATE_A] = (mstxFuncPointer)create_domain,
		[MSTX_API_CORE2_DOMAIN_DESTROY] = (mstxFuncPointer)destroy_domain,
		[MSTX_API_CORE2_DOMAIN_MARK_A] = (mstxFuncPointer)domain_mark,
		[MSTX_API_CORE2_DOMAIN_RANGE_START_A] = (mstxFuncPointer)domain_range_start,
		[MSTX_API_CORE2_DOMAIN_RANGE_END] = (mstxFuncPointer)domain_range_end,
	};

	if (!get_table) {
		fail_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "InitInjectionMstx: the function that gives tables is NULL");
		return MSTX_FAIL;
	}
	fill(get_table, MSTX_API_MODULE_CORE, core, MSTX_API_CORE_SIZE);
	fill(get_table, MSTX_API_MODULE_CORE_DOMAIN, domain, MSTX_API_CORE2_SIZE);
	return MSTX_SUCCESS;
}
