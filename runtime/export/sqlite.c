/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "export/sqlite.h"

#if HAVE_LIBSQLITE3
#include <sqlite3.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is called, found in the library under its own name. */
struct functions {
	__typeof__(sqlite3_open_v2) *open_v2;
	__typeof__(sqlite3_close_v2) *close_v2;
	__typeof__(sqlite3_exec) *exec;
	__typeof__(sqlite3_prepare_v2) *prepare_v2;
	__typeof__(sqlite3_bind_int64) *bind_int64;
	__typeof__(sqlite3_bind_double) *bind_double;
	__typeof__(sqlite3_bind_text64) *bind_text64;
	__typeof__(sqlite3_step) *step;
	__typeof__(sqlite3_reset) *reset;
	__typeof__(sqlite3_finalize) *finalize;
	__typeof__(sqlite3_errmsg) *errmsg;
};

struct sqlite {
	struct functions call;
	void *library;
	sqlite3 *handle;
	const struct sqlite_table *tables;
	unsigned int nr_tables;
	sqlite3_stmt **insert; /* per table; NULL: it does not exist */
	sqlite3_stmt *row; /* that is being filled */
	int column;
	uint64_t rows;
	char error[256];
	char *path, *hidden; /* hidden[0] 0: there is no file */
};

static int load(struct sqlite *db, struct diag *diag)
{
	const struct {
		const char *name;
		void **to;
	} names[] = {
		{ "sqlite3_open_v2", (void **)&db->call.open_v2 },
		{ "sqlite3_close_v2", (void **)&db->call.close_v2 },
		{ "sqlite3_exec", (void **)&db->call.exec },
		{ "sqlite3_prepare_v2", (void **)&db->call.prepare_v2 },
		{ "sqlite3_bind_int64", (void **)&db->call.bind_int64 },
		{ "sqlite3_bind_double", (void **)&db->call.bind_double },
		{ "sqlite3_bind_text64", (void **)&db->call.bind_text64 },
		{ "sqlite3_step", (void **)&db->call.step },
		{ "sqlite3_reset", (void **)&db->call.reset },
		{ "sqlite3_finalize", (void **)&db->call.finalize },
		{ "sqlite3_errmsg", (void **)&db->call.errmsg },
	};

	db->library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!db->library)
		return diag_fail(diag, "a database needs libsqlite3: %s", dlerror());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*names[i].to = dlsym(db->library, names[i].name);
		if (!*names[i].to)
			return diag_fail(diag, "a database needs a newer libsqlite3: %s is not in it",
					 names[i].name);
	}
	return 0;
}

static void fail(struct sqlite *db, const char *what)
{
	if (!db->error[0])
		snprintf(db->error, sizeof(db->error), "%s", what);
}

static void execute(struct sqlite *db, const char *sql)
{
	if (!db->error[0] && db->call.exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(db, db->call.errmsg(db->handle));
}

/* An empty file beside @path, with its rights as open(2) would make them. */
static int make_hidden(struct sqlite *db)
{
	const char *slash = strrchr(db->path, '/');
	int dir_len = slash ? (int)(slash - db->path) + 1 : 0;
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&db->hidden, "%.*s.%s.XXXXXX", dir_len, db->path, db->path + dir_len) < 0) {
		db->hidden = NULL;
		return -1;
	}
	fd = mkostemp(db->hidden, O_CLOEXEC);
	if (fd < 0) {
		db->hidden[0] = 0;
		return -1;
	}
	fchmod(fd, 0666 & ~mask);
	close(fd);
	return 0;
}

struct sqlite *sqlite_create(const char *path, const struct sqlite_table *tables, unsigned int nr_tables,
			     struct diag *diag)
{
	struct sqlite *db = calloc(1, sizeof(*db));
	struct stat st;

	if (db && !stat(path, &st) && !S_ISREG(st.st_mode)) {
		diag_fail(diag, "%s: a regular file was expected", path);
		free(db);
		return NULL;
	}
	if (!db) {
		diag_fail(diag, "%s: out of memory", path);
		return NULL;
	}
	db->tables = tables;
	db->nr_tables = nr_tables;
	db->insert = calloc(nr_tables, sizeof(*db->insert));
	db->path = realpath(path, NULL); /* a link keeps pointing to it */
	if (!db->path)
		db->path = strdup(path);
	if (!db->insert || !db->path) {
		diag_fail(diag, "%s: out of memory", path);
		goto fail;
	}
	if (load(db, diag))
		goto fail;
	if (make_hidden(db)) {
		diag_fail(diag, "%s: cannot be written: %s", path, strerror(errno));
		goto fail;
	}
	if (db->call.open_v2(db->hidden, &db->handle, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		diag_fail(diag, "%s: cannot be opened by libsqlite3", path);
		goto fail;
	}
	/* Nobody sees the file before it is whole. */
	execute(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN");
	return db;
fail:
	sqlite_abort(db);
	return NULL;
}

static void make_table(struct sqlite *db, unsigned int table)
{
	const struct sqlite_table *t = &db->tables[table];
	char sql[1024];
	int n = snprintf(sql, sizeof(sql), "CREATE TABLE %s (%s)", t->name, t->columns);

	execute(db, sql);
	n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", t->name);
	for (unsigned int i = 1; i < t->nr_columns; i++)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	if (!db->error[0] && db->call.prepare_v2(db->handle, sql, -1, &db->insert[table], NULL) != SQLITE_OK)
		fail(db, db->call.errmsg(db->handle));
}

void sqlite_row(struct sqlite *db, unsigned int table)
{
	if (!db->error[0] && !db->insert[table])
		make_table(db, table);
	db->row = db->insert[table];
	db->column = 0;
}

void sqlite_int(struct sqlite *db, int64_t v)
{
	if (!db->error[0])
		db->call.bind_int64(db->row, ++db->column, v);
}

void sqlite_real(struct sqlite *db, double v)
{
	if (!db->error[0])
		db->call.bind_double(db->row, ++db->column, v);
}

void sqlite_text(struct sqlite *db, const char *s, size_t n)
{
	if (!db->error[0] &&
	    db->call.bind_text64(db->row, ++db->column, s, n, SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)
		fail(db, db->call.errmsg(db->handle));
}

void sqlite_done(struct sqlite *db)
{
	if (db->error[0])
		return;
	if (db->call.step(db->row) != SQLITE_DONE)
		fail(db, db->call.errmsg(db->handle));
	db->call.reset(db->row);
	db->rows++;
}

int sqlite_failed(const struct sqlite *db)
{
	return db->error[0] != 0;
}

uint64_t sqlite_rows(const struct sqlite *db)
{
	return db->rows;
}

static void close_handle(struct sqlite *db)
{
	for (unsigned int i = 0; i < db->nr_tables && db->insert; i++)
		if (db->insert[i])
			db->call.finalize(db->insert[i]);
	if (db->handle)
		db->call.close_v2(db->handle);
	free(db->insert);
	db->insert = NULL;
	db->handle = NULL;
}

int sqlite_commit(struct sqlite *db, struct diag *diag)
{
	int ret = 0;

	execute(db, "COMMIT");
	close_handle(db);
	if (db->error[0])
		ret = diag_fail(diag, "%s: cannot be written: %s", db->path, db->error);
	else if (rename(db->hidden, db->path))
		ret = diag_fail(diag, "%s: cannot be written: %s", db->path, strerror(errno));
	else
		db->hidden[0] = 0; /* it is in place */
	sqlite_abort(db);
	return ret;
}

void sqlite_abort(struct sqlite *db)
{
	close_handle(db);
	if (db->hidden && db->hidden[0])
		unlink(db->hidden);
	if (db->library)
		dlclose(db->library);
	free(db->hidden);
	free(db->path);
	free(db);
}

#else /* !HAVE_LIBSQLITE3 */

struct sqlite *sqlite_create(const char *path, const struct sqlite_table *tables, unsigned int nr_tables,
			     struct diag *diag)
{
	(void)tables;
	(void)nr_tables;
	diag_fail(diag, "%s: this command was built without libsqlite3", path);
	return NULL;
}

void sqlite_row(struct sqlite *db, unsigned int table)
{
	(void)db;
	(void)table;
}

void sqlite_int(struct sqlite *db, int64_t v)
{
	(void)db;
	(void)v;
}

void sqlite_real(struct sqlite *db, double v)
{
	(void)db;
	(void)v;
}

void sqlite_text(struct sqlite *db, const char *s, size_t n)
{
	(void)db;
	(void)s;
	(void)n;
}

void sqlite_done(struct sqlite *db)
{
	(void)db;
}

int sqlite_failed(const struct sqlite *db)
{
	(void)db;
	return 1;
}

uint64_t sqlite_rows(const struct sqlite *db)
{
	(void)db;
	return 0;
}

int sqlite_commit(struct sqlite *db, struct diag *diag)
{
	(void)db;
	(void)diag;
	return -1;
}

void sqlite_abort(struct sqlite *db)
{
	(void)db;
}

#endif
