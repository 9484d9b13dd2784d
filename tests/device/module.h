/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for the kernel module inside a test that defines ioctl() and mmap(): one source shaped
 * like an NPU, one stream at a time, a sample when it starts and one when it stops. ASCPROF_DEVICE
 * has to name what can be opened for reading and writing.
 */
#ifndef ASCPROF_TEST_MODULE_H
#define ASCPROF_TEST_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MODULE_COUNTERS 4

bool module_is_asked(unsigned long request); /* by this ioctl */
int module_ioctl(unsigned long request, void *arg); /* -1: errno is set */

bool module_is_stream(int fd); /* that is to be mapped */
void *module_map(size_t bytes, int protection, off_t offset);
void module_close(void); /* what it has open itself, beside the stream */

#endif /* ASCPROF_TEST_MODULE_H */
