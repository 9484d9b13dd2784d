/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of ascprof serve: what is told (OpenMetrics text), and to whom. */
#ifndef ASCPROF_SERVE_H
#define ASCPROF_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "collect/hub.h"
#include "export/diag.h"

/* ---- text ---- */

/* A family of metrics: "# TYPE", "# HELP". @type: counter, gauge, info */
void serve_family(FILE *to, const char *name, const char *type, const char *help);
/* One label; @value is foreign text. @first: no comma in front */
void serve_label(FILE *to, bool first, const char *name, const char *value);

/* ---- sessions ---- */

#define SERVE_FOLDERS 32
#define SERVE_SESSIONS 256 /* that run and are told of */
#define SERVE_LOOKED_AT 2000 /* directories in a folder */
#define SERVE_ACCOUNT (256u << 10) /* bytes of an ascprof.json */

struct serve_folder {
	int fd;
	const char *path;
};

/* All families of sessions that record below @folder. */
void serve_sessions(FILE *to, const struct serve_folder *folder, unsigned int nr);

/* ---- counters of the module; one thread at a time ---- */

#define SERVE_COUNTERS 512

struct serve_counter {
	char event[ASCPROF_NAME_LEN];
	char unit[ASCPROF_UNIT_LEN];
	unsigned int device;
	const char *source;
	bool sim, gauge;
	uint32_t source_id, slot;
	double scale; /* units in one count */
	uint64_t value;
	bool known;
};

struct serve_module {
	struct hub_inventory inventory;
	struct hub_stream stream; /* fd -1: there is none */
	struct serve_counter counter[SERVE_COUNTERS];
	unsigned int nr;
	char why[256]; /* there is none */
	uint64_t lost; /* samples that found no room */
};

/* Counts all that NPUs have, once a second; without a module, says why. */
void serve_module_open(struct serve_module *m);
void serve_module_read(struct serve_module *m); /* at least every 10 s */
void serve_module_tell(FILE *to, const struct serve_module *m);
void serve_module_close(struct serve_module *m);

/* ---- HTTP ---- */

#define SERVE_CONNECTIONS 64
#define SERVE_REQUEST 8192 /* bytes that a connection may take for a request */
#define SERVE_SECONDS 10 /* for a request with its answer, and between two */

struct serve_http;

/* Makes the page; called by one thread at a time. Return: text to be freed, NULL without memory */
typedef char *serve_page(void *arg, size_t *len);

/* NULL with a message. Answers until serve_http_stop(). */
struct serve_http *serve_http_start(const struct sockaddr *address, socklen_t len, serve_page *page, void *arg,
				    struct diag *diag);
uint16_t serve_http_port(const struct serve_http *h);
/* Ends connections that take too long; to be called about once a second. */
void serve_http_sweep(struct serve_http *h);
void serve_http_stop(struct serve_http *h);

/* Why there is no HTTP; "": there is. */
const char *serve_http_missing(void);

#endif /* ASCPROF_SERVE_H */
