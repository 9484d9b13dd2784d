/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control files that make a folder a part of a result directory: info.json,
 * sample.json, start_info, end_info, host_start.log, dev_start.log. All but
 * end_info are written at Start, so that a killed program's directory is read.
 */
#ifndef ASCPROF_CONTROL_H
#define ASCPROF_CONTROL_H

#include <stdint.h>

#include "clock/clock.h"
#include "collect/npu.h"
#include "format/collection.h"
#include "session/settings.h"

struct control {
	int dir_fd;
	unsigned int device; /* or HOST_DEVICE */
	uint64_t bits; /* dataTypeConfig */
	const struct settings *settings;
	struct moment begin;
	uint64_t device_begin_ns; /* what the stamps of its rows count from */
	const struct npu_facts *npu; /* of the driver; NULL: the device only counts */
};

void moment_now(struct moment *m, struct clock_correlation *clocks);

/*
 * @source: where the numbers come from, for people.
 * Return: 0, or an errno with *@name saying which file.
 */
int control_begin(const struct control *c, const char *source, const char **name);
int control_end(const struct control *c, const struct moment *end);

/* Name of this program, as in /proc/self/comm. */
const char *control_program(void);

#endif /* ASCPROF_CONTROL_H */
