// SPDX-License-Identifier: Apache-2.0
/* Ends QEMU with exit code 2 * argument + 1, through its isa-debug-exit device. */
#include <stdlib.h>
#include <sys/io.h>

#define DEBUG_EXIT_PORT 0xf4

int main(int argc, char **argv)
{
	if (argc != 2 || ioperm(DEBUG_EXIT_PORT, 4, 1) != 0)
		return 1;
	outb((unsigned char)atoi(argv[1]), DEBUG_EXIT_PORT);
	return 1;
}
