/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One Start: its result directory, its devices, and what was counted. Made by
 * the thread that calls Start; from then until its end the flusher's thread
 * alone touches it, but for `bits` and `devices`, which are the session's.
 */
#ifndef ASCPROF_RUN_H
#define ASCPROF_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "annotate/by_thread.h"
#include "annotate/thread.h"
#include "collect/device.h"
#include "collect/npu.h"
#include "flush/dictionary.h"
#include "flush/reports.h"
#include "flush/slice.h"
#include "format/files.h"
#include "host/container.h"
#include "host/host.h"
#include "native/encode.h"
#include "session/config.h"
#include "session/control.h"
#include "session/layout.h"
#include "session/request.h"
#include "session/settings.h"

struct run_source {
	unsigned int device;
	bool sim;
	char source[ASCPROF_NAME_LEN]; /* "none": see note */
	char note[192];
};

struct run_part {
	int fd; /* host/ or device_<id>/; -1: there is none */
	int data_fd;
	struct control control;
};

struct run_tx {
	uint64_t first_ns[TX_KINDS]; /* CLOCK_MONOTONIC_RAW, 0: none yet */
	uint64_t last_ns[TX_KINDS];
};

struct run {
	struct run *next;
	uint64_t bits; /* dataTypeConfig */
	unsigned int metrics; /* aclprofAicoreMetrics */
	uint64_t devices; /* listed at Start, not stopped yet */
	bool host_only; /* lists no device, and is not stopped yet */
	bool first; /* of the session: what threads put into their rings goes here, */
	bool annotated; /* and that has annotations */
	bool unless_empty; /* its directory is kept */
	char record[REQUEST_ID_LEN]; /* the id that ascprof record gave it, or "" */

	char path[PATH_MAX];
	int fd;
	struct settings settings;
	struct moment begin, end;
	struct clock_correlation begin_clocks, end_clocks;
	struct run_part host;
	struct run_part part[CONFIG_DEVICES];
	struct device *device[CONFIG_DEVICES]; /* as the kernel module counts it */
	struct npu *npu[CONFIG_DEVICES]; /* as the driver's channels tell of it */
	struct run_source *sources;
	unsigned int nr_sources;
	struct container container;
	struct host *host_data; /* NULL: no host data */

	struct slice_store store;
	struct layout layout;
	struct slice_sink tx;
	struct native_encoder *native; /* NULL: annotations are written as rows */
	bool native_begun; /* events of a block that has its place are in it */
	struct reports reports;
	struct dictionary dictionary;
	const struct text *texts_noted; /* and all older ones: they are in it */
	struct run_tx tx_seen;
	struct tx_totals tx_totals; /* filled when annotating has ended, as the next */
	struct by_thread tx_by_thread;
	uint64_t ranges_open[TX_KINDS]; /* not ended yet, or never */
	struct tx_oldest oldest_open; /* of ranges and of what is pushed */
	uint64_t accounted_at; /* CLOCK_MONOTONIC ns */
	bool unaccounted; /* rows since */
	struct files_kept account;
	const char *state; /* running, stopped, finalized, exit */
	bool host_done;
};

/*
 * Makes the directory with all control files, and opens the devices.
 * Return: NULL with the reason told and its code in @error.
 */
struct run *run_create(const char *parent, unsigned int index, const struct aclprofConfig *config,
		       const struct settings *settings, bool first, aclError *error);
aclError run_start_devices(struct run *run);
/* Drops a run that never started, and its directory. */
void run_abandon(struct run *run);

/* Of one that has ended: is nothing in it, and no reason why? */
bool run_is_empty(const struct run *run);
void run_remove(struct run *run); /* its directory, before run_close() */
/* For who makes a run: parts of it, and what is said of its sources. */
aclError run_make_part(struct run *run, struct run_part *part, unsigned int device, const char *source,
		       uint64_t device_begin_ns, const struct npu_facts *npu);
struct run_source *run_add_source(struct run *run, unsigned int device, const char *name, const char *note);
void run_no_source(struct run *run, unsigned int device, const char *why);
aclError run_no_memory(void);

/* For the flusher. */
void run_finish_devices(struct run *run, uint64_t devices);
void run_finish_host(struct run *run);
void run_close(struct run *run); /* frees it */

#endif /* ASCPROF_RUN_H */
