/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the files that hold what rows can call: every function of the interface by
 * its name without "aclprof", looked up as a framework does. Arguments that a
 * row leaves out are those of a sensible caller, mostly the length of a text.
 */
#ifndef ASCPROF_TEST_CALLS_H
#define ASCPROF_TEST_CALLS_H

#include "rows.h"

#include <string.h>

#include "acl/acl_prof.h"

/* Each ends with an entry without a name. */
extern const struct row_call calls_life[], calls_tx[], calls_model[], calls_look[];

/* An exported function; where there is none, the row ends. */
void *symbol(const char *name);

#define NAMED(type, name) ((type)symbol(name))
#define ACL(name) NAMED(__typeof__(aclprof##name) *, "aclprof" #name)

#define CALL(name) static struct answer do_##name(__attribute__((unused)) const struct arguments *a)

static inline struct answer code(aclError value)
{
	return (struct answer){ ANSWER_NUMBER, (uint64_t)(int64_t)value, NULL };
}

static inline struct answer number(uint64_t value)
{
	return (struct answer){ ANSWER_NUMBER, value, NULL };
}

static inline struct answer pointer(const void *value)
{
	return (struct answer){ ANSWER_POINTER, (uintptr_t)value, NULL };
}

static inline struct answer text(const char *value)
{
	return (struct answer){ ANSWER_TEXT, (uintptr_t)value, value };
}

static const struct answer nothing = { ANSWER_NOTHING, 0, NULL };

/* An argument as the parameter's type. */
static inline uint64_t num(const struct arguments *a, unsigned int i, uint64_t missing)
{
	return i < a->count ? a->at[i].number : missing;
}

static inline void *ptr(const struct arguments *a, unsigned int i)
{
	if (i >= a->count)
		return NULL;
	return a->at[i].text ? a->at[i].text : (void *)(uintptr_t)a->at[i].number;
}

static inline size_t length(const struct arguments *a, unsigned int i)
{
	return a->at[i].text ? strlen(a->at[i].text) : 0;
}

static inline uint64_t *out(const struct arguments *a, unsigned int i)
{
	return i < a->count ? a->at[i].out : NULL;
}

#define ENTRY(name, least, most) { #name, do_##name, least, most }

#endif /* ASCPROF_TEST_CALLS_H */
