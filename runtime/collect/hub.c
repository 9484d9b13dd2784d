/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collect/hub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/drm.h"
#include "log/cancel.h"
#include "session/fds.h"

#define MAX_LATENCY_NS 100000000u /* data is on disk no later than the annotations' */

const char *hub_path(void)
{
	const char *path = secure_getenv("ASCPROF_DEVICE");

	return path && *path ? path : ASCPROF_DEVICE_PATH;
}

static int control_open(void)
{
	return fds_add(open(hub_path(), O_RDWR | O_CLOEXEC));
}

static void add_npu(struct hub_inventory *inv, const struct ascprof_source *src)
{
	struct hub_npu *npu;

	if (!(src->flags & ASCPROF_SOURCE_F_NPU) || !(src->flags & ASCPROF_SOURCE_F_ALIVE) ||
	    src->device < 0 || src->device >= HUB_DEVICES)
		return;
	npu = &inv->npu[src->device];
	/* real and simulated numbers are never mixed */
	if (npu->present && !npu->sim && src->kind == ASCPROF_SOURCE_SIM)
		return;
	if (npu->present && npu->sim && src->kind != ASCPROF_SOURCE_SIM)
		memset(npu, 0, sizeof(*npu));
	if (npu->nr_sources == HUB_SOURCES)
		return;
	if (!npu->present)
		snprintf(npu->name, sizeof(npu->name), "%.*s", ASCPROF_NAME_LEN - 1, src->name);
	npu->present = true;
	npu->sim = src->kind == ASCPROF_SOURCE_SIM;
	npu->source[npu->nr_sources].id = src->id;
	npu->source[npu->nr_sources++].nr_events = src->nr_events;
	npu->numa_node = src->numa_node;
	if (src->pci_addr)
		npu->pci_addr = src->pci_addr;
	if ((unsigned int)src->device >= inv->count)
		inv->count = (unsigned int)src->device + 1;
}

static void read_inventory(struct hub_inventory *inv)
{
	struct ascprof_info info = { 0 };
	int fd = control_open();

	memset(inv, 0, sizeof(*inv));
	if (fd < 0) {
		snprintf(inv->why, sizeof(inv->why), "%s: %s", hub_path(), strerror(errno));
		return;
	}
	if (drm_ioctl(fd, ASCPROF_IOC_INFO, &info) || info.abi != ASCPROF_ABI_VERSION) {
		snprintf(inv->why, sizeof(inv->why), "%s: not an ascprof device of interface version %d",
			 hub_path(), ASCPROF_ABI_VERSION);
		fds_close(fd);
		return;
	}
	for (uint32_t i = 0; i < info.nr_sources; i++) {
		struct ascprof_source src = { .index = i };

		if (!drm_ioctl(fd, ASCPROF_IOC_SOURCE_GET, &src))
			add_npu(inv, &src);
	}
	fds_close(fd);
	if (!inv->count)
		snprintf(inv->why, sizeof(inv->why), "%s: no source of an NPU", hub_path());
}

void hub_read_inventory(struct hub_inventory *inv)
{
	int before = cancel_off();

	read_inventory(inv);
	cancel_on_again(before);
}

uint64_t hub_all_devices(void)
{
	struct hub_inventory inv;
	uint64_t devices = 0;

	hub_read_inventory(&inv);
	for (unsigned int id = 0; id < inv.count; id++)
		if (inv.npu[id].present)
			devices |= 1ULL << id;
	return devices;
}

int hub_perf_source(uint32_t *id)
{
	int fd = control_open(), err = ENODEV;
	struct ascprof_info info = { 0 };

	if (fd < 0)
		return errno;
	if (drm_ioctl(fd, ASCPROF_IOC_INFO, &info))
		err = errno;
	for (uint32_t i = 0; err && i < info.nr_sources; i++) {
		struct ascprof_source s = { .index = i };

		if (drm_ioctl(fd, ASCPROF_IOC_SOURCE_GET, &s) || s.kind != ASCPROF_SOURCE_PERF)
			continue;
		*id = s.id;
		err = 0;
	}
	fds_close(fd);
	return err;
}

int hub_events(const struct hub_npu *npu, void (*fn)(void *arg, const struct ascprof_event *e), void *arg)
{
	int fd = control_open(), err = 0;

	if (fd < 0)
		return errno;
	for (uint32_t s = 0; s < npu->nr_sources; s++) {
		for (uint32_t i = 0; i < npu->source[s].nr_events && !err; i++) {
			struct ascprof_event e = { .source_id = npu->source[s].id, .index = i };

			if (drm_ioctl(fd, ASCPROF_IOC_EVENT_GET, &e))
				err = errno;
			else
				fn(arg, &e);
		}
	}
	fds_close(fd);
	return err;
}

static void *map(const struct hub_stream *s, size_t bytes, int prot, uint64_t offset)
{
	void *p = mmap(NULL, bytes, prot, MAP_SHARED, s->fd, (off_t)offset);

	if (p == MAP_FAILED)
		return NULL;
	/* A forked child has no business with the parent's tail. */
	madvise(p, bytes, MADV_DONTFORK);
	return p;
}

int hub_stream_open(struct hub_stream *s, uint64_t period_ns, uint64_t ring_bytes, const char **what)
{
	return hub_stream_open_as(s, period_ns, ring_bytes, 0, what);
}

int hub_stream_open_as(struct hub_stream *s, uint64_t period_ns, uint64_t ring_bytes, uint32_t flags, const char **what)
{
	struct ascprof_stream_create create = {
		.flags = flags,
		.home_cpu = -1,
		.ring_bytes = ring_bytes,
		.period_ns = period_ns,
		.max_latency_ns = MAX_LATENCY_NS,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int control, err = 0;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	*what = "opening";
	control = control_open();
	if (control < 0)
		return errno;
	*what = "making a stream";
	s->fd = fds_add(drm_ioctl(control, ASCPROF_IOC_STREAM_CREATE, &create));
	if (s->fd < 0)
		err = errno;
	fds_close(control);
	if (err)
		return err;
	*what = "mapping the stream";
	s->ring_bytes = ring_bytes;
	s->consumer = map(s, page, PROT_READ | PROT_WRITE, ASCPROF_OFF_CONSUMER);
	s->producer = map(s, page, PROT_READ, ASCPROF_OFF_PRODUCER);
	s->data = map(s, 2 * ring_bytes, PROT_READ, ASCPROF_OFF_DATA);
	if (!s->consumer || !s->producer || !s->data) {
		err = errno;
		hub_stream_close(s);
	}
	return err;
}

int hub_stream_add(struct hub_stream *s, uint32_t source_id, uint64_t config, uint32_t *slot)
{
	struct ascprof_counter_add add = {
		.source_id = source_id,
		.config = config,
		.cpu = -1,
		.cookie = config,
	};

	if (drm_ioctl(s->fd, ASCPROF_IOC_COUNTER_ADD, &add))
		return errno;
	*slot = add.slot;
	return 0;
}

int hub_stream_start(struct hub_stream *s)
{
	return drm_ioctl(s->fd, ASCPROF_IOC_START, NULL) ? errno : 0;
}

int hub_stream_stop(struct hub_stream *s)
{
	return drm_ioctl(s->fd, ASCPROF_IOC_STOP, NULL) ? errno : 0;
}

int hub_stream_stats(struct hub_stream *s, struct ascprof_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	return drm_ioctl(s->fd, ASCPROF_IOC_STATS, stats) ? errno : 0;
}

void hub_stream_close(struct hub_stream *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (s->consumer)
		munmap(s->consumer, page);
	if (s->producer)
		munmap((void *)s->producer, page);
	if (s->data)
		munmap((void *)s->data, 2 * s->ring_bytes);
	fds_close(s->fd);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

const struct ascprof_rec *hub_stream_next(struct hub_stream *s)
{
	/* Pairs with the module's store-release: data before head is complete. */
	uint64_t head = __atomic_load_n(&s->producer->head, __ATOMIC_ACQUIRE);
	const struct ascprof_rec *r;

	if (head == s->tail)
		return NULL;
	r = (const void *)(s->data + (s->tail & (s->ring_bytes - 1)));
	s->tail += r->len;
	return r;
}

void hub_stream_release(struct hub_stream *s)
{
	/* Pairs with the module's load-acquire: we have read all before tail. */
	__atomic_store_n(&s->consumer->tail, s->tail, __ATOMIC_RELEASE);
}
