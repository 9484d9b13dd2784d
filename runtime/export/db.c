/* SPDX-License-Identifier: Apache-2.0 */
#include "export/db.h"

#include <stdlib.h>
#include <string.h>

#include "export/calls.h"
#include "export/counters.h"
#include "export/db_parts.h"
#include "export/text.h"
#include "export/tx.h"
#include "format/escape.h"

static const struct sqlite_table tables[DB_TABLES] = {
	[STRING_IDS] = { "STRING_IDS", "id INTEGER PRIMARY KEY, value TEXT", 2 },
	[META_DATA] = { "META_DATA", "name TEXT, value TEXT", 2 },
	[SESSION_TIME_INFO] = { "SESSION_TIME_INFO", "startTimeNs INTEGER, endTimeNs INTEGER", 2 },
	[HOST_INFO] = { "HOST_INFO", "hostUid TEXT, hostName TEXT", 2 },
	[NPU_INFO] = { "NPU_INFO", "id INTEGER, name TEXT", 2 },
	[RANK_DEVICE_MAP] = { "RANK_DEVICE_MAP", "rankId INTEGER, deviceId INTEGER", 2 },
	[ENUM_MSTX_EVENT_TYPE] = { "ENUM_MSTX_EVENT_TYPE", "id INTEGER PRIMARY KEY, name TEXT", 2 },
	[ENUM_API_TYPE] = { "ENUM_API_TYPE", "id INTEGER PRIMARY KEY, name TEXT", 2 },
	[CANN_API] = { "CANN_API",
		       "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, "
		       "connectionId INTEGER PRIMARY KEY, name INTEGER", 6 },
	[OSRT_API] = { "OSRT_API", "name NUMERIC, globalTid NUMERIC, startNs NUMERIC, endNs NUMERIC", 4 },
	[CPU_USAGE] = { "CPU_USAGE", "timestampNs NUMERIC, cpuId NUMERIC, usage NUMERIC", 3 },
	[HOST_MEM_USAGE] = { "HOST_MEM_USAGE", "timestampNs NUMERIC, usage NUMERIC", 2 },
	[HOST_DISK_USAGE] = { "HOST_DISK_USAGE",
			      "timestampNs NUMERIC, readRate NUMERIC, writeRate NUMERIC, usage NUMERIC", 4 },
	[HOST_NETWORK_USAGE] = { "HOST_NETWORK_USAGE", "timestampNs NUMERIC, usage NUMERIC, speed NUMERIC", 3 },
	[MSTX_EVENTS] = { "MSTX_EVENTS",
			  "startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER, "
			  "message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, "
			  "connectionId INTEGER", 10 },
	[LLC] = { "LLC",
		  "deviceId INTEGER, llcId INTEGER, timestampNs INTEGER, hitRate REAL, throughput INTEGER, "
		  "mode INTEGER", 6 },
	[HBM] = { "HBM", "deviceId INTEGER, timestampNs INTEGER, bandwidth NUMERIC, hbmId INTEGER, type INTEGER", 5 },
	[ACC_PMU] = { "ACC_PMU",
		      "accId INTEGER, readBwLevel INTEGER, writeBwLevel INTEGER, readOstLevel INTEGER, "
		      "writeOstLevel INTEGER, timestampNs NUMERIC, deviceId INTEGER", 7 },
	[SOC_BANDWIDTH_LEVEL] = { "SOC_BANDWIDTH_LEVEL",
				  "l2BufferBwLevel INTEGER, mataBwLevel INTEGER, timestampNs NUMERIC, "
				  "deviceId INTEGER", 4 },
	[SIO] = { "SIO",
		  "deviceId NUMERIC, name NUMERIC, timestampNs NUMERIC, rxReq NUMERIC, rxRsp NUMERIC, "
		  "rxSnp NUMERIC, rxDat NUMERIC, txReq NUMERIC, txRsp NUMERIC, txSnp NUMERIC, txDat NUMERIC", 11 },
};

#define NO_VALUE UINT32_MAX /* what the parser writes for what an event has not */
#define NO_CONNECTION 4000000000 /* of stamps; marks with an id count from one more */
#define MB (1 << 20)

/* ---- texts ---- */

/* Any bytes as UTF-8, in @db->buf. Return: bytes, or -1 without memory */
static int64_t make_valid(struct db *db, const char *s, size_t n)
{
	char *grown;

	if (db->buf_room < 3 * n + 1) {
		grown = realloc(db->buf, 3 * n + 1);
		if (!grown)
			return -1;
		db->buf = grown;
		db->buf_room = 3 * n + 1;
	}
	return escape_utf8(db->buf, s, n) - db->buf;
}

static int64_t number_of(struct db *db, const char *s, size_t n)
{
	int64_t len = make_valid(db, s, n);

	return len < 0 ? -1 : intern_id(&db->texts, db->buf, (size_t)len, true);
}

int db_put_string(struct db *db, const char *s, size_t n)
{
	int64_t id = number_of(db, s, n);

	if (id < 0)
		return -1;
	sqlite_int(db->sql, id);
	return 0;
}

static int put_text(struct db *db, const char *text)
{
	int64_t len = make_valid(db, text, strlen(text));

	if (len < 0)
		return -1;
	sqlite_text(db->sql, db->buf, (size_t)len);
	return 0;
}

static int put_pair(struct db *db, enum db_table table, int64_t id, const char *text)
{
	sqlite_row(db->sql, table);
	sqlite_int(db->sql, id);
	if (put_text(db, text))
		return -1;
	sqlite_done(db->sql);
	return 0;
}

static int put_texts(struct db *db, enum db_table table, const char *a, const char *b)
{
	sqlite_row(db->sql, table);
	if (put_text(db, a) || put_text(db, b))
		return -1;
	sqlite_done(db->sql);
	return 0;
}

static void write_strings(struct db *db)
{
	for (size_t i = 0; i < db->texts.nr && !sqlite_failed(db->sql); i++) {
		size_t n;
		const char *text = intern_text(&db->texts, i, &n);

		sqlite_row(db->sql, STRING_IDS);
		sqlite_int(db->sql, (int64_t)i);
		sqlite_text(db->sql, text, n);
		sqlite_done(db->sql);
		if (!(i & 0xfff))
			guard_trim();
	}
}

/* ---- what was recorded where ---- */

static const char *chip_name(const char *platform)
{
	static const char *const names[][2] = {
		{ "0", "Ascend310" },  { "1", "Ascend910A" }, { "4", "Ascend310P" },
		{ "5", "Ascend910B" }, { "7", "Ascend310B" }, { "15", "Ascend950" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(platform, names[i][0]))
			return names[i][1];
	return "UNKNOWN";
}

static int write_device(struct db *db, int rank, int device, const char *name)
{
	sqlite_row(db->sql, RANK_DEVICE_MAP);
	sqlite_int(db->sql, rank);
	sqlite_int(db->sql, device);
	sqlite_done(db->sql);
	return put_pair(db, NPU_INFO, device, name);
}

static int write_places(struct db *db, const struct prof *prof)
{
	const struct control *c = &prof->part[0].control;
	bool any = false;

	if (put_texts(db, HOST_INFO, c->host_uid[0] ? c->host_uid : "0", c->hostname))
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		const struct prof_part *part = &prof->part[i];

		if (part->device < 0)
			continue;
		any = true;
		if (write_device(db, part->control.rank, part->device, chip_name(part->control.platform)))
			return -1;
	}
	return any ? 0 : write_device(db, c->rank, -1, "UNKNOWN");
}

/* One session from the first start to the last end: readers take one row. */
static void write_session(struct db *db, const struct prof_set *set)
{
	int64_t start = INT64_MAX, end = 0;

	for (unsigned int i = 0; i < set->nr; i++) {
		const struct prof *prof = &set->prof[i];

		if (prof->start < start)
			start = prof->start;
		for (unsigned int j = 0; j < prof->nr_parts; j++) {
			int64_t us = (int64_t)(prof->part[j].control.end_us & INT64_MAX);

			if (us < INT64_MAX / 1000 && us * 1000 > end)
				end = us * 1000;
		}
	}
	sqlite_row(db->sql, SESSION_TIME_INFO);
	sqlite_int(db->sql, start);
	sqlite_int(db->sql, end > start ? end : start);
	sqlite_done(db->sql);
}

static int write_constants(struct db *db)
{
	static const uint16_t levels[] = { 5000, 5500, 10000, 15000, 20000 };
	static const char *const types[] = { "marker", "push/pop", "start/end", "marker_ex" };

	if (put_texts(db, META_DATA, "SCHEMA_VERSION", "1.2.0") ||
	    put_texts(db, META_DATA, "SCHEMA_VERSION_MAJOR", "1") ||
	    put_texts(db, META_DATA, "SCHEMA_VERSION_MINOR", "2") ||
	    put_texts(db, META_DATA, "SCHEMA_VERSION_MICRO", "0"))
		return -1;
	for (int i = 0; i < 4; i++)
		if (put_pair(db, ENUM_MSTX_EVENT_TYPE, i, types[i]))
			return -1;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (put_pair(db, ENUM_API_TYPE, levels[i], calls_level(levels[i])))
			return -1;
	return 0;
}

/* ---- annotations ---- */

static int write_event(struct db *db, const struct timebase *time, const struct tx_event *e)
{
	int64_t thread = (int64_t)((uint64_t)e->row.pid << 32 | e->row.tid);

	sqlite_row(db->sql, MSTX_EVENTS);
	sqlite_int(db->sql, timebase_host(time, e->row.start));
	sqlite_int(db->sql, timebase_host(time, e->row.end));
	sqlite_int(db->sql, e->row.event <= ROW_TX_MARK_EX ? e->row.event : UINT16_MAX);
	sqlite_int(db->sql, NO_VALUE);
	sqlite_int(db->sql, e->extended ? NO_VALUE : e->row.category);
	if (db_put_string(db, e->message, e->message_len))
		return -1;
	sqlite_int(db->sql, thread);
	sqlite_int(db->sql, thread);
	if (db_put_string(db, e->domain ? e->domain : "", e->domain_len))
		return -1;
	sqlite_int(db->sql, e->extended ? (int64_t)(e->row.mark_id + NO_CONNECTION + 1) : NO_CONNECTION);
	sqlite_done(db->sql);
	return 0;
}

static int write_annotations(struct db *db, const struct prof_part *host)
{
	struct tx_event e;
	struct tx tx;
	int ret = tx_load(&tx, host, TX_ORDER_TRACE, db->diag);

	for (size_t i = 0; i < tx.nr && !ret && !sqlite_failed(db->sql); i++) {
		tx_get(&tx, i, &e);
		if (write_event(db, &host->time, &e))
			ret = diag_fail(db->diag, "%s: out of memory", host->path);
	}
	tx_free(&tx);
	return ret;
}

/* ---- counters: whole samples, as the tables have them ---- */

static int write_llc(struct db *db, const struct prof_part *part, const struct llc *llc)
{
	for (unsigned int u = 0; u < llc->nr_units; u++) {
		for (size_t i = 0; i < llc->unit[u].nr && !sqlite_failed(db->sql); i++) {
			const struct llc_sample *s = &llc->unit[u].sample[i];

			sqlite_row(db->sql, LLC);
			sqlite_int(db->sql, part->device);
			sqlite_int(db->sql, u);
			sqlite_int(db->sql, s->wall);
			sqlite_real(db->sql, (double)s->hit / 1000 * 100);
			sqlite_int(db->sql, (int64_t)((double)s->throughput / 1000 * MB));
			if (db_put_string(db, llc->mode, strlen(llc->mode)))
				return -1;
			sqlite_done(db->sql);
		}
	}
	return 0;
}

static int write_hbm(struct db *db, const struct prof_part *part, const struct hbm *hbm)
{
	for (size_t i = 0; i < hbm->nr && !sqlite_failed(db->sql); i++) {
		const struct hbm_sample *s = &hbm->sample[i];

		sqlite_row(db->sql, HBM);
		sqlite_int(db->sql, part->device);
		sqlite_int(db->sql, s->wall);
		sqlite_int(db->sql, s->bandwidth < 1e12 ? (int64_t)(s->bandwidth * MB) : INT64_MAX);
		sqlite_int(db->sql, s->unit);
		if (db_put_string(db, s->write ? "write" : "read", s->write ? 5 : 4))
			return -1;
		sqlite_done(db->sql);
	}
	return 0;
}

static int write_sio(struct db *db, const struct prof_part *part, const struct soc_sample *s)
{
	char name[32];
	char *end = text_u64(text_literal(name, "die "), (uint64_t)s->unit);

	sqlite_row(db->sql, SIO);
	sqlite_int(db->sql, part->device);
	if (db_put_string(db, name, (size_t)(end - name)))
		return -1;
	sqlite_int(db->sql, s->wall);
	for (unsigned int i = 0; i < s->nr; i++)
		sqlite_real(db->sql, (double)s->value[i].value / 1000 * MB);
	sqlite_done(db->sql);
	return 0;
}

static int write_soc_sample(struct db *db, const struct prof_part *part, const struct soc_sample *s)
{
	if (!strcmp(s->group, "SIO die"))
		return write_sio(db, part, s);
	if (!strcmp(s->group, "Acc PMU")) {
		sqlite_row(db->sql, ACC_PMU);
		sqlite_int(db->sql, s->unit);
		for (unsigned int i = 0; i < s->nr; i++)
			sqlite_int(db->sql, (int64_t)s->value[i].value);
		sqlite_int(db->sql, s->wall);
		sqlite_int(db->sql, part->device);
		sqlite_done(db->sql);
	} else if (!*s->group) {
		sqlite_row(db->sql, SOC_BANDWIDTH_LEVEL);
		/* The columns as the parser fills them, which is the other way around. */
		sqlite_int(db->sql, (int64_t)s->value[0].value);
		sqlite_int(db->sql, (int64_t)s->value[1].value);
		sqlite_int(db->sql, s->wall);
		sqlite_int(db->sql, part->device);
		sqlite_done(db->sql);
	}
	return 0;
}

/* A sample is one row: it is there when one of its counters is wanted. */
static bool wants_sample(const struct filter *f, const struct soc_sample *s)
{
	char name[COUNTER_NAME];

	if (!filter_wants_counter(f, "soc_profile", s->wall))
		return false;
	for (unsigned int i = 0; i < s->nr; i++)
		if (filter_wants_name(f, name, soc_counter(name, s, i)))
			return true;
	return false;
}

static int write_soc(struct db *db, const struct prof_part *part)
{
	struct soc_reader r;
	struct soc_sample s;

	soc_rewind(&r, part);
	while (!sqlite_failed(db->sql) && soc_next(&r, &s))
		if (wants_sample(part->filter, &s) && write_soc_sample(db, part, &s))
			return -1;
	return 0;
}

static int write_counters(struct db *db, const struct prof_part *part)
{
	struct counters c;
	int ret = counters_load(&c, part, db->diag);

	if (!ret && (write_llc(db, part, &c.llc) || write_hbm(db, part, &c.hbm) || write_soc(db, part)))
		ret = diag_fail(db->diag, "%s: out of memory", part->path);
	counters_free(&c);
	return ret;
}

/* ---- all ---- */

static int write_prof(struct db *db, const struct prof *prof)
{
	const struct prof_part *host = prof_host(prof);

	if (write_places(db, prof))
		return diag_fail(db->diag, "%s: out of memory", prof->path);
	if (host && (write_annotations(db, host) || db_write_host(db, host)))
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts; i++)
		if (prof->part[i].device >= 0 && write_counters(db, &prof->part[i]))
			return -1;
	return prof_check(prof, db->diag);
}

int db_export(const struct prof_set *set, const char *path, uint64_t *rows, struct diag *diag)
{
	struct db db = { .sql = sqlite_create(path, tables, DB_TABLES, diag), .diag = diag };
	int ret = -1;

	if (!db.sql)
		return -1;
	intern_init(&db.texts);
	write_session(&db, set);
	if (write_constants(&db)) {
		diag_fail(diag, "%s: out of memory", path);
		goto out;
	}
	for (unsigned int i = 0; i < set->nr; i++)
		if (write_prof(&db, &set->prof[i]))
			goto out;
	write_strings(&db);
	*rows = sqlite_rows(db.sql);
	ret = sqlite_commit(db.sql, diag);
	db.sql = NULL;
out:
	if (db.sql)
		sqlite_abort(db.sql);
	intern_free(&db.texts);
	free(db.buf);
	return ret;
}
