// SPDX-License-Identifier: Apache-2.0
#include "collect/pmus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/npus.h"
#include "collect/sysfs.h"

#define TEXT SYSFS_TEXT
#define CPUS 4096 /* above any machine */
#define ENTRIES 4096 /* of a folder; more are not looked at */

/* A PMU being looked at. */
struct place {
	const struct pmus_query *query;
	const struct pmus_family *family;
	struct pmus *found;
	const char *name;
	int fd; /* of its folder */
	int root; /* of /sys */
	uint32_t type;
	uint64_t base[3]; /* filters */
	int cpus[PMUS_MAX];
	int nr_cpus;
	int full;
};

static void skip(const struct place *p, const char *event, const char *why)
{
	if (p->query->skipped)
		p->query->skipped(p->query->arg, p->name, event, why);
}

/* Names go into paths and onto terminals. */
static bool good_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < PMUS_NAME && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == len;
}

static int read_below(int dir, const char *folder, const char *name, const char *suffix, char text[TEXT])
{
	char path[PMUS_NAME + 32];
	int len = snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);

	return len < 0 || (size_t)len >= sizeof(path) ? EINVAL : sysfs_text(dir, path, text);
}

/* Digits at *@at. Return: 0 or EINVAL. */
static int digits(const char **at, unsigned long max, unsigned long *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return EINVAL;
	errno = 0;
	*value = strtoul(*at, &end, 10);
	if (errno || *value > max)
		return EINVAL;
	*at = end;
	return 0;
}

/* "A" or "A-B" at *@at. Return: 0 or EINVAL. */
static int range(const char **at, unsigned long max, unsigned long *first, unsigned long *last)
{
	if (digits(at, max, first))
		return EINVAL;
	*last = *first;
	if (**at != '-')
		return 0;
	(*at)++;
	return digits(at, max, last) || *last < *first ? EINVAL : 0;
}

int pmus_encode(const char *format, uint64_t value, uint64_t config[3])
{
	uint64_t word = 0;
	unsigned long first, last, bit;
	unsigned int which = 0;

	if (strncmp(format, "config", 6))
		return EINVAL;
	format += 6;
	if (*format == '1' || *format == '2')
		which = (unsigned int)(*format++ - '0');
	if (*format != ':')
		return EINVAL;
	do {
		format++;
		if (range(&format, 63, &first, &last))
			return EINVAL;
		for (bit = first; bit <= last; bit++, value >>= 1)
			word |= (value & 1) << bit;
	} while (*format == ',');
	if (*format || value)
		return EINVAL; /* rubbish behind it, or more value than bits */
	config[which] |= word;
	return 0;
}

static int encode_field(const struct place *p, const char *field, uint64_t value, uint64_t config[3])
{
	char text[TEXT];

	if (!good_name(field) || read_below(p->fd, "format", field, "", text))
		return EINVAL;
	return pmus_encode(text, value, config);
}

static int encode_term(const struct place *p, const char *name, const char *value, uint64_t config[3])
{
	uint64_t v = 1;

	if (value && sysfs_number(value, UINT64_MAX, &v))
		return EINVAL;
	if (!strcmp(name, "config"))
		config[0] |= v;
	else if (!strcmp(name, "config1"))
		config[1] |= v;
	else if (!strcmp(name, "config2"))
		config[2] |= v;
	else
		return encode_field(p, name, v, config);
	return 0;
}

/* "event=0x1,umask=0x2,flag", as in the files of events/. Return: 0 or EINVAL. */
static int encode_terms(const struct place *p, const char *terms, uint64_t config[3])
{
	char copy[TEXT], *rest = copy, *term;

	if (snprintf(copy, sizeof(copy), "%s", terms) >= TEXT)
		return EINVAL;
	while ((term = strsep(&rest, ","))) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		if (encode_term(p, term, value, config))
			return EINVAL;
	}
	return 0;
}

uint32_t pmus_whole(const char *text, uint64_t factor)
{
	const char *at = text;
	double value = 0, unit = 1, rest;
	long exponent = 0;
	unsigned long e;
	bool negative, any = false;
	uint64_t whole;

	for (; *at >= '0' && *at <= '9'; at++, any = true)
		value = value * 10 + (*at - '0');
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, any = true)
			value += (*at - '0') * (unit /= 10);
	if (any && (*at == 'e' || *at == 'E')) {
		negative = *++at == '-';
		at += *at == '-' || *at == '+';
		if (digits(&at, 99, &e))
			return 0;
		exponent = negative ? -(long)e : (long)e;
	}
	if (!any || *at)
		return 0;
	value *= (double)factor;
	for (; exponent > 0; exponent--)
		value *= 10;
	for (; exponent < 0; exponent++)
		value /= 10;
	if (!(value >= 0.5 && value <= UINT32_MAX))
		return 0;
	/* the kernel writes such numbers with ten digits or so */
	whole = (uint64_t)(value + 0.5);
	rest = value - (double)whole;
	return rest < value * 1e-6 && rest > -value * 1e-6 ? (uint32_t)whole : 0;
}

int pmus_cpu_list(const char *text, int *cpus, int max)
{
	unsigned long first, last;
	int nr = 0;

	for (;;) {
		if (range(&text, CPUS - 1, &first, &last))
			return -1;
		for (; first <= last; first++) {
			if (nr == max)
				return -1;
			cpus[nr++] = (int)first;
		}
		if (*text == '\0')
			return nr;
		if (*text++ != ',')
			return -1;
	}
}

/* The kernel's own word on the unit wins over the table's. */
static void set_unit(const struct place *p, const char *file, struct pmus_counter *c)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} known[] = { { "Bytes", 1 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 } };
	char unit[TEXT], scale[TEXT];
	uint32_t whole;
	size_t i;

	if (read_below(p->fd, "events", file, ".unit", unit) ||
	    read_below(p->fd, "events", file, ".scale", scale))
		return;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(unit, known[i].unit))
			continue;
		whole = pmus_whole(scale, known[i].bytes);
		if (!whole)
			return;
		c->scale_num = whole;
		snprintf(c->unit, sizeof(c->unit), "bytes");
		c->origin = "[sysfs]";
		return;
	}
}

static void put(struct place *p, const struct pmus_counter *c)
{
	int i;

	for (i = 0; i < p->nr_cpus; i++) {
		if (p->found->nr == PMUS_MAX) {
			p->full = 1;
			return;
		}
		p->found->counters[p->found->nr] = *c;
		p->found->counters[p->found->nr++].cpu = p->cpus[i];
	}
}

static void add_event(struct place *p, const struct pmus_event *e)
{
	struct pmus_counter c = { .type = p->type, .scale_num = e->per_count, .scale_den = 1,
				  .what = p->family->what, .origin = e->origin };
	char text[TEXT];
	int ret = read_below(p->fd, "events", e->name, "", text);

	memcpy(c.config, p->base, sizeof(c.config));
	snprintf(c.pmu, sizeof(c.pmu), "%s", p->name);
	snprintf(c.event, sizeof(c.event), "%s", e->name);
	snprintf(c.unit, sizeof(c.unit), "%s", e->unit);
	if (ret == ENOENT && !e->terms)
		return; /* this generation has none */
	if (ret == EINVAL || encode_terms(p, ret ? e->terms : text, c.config)) {
		skip(p, e->name, "its code or a field of it makes no sense");
		return;
	}
	set_unit(p, e->name, &c);
	put(p, &c);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls @fn for each good name of a folder, in their order. Return: 0, or an errno. */
static int each_entry(int dir, const char *path, void (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **list;
	int nr = scandirat(dir, path, &list, NULL, by_name), i;

	if (nr < 0)
		return errno;
	for (i = 0; i < nr; i++) {
		if (i < ENTRIES && good_name(list[i]->d_name))
			fn(arg, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return 0;
}

static void add_listed(void *arg, const char *name)
{
	struct pmus_event e = { name, NULL, "events", 1, "events/ of the PMU" };

	if (!strchr(name, '.')) /* else it describes another */
		add_event(arg, &e);
}

static int find_cpus(struct place *p)
{
	char text[TEXT];
	int ret = sysfs_text(p->fd, p->family->per_cpu ? "cpus" : "cpumask", text);

	if (ret == ENOENT && p->family->per_cpu)
		ret = sysfs_text(p->root, "devices/system/cpu/online", text);
	if (ret)
		return EINVAL;
	p->nr_cpus = pmus_cpu_list(text, p->cpus, PMUS_MAX);
	return p->nr_cpus < 0 ? EINVAL : 0;
}

static bool number_of(const struct place *p, const char *file, uint64_t *value)
{
	char text[TEXT];

	return !sysfs_text(p->fd, file, text) && !sysfs_number(text, UINT16_MAX, value);
}

/* A PMU counts below some root ports, and refuses others: their addresses, or but the bus that they are on. */
static bool sees_bus(const struct place *p)
{
	struct pci_place place;
	uint64_t low, high, bus;
	uint16_t port;

	if (pci_find(p->query->root, &p->query->at, &place) || !place.has_port)
		return true; /* nobody knows */
	port = npus_bdf(&place.port);
	if (number_of(p, "bdf_min", &low) && number_of(p, "bdf_max", &high))
		return port >= low && port <= high;
	return !number_of(p, "bus", &bus) || bus == place.port.bus;
}

/* Return: NULL, or why it cannot be used. */
static const char *set_filter(struct place *p)
{
	switch (p->family->filter) {
	case PMUS_BUS_ADDRESS:
		if (!p->query->npu)
			return "counts for one device, and none is named";
		if (!sees_bus(p))
			return "the device is below another root";
		if (encode_field(p, "bdf", npus_bdf(&p->query->at), p->base))
			return "has no field bdf to name a device";
		break;
	case PMUS_STREAM_ID:
		if (!p->query->npu)
			return "counts for one device, and none is named";
		if (encode_field(p, "filter_stream_id", npus_bdf(&p->query->at), p->base) ||
		    encode_field(p, "filter_enable", 1, p->base))
			return "has no field filter_stream_id to name a device";
		break;
	case PMUS_ALL:
		break;
	}
	if (p->family->terms && encode_terms(p, p->family->terms, p->base))
		return "lacks a field that its events need";
	return NULL;
}

static void look(struct place *p)
{
	const struct pmus_event *e;
	const char *why;
	char text[TEXT];
	uint64_t type;

	if (sysfs_text(p->fd, "type", text) || sysfs_number(text, INT32_MAX, &type)) {
		skip(p, NULL, "its type makes no sense");
		return;
	}
	if (find_cpus(p)) {
		skip(p, NULL, "its list of CPUs makes no sense");
		return;
	}
	p->type = (uint32_t)type;
	why = set_filter(p);
	if (why) {
		skip(p, NULL, why);
		return;
	}
	for (e = p->family->events; e->name; e++)
		add_event(p, e);
	if (p->family->listed)
		each_entry(p->fd, "events", add_listed, p);
}

struct search {
	const struct pmus_query *query;
	struct pmus *found;
	int root;
	int devices;
	int full;
};

static void one_pmu(void *arg, const char *name)
{
	struct search *s = arg;
	const struct pmus_family *f;
	struct place p = { .query = s->query, .found = s->found, .name = name, .root = s->root };

	for (f = pmus_table; f->pattern && fnmatch(f->pattern, name, 0); f++)
		;
	if (!f->pattern || (f->per_cpu && !s->query->per_cpu))
		return;
	p.family = f;
	p.fd = openat(s->devices, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.fd < 0) {
		skip(&p, NULL, "cannot be opened");
		return;
	}
	look(&p);
	close(p.fd);
	s->full |= p.full;
}

int pmus_find(const struct pmus_query *query, struct pmus *found)
{
	struct search s = { .query = query, .found = found };
	int ret;

	found->nr = 0;
	s.root = open(query->root ? query->root : "/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.root < 0)
		return errno;
	s.devices = openat(s.root, "bus/event_source/devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.devices < 0) {
		ret = errno;
		close(s.root);
		return ret;
	}
	ret = each_entry(s.devices, ".", one_pmu, &s);
	close(s.devices);
	close(s.root);
	return ret ? ret : s.full ? E2BIG : 0;
}
