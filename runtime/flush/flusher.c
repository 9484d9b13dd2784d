/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/flusher.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "annotate/gate.h"
#include "annotate/range.h"
#include "annotate/texts.h"
#include "clock/clock.h"
#include "flush/tx_native.h"
#include "flush/tx_rows.h"
#include "log/cancel.h"
#include "log/log.h"
#include "session/account.h"
#include "session/devices.h"
#include "session/fds.h"
#include "session/injected.h"
#include "session/threads.h"

#define FLUSH_NS 100000000u
#define ACCOUNT_NS 1000000000u
#define TAGS 16
#define TAG_WAKE 0u
#define TAG_NPU (1u + CONFIG_DEVICES)
#define TAG_HOST (TAG_NPU + CONFIG_DEVICES)

enum request { REQ_NONE, REQ_ADD, REQ_END_DEVICES, REQ_END_HOST, REQ_REMOVE, REQ_QUIT };

static struct flusher {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	enum request request; /* under lock, with the three below */
	struct run *request_run;
	uint64_t request_devices;
	const char *request_state; /* of REQ_REMOVE; written before it */
	int result;
	bool ready; /* the thread has opened its io, with `result` */

	void *left_behind; /* of the io of a parent, to be freed by our first start */
	bool running;

	/* the thread's own */
	struct io io;
	enum io_choice choice;
	int wake_fd;
	struct run *runs;
	struct tx_reader reader;
	uint64_t flushed_at; /* CLOCK_MONOTONIC ns */
	bool dirty; /* rows were taken since */
} flusher = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.answered = PTHREAD_COND_INITIALIZER,
	.wake_fd = -1,
};

/* ---- reading ---- */

static struct run *first_run(void)
{
	struct run *r;

	for (r = flusher.runs; r && (!r->first || r->host_done); r = r->next)
		;
	return r;
}

static void read_devices(struct run *run)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		if (run->device[id])
			device_read(run->device[id]);
		if (run->npu[id])
			npu_read(run->npu[id]);
	}
}

/* What is new since it was called last. */
static void note_texts(struct run *run)
{
	const struct text *newest = texts_newest();

	for (const struct text *t = newest; t != run->texts_noted; t = t->next)
		dictionary_add(&run->dictionary, t->id, t->text);
	run->texts_noted = newest;
	reports_note_types(&run->reports);
}

static void read_all(void)
{
	struct run *first = first_run();

	if (first && tx_read(&flusher.reader, first)) {
		flusher.dirty = true;
		injected_rows();
	}
	for (struct run *r = flusher.runs; r; r = r->next) {
		if (!r->host_done)
			note_texts(r);
		host_read(r->host_data);
		read_devices(r);
	}
}

static void flush_run(struct run *run)
{
	if (run->annotated && !run->host_done) {
		if (run->native)
			tx_native_flush(run);
		slice_flush(&run->tx);
	}
	if (!run->host_done)
		reports_flush(&run->reports);
	host_flush(run->host_data);
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		if (run->device[id])
			device_flush(run->device[id]);
		if (run->npu[id])
			npu_flush(run->npu[id]);
	}
	devices_tell_failed(run);
}

static void account(struct run *run)
{
	if (run->first && !run->host_done) {
		tx_totals_read(&run->tx_totals, &run->tx_by_thread);
		range_count(run->ranges_open);
	}
	account_write(run);
}

/* What cannot be written is lost: nobody should wait for that. */
static void wait_for_nobody(const struct run *run)
{
	if (run->first && run->store.error)
		gate_stop_waiting();
}

static void flush_due(uint64_t now)
{
	if (now - flusher.flushed_at < FLUSH_NS)
		return;
	flusher.flushed_at = now;
	for (struct run *r = flusher.runs; r; r = r->next) {
		flush_run(r);
		wait_for_nobody(r);
		r->unaccounted |= flusher.dirty;
		if (r->unaccounted && now - r->accounted_at >= ACCOUNT_NS) {
			r->accounted_at = now;
			r->unaccounted = false;
			account(r);
		}
	}
	flusher.dirty = false;
}

/* ---- requests ---- */

static void do_add(struct run *run)
{
	run->store.io = &flusher.io;
	run->next = flusher.runs;
	flusher.runs = run;
	if (run->first) {
		tx_reader_reset(&flusher.reader);
		tx_totals_reset();
	}
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		if (run->device[id])
			io_watch(&flusher.io, device_fd(run->device[id]), 1 + id);
		if (run->npu[id])
			io_watch(&flusher.io, npu_fd(run->npu[id]), TAG_NPU + id);
	}
	for (int p = 0; p < HOST_PACES; p++)
		if (host_fd(run->host_data, (enum host_pace)p) >= 0)
			io_watch(&flusher.io, host_fd(run->host_data, (enum host_pace)p), TAG_HOST + (unsigned int)p);
	host_start(run->host_data);
	note_texts(run);
	run->accounted_at = clock_ns(CLOCK_MONOTONIC);
	flusher.result = account_write(run);
}

static void do_end_devices(struct run *run, uint64_t devices)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		if (devices & 1ULL << id && run->device[id])
			io_unwatch(&flusher.io, device_fd(run->device[id]));
		if (devices & 1ULL << id && run->npu[id])
			io_unwatch(&flusher.io, npu_fd(run->npu[id]));
	}
	run_finish_devices(run, devices);
}

static void do_end_host(struct run *run)
{
	for (int p = 0; p < HOST_PACES; p++)
		if (host_fd(run->host_data, (enum host_pace)p) >= 0)
			io_unwatch(&flusher.io, host_fd(run->host_data, (enum host_pace)p));
	if (run->first) {
		tx_read(&flusher.reader, run);
		tx_oldest_pushed(&run->oldest_open);
		range_end_all(run->ranges_open, &run->oldest_open);
		tx_totals_read(&run->tx_totals, &run->tx_by_thread);
	}
	note_texts(run);
	run_finish_host(run);
}

static void do_remove(struct run *run)
{
	struct run **link;
	int err;

	run->state = flusher.request_state;
	err = account_write(run);
	flusher.result = run->store.error ? run->store.error : err;
	for (link = &flusher.runs; *link != run; link = &(*link)->next)
		;
	*link = run->next;
}

static bool serve(void)
{
	bool quit = false;

	pthread_mutex_lock(&flusher.lock);
	switch (flusher.request) {
	case REQ_NONE:
		pthread_mutex_unlock(&flusher.lock);
		return false;
	case REQ_ADD:
		do_add(flusher.request_run);
		break;
	case REQ_END_DEVICES:
		do_end_devices(flusher.request_run, flusher.request_devices);
		break;
	case REQ_END_HOST:
		do_end_host(flusher.request_run);
		break;
	case REQ_REMOVE:
		do_remove(flusher.request_run);
		break;
	case REQ_QUIT:
		quit = true;
		break;
	}
	flusher.request = REQ_NONE;
	pthread_cond_signal(&flusher.answered);
	pthread_mutex_unlock(&flusher.lock);
	return quit;
}

/* ---- the thread ---- */

static int ms_until(uint64_t due, uint64_t now)
{
	return due > now ? (int)((due - now) / 1000000 + 1) : 0;
}

/* Devices' clocks are read while nothing else happens, too. -1: there are none. */
static int ms_until_clocks(uint64_t now)
{
	int rest = -1;

	for (struct run *r = flusher.runs; r; r = r->next) {
		for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
			int ms = r->npu[id] && !r->npu[id]->finished ? ms_until(r->npu[id]->clock_due, now) : -1;

			if (ms >= 0 && (rest < 0 || ms < rest))
				rest = ms;
		}
	}
	return rest;
}

/*
 * How long to wait. Without a timer only when every ring is empty after
 * `sleeping` is visible to all threads: whoever writes a record later sees it,
 * and wakes us.
 */
static int sleep_ms(uint64_t now)
{
	uint64_t due = flusher.flushed_at + FLUSH_NS;
	int rest = ms_until_clocks(now);

	if (flusher.dirty)
		return ms_until(due, now);
	/* The last records before a pause are accounted for, too. */
	for (struct run *r = flusher.runs; r; r = r->next)
		if (r->unaccounted && (rest < 0 || ms_until(due + ACCOUNT_NS, now) < rest))
			rest = ms_until(due + ACCOUNT_NS, now);
	if (!first_run())
		return rest;
	if (!gate_has_barrier())
		return FLUSH_NS / 1000000;
	atomic_store_explicit(&gate.sleeping, 1, memory_order_relaxed);
	gate_barrier();
	return tx_pending() ? 0 : rest;
}

static void drain_wake_fd(void)
{
	uint64_t n;

	while (read(flusher.wake_fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
}

static void loop(void)
{
	uint64_t tags[TAGS];

	for (;;) {
		int n = io_wait(&flusher.io, sleep_ms(clock_ns(CLOCK_MONOTONIC)), tags, TAGS);

		atomic_store_explicit(&gate.sleeping, 0, memory_order_relaxed);
		for (int i = 0; i < n; i++) {
			if (tags[i] == TAG_WAKE)
				drain_wake_fd();
			else
				flusher.dirty = true; /* a device has data, or host data are due */
		}
		if (serve())
			return;
		read_all();
		flush_due(clock_ns(CLOCK_MONOTONIC));
	}
}

static void answer_ready(int err)
{
	pthread_mutex_lock(&flusher.lock);
	flusher.result = err;
	flusher.ready = true;
	pthread_cond_signal(&flusher.answered);
	pthread_mutex_unlock(&flusher.lock);
}

static void *flusher_main(void *arg)
{
	int err;

	(void)arg;
	pthread_setname_np(pthread_self(), "ascprof");
	err = io_open(&flusher.io, flusher.choice);
	if (!err) {
		err = io_watch(&flusher.io, flusher.wake_fd, TAG_WAKE);
		if (err)
			io_close(&flusher.io);
	}
	answer_ready(err);
	if (err)
		return NULL;
	loop();
	io_close(&flusher.io);
	return NULL;
}

static void wake(void)
{
	while (cancel_free_wake(flusher.wake_fd) < 0 && errno == EINTR)
		;
}

static int ask(enum request request, struct run *run, uint64_t devices)
{
	int result;

	pthread_mutex_lock(&flusher.lock);
	flusher.request = request;
	flusher.request_run = run;
	flusher.request_devices = devices;
	flusher.result = 0;
	wake();
	while (flusher.request != REQ_NONE)
		pthread_cond_wait(&flusher.answered, &flusher.lock);
	result = flusher.result;
	pthread_mutex_unlock(&flusher.lock);
	return result;
}

int flusher_start(enum io_choice choice)
{
	int err;

	/* One for the life of the process: an annotation may be about to write to it. */
	if (flusher.wake_fd < 0)
		flusher.wake_fd = fds_add(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (flusher.wake_fd < 0)
		return errno;
	free(flusher.left_behind);
	flusher.left_behind = NULL;
	flusher.choice = choice;
	flusher.ready = false;
	flusher.dirty = false;
	err = threads_start(&flusher.thread, flusher_main, NULL);
	if (err)
		return err;
	pthread_mutex_lock(&flusher.lock);
	while (!flusher.ready)
		pthread_cond_wait(&flusher.answered, &flusher.lock);
	err = flusher.result;
	pthread_mutex_unlock(&flusher.lock);
	if (err) {
		pthread_join(flusher.thread, NULL);
		return err;
	}
	atomic_store_explicit(&gate.wake_fd, flusher.wake_fd, memory_order_release);
	flusher.running = true;
	return 0;
}

void flusher_stop(void)
{
	ask(REQ_QUIT, NULL, 0);
	pthread_join(flusher.thread, NULL);
	flusher.running = false;
}

int flusher_add(struct run *run)
{
	return ask(REQ_ADD, run, 0);
}

void flusher_end_devices(struct run *run, uint64_t devices)
{
	ask(REQ_END_DEVICES, run, devices);
}

void flusher_end_host(struct run *run)
{
	ask(REQ_END_HOST, run, 0);
}

int flusher_remove(struct run *run, const char *state)
{
	flusher.request_state = state;
	return ask(REQ_REMOVE, run, 0);
}

void flusher_child(void)
{
	pthread_mutex_init(&flusher.lock, NULL);
	pthread_cond_init(&flusher.answered, NULL);
	flusher.request = REQ_NONE;
	flusher.runs = NULL;
	if (flusher.running)
		flusher.left_behind = flusher.io.priv;
	io_child();
	flusher.running = false;
	flusher.wake_fd = -1; /* closed with all the others */
}
