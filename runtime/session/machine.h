/* SPDX-License-Identifier: Apache-2.0 */
/* What info.json tells of the machine; of a container as far as it can be seen there. */
#ifndef ASCPROF_MACHINE_H
#define ASCPROF_MACHINE_H

#include <stdint.h>

#define MACHINE_PACKAGES 64u
#define MACHINE_CARDS 64u

/* A socket's processors */
struct machine_package {
	unsigned int id;
	unsigned int cpus;
	char vendor[64];
	char model[128];
};

struct machine_card {
	char name[32];
	uint64_t mbit; /* per second */
};

struct machine {
	unsigned int nr_packages; /* at least one */
	struct machine_package package[MACHINE_PACKAGES];
	unsigned int nr_cards; /* that tell their speed */
	struct machine_card card[MACHINE_CARDS];
	uint64_t memory_kb;
	unsigned int cpus;
	char up[64]; /* as /proc/uptime has it; without that the first number only */
	int32_t rank; /* of RANK_ID, -1: none */
};

/* @root: "", or a folder that has proc and sys, for tests. What is not there to be read is asked of the kernel. */
void machine_read(struct machine *m, const char *root);

#endif /* ASCPROF_MACHINE_H */
