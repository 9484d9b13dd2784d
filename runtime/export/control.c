/* SPDX-License-Identifier: Apache-2.0 */
#include "export/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/json_read.h"

char *control_load(int dir_fd, const char *name, size_t max, size_t *len)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	ssize_t n = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		goto out;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max) {
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		goto out;
	}
	text = malloc((size_t)st.st_size + 1);
	*len = 0;
	while (text && *len < (size_t)st.st_size) {
		n = read(fd, text + *len, (size_t)st.st_size - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*len += (size_t)n;
	}
	if (text && n < 0) {
		free(text);
		text = NULL;
	}
	if (text)
		text[*len] = 0;
out:
	close(fd);
	return text;
}

/* <base> or <base>.<digits> */
static bool is_named(const char *name, const char *base)
{
	size_t n = strlen(base);

	if (strncmp(name, base, n))
		return false;
	name += n;
	if (!*name)
		return true;
	if (*name++ != '.' || !*name)
		return false;
	return !name[strspn(name, "0123456789")];
}

bool control_is_info(const char *name)
{
	return is_named(name, "info.json");
}

/* The file of a base name, whatever number it ends in; NULL when there is none. */
static char *load_named(int dir_fd, const char *dir, const char *base, size_t *len,
			struct diag *diag)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	char name[64] = "";
	struct dirent *e;
	char *text;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while ((e = readdir(d)))
		if (is_named(e->d_name, base) && strlen(e->d_name) < sizeof(name) &&
		    (!name[0] || strcmp(e->d_name, name) < 0))
			strcpy(name, e->d_name);
	closedir(d);
	if (!name[0])
		return NULL;
	text = control_load(dir_fd, name, CONTROL_MAX_BYTES, len);
	if (!text)
		diag_warn(diag, "%s/%s: %s", dir, name, strerror(errno));
	return text;
}

/* ---- JSON files ---- */

static const struct json_node *root(const struct json_doc *doc)
{
	return doc->node;
}

static bool parse_u64(const char *s, uint64_t *v)
{
	if (!*s || s[strspn(s, "0123456789")])
		return false;
	errno = 0;
	*v = strtoull(s, NULL, 10);
	return !errno;
}

/* A number, also one in quotes, as the vendor's runtime writes them. */
static bool get_u64(const struct json_doc *doc, const char *key, uint64_t *v)
{
	const struct json_node *node = json_find(doc, root(doc), key);
	char text[24];

	if (json_get_u64(doc, node, v))
		return true;
	return json_get_string(doc, node, text, sizeof(text)) > 0 && parse_u64(text, v);
}

static void get_text(const struct json_doc *doc, const struct json_node *node, char *out,
		     size_t size)
{
	if (json_get_string(doc, node, out, size) < 0)
		out[0] = 0;
}

/* "50.000000": MHz */
static void get_rate(const struct json_doc *doc, const struct json_node *node,
		     struct control_rate *rate)
{
	char text[32];
	uint64_t whole, micro = 0, unit = 1000000000000;
	char *end;

	*rate = (struct control_rate){ 0 };
	if (json_get_string(doc, node, text, sizeof(text)) <= 0 ||
	    text[strspn(text, "0123456789.")])
		return;
	whole = strtoull(text, &end, 10);
	if (whole > 1000000 || (*end && *end != '.'))
		return;
	micro = whole * unit;
	for (; *end && *++end >= '0' && *end <= '9';) {
		unit /= 10;
		micro += (uint64_t)(*end - '0') * unit;
	}
	if (!*end && micro)
		*rate = (struct control_rate){ strtod(text, NULL) * 1e6, micro };
}

static void use_cards(struct control *c, const struct json_doc *doc)
{
	const struct json_node *list = json_find(doc, root(doc), "netCard"), *one;

	if (!list || list->type != JSON_ARRAY)
		return;
	for (one = json_first(doc, list); one && c->nr_cards < CONTROL_CARDS; one = json_next(doc, list, one)) {
		struct control_card *card = &c->card[c->nr_cards];

		get_text(doc, json_find(doc, one, "netCardName"), card->name, sizeof(card->name));
		if (*card->name && json_get_u64(doc, json_find(doc, one, "speed"), &card->mbit) && card->mbit)
			c->nr_cards++;
	}
}

static void use_info(struct control *c, const struct json_doc *doc)
{
	const struct json_node *list = json_find(doc, root(doc), "CPU");
	char version[16];

	get_text(doc, json_find(doc, root(doc), "hostname"), c->hostname, sizeof(c->hostname));
	get_text(doc, json_find(doc, root(doc), "pid_name"), c->pid_name, sizeof(c->pid_name));
	get_text(doc, json_find(doc, root(doc), "ascprofSource"), c->source, sizeof(c->source));
	get_text(doc, json_find(doc, root(doc), "platform_version"), c->platform,
		 sizeof(c->platform));
	get_text(doc, json_find(doc, root(doc), "version"), version, sizeof(version));
	c->version = strcmp(version, "2.0") ? 1 : 2;
	get_u64(doc, "pid", &c->pid);
	get_u64(doc, "cpuNums", &c->cpus);
	get_u64(doc, "memoryTotal", &c->memory_kb);
	get_u64(doc, "sysClockFreq", &c->clock_hz);
	use_cards(c, doc);
	if (list && list->type == JSON_ARRAY)
		get_rate(doc, json_find(doc, json_first(doc, list), "Frequency"), &c->host_rate);
	list = json_find(doc, root(doc), "DeviceInfo");
	if (list && list->type == JSON_ARRAY)
		get_rate(doc, json_find(doc, json_first(doc, list), "hwts_frequency"),
			 &c->device_rate);
}

static void use_sample(struct control *c, const struct json_doc *doc)
{
	char events[128];

	get_text(doc, json_find(doc, root(doc), "llc_profiling"), c->llc_mode,
		 sizeof(c->llc_mode));
	get_text(doc, json_find(doc, root(doc), "hbm_profiling_events"), events, sizeof(events));
	get_u64(doc, "host_disk_freq", &c->disk_hz);
	c->hbm_events = 1;
	for (const char *s = events; *s; s++)
		c->hbm_events += *s == ',';
}

static void use_start(struct control *c, const struct json_doc *doc)
{
	c->started = get_u64(doc, "collectionTimeBegin", &c->begin_us) &&
		     get_u64(doc, "clockMonotonicRaw", &c->begin_raw_ns);
}

static void use_end(struct control *c, const struct json_doc *doc)
{
	if (!get_u64(doc, "collectionTimeEnd", &c->end_us) ||
	    !get_u64(doc, "clockMonotonicRaw", &c->end_raw_ns))
		c->end_us = c->end_raw_ns = 0;
}

/* ---- text files: "key: number" lines, whatever the section ---- */

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r");
}

/* Return: the number behind "@key:" or "@key =", NULL when that is not what @line is */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n))
		return NULL;
	line = skip_blanks(line + n);
	return *line == ':' || *line == '=' ? skip_blanks(line + 1) : NULL;
}

static void use_log(const char *text, uint64_t *ns, uint64_t *ticks, int64_t *diff)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *v;

		if (*line == '\n')
			line++;
		line = skip_blanks(line);
		if ((v = value_of(line, "clock_monotonic_raw")))
			*ns = strtoull(v, NULL, 10);
		else if ((v = value_of(line, "cntvct")))
			*ticks = strtoull(v, NULL, 10);
		else if (diff && (v = value_of(line, "cntvct_diff")))
			*diff = strtoll(v, NULL, 10);
	}
}

void control_read(struct control *c, int dir_fd, const char *dir, struct diag *diag)
{
	static const struct {
		const char *base;
		void (*use)(struct control *c, const struct json_doc *doc);
	} json[] = {
		{ "info.json", use_info },
		{ "sample.json", use_sample },
		{ "start_info", use_start },
		{ "end_info", use_end },
	};
	struct json_doc doc;
	size_t len;
	char *text;

	*c = (struct control){ .version = 1, .hbm_events = 1 };
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
		text = load_named(dir_fd, dir, json[i].base, &len, diag);
		if (!text)
			continue;
		if (json_read(&doc, text, len, CONTROL_MAX_BYTES)) {
			json[i].use(c, &doc);
			json_doc_free(&doc);
		} else {
			diag_warn(diag, "%s/%s: not JSON at byte %zu: %s", dir, json[i].base,
				  doc.error_at, doc.error);
		}
		free(text);
	}
	text = load_named(dir_fd, dir, "host_start.log", &len, diag);
	if (text) {
		c->host_log = true;
		use_log(text, &c->host_ns, &c->host_ticks, &c->host_ticks_diff);
		free(text);
	}
	text = load_named(dir_fd, dir, "dev_start.log", &len, diag);
	if (text) {
		use_log(text, &c->device_ns, &c->device_ticks, NULL);
		free(text);
	}
}
