/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result directory ./p made of an input, for the fuzzers that read one: a sequence of files, of
 * each a byte that says which, two that say how long it is, its bytes. Files that the input
 * leaves out are there as a recording of nothing leaves them.
 */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INFO "{\"platform_version\":\"5\",\"version\":\"1.0\",\"pid\":\"1\",\"CPU\":[{\"Frequency\":\"\"}]," \
	     "\"DeviceInfo\":[{\"hwts_frequency\":\"50\"}],\"hostname\":\"h\"}"
#define SAMPLE "{\"llc_profiling\":\"read\",\"hbm_profiling_events\":\"read,write\"}"
#define START "{\"collectionTimeBegin\":\"1800000000000000\",\"clockMonotonicRaw\":\"5000000000000\"}"

#define FOLDER_FILES 64

struct folder_file {
	const char *path;
	const char *otherwise; /* NULL: not there */
};

static inline void folder_put(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
}

static inline void folder_enter(void)
{
	static char folder[64];

	if (folder[0])
		return;
	snprintf(folder, sizeof(folder), "%s/ascprof-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder) || chdir(folder) || mkdir("p", 0700) || mkdir("p/host", 0700) ||
	    mkdir("p/host/data", 0700) || mkdir("p/device_0", 0700) || mkdir("p/device_0/data", 0700))
		abort();
}

/* Of several entries with one path the last that is given counts. */
static inline void folder_fill(const struct folder_file *files, size_t nr, const uint8_t *data, size_t size)
{
	bool given[FOLDER_FILES] = { false };

	while (size >= 3) {
		size_t which = data[0] % nr, n = data[1] | (size_t)data[2] << 8;

		data += 3;
		size -= 3;
		if (n > size)
			n = size;
		folder_put(files[which].path, data, n);
		for (size_t i = 0; i < nr; i++)
			given[i] |= !strcmp(files[i].path, files[which].path);
		data += n;
		size -= n;
	}
	for (size_t i = 0; i < nr; i++) {
		if (given[i])
			continue;
		if (files[i].otherwise)
			folder_put(files[i].path, files[i].otherwise, strlen(files[i].otherwise));
		else
			unlink(files[i].path);
	}
}

#endif /* FUZZ_FOLDER_H */
