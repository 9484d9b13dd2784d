/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's side of tests/qemu/model/window.c: where its device is, and the
 * words to it.
 */
#ifndef GUEST_MODEL_H
#define GUEST_MODEL_H

#include <dirent.h>
#include <termios.h>

#include "guest.h"

#define PCI_DEVICES	"/sys/bus/pci/devices/"
#define PCI_DRIVER	"/sys/bus/pci/drivers/ascprof/"
#define MODEL_ID	"1af4 1110"
#define PORT_ID		"1b36:000c"

static inline bool find_device(const char *vendor, const char *device, char *address, size_t size)
{
	DIR *dir = opendir(PCI_DEVICES);
	struct dirent *d;
	bool found = false;

	while (dir && !found && (d = readdir(dir))) {
		char path[512], line[32];

		snprintf(path, sizeof(path), PCI_DEVICES "%s/vendor", d->d_name);
		if (!read_line(path, line, sizeof(line)) || strcmp(line, vendor))
			continue;
		snprintf(path, sizeof(path), PCI_DEVICES "%s/device", d->d_name);
		found = read_line(path, line, sizeof(line)) && !strcmp(line, device);
		if (found)
			snprintf(address, size, "%.*s", (int)size - 1, d->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The last line of a device's list of error counts is their sum; UINT64_MAX: there is no list. */
static inline uint64_t aer_total(const char *address, const char *file)
{
	char path[256], line[64];
	uint64_t total = 0;
	FILE *f;

	snprintf(path, sizeof(path), PCI_DEVICES "%s/%s", address, file);
	f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "TOTAL_ERR_%*s %" SCNu64, &total) != 1)
			total = UINT64_MAX;
	fclose(f);
	return total;
}

/* Does the module drive it? */
static inline bool driven(const char *address)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DRIVER "%s", address);
	return access(path, F_OK) == 0;
}

/* Only that driver may have it; a newline: whichever knows its id. */
static inline int driver_override(const char *address, const char *driver)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DEVICES "%s/driver_override", address);
	return write_file(path, driver);
}

static FILE *model_line;

static inline void model_open(void)
{
	int fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;

	if (fd < 0 || tcgetattr(fd, &t))
		bail("/dev/ttyS1");
	cfmakeraw(&t);
	cfsetspeed(&t, B115200);
	t.c_cflag |= CLOCAL;
	if (tcsetattr(fd, TCSANOW, &t))
		bail("/dev/ttyS1");
	tcflush(fd, TCIOFLUSH);
	model_line = fdopen(fd, "r+e");
	if (!model_line)
		bail("fdopen");
	setvbuf(model_line, NULL, _IONBF, 0);
}

/* Totals as in the answer; false for "error". */
__attribute__((format(printf, 2, 3)))
static inline bool model_says(uint64_t total[3], const char *format, ...)
{
	char line[128];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(model_line, "%s\n", line);
	if (!fgets(line, sizeof(line), model_line))
		bail("answer of the model");
	return sscanf(line, "ok %" SCNu64 " %" SCNu64 " %" SCNu64, &total[0], &total[1],
		      &total[2]) == 3;
}

static inline void model(const char *words)
{
	uint64_t total[3];

	if (!model_says(total, "%s", words)) {
		errno = EPROTO;
		bail(words);
	}
}

static inline bool source_by_name(int control, const char *name, struct ascprof_source *source)
{
	memset(source, 0, sizeof(*source));
	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, source) == 0) {
		if (!strcmp(source->name, name))
			return true;
		source->index++;
	}
	return false;
}

static inline unsigned int sources_of_kind(int control, uint32_t kind)
{
	struct ascprof_source source = { .index = 0 };
	unsigned int nr = 0;

	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0) {
		nr += source.kind == kind;
		source.index++;
	}
	return nr;
}

/* Anew, with these parameters. */
static inline void reload(const char *args)
{
	if (module_users() >= 0 && module_unload())
		bail("unload");
	if (module_load_with(args))
		bail(args);
}

#endif /* GUEST_MODEL_H */
