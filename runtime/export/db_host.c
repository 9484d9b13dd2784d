/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the host: CANN_API, OSRT_API and what was used of CPUs, memory, disk and network. */
#include <stdlib.h>
#include <string.h>

#include "export/calls.h"
#include "export/counters.h"
#include "export/db_parts.h"

#define KB 1024

static int64_t thread_of(const struct prof_part *host, uint32_t tid)
{
	return (int64_t)((uint64_t)host->control.pid << 32 | tid);
}

/* ---- calls ---- */

struct writing {
	struct db *db;
	const struct calls *calls;
};

static int write_call(void *arg, const struct call *c)
{
	const struct writing *w = arg;
	const struct prof_part *host = w->calls->host;
	struct sqlite *sql = w->db->sql;
	struct call_text name;

	calls_name(w->calls, c, &name);
	sqlite_row(sql, CANN_API);
	sqlite_int(sql, timebase_host(&host->time, c->start));
	sqlite_int(sql, timebase_host(&host->time, c->end));
	sqlite_int(sql, c->level);
	sqlite_int(sql, thread_of(host, c->tid));
	sqlite_int(sql, ++w->db->calls);
	if (db_put_string(w->db, name.s, name.len))
		return -1;
	sqlite_done(sql);
	return sqlite_failed(sql) ? 1 : 0;
}

static int write_calls(struct db *db, const struct prof_part *host)
{
	struct calls calls;
	struct writing w = { db, &calls };
	int ret = calls_load(&calls, host, db->diag);

	if (!ret && calls_each(&calls, write_call, &w) < 0)
		ret = diag_fail(db->diag, "%s: out of memory", host->path);
	calls_free(&calls);
	return ret;
}

static int write_os_calls(struct db *db, const struct host_view *v)
{
	for (size_t i = 0; i < v->nr_calls && !sqlite_failed(db->sql); i++) {
		const struct host_call *c = &v->call[i];

		if (!filter_wants_syscall(v->part->filter, c))
			continue;
		sqlite_row(db->sql, OSRT_API);
		if (db_put_string(db, c->name, strlen(c->name)))
			return -1;
		sqlite_int(db->sql, thread_of(v->part, c->tid));
		sqlite_int(db->sql, c->wall);
		sqlite_int(db->sql, c->wall + (int64_t)c->ns);
		sqlite_done(db->sql);
	}
	return 0;
}

/* ---- usage ---- */

static const struct host_series *series_of(const struct host_view *v, const char *name)
{
	for (unsigned int i = 0; i < v->nr_series; i++)
		if (!strcmp(v->series[i].name, name))
			return &v->series[i];
	return NULL;
}

static bool begin(struct db *db, enum db_table table, const struct host_view *v, const char *name, int64_t wall)
{
	const struct filter *f = v->part->filter;

	if (!filter_wants_counter(f, HOST_KIND, wall) || !filter_wants_name(f, name, strlen(name)))
		return false;
	sqlite_row(db->sql, table);
	sqlite_int(db->sql, wall);
	return true;
}

static void write_cpus(struct db *db, const struct host_view *v)
{
	for (unsigned int i = 0; i < v->nr_series; i++) {
		const struct host_series *s = &v->series[i];
		unsigned long cpu;
		char *end;

		if (strncmp(s->name, "CPU ", 4))
			continue;
		cpu = strtoul(s->name + 4, &end, 10);
		for (size_t k = 0; end > s->name + 4 && !*end && k < s->nr && !sqlite_failed(db->sql); k++) {
			if (!begin(db, CPU_USAGE, v, s->name, s->point[k].wall))
				continue;
			sqlite_int(db->sql, (int64_t)cpu);
			sqlite_real(db->sql, s->point[k].value);
			sqlite_done(db->sql);
		}
	}
}

static void write_memory(struct db *db, const struct host_view *v)
{
	const struct host_series *s = series_of(v, "Memory Usage");

	for (size_t k = 0; s && k < s->nr && !sqlite_failed(db->sql); k++) {
		if (!begin(db, HOST_MEM_USAGE, v, s->name, s->point[k].wall))
			continue;
		sqlite_real(db->sql, s->point[k].value);
		sqlite_done(db->sql);
	}
}

/* The three have a value of each interval. */
static void write_disk(struct db *db, const struct host_view *v)
{
	const struct host_series *usage = series_of(v, "Disk Usage"), *read = series_of(v, "Disk Read");
	const struct host_series *write = series_of(v, "Disk Write");

	for (size_t k = 0; usage && read && write && k < usage->nr && k < read->nr && k < write->nr; k++) {
		if (!begin(db, HOST_DISK_USAGE, v, usage->name, usage->point[k].wall))
			continue;
		sqlite_real(db->sql, read->point[k].value * KB);
		sqlite_real(db->sql, write->point[k].value * KB);
		sqlite_real(db->sql, usage->point[k].value);
		sqlite_done(db->sql);
	}
}

static void write_network(struct db *db, const struct host_view *v)
{
	const struct host_series *s = series_of(v, "Network Usage");

	for (size_t k = 0; s && k < s->nr && !sqlite_failed(db->sql); k++) {
		if (!begin(db, HOST_NETWORK_USAGE, v, s->name, s->point[k].wall))
			continue;
		sqlite_real(db->sql, s->point[k].value);
		sqlite_real(db->sql, s->point[k].bytes_per_s);
		sqlite_done(db->sql);
	}
}

int db_write_host(struct db *db, const struct prof_part *host)
{
	struct counters c;
	int ret = write_calls(db, host);

	if (ret)
		return ret;
	ret = counters_load(&c, host, db->diag);
	if (!ret) {
		write_cpus(db, &c.host);
		write_memory(db, &c.host);
		write_disk(db, &c.host);
		write_network(db, &c.host);
		if (write_os_calls(db, &c.host))
			ret = diag_fail(db->diag, "%s: out of memory", host->path);
	}
	counters_free(&c);
	return ret;
}
