/* SPDX-License-Identifier: Apache-2.0 */
#include "format/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Lowest and highest second byte that may follow a lead byte. */
static int sequence(unsigned char lead, unsigned char *low, unsigned char *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (lead == 0xe0)
			*low = 0xa0; /* shorter forms exist below */
		if (lead == 0xed)
			*high = 0x9f; /* surrogates above */
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (lead == 0xf0)
			*low = 0x90;
		if (lead == 0xf4)
			*high = 0x8f; /* U+10FFFF is the last */
		return 4;
	}
	return 0;
}

int utf8_char(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char low, high;
	int len;

	if (u[0] < 0x80)
		return 1;
	len = sequence(u[0], &low, &high);
	if (!len)
		return -1;
	for (int i = 1; i < len; i++) {
		if ((size_t)i >= n)
			return 0;
		if (u[i] < low || u[i] > high)
			return -i;
		low = 0x80;
		high = 0xbf;
	}
	return len;
}

static bool ascii8(const char *s)
{
	unsigned long long word;

	memcpy(&word, s, 8);
	return !(word & 0x8080808080808080ULL);
}

size_t utf8_copy(char *out, size_t room, const char *s, size_t n)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t used = 0;

	while (n) {
		const char *from = s;
		int len;
		size_t take;

		if (n >= 8 && room - used >= 8 && ascii8(s)) {
			memcpy(out + used, s, 8);
			used += 8;
			s += 8;
			n -= 8;
			continue;
		}
		len = utf8_char(s, n);
		if (!len)
			break;
		take = (size_t)len;
		s += len > 0 ? len : -len;
		n -= (size_t)(len > 0 ? len : -len);
		if (len < 0) {
			from = replacement;
			take = 3;
		}
		if (take > room - used)
			break;
		memcpy(out + used, from, take);
		used += take;
	}
	return used;
}
