/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the host's own PMUs (collect/pmus.h): caches, memory controllers, PCIe roots.
 * By a stream of the module, where it has them for us, else by perf_event_open. A PMU that can
 * tell devices apart counts for the first NPU on the bus that it sees.
 */
#ifndef ASCPROF_HOST_PMU_COUNTERS_H
#define ASCPROF_HOST_PMU_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/text.h"

struct pmu_counters;

/*
 * @root: where sysfs is; NULL: /sys. @note: how many of what is counted, or why nothing is; for people.
 * Return: counters that count already; NULL when nothing is.
 */
struct pmu_counters *pmu_counters_open(const char *root, uint32_t hz, char *note, size_t size);
void pmu_counters_close(struct pmu_counters *p);
bool pmu_counters_by_module(const struct pmu_counters *p);

void pmu_counters_stop(struct pmu_counters *p); /* what was sampled until then can be read still */

/*
 * Appends a sample: "time <ns>", then of each counter "<pmu>/<event> <count> <ns enabled> <ns running>
 * <units>/<counts> <unit> <what the PMU is>". The module's samples one by one; else one for each time
 * that this has returned false. Return: whether there was one, of @ns, CLOCK_MONOTONIC_RAW.
 */
bool pmu_counters_next(struct pmu_counters *p, struct host_text *t, uint64_t *ns);
uint64_t pmu_counters_lost(const struct pmu_counters *p); /* samples without room in the module's ring */

#endif /* ASCPROF_HOST_PMU_COUNTERS_H */
