/* SPDX-License-Identifier: Apache-2.0 */
/* The acl.json that aclInit() takes. */
#include "tests/fuzz/readers/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/acl_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct acl_json out;
	char path[40];
	int fd = memfd_create("acl.json", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	acl_json_read(path, &out);
	close(fd);
	return 0;
}
