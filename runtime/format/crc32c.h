/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), by the processor where it can. */
#ifndef ASCPROF_CRC32C_H
#define ASCPROF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* @crc: 0xFFFFFFFF to begin with, or what an earlier part gave. Not inverted at the end. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The same without help of the processor. */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t len);

#endif /* ASCPROF_CRC32C_H */
