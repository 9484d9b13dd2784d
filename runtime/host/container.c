/* SPDX-License-Identifier: Apache-2.0 */
#include "host/container.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/text.h"

#define FILE_MAX (64u << 10)
#define LINE_SIZE 1024
#define NO_LIMIT (1ULL << 60) /* what version 1 shows for none is near 2^63 */

/* ---- signs of a container ---- */

static bool other_namespace(const char *root, const char *name, const char *first)
{
	char path[PATH_MAX], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/self/ns/%s", root, name);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return false;
	link[n] = '\0';
	return !strstr(link, first);
}

static void find_evidence(struct container *c, const char *root)
{
	static const char *const marks[] = { "/.dockerenv", "/run/.containerenv" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, marks[i]);
		if (!access(path, F_OK)) {
			snprintf(c->evidence, sizeof(c->evidence), "%s", marks[i]);
			return;
		}
	}
	/* The numbers that the kernel gives to its first name spaces */
	if (other_namespace(root, "pid", "4026531836"))
		snprintf(c->evidence, sizeof(c->evidence), "a PID name space");
	else if (other_namespace(root, "cgroup", "4026531835"))
		snprintf(c->evidence, sizeof(c->evidence), "a cgroup name space");
}

/* ---- limits of control groups ---- */

struct group {
	char mount[PATH_MAX]; /* where its hierarchy is */
	char inside[PATH_MAX]; /* which of its folders is mounted there */
	char path[PATH_MAX]; /* of this process */
};

static bool listed(const char *list, const char *item)
{
	size_t n = strlen(item);

	for (const char *s = list; s; s = strchr(s, ','), s = s ? s + 1 : NULL)
		if (!strncmp(s, item, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

/* The line at @at, as much as there is room for, and on to the next. */
static bool next_line(const char **at, char line[LINE_SIZE])
{
	size_t n = strcspn(*at, "\n");

	if (!**at)
		return false;
	snprintf(line, LINE_SIZE, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == '\n');
	return true;
}

/* @controller NULL: version 2 */
static bool find_mount(struct group *g, const char *mounts, const char *controller)
{
	char one[LINE_SIZE], type[32], options[256], *dash;

	while (next_line(&mounts, one)) {
		dash = strstr(one, " - ");
		if (!dash || sscanf(dash, " - %31s %*s %255s", type, options) != 2 ||
		    strcmp(type, controller ? "cgroup" : "cgroup2") || (controller && !listed(options, controller)))
			continue;
		if (sscanf(one, "%*s %*s %*s %1023s %1023s", g->inside, g->mount) == 2)
			return true;
	}
	return false;
}

/* The line "<number>:<controllers>:<path>" of /proc/self/cgroup */
static bool find_path(struct group *g, const char *groups, const char *controller)
{
	char one[LINE_SIZE], *list, *path;

	while (next_line(&groups, one)) {
		list = strchr(one, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		list++;
		if (controller ? !listed(list, controller) : *list != '\0')
			continue;
		snprintf(g->path, sizeof(g->path), "%s", path);
		return true;
	}
	return false;
}

static long read_in(const struct group *g, const char *root, const char *file, char *text, size_t size)
{
	char path[3 * PATH_MAX];

	snprintf(path, sizeof(path), "%s%s%s/%s", root, g->mount, strcmp(g->path, "/") ? g->path : "", file);
	return host_read_file(path, text, size);
}

static void take_memory(struct container *c, const char *text)
{
	uint64_t bytes = strtoull(text, NULL, 10); /* "max" is 0 */

	if (bytes && bytes < NO_LIMIT && (!c->memory_bytes || bytes < c->memory_bytes))
		c->memory_bytes = bytes;
}

static void take_cpu(struct container *c, long long quota, long long period)
{
	uint64_t share;

	if (quota <= 0 || period <= 0)
		return;
	share = (uint64_t)quota * 1000 / (uint64_t)period;
	if (!c->cpu_thousandths || share < c->cpu_thousandths)
		c->cpu_thousandths = share;
}

static void limits_of(struct container *c, const struct group *g, const char *root, const char *controller)
{
	long long quota, period;
	char text[64], more[64];

	if (!controller) {
		if (read_in(g, root, "memory.max", text, sizeof(text)) > 0)
			take_memory(c, text);
		if (read_in(g, root, "cpu.max", text, sizeof(text)) > 0 &&
		    sscanf(text, "%lld %lld", &quota, &period) == 2)
			take_cpu(c, quota, period);
	} else if (!strcmp(controller, "memory")) {
		if (read_in(g, root, "memory.limit_in_bytes", text, sizeof(text)) > 0)
			take_memory(c, text);
	} else if (read_in(g, root, "cpu.cfs_quota_us", text, sizeof(text)) > 0 &&
		   read_in(g, root, "cpu.cfs_period_us", more, sizeof(more)) > 0) {
		take_cpu(c, atoll(text), atoll(more));
	}
}

/* The least of all groups from that of the process to the uppermost that can be seen */
static void read_limits(struct container *c, const char *root, const char *mounts, const char *groups,
			const char *controller)
{
	struct group g;
	size_t n;

	if (!find_mount(&g, mounts, controller) || !find_path(&g, groups, controller))
		return;
	n = strlen(g.inside);
	if (n > 1 && !strncmp(g.path, g.inside, n) && (g.path[n] == '/' || !g.path[n]))
		memmove(g.path, g.path + n, strlen(g.path + n) + 1);
	for (;;) {
		char *slash;

		limits_of(c, &g, root, controller);
		slash = strrchr(g.path, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

void container_read(struct container *c, const char *root)
{
	char *mounts = malloc(FILE_MAX), *groups = malloc(FILE_MAX), path[PATH_MAX];

	*c = (struct container){ 0 };
	find_evidence(c, root);
	if (mounts && groups) {
		snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
		if (host_read_file(path, mounts, FILE_MAX) < 0)
			*mounts = '\0';
		snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
		if (host_read_file(path, groups, FILE_MAX) < 0)
			*groups = '\0';
		read_limits(c, root, mounts, groups, NULL);
		read_limits(c, root, mounts, groups, "memory");
		read_limits(c, root, mounts, groups, "cpu");
	}
	free(mounts);
	free(groups);
}
