/* SPDX-License-Identifier: Apache-2.0 */
#include "format/crc32c.h"

#include <string.h>

/* Four bits at a time, polynomial 0x82F63B78: small, and only for processors without the instruction. */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t len)
{
	static const uint32_t nibble[16] = {
		0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
		0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
	};
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		crc = nibble[crc & 15] ^ crc >> 4;
		crc = nibble[crc & 15] ^ crc >> 4;
	}
	return crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t by_processor(uint32_t crc, const unsigned char *p, size_t len)
{
	uint64_t wide = crc, word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		wide = __builtin_ia32_crc32di(wide, word);
	}
	crc = (uint32_t)wide;
	for (; len; p++, len--)
		crc = __builtin_ia32_crc32qi(crc, *p);
	return crc;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	return __builtin_cpu_supports("sse4.2") ? by_processor(crc, data, len) : crc32c_plain(crc, data, len);
}

#elif defined(__aarch64__)

#include <arm_acle.h>
#include <sys/auxv.h>

#define CAP_CRC32 (1ul << 7) /* of AT_HWCAP, from the kernel's documentation of arm64 */

__attribute__((target("+crc"))) static uint32_t by_processor(uint32_t crc, const unsigned char *p, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		crc = __crc32cd(crc, word);
	}
	for (; len; p++, len--)
		crc = __crc32cb(crc, *p);
	return crc;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	return getauxval(AT_HWCAP) & CAP_CRC32 ? by_processor(crc, data, len) : crc32c_plain(crc, data, len);
}

#else

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	return crc32c_plain(crc, data, len);
}

#endif
