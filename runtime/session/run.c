/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "flush/tx_native.h"
#include "flush/tx_rows.h"
#include "format/files.h"
#include "log/log.h"
#include "native/zstd.h"
#include "session/account.h"
#include "session/devices.h"
#include "session/fds.h"
#include "session/path.h"

#define FREE_MIN (20u << 20) /* bytes that the volume must have free at Start */
#define TX_BUF_BYTES SLICE_BYTES /* a huge page: one write, and one piece for the device */
#define RESERVE_BYTES (256u << 10)

struct run_source *run_add_source(struct run *run, unsigned int device, const char *name, const char *note)
{
	struct run_source *more = realloc(run->sources, (run->nr_sources + 1) * sizeof(*more));
	struct run_source *s;

	if (!more)
		return NULL;
	run->sources = more;
	s = &more[run->nr_sources++];
	memset(s, 0, sizeof(*s));
	s->device = device;
	snprintf(s->source, sizeof(s->source), "%s", name);
	snprintf(s->note, sizeof(s->note), "%s", note);
	return s;
}

void run_no_source(struct run *run, unsigned int device, const char *why)
{
	run_add_source(run, device, "none", why);
	log_line(LOG_INFO, device == HOST_DEVICE ? "%s" : "no source for a device: %s", why);
}

static aclError cannot(const char *what, int err)
{
	/* The directory and the disk are the caller's to mend; memory is not. */
	return fail(err == ENOMEM ? ACL_ERROR_PROFILING_FAILURE : ACL_ERROR_INVALID_FILE,
		    "aclprofStart: result directory: %s: %s", what, strerror(err));
}

aclError run_make_part(struct run *run, struct run_part *part, unsigned int device, const char *source,
		       uint64_t device_begin_ns, const struct npu_facts *npu)
{
	const char *name;
	char folder[32] = "host";
	int err;

	if (device != HOST_DEVICE)
		snprintf(folder, sizeof(folder), "device_%u", device);
	part->fd = files_mkdir(run->fd, folder);
	if (part->fd < 0)
		return cannot(folder, errno);
	part->data_fd = files_mkdir(part->fd, "data");
	if (part->data_fd < 0)
		return cannot("data", errno);
	part->control = (struct control){
		.dir_fd = part->fd,
		.device = device,
		/* annotations of a second Start go to the first one's directory */
		.bits = run->annotated ? run->bits : run->bits & ~ACL_PROF_MSPROFTX,
		.settings = &run->settings,
		.begin = run->begin,
		.device_begin_ns = device_begin_ns,
		.npu = npu,
	};
	err = control_begin(&part->control, source, &name);
	return err ? cannot(name, err) : ACL_SUCCESS;
}

aclError run_no_memory(void)
{
	return fail_as(EK_MEMORY, ACL_ERROR_PROFILING_FAILURE, "aclprofStart: no memory");
}

struct missing {
	struct run *run;
	unsigned int device;
};

static void tell_missing(void *arg, const char *name, const char *why)
{
	struct missing *m = arg;
	char note[128];

	snprintf(note, sizeof(note), "%s %s", name, why);
	run_no_source(m->run, m->device, note);
}

static void tell_host(void *arg, const char *source, const char *note)
{
	struct run *run = arg;

	if (!strcmp(source, "none"))
		run_no_source(run, HOST_DEVICE, note);
	else
		run_add_source(run, HOST_DEVICE, source, note);
}

static void tell_container(struct run *run)
{
	const struct container *c = &run->container;
	char note[160];

	if (c->memory_bytes || c->cpu_thousandths) {
		snprintf(note, sizeof(note), "limits (0: none): %llu bytes of memory, %llu.%03llu CPUs",
			 (unsigned long long)c->memory_bytes, (unsigned long long)c->cpu_thousandths / 1000,
			 (unsigned long long)c->cpu_thousandths % 1000);
		run_add_source(run, HOST_DEVICE, "cgroup", note);
	}
	if (!*c->evidence)
		return;
	if (run->settings.io_hz) {
		snprintf(note, sizeof(note), "ACL_PROF_SYS_IO_FREQ has no effect in a container (%s)",
			 c->evidence);
		run_no_source(run, HOST_DEVICE, note);
	}
	if (run->settings.host_sys & HOST_NETWORK) {
		snprintf(note, sizeof(note), "network: cards of this container (%s)", c->evidence);
		run_add_source(run, HOST_DEVICE, "/proc/net/dev", note);
	}
	if (run->settings.host_usage) {
		snprintf(note, sizeof(note), "processes: those that /proc of this container shows (%s)", c->evidence);
		run_add_source(run, HOST_DEVICE, "/proc", note);
	}
}

/* A file without a name that holds space; see struct slice_store. */
static int reserve_open(int dir_fd)
{
	static const char name[] = ".reserve";
	int fd = fds_add(openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));

	if (fd >= 0) {
		unlinkat(dir_fd, name, 0);
		posix_fallocate(fd, 0, RESERVE_BYTES);
	}
	return fd;
}

static void close_part(struct run_part *part)
{
	fds_close(part->data_fd);
	fds_close(part->fd);
	part->fd = part->data_fd = -1;
}

static void free_run(struct run *run)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		device_free(run->device[id]);
		npu_free(run->npu[id]);
		close_part(&run->part[id]);
	}
	close_part(&run->host);
	slice_sink_free(&run->tx);
	host_free(run->host_data);
	slice_store_release(&run->store);
	native_zstd_free(run->store.zstd);
	dictionary_free(&run->dictionary);
	reports_free(&run->reports);
	native_encoder_free(run->native);
	fds_close(run->fd);
	free(run->sources);
	free(run);
}

static aclError fill(struct run *run, const char *parent, unsigned int index)
{
	struct missing missing = { run, HOST_DEVICE };
	struct hub_inventory inv;
	struct statvfs v;
	char why[256];
	aclError ret;

	run->fd = path_new_result(parent, index, run->path);
	if (run->fd < 0)
		return ACL_ERROR_INVALID_FILE;
	if (!fstatvfs(run->fd, &v) && v.f_bavail * (uint64_t)v.f_frsize < FREE_MIN)
		return fail_as(EK_DISK, ACL_ERROR_PROFILING_FAILURE,
			       "aclprofStart: result path \"%s\": %llu MB free, expected at least %u MB", parent,
			       (unsigned long long)(v.f_bavail * (uint64_t)v.f_frsize >> 20), FREE_MIN >> 20);
	run->store.reserve_fd = reserve_open(run->fd);
	slice_store_probe(&run->store, run->store.reserve_fd);
	moment_now(&run->begin, &run->begin_clocks);
	ret = run_make_part(run, &run->host, HOST_DEVICE, "host", 0, NULL);
	if (ret)
		return ret;
	settings_missing(&run->settings, run->devices && hal_shared(why, sizeof(why)), tell_missing, &missing);
	container_read(&run->container, "");
	tell_container(run);
	run->host_data = host_open(&run->settings, tell_host, run);
	if (!host_attach(run->host_data, &run->store, run->host.data_fd, run->begin.raw_ns))
		return run_no_memory();
	hub_read_inventory(&inv);
	for (unsigned int id = 0; id < CONFIG_DEVICES && !ret; id++)
		if (run->devices & 1ULL << id)
			ret = devices_make(run, id, &inv);
	return ret;
}

static bool make_tx_sink(struct run *run)
{
	if (!run->layout.native) {
		if (!slice_sink_init(&run->tx, &run->store, run->host.data_fd, "aging.additional.msproftx",
				     sizeof(struct row_tx), TX_BUF_BYTES))
			return false;
		run->tx.kind_of = tx_kind_of;
		return true;
	}
	if (!slice_sink_init(&run->tx, &run->store, run->host.data_fd, NATIVE_TAG_NAME, NATIVE_PAGE, TX_BUF_BYTES))
		return false;
	run->tx.kind_of = tx_native_kind_of;
	run->tx.events_in = tx_native_events_in;
	run->native = native_encoder_new((uint32_t)getpid(), run->layout.zstd);
	return run->native != NULL;
}

struct run *run_create(const char *parent, unsigned int index, const struct aclprofConfig *config,
		       const struct settings *settings, bool first, aclError *error)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run) {
		*error = run_no_memory();
		return NULL;
	}
	run->fd = run->store.reserve_fd = -1;
	run->host.fd = run->host.data_fd = -1;
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		run->part[id].fd = run->part[id].data_fd = -1;
	run->bits = config->bits;
	run->metrics = (unsigned int)config->metrics;
	run->devices = config->devices;
	run->host_only = !config->devices;
	run->settings = *settings;
	run->first = first;
	run->annotated = first && config->bits & ACL_PROF_MSPROFTX;
	run->store.limit = settings->storage_limit_mb << 20;
	run->state = "running";
	layout_read(&run->layout);
	if (run->layout.native && run->layout.zstd)
		run->store.zstd = native_zstd_new(run->layout.zstd, true);
	if (run->layout.native && run->layout.zstd && !run->store.zstd)
		*error = run_no_memory();
	else
		*error = fill(run, parent, index);
	if (*error) {
		run_abandon(run);
		return NULL;
	}
	if (run->annotated && !make_tx_sink(run)) {
		*error = run_no_memory();
		run_abandon(run);
		return NULL;
	}
	reports_init(&run->reports, &run->store, run->host.data_fd);
	dictionary_init(&run->dictionary, &run->store, run->host.data_fd, DICTIONARY_TEXTS);
	return run;
}

aclError run_start_devices(struct run *run)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		int err = run->device[id] ? device_start(run->device[id]) : 0;

		if (!err && run->npu[id])
			err = npu_start(run->npu[id]);
		if (err)
			return fail(ACL_ERROR_PROFILING_FAILURE, "aclprofStart: device %u: starting its stream: %s",
				    id, strerror(err));
	}
	return ACL_SUCCESS;
}

/* Only what a run that never started can have made: control files and folders. */
static void remove_part(struct run *run, struct run_part *part, const char *folder)
{
	static const char *const names[] = { "info.json", "sample.json", "start_info", "host_start.log",
					     "dev_start.log" };

	for (size_t i = 0; part->fd >= 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char file[64], done[80];

		if (part->control.device == HOST_DEVICE || !strcmp(names[i], "sample.json"))
			snprintf(file, sizeof(file), "%s", names[i]);
		else
			snprintf(file, sizeof(file), "%s.%u", names[i], part->control.device);
		snprintf(done, sizeof(done), "%s.done", file);
		unlinkat(part->fd, file, 0);
		unlinkat(part->fd, done, 0);
	}
	if (part->fd >= 0)
		unlinkat(part->fd, "data", AT_REMOVEDIR);
	unlinkat(run->fd, folder, AT_REMOVEDIR);
}

void run_abandon(struct run *run)
{
	if (run->fd >= 0) {
		for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
			char folder[32];

			snprintf(folder, sizeof(folder), "device_%u", id);
			remove_part(run, &run->part[id], folder);
		}
		remove_part(run, &run->host, "host");
		rmdir(run->path);
	}
	free_run(run);
}

bool run_is_empty(const struct run *run)
{
	uint64_t all = run->tx_totals.refused;

	for (unsigned int k = 0; k < TX_KINDS; k++)
		all += run->tx_totals.produced[k] + run->ranges_open[k];
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++)
		all += run->device[id] != NULL;
	return !all && !run->store.error && !run->tx_totals.left_pushed && !run->tx_totals.left_launching;
}

/* The files of a folder of ours; what is no file stays, and the folder with it. */
static void remove_files(int dir_fd, const char *folder)
{
	int fd = openat(dir_fd, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (fd >= 0 && !d)
		close(fd);
	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

void run_remove(struct run *run)
{
	remove_files(run->fd, "host/data");
	unlinkat(run->fd, "host/data", AT_REMOVEDIR);
	remove_files(run->fd, "host");
	unlinkat(run->fd, "host", AT_REMOVEDIR);
	remove_files(run->fd, ".");
	rmdir(run->path);
}

static void end_part(struct run *run, struct run_part *part)
{
	int err;

	if (part->fd < 0)
		return;
	err = control_end(&part->control, &run->end);
	if (err && !run->store.error) {
		run->store.error = err;
		snprintf(run->store.failed, sizeof(run->store.failed), "writing end_info: %s", strerror(err));
		log_line(LOG_ERROR, "%s", run->store.failed);
	}
	close_part(part);
}

void run_finish_devices(struct run *run, uint64_t devices)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		if (!(devices & 1ULL << id) || (!run->device[id] && !run->npu[id]))
			continue;
		if (run->npu[id])
			devices_finish_npu(run, id);
		if (run->device[id])
			device_finish(run->device[id]);
		moment_now(&run->end, &run->end_clocks);
		end_part(run, &run->part[id]);
	}
}

void run_finish_host(struct run *run)
{
	if (run->host_done)
		return;
	run->host_done = true;
	/* What the release gives back is for completing, not for more rows. */
	if (run->annotated) {
		if (run->native)
			tx_native_flush(run);
		slice_settle(&run->tx);
	}
	reports_settle(&run->reports);
	host_settle(run->host_data);
	slice_store_release(&run->store);
	if (run->annotated)
		slice_finish(&run->tx);
	reports_finish(&run->reports);
	host_finish(run->host_data);
	dictionary_finish(&run->dictionary);
	moment_now(&run->end, &run->end_clocks);
	end_part(run, &run->host);
}

void run_close(struct run *run)
{
	free_run(run);
}
