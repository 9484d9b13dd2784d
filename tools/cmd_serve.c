/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof serve: counters and sessions for Prometheus. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/options.h"
#include "tools/serve.h"

#define LISTEN "127.0.0.1:9847"
#define AGAIN 15 /* seconds until the module is looked for again */

static const struct option_def options[] = {
	{ 'l', "listen", "ADDRESS:PORT", "an IP address and a port, 0 for any\n(default " LISTEN ")", OPTION_TEXT },
	{ 0 },
};

struct serving {
	struct serve_folder folder[SERVE_FOLDERS];
	unsigned int nr_folders;
	pthread_mutex_t lock; /* of the module: read by the main thread, told by another */
	struct serve_module module;
};

static bool parse_port(const char *text, uint16_t *port)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	*port = htons((uint16_t)v);
	return *text >= '0' && *text <= '9' && !*end && v <= 65535;
}

/* "127.0.0.1:80", "[::1]:80" */
static bool parse_address(const char *text, struct sockaddr_storage *out, socklen_t *len)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	const char *colon = strrchr(text, ':');
	char host[64] = "";
	size_t n = colon ? (size_t)(colon - text) : 0;

	memset(out, 0, sizeof(*out));
	if (!n || n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	if (host[0] == '[' && host[n - 1] == ']') {
		host[n - 1] = 0;
		v6->sin6_family = AF_INET6;
		*len = sizeof(*v6);
		return inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1 && parse_port(colon + 1, &v6->sin6_port);
	}
	v4->sin_family = AF_INET;
	*len = sizeof(*v4);
	return inet_pton(AF_INET, host, &v4->sin_addr) == 1 && parse_port(colon + 1, &v4->sin_port);
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
}

static char *make_page(void *arg, size_t *len)
{
	struct serving *s = arg;
	char *text = NULL;
	FILE *to = open_memstream(&text, len);

	if (!to)
		return NULL;
	serve_family(to, "ascprof_build", "info", "The version of ascprof.");
	fputs("ascprof_build_info{version=\"" ASCPROF_VERSION "\"} 1\n", to);
	pthread_mutex_lock(&s->lock);
	serve_module_read(&s->module);
	serve_module_tell(to, &s->module);
	pthread_mutex_unlock(&s->lock);
	serve_sessions(to, s->folder, s->nr_folders);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static int open_folders(struct serving *s, char **dirs, int nr, struct diag *diag)
{
	if (nr > SERVE_FOLDERS)
		return diag_fail(diag, "%d folders: up to %d were expected", nr, SERVE_FOLDERS);
	for (int i = 0; i < nr; i++) {
		struct serve_folder *f = &s->folder[i];

		f->path = dirs[i];
		f->fd = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (f->fd < 0)
			return diag_fail(diag, "%s: %s", dirs[i], strerror(errno));
		s->nr_folders++;
	}
	return 0;
}

static void close_all(struct serving *s)
{
	for (unsigned int i = 0; i < s->nr_folders; i++)
		close(s->folder[i].fd);
	serve_module_close(&s->module);
	pthread_mutex_destroy(&s->lock);
}

/* Until SIGINT or SIGTERM. */
static void wait_for_end(struct serving *s, struct serve_http *http, const sigset_t *ends)
{
	const struct timespec second = { .tv_sec = 1 };

	for (unsigned int i = 1; sigtimedwait(ends, NULL, &second) < 0; i++) {
		serve_http_sweep(http);
		pthread_mutex_lock(&s->lock);
		if (s->module.stream.fd >= 0)
			serve_module_read(&s->module);
		else if (i % AGAIN == 0)
			serve_module_open(&s->module);
		pthread_mutex_unlock(&s->lock);
	}
}

static int serve(struct serving *s, const struct sockaddr_storage *address, socklen_t len, const char *host,
		 struct diag *diag)
{
	struct serve_http *http;
	sigset_t ends;

	/* threads that are begun from now on have them blocked, too */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	http = serve_http_start((const struct sockaddr *)address, len, make_page, s, diag);
	if (!http)
		return -1;
	if (*s->module.why)
		diag_warn(diag, "no counters of NPUs: %s", s->module.why);
	if (!is_loopback(address))
		diag_warn(diag, "whoever reaches this address can read it: there is neither TLS nor a password");
	fprintf(stderr, "ascprof serve: http://%.*s:%u/metrics\n", (int)(strrchr(host, ':') - host), host,
		serve_http_port(http));
	wait_for_end(s, http, &ends);
	serve_http_stop(http);
	return 0;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct serving s = { .lock = PTHREAD_MUTEX_INITIALIZER, .module.stream.fd = -1 };
	const char *value, *host = LISTEN;
	struct sockaddr_storage address;
	socklen_t len;
	int letter, ret;

	parse_address(LISTEN, &address, &len);
	while ((letter = options_next(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter != 'l')
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		host = value;
		if (!parse_address(value, &address, &len))
			return options_wrong(c, "option --listen: an IP address and a port such as " LISTEN
					     " or [::1]:9847 were expected, not \"%s\"", value);
	}
	ret = *serve_http_missing() ? diag_fail(diag, "no HTTP: %s", serve_http_missing()) : 0;
	if (!ret)
		ret = open_folders(&s, argv + optind, argc - optind, diag);
	if (!ret) {
		serve_module_open(&s.module);
		ret = serve(&s, &address, len, host, diag);
	}
	close_all(&s);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_serve = {
	.name = "serve",
	.operands = "[DIR...]",
	.summary = "tell Prometheus of counters and of sessions that record",
	.text = "Answers GET /metrics with OpenMetrics text: counters of NPUs, where the kernel\n"
		"module is, and of each session that records below the folders DIR what was\n"
		"produced, written and dropped. /-/healthy tells that it answers. It listens on\n"
		"the loopback address, for there is neither TLS nor a password; SIGINT and SIGTERM\n"
		"end it.",
	.options = options,
	.run = run,
	.status = "0 Ended by SIGINT or SIGTERM.\n1 It cannot listen, or a folder cannot be opened.\n2 Wrong usage.",
};
