/* SPDX-License-Identifier: Apache-2.0 */
/* What docs/guide.md takes for granted in what it shows of C. */
#include <acl/acl_prof.h>
#include <ascprof/models.h>
#include <ascprof/report.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint32_t model, tid;
static uint64_t begin;
static char records[800], name[ACL_PROF_MAX_OP_NAME_LEN];
static size_t bytes;
