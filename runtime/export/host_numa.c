/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof.numa: what is free of each node's memory, where its pages were taken from, what the process holds of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

enum { TOTAL, FREE, HIT, MISS, FOREIGN, LOCAL, OTHER, COLUMNS }; /* KB, KB, pages */

#define NODES 256

struct node {
	uint64_t ns;
	uint64_t first[COLUMNS], last[COLUMNS];
	uint64_t own_ns, own_kb; /* of the process, which is not in every sample */
};

static void interval(struct host_view *v, unsigned long number, const struct node *n, uint64_t ns,
		     const uint64_t now[COLUMNS])
{
	static const struct {
		const char *name;
		int column;
	} rates[] = { { "Local", LOCAL }, { "Remote", OTHER }, { "Missed", MISS } };
	double seconds = (double)(ns - n->ns) / 1e9;
	char name[64];

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		int k = rates[i].column;

		snprintf(name, sizeof(name), "NUMA Node %lu %s", number, rates[i].name);
		host_add(v, name, "pages/s", n->ns, (double)(now[k] - n->last[k]) / seconds);
	}
	snprintf(name, sizeof(name), "NUMA Node %lu Free", number);
	host_add(v, name, "KB", n->ns, (double)n->last[FREE]);
}

static void own_line(struct host_view *v, struct node *nodes, uint64_t ns, char *word[])
{
	unsigned long number = word[0] && !strncmp(word[0], "own", 3) ? strtoul(word[0] + 3, NULL, 10) : NODES;
	char name[64];

	if (number >= NODES || !word[1] || ns <= nodes[number].own_ns)
		return;
	nodes[number].own_ns = ns;
	nodes[number].own_kb = strtoull(word[1], NULL, 10);
	snprintf(name, sizeof(name), "NUMA Node %lu Process", number);
	host_add(v, name, "KB", ns, (double)nodes[number].own_kb);
}

static void node_line(struct host_view *v, void *arg, uint64_t ns, char *line)
{
	struct node *nodes = arg;
	uint64_t now[COLUMNS];
	char *word[COLUMNS + 1] = { NULL };
	unsigned long number;
	struct node *n;

	if (host_words(line, word, COLUMNS + 1) <= COLUMNS || strncmp(word[0], "node", 4)) {
		own_line(v, nodes, ns, word);
		return;
	}
	number = strtoul(word[0] + 4, NULL, 10);
	if (number >= NODES)
		return;
	n = &nodes[number];
	for (int i = 0; i < COLUMNS; i++)
		now[i] = strtoull(word[i + 1], NULL, 10);
	if (n->ns && ns <= n->ns) /* the copy that a slice begins with */
		return;
	if (n->ns)
		interval(v, number, n, ns, now);
	else
		memcpy(n->first, now, sizeof(now));
	memcpy(n->last, now, sizeof(now));
	n->ns = ns;
}

static void table(struct host_view *v, const struct node *nodes)
{
	for (unsigned int i = 0; i < NODES; i++) {
		const struct node *n = &nodes[i];

		if (!n->ns)
			continue;
		host_heading(v, HOST_TABLE_NUMA, "Node,Total(KB),Free(KB),Hit(pages),Missed(pages),Foreign(pages),"
			     "Local(pages),Remote(pages),Process(KB)");
		host_cell_u64(v, HOST_TABLE_NUMA, i);
		host_cell_u64(v, HOST_TABLE_NUMA, n->last[TOTAL]);
		host_cell_u64(v, HOST_TABLE_NUMA, n->last[FREE]);
		for (int k = HIT; k < COLUMNS; k++)
			host_cell_u64(v, HOST_TABLE_NUMA, n->last[k] - n->first[k]);
		host_cell_u64(v, HOST_TABLE_NUMA, n->own_kb);
		host_row_end(v, HOST_TABLE_NUMA);
	}
}

void host_load_numa(struct host_view *v)
{
	bool any = v->part->table[SLICES_NUMA].nr;
	struct node *nodes = any ? calloc(NODES, sizeof(*nodes)) : NULL;

	if (!nodes) {
		v->failed |= any;
		return;
	}
	host_each_line(v, SLICES_NUMA, node_line, nodes);
	table(v, nodes);
	free(nodes);
}
