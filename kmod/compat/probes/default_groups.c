// SPDX-License-Identifier: GPL-2.0-only
/* kobj_type.default_groups: files of an object come in groups; else in one list */
#include <linux/kobject.h>

const struct attribute_group *probe(const struct kobj_type *type);
const struct attribute_group *probe(const struct kobj_type *type)
{
	return type->default_groups[0];
}
