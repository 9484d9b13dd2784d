/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of aclprofCreateConfig(). */
#ifndef ASCPROF_CONFIG_OBJECT_H
#define ASCPROF_CONFIG_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_prof.h"
#include "session/objects.h"

#define CONFIG_DEVICES 64
#define CONFIG_KNOWN_BITS 0x4000000C0100FBFFULL /* of dataTypeConfig */
#define CONFIG_BIT_OWN 0x4000000000000000ULL /* the reference adds it to every object; no caller gives it */

struct aclprofConfig {
	struct object object;
	uint64_t devices; /* one bit per device id */
	uint64_t bits; /* dataTypeConfig, with what it implies */
	aclprofAicoreMetrics metrics;
};

/*
 * Copies the object behind @config. Return: false when there is none (any
 * more): nothing is read through a pointer that is not known.
 */
bool config_copy(const aclprofConfig *config, struct aclprofConfig *out);

/* @bits with all that they imply. */
uint64_t config_implied_bits(uint64_t bits);

#endif /* ASCPROF_CONFIG_OBJECT_H */
