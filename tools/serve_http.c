/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP by libmicrohttpd, which is loaded when it is needed. */
#include "config.h"

#include "tools/serve.h"

#include <stdbool.h>

#if HAVE_LIBMICROHTTPD
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <microhttpd.h>

#define FRESH_NS 500000000 /* a page that old is answered with again */
#define OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

#define FUNCTIONS(x)                 \
	x(MHD_start_daemon)          \
	x(MHD_stop_daemon)           \
	x(MHD_get_daemon_info)       \
	x(MHD_get_connection_info)   \
	x(MHD_lookup_connection_value) \
	x(MHD_create_response_from_buffer) \
	x(MHD_add_response_header)   \
	x(MHD_queue_response)        \
	x(MHD_destroy_response)

#define MEMBER(name) typeof(&name) name;
static struct {
	char why[160];
	FUNCTIONS(MEMBER)
} mhd;

static void load(void)
{
	void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		snprintf(mhd.why, sizeof(mhd.why), "%s", dlerror());
		return;
	}
#define FIND(name)                                                                                     \
	*(void **)&mhd.name = dlsym(library, #name);                                                   \
	if (!mhd.name)                                                                                 \
		snprintf(mhd.why, sizeof(mhd.why), "libmicrohttpd.so.12 has no %s", #name);
	FUNCTIONS(FIND)
}

const char *serve_http_missing(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return mhd.why;
}

/* One that is open. Since when it waits: for a request, or for the end of an answer. */
struct client {
	bool open;
	int fd;
	uint64_t since_ns;
};

struct serve_http {
	struct MHD_Daemon *daemon;
	serve_page *page;
	void *arg;
	pthread_mutex_t lock; /* of all below */
	struct client client[SERVE_CONNECTIONS];
	char *text; /* the page, as it was made last */
	size_t len;
	uint64_t made_ns;
	uint64_t answers[3]; /* with 200, with another code, none: ended for its slowness */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- slow clients ---- */

static void on_connection(void *arg, struct MHD_Connection *connection, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct serve_http *h = arg;
	struct client *c = *socket_context;

	pthread_mutex_lock(&h->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		for (c = h->client; c < h->client + SERVE_CONNECTIONS && c->open; c++)
			;
		if (info && c < h->client + SERVE_CONNECTIONS) {
			*c = (struct client){ true, info->connect_fd, now_ns() };
			*socket_context = c;
		}
	} else if (c) {
		c->open = false;
	}
	pthread_mutex_unlock(&h->lock);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **request_context,
			 enum MHD_RequestTerminationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct serve_http *h = arg;

	(void)request_context;
	(void)code;
	info = mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	pthread_mutex_lock(&h->lock);
	if (info && info->socket_context)
		((struct client *)info->socket_context)->since_ns = now_ns();
	pthread_mutex_unlock(&h->lock);
}

/* The library's own limit begins anew with each byte. Here a descriptor is open as long as its place is. */
void serve_http_sweep(struct serve_http *h)
{
	uint64_t now = now_ns();

	pthread_mutex_lock(&h->lock);
	for (struct client *c = h->client; c < h->client + SERVE_CONNECTIONS; c++) {
		if (!c->open || now - c->since_ns < SERVE_SECONDS * 1000000000ULL)
			continue;
		shutdown(c->fd, SHUT_RDWR);
		c->since_ns = now;
		h->answers[2]++;
	}
	pthread_mutex_unlock(&h->lock);
}

/* ---- answers ---- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int code, const char *type, char *text,
			      size_t len, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *r = mhd.MHD_create_response_from_buffer(len, text, mode);
	enum MHD_Result ret;

	if (!r) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(text);
		return MHD_NO;
	}
	mhd.MHD_add_response_header(r, "Content-Type", type);
	mhd.MHD_add_response_header(r, "Cache-Control", "no-store");
	mhd.MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.MHD_add_response_header(r, "Allow", "GET, HEAD");
	if (code != MHD_HTTP_OK)
		mhd.MHD_add_response_header(r, "Connection", "close");
	ret = mhd.MHD_queue_response(connection, code, r);
	mhd.MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned int code, const char *words)
{
	return answer(connection, code, "text/plain; charset=utf-8", (char *)words, strlen(words),
		      MHD_RESPMEM_PERSISTENT);
}

/* The page with what it costs; it is made at most twice a second, whoever asks. Locked. */
static char *page_of(struct serve_http *h, size_t *len)
{
	char *copy = NULL;
	FILE *to;

	if (!h->text || now_ns() - h->made_ns >= FRESH_NS) {
		free(h->text);
		h->text = h->page(h->arg, &h->len);
		h->made_ns = now_ns();
	}
	to = h->text ? open_memstream(&copy, len) : NULL;
	if (!to)
		return NULL;
	fwrite(h->text, 1, h->len, to);
	serve_family(to, "ascprof_serve_answers", "counter", "Requests, by what became of them.");
	fprintf(to,
		"ascprof_serve_answers_total{answer=\"page\"} %llu\nascprof_serve_answers_total{answer=\"refused\"} %llu\n"
		"ascprof_serve_answers_total{answer=\"too_slow\"} %llu\n# EOF\n",
		(unsigned long long)h->answers[0], (unsigned long long)h->answers[1],
		(unsigned long long)h->answers[2]);
	if (fclose(to)) {
		free(copy);
		return NULL;
	}
	return copy;
}

static bool has_body(struct MHD_Connection *connection)
{
	return mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length") ||
	       mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding");
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **context)
{
	bool look = !strcmp(method, "GET") || !strcmp(method, "HEAD"), page = !strcmp(url, "/metrics");
	bool body = has_body(connection), good = look && !body && (page || !strcmp(url, "/-/healthy"));
	struct serve_http *h = arg;
	char *text = NULL;
	size_t len = 0;

	(void)version;
	(void)upload;
	(void)upload_size;
	/* Called first when the headers are there: an answer then ends the connection, a body is not waited for. */
	if (good && !*context) {
		*context = h;
		return MHD_YES;
	}
	pthread_mutex_lock(&h->lock);
	h->answers[!good]++;
	if (good && page)
		text = page_of(h, &len);
	pthread_mutex_unlock(&h->lock);
	if (!look)
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or HEAD was expected\n");
	if (body)
		return say(connection, MHD_HTTP_BAD_REQUEST, "no body was expected\n");
	if (!good)
		return say(connection, MHD_HTTP_NOT_FOUND, "/metrics and /-/healthy are here\n");
	if (!page)
		return say(connection, MHD_HTTP_OK, "healthy\n");
	if (!text)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
	return answer(connection, MHD_HTTP_OK, OPENMETRICS, text, len, MHD_RESPMEM_MUST_FREE);
}

/* What clients do wrong is no news here: it is counted. */
static void on_message(void *arg, const char *fmt, va_list ap)
{
	(void)arg;
	(void)fmt;
	(void)ap;
}

/* Paths are taken as they come: none of ours has a character that is written otherwise. */
static size_t keep_escaped(void *arg, struct MHD_Connection *connection, char *path)
{
	(void)arg;
	(void)connection;
	return strlen(path);
}

struct serve_http *serve_http_start(const struct sockaddr *address, socklen_t len, serve_page *page, void *arg,
				    struct diag *diag)
{
	struct serve_http *h = calloc(1, sizeof(*h));
	unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ERROR_LOG;

	(void)len;
	if (!h) {
		diag_fail(diag, "out of memory");
		return NULL;
	}
	h->page = page;
	h->arg = arg;
	pthread_mutex_init(&h->lock, NULL);
	if (address->sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	h->daemon = mhd.MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_message, NULL, MHD_OPTION_SOCK_ADDR,
		address, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)SERVE_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)SERVE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_REQUEST,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escaped, NULL, MHD_OPTION_END);
	if (!h->daemon) {
		diag_fail(diag, "cannot listen: %s", errno ? strerror(errno) : "the address cannot be used");
		pthread_mutex_destroy(&h->lock);
		free(h);
		return NULL;
	}
	return h;
}

uint16_t serve_http_port(const struct serve_http *h)
{
	const union MHD_DaemonInfo *info = mhd.MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info ? info->port : 0;
}

void serve_http_stop(struct serve_http *h)
{
	mhd.MHD_stop_daemon(h->daemon);
	pthread_mutex_destroy(&h->lock);
	free(h->text);
	free(h);
}

#else /* HAVE_LIBMICROHTTPD */

const char *serve_http_missing(void)
{
	return "built without libmicrohttpd";
}

struct serve_http *serve_http_start(const struct sockaddr *address, socklen_t len, serve_page *page, void *arg,
				    struct diag *diag)
{
	(void)address;
	(void)len;
	(void)page;
	(void)arg;
	diag_fail(diag, "%s", serve_http_missing());
	return NULL;
}

uint16_t serve_http_port(const struct serve_http *h)
{
	(void)h;
	return 0;
}

void serve_http_sweep(struct serve_http *h)
{
	(void)h;
}

void serve_http_stop(struct serve_http *h)
{
	(void)h;
}

#endif
