/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make a database share. */
#ifndef ASCPROF_DB_PARTS_H
#define ASCPROF_DB_PARTS_H

#include "export/diag.h"
#include "export/intern.h"
#include "export/prof.h"
#include "export/sqlite.h"

enum db_table {
	STRING_IDS,
	META_DATA,
	SESSION_TIME_INFO,
	HOST_INFO,
	NPU_INFO,
	RANK_DEVICE_MAP,
	ENUM_MSTX_EVENT_TYPE,
	ENUM_API_TYPE,
	MSTX_EVENTS,
	CANN_API,
	OSRT_API,
	CPU_USAGE,
	HOST_MEM_USAGE,
	HOST_DISK_USAGE,
	HOST_NETWORK_USAGE,
	LLC,
	HBM,
	ACC_PMU,
	SOC_BANDWIDTH_LEVEL,
	SIO,
	DB_TABLES,
};

struct db {
	struct sqlite *sql;
	struct intern texts;
	struct diag *diag;
	char *buf; /* for texts as UTF-8 */
	size_t buf_room;
	int64_t calls; /* written so far, which number them */
};

/* The number of a text as a value. Return: 0; -1 without memory. */
int db_put_string(struct db *db, const char *s, size_t n);

/* Calls of frameworks, system calls, and what the host used. Return: 0; -1 with a message. */
int db_write_host(struct db *db, const struct prof_part *host);

#endif /* ASCPROF_DB_PARTS_H */
