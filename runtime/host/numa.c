/* SPDX-License-Identifier: Apache-2.0 */
#include "host/numa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/pmus.h"

#define NODES 256
#define OWN "/proc/self/numa_maps"
#define FOLDER "devices/system/node"

/* The number behind " <key>:", on a line of meminfo as "Node 0 MemFree:  123 kB". */
static uint64_t kilobytes(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	unsigned long long value;

	return at && sscanf(at + strlen(key), ": %llu kB", &value) == 1 ? value : 0;
}

/* What a line of numastat has behind the name that it begins with. */
static uint64_t pages(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		unsigned long long value;
		char name[32];

		line += *line == '\n';
		if (sscanf(line, "%31s %llu", name, &value) == 2 && !strcmp(name, key))
			return value;
	}
	return 0;
}

static bool put_node(const char *root, int node, struct host_text *t)
{
	static const char *const columns[] = { "numa_hit", "numa_miss", "numa_foreign", "local_node", "other_node" };
	char path[256], stat[1024], mem[4096];

	snprintf(path, sizeof(path), "%s/" FOLDER "/node%d/numastat", root, node);
	if (host_read_file(path, stat, sizeof(stat)) <= 0)
		return false;
	snprintf(path, sizeof(path), "%s/" FOLDER "/node%d/meminfo", root, node);
	if (host_read_file(path, mem, sizeof(mem)) <= 0)
		return false;
	host_put(t, "node%d %" PRIu64 " %" PRIu64, node, kilobytes(mem, " MemTotal"), kilobytes(mem, " MemFree"));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		host_put(t, " %" PRIu64, pages(stat, columns[i]));
	host_put(t, "\n");
	return true;
}

int numa_put(const char *root, struct host_text *t)
{
	char path[256], list[512];
	int node[NODES], nr, put = 0;

	root = root ? root : "/sys";
	snprintf(path, sizeof(path), "%s/" FOLDER "/online", root);
	if (host_read_file(path, list, sizeof(list)) <= 0)
		return 0;
	list[strcspn(list, "\n")] = '\0';
	nr = pmus_cpu_list(list, node, NODES);
	for (int i = 0; i < nr; i++)
		put += put_node(root, node[i], t); /* one that went away meanwhile is left out */
	if (!put)
		errno = nr > 0 ? errno : EINVAL;
	return put;
}

/* ---- of a process ---- */

/* A line has the pages that each node holds of a mapping, as N<k>=<pages>, and behind them their size. */
static void take_mapping(const char *line, uint64_t kb[NODES])
{
	const char *size = strstr(line, " kernelpagesize_kB=");
	uint64_t page_kb = size ? strtoull(strchr(size, '=') + 1, NULL, 10) : 0;

	for (const char *at = line; (at = strstr(at, " N")); at += 2) {
		unsigned long long pages;
		unsigned int node;

		if (sscanf(at, " N%u=%llu", &node, &pages) == 2 && node < NODES)
			kb[node] += pages * page_kb;
	}
}

int numa_put_own(const char *path, unsigned int *nodes, struct host_text *t)
{
	FILE *maps = fopen(path ? path : OWN, "re");
	uint64_t kb[NODES] = { 0 };
	char *line = NULL;
	size_t room = 0;
	int err;

	if (!maps)
		return errno;
	errno = 0;
	while (getline(&line, &room, maps) > 0)
		take_mapping(line, kb);
	err = ferror(maps) || errno == ENOMEM ? (errno ? errno : EIO) : 0;
	free(line);
	fclose(maps);
	for (unsigned int k = *nodes; k < NODES; k++)
		if (kb[k])
			*nodes = k + 1;
	for (unsigned int k = 0; !err && k < *nodes; k++)
		host_put(t, "own%u %" PRIu64 "\n", k, kb[k]);
	return err;
}
