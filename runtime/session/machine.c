/* SPDX-License-Identifier: Apache-2.0 */
#include "session/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

static FILE *open_below(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return fopen(full, "re");
}

static void first_line(const char *root, const char *path, char *line, size_t size)
{
	FILE *f = open_below(root, path);

	*line = '\0';
	if (f && fgets(line, (int)size, f))
		line[strcspn(line, "\n")] = '\0';
	else
		*line = '\0';
	if (f)
		fclose(f);
}

/* Where the value begins in "@key : value"; NULL: the line has another key. */
static char *value_of(char *line, const char *key)
{
	char *colon = strchr(line, ':'), *end = colon;

	if (!colon)
		return NULL;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	if ((size_t)(end - line) != strlen(key) || strncmp(line, key, strlen(key)))
		return NULL;
	for (colon++; isspace((unsigned char)*colon) && *colon != '\n'; colon++)
		;
	colon[strcspn(colon, "\n")] = '\0';
	return colon;
}

/* ---- processors ---- */

/* What ARM's processors tell instead of a name. */
static const char *implementer(unsigned long code)
{
	switch (code) {
	case 0x41:
		return "ARM";
	case 0x48:
		return "HiSilicon";
	case 0x70:
		return "Phytium";
	default:
		return "";
	}
}

static struct machine_package *package_of(struct machine *m, unsigned int id)
{
	for (unsigned int i = 0; i < m->nr_packages; i++)
		if (m->package[i].id == id)
			return &m->package[i];
	if (m->nr_packages == MACHINE_PACKAGES)
		return &m->package[MACHINE_PACKAGES - 1];
	m->package[m->nr_packages] = (struct machine_package){ .id = id };
	return &m->package[m->nr_packages++];
}

/* One processor of /proc/cpuinfo is complete. */
static void add_cpu(struct machine *m, const struct machine_package *cpu)
{
	struct machine_package *p = package_of(m, cpu->id);

	if (!p->cpus) {
		memcpy(p->vendor, cpu->vendor, sizeof(p->vendor));
		memcpy(p->model, cpu->model, sizeof(p->model));
	}
	p->cpus++;
}

static void read_cpus(struct machine *m, const char *root)
{
	FILE *f = open_below(root, "/proc/cpuinfo");
	struct machine_package cpu = { 0 };
	char line[4096], *value;
	unsigned int seen = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (value_of(line, "processor")) {
			if (seen++)
				add_cpu(m, &cpu);
			cpu = (struct machine_package){ 0 };
		} else if ((value = value_of(line, "physical id"))) {
			cpu.id = (unsigned int)strtoul(value, NULL, 10);
		} else if ((value = value_of(line, "vendor_id"))) {
			snprintf(cpu.vendor, sizeof(cpu.vendor), "%.63s", value);
		} else if ((value = value_of(line, "model name"))) {
			snprintf(cpu.model, sizeof(cpu.model), "%.127s", value);
		} else if ((value = value_of(line, "CPU implementer"))) {
			snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", implementer(strtoul(value, NULL, 0)));
		} else if ((value = value_of(line, "CPU part"))) {
			snprintf(cpu.model, sizeof(cpu.model), "part %.100s", value);
		}
	}
	if (seen)
		add_cpu(m, &cpu);
	if (f)
		fclose(f);
	m->cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	if (seen)
		return;
	m->nr_packages = 1;
	m->package[0] = (struct machine_package){ .cpus = m->cpus };
}

/* ---- memory and time ---- */

static void read_memory(struct machine *m, const char *root)
{
	FILE *f = open_below(root, "/proc/meminfo");
	struct sysinfo info;
	char line[256], *value;

	while (f && !m->memory_kb && fgets(line, sizeof(line), f)) {
		value = value_of(line, "MemTotal");
		if (value)
			m->memory_kb = strtoull(value, NULL, 10);
	}
	if (f)
		fclose(f);
	if (!m->memory_kb && !sysinfo(&info))
		m->memory_kb = (uint64_t)info.totalram * info.mem_unit / 1024;
}

static void read_up(struct machine *m, const char *root)
{
	struct timespec t;

	first_line(root, "/proc/uptime", m->up, sizeof(m->up));
	if (!*m->up && !clock_gettime(CLOCK_BOOTTIME, &t))
		snprintf(m->up, sizeof(m->up), "%lld.%02ld", (long long)t.tv_sec, t.tv_nsec / 10000000);
}

/* ---- network ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct machine_card *)a)->name, ((const struct machine_card *)b)->name);
}

/* Cards that cannot tell their speed, or have no link, have none to compare with. */
static void read_cards(struct machine *m, const char *root)
{
	char path[PATH_MAX], speed[32];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/sys/class/net", root);
	d = opendir(path);
	while (d && (e = readdir(d)) && m->nr_cards < MACHINE_CARDS) {
		struct machine_card *card = &m->card[m->nr_cards];

		if (*e->d_name == '.' || strlen(e->d_name) >= sizeof(card->name))
			continue;
		snprintf(path, sizeof(path), "/sys/class/net/%.31s/speed", e->d_name);
		first_line(root, path, speed, sizeof(speed));
		if (!isdigit((unsigned char)*speed))
			continue;
		snprintf(card->name, sizeof(card->name), "%.31s", e->d_name);
		card->mbit = strtoull(speed, NULL, 10);
		m->nr_cards++;
	}
	if (d)
		closedir(d);
	qsort(m->card, m->nr_cards, sizeof(m->card[0]), by_name);
}

/* As the public runtime: digits, or no rank. */
static int32_t rank(void)
{
	const char *text = secure_getenv("RANK_ID");
	unsigned long long n;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoull(text, &end, 10);
	return *end || errno || n > INT32_MAX ? -1 : (int32_t)n;
}

void machine_read(struct machine *m, const char *root)
{
	memset(m, 0, sizeof(*m));
	read_cpus(m, root);
	read_memory(m, root);
	read_up(m, root);
	read_cards(m, root);
	m->rank = rank();
}
