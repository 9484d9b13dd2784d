/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices of a run are recorded from: the driver's channels, or the kernel module, or both. */
#ifndef ASCPROF_DEVICES_H
#define ASCPROF_DEVICES_H

#include "session/run.h"

/* Devices that the module or the driver has, one bit each; 0: nobody has any, or tells. Takes the loader's lock. */
uint64_t devices_there(void);

/*
 * Opens what there is of device @id, makes its part, and notes its sources, or
 * why there are none. A channel has one owner: where somebody else has it, such
 * as ascprof bridge, its numbers are the module's.
 */
aclError devices_make(struct run *run, unsigned int id, const struct hub_inventory *inv);

/* For the flusher: ends the channels of device @id; notes of all those that failed since the last call. */
void devices_finish_npu(struct run *run, unsigned int id);
void devices_tell_failed(struct run *run);

#endif /* ASCPROF_DEVICES_H */
