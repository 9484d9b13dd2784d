/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel module: loaded, there, openable, of our version, and what it offers. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collect/drm.h"
#include "collect/hub.h"
#include "tools/doctor.h"

/* Has depmod seen it? */
static bool installed(const struct doctor *d, const char *release)
{
	char path[400], line[4096];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", d->root, release);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, "ascprof.ko");
	}
	fclose(f);
	return found;
}

/* Secure Boot: what it refuses is told by the kernel's log alone, and not to everybody. */
static void signatures(struct doctor *d)
{
	char text[SYSFS_TEXT], *mode;

	if (doctor_read(d, text, "/sys/kernel/security/lockdown"))
		return;
	mode = strchr(text, '[');
	if (!mode || !strncmp(mode, "[none]", 6))
		return;
	mode[strcspn(mode, "]")] = '\0';
	doctor_say(d, DOCTOR_NOTE, "signature",
		   "the kernel takes only modules that are signed with an enrolled key (lockdown is %s)", mode + 1);
	doctor_mend(d, "mokutil --import /var/lib/dkms/mok.pub, reboot, and enrol the key at the console");
}

static void not_loaded(struct doctor *d)
{
	char sources[300], headers[300];
	struct utsname name;

	uname(&name);
	signatures(d);
	snprintf(headers, sizeof(headers), "%s/lib/modules/%s/build", d->root, name.release);
	snprintf(sources, sizeof(sources), "%s/usr/src/ascprof-" ASCPROF_VERSION "/dkms.conf", d->root);
	if (installed(d, name.release)) {
		doctor_say(d, DOCTOR_PROBLEM, "module", "not loaded: there are no counters");
		doctor_mend(d, "modprobe ascprof");
		return;
	}
	doctor_say(d, DOCTOR_PROBLEM, "module", "not installed for %s: there are no counters", name.release);
	if (access(headers, F_OK))
		doctor_mend(d, "apt install linux-headers-%s, since the module is built with them; then %sdkms install ascprof/"
			       ASCPROF_VERSION " && modprobe ascprof",
			    name.release, access(sources, R_OK) ? "dkms add SOURCES && " : "");
	else
		doctor_mend(d, "%sdkms install ascprof/" ASCPROF_VERSION " && modprobe ascprof",
			    access(sources, R_OK) ? "dkms add SOURCES && " : "");
}

static void not_openable(struct doctor *d, const char *path, int err)
{
	const struct group *group = NULL;
	const struct passwd *user = getpwuid(geteuid());
	struct stat st;

	doctor_say(d, DOCTOR_PROBLEM, "device", "%s: %s", path, strerror(err));
	if (err == ENOENT) {
		doctor_mend(d, "udevadm trigger --subsystem-match=misc; in a container, --device %s", path);
		return;
	}
	if (!stat(path, &st) && st.st_gid && st.st_mode & S_IRGRP && st.st_mode & S_IWGRP)
		group = getgrgid(st.st_gid);
	if (group && user)
		doctor_mend(d, "usermod -aG %s %s, and log in again", group->gr_name, user->pw_name);
	else
		doctor_mend(d, "groupadd --system ascprof; cp packaging/udev/60-ascprof.rules /etc/udev/rules.d/; "
			    "udevadm control --reload; udevadm trigger --subsystem-match=misc");
}

static const char *kind_name(uint32_t kind)
{
	switch (kind) {
	case ASCPROF_SOURCE_PERF:
		return "perf";
	case ASCPROF_SOURCE_USER:
		return "user";
	case ASCPROF_SOURCE_PCI:
		return "pci";
	case ASCPROF_SOURCE_MMIO:
		return "mmio";
	case ASCPROF_SOURCE_SIM:
		return "sim";
	}
	return "of a new kind";
}

static void one_source(struct doctor *d, int fd, const struct ascprof_source *s)
{
	char events[200] = "", npu[24] = "";
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < s->nr_events && at + ASCPROF_NAME_LEN + 8 < sizeof(events); i++) {
		struct ascprof_event e = { .source_id = s->id, .index = i };

		if (drm_ioctl(fd, ASCPROF_IOC_EVENT_GET, &e))
			break;
		at += (size_t)snprintf(events + at, sizeof(events) - at, "%s%.*s", at ? ", " : ": ",
				       ASCPROF_NAME_LEN - 1, e.name);
	}
	if (i < s->nr_events && at)
		snprintf(events + at, sizeof(events) - at, ", ...");
	if (s->device >= 0)
		snprintf(npu, sizeof(npu), ", NPU %d", s->device);
	if (s->kind == ASCPROF_SOURCE_PERF)
		doctor_say(d, DOCTOR_OK, "source", "%.*s (perf): see pmus", ASCPROF_NAME_LEN - 1, s->name);
	else
		doctor_say(d, s->kind == ASCPROF_SOURCE_SIM ? DOCTOR_NOTE : DOCTOR_OK, "source",
			   "%.*s (%s)%s%s, %u events%s", ASCPROF_NAME_LEN - 1, s->name, kind_name(s->kind), npu,
			   s->kind == ASCPROF_SOURCE_SIM ? ", simulated numbers" : "", s->nr_events, events);
}

static void sources(struct doctor *d, int fd, uint32_t nr)
{
	bool npu = false;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		struct ascprof_source s = { .index = i };

		if (drm_ioctl(fd, ASCPROF_IOC_SOURCE_GET, &s) || !(s.flags & ASCPROF_SOURCE_F_ALIVE))
			continue;
		npu |= (s.flags & ASCPROF_SOURCE_F_NPU) != 0;
		one_source(d, fd, &s);
	}
	if (npu)
		return;
	doctor_say(d, DOCTOR_NOTE, "source", "none of an NPU: sessions get no rows of LLC, HBM and SoC");
	doctor_mend(d, "ascprof bridge --device 0");
}

static void opened(struct doctor *d, const char *path, int fd)
{
	struct ascprof_info info = { 0 };

	if (drm_ioctl(fd, ASCPROF_IOC_INFO, &info)) {
		doctor_say(d, DOCTOR_PROBLEM, "device", "%s: not a device of the module: %s", path, strerror(errno));
		doctor_mend(d, "unset ASCPROF_DEVICE");
		return;
	}
	if (info.abi != ASCPROF_ABI_VERSION) {
		doctor_say(d, DOCTOR_PROBLEM, "device", "%s: interface version %u, expected %d", path, info.abi,
			   ASCPROF_ABI_VERSION);
		doctor_mend(d, "dkms install ascprof/" ASCPROF_VERSION " && modprobe -r ascprof && modprobe ascprof");
		return;
	}
	doctor_say(d, DOCTOR_OK, "device", "%s may be opened; interface version %u, periods from %llu us", path,
		   info.abi, (unsigned long long)info.min_period_ns / 1000);
	sources(d, fd, info.nr_sources);
}

static unsigned int folders(const struct doctor *d, const char *path)
{
	char whole[400];
	unsigned int nr = 0;
	const struct dirent *entry;
	DIR *dir;

	snprintf(whole, sizeof(whole), "%s%s", d->root, path);
	dir = opendir(whole);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static void loaded(struct doctor *d)
{
	char version[SYSFS_TEXT];

	if (doctor_read(d, version, "/sys/kernel/ascprof/version")) {
		doctor_say(d, DOCTOR_NOTE, "module", "loaded, without /sys/kernel/ascprof");
		return;
	}
	doctor_say(d, strcmp(version, ASCPROF_VERSION) ? DOCTOR_NOTE : DOCTOR_OK, "module",
		   "version %s is loaded: %u sources, %u streams", version, folders(d, "/sys/kernel/ascprof/sources"),
		   folders(d, "/sys/kernel/ascprof/streams"));
	if (strcmp(version, ASCPROF_VERSION))
		doctor_mend(d, "dkms install ascprof/" ASCPROF_VERSION " && modprobe -r ascprof && modprobe ascprof");
}

void doctor_module(struct doctor *d)
{
	char path[300];
	int fd, err;

	snprintf(path, sizeof(path), "%s/sys/module/ascprof", d->root);
	if (access(path, F_OK)) {
		not_loaded(d);
		return;
	}
	loaded(d);
	fd = open(hub_path(), O_RDWR | O_CLOEXEC);
	err = errno;
	if (fd < 0) {
		not_openable(d, hub_path(), err);
		return;
	}
	opened(d, hub_path(), fd);
	close(fd);
}
