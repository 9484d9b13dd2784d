// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structures that may be older or newer than ours. They only grow at the end,
 * so an older one lacks a tail, which is then zero, and a newer one has a tail
 * that we do not know, which has to be zero.
 */
#include "sized.h"

/**
 * asc_sized_same() - do two numbers name the same ioctl, whatever the size of its structure?
 * @ours: number, as in the header
 * @given: number, from the caller
 */
bool asc_sized_same(u32 ours, u32 given)
{
	return !((ours ^ given) & ~((u32)_IOC_SIZEMASK << _IOC_SIZESHIFT));
}

/**
 * asc_sized_in() - take in a structure of any size
 * @dst: our structure
 * @size: its size
 * @src: the caller's, already in kernel memory
 * @given: its size
 *
 * Return: 0, or -E2BIG if bytes that we do not know are set.
 */
int asc_sized_in(void *dst, size_t size, const void *src, size_t given)
{
	size_t common = min_t(size_t, size, given);

	if (given > size && memchr_inv((const u8 *)src + size, 0, given - size))
		return -E2BIG;
	memcpy(dst, src, common);
	memset((u8 *)dst + common, 0, size - common);
	return 0;
}

/**
 * asc_sized_out() - give out a structure of any size
 * @dst: the caller's, in kernel memory
 * @given: its size; what we do not know becomes zero
 * @src: our structure
 * @size: its size; what the caller does not know is left out
 */
void asc_sized_out(void *dst, size_t given, const void *src, size_t size)
{
	size_t common = min_t(size_t, size, given);

	memcpy(dst, src, common);
	memset((u8 *)dst + common, 0, given - common);
}
