/* SPDX-License-Identifier: Apache-2.0 */
#include "session/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log/log.h"
#include "session/fds.h"
#include "session/request.h"
#include "session/session.h"
#include "session/threads.h"

#define OVERFLOW_UID 65534 /* stands for all users that another name space does not know */

static struct attach {
	struct record_request *request; /* NULL: the environment did not ask for it */
	bool recording; /* what is in it */
	struct endpoint {
		int fd;
		ino_t inode;
	} listener, client;
} attach = { .listener.fd = -1, .client.fd = -1 };

/* ---- a connection ---- */

static struct endpoint endpoint_of(int fd)
{
	struct stat st = { 0 };

	fd = fds_add(fd);
	return fd >= 0 && !fstat(fd, &st) ? (struct endpoint){ fd, st.st_ino } : (struct endpoint){ -1, 0 };
}

/* Programs that become daemons close what they do not know, and use its number again. */
static bool is_ours(const struct endpoint *e)
{
	struct stat st;

	return !fstat(e->fd, &st) && S_ISSOCK(st.st_mode) && st.st_ino == e->inode;
}

static bool allowed(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	return !peer.uid || (peer.uid == geteuid() && peer.uid != OVERFLOW_UID);
}

static void answer(int fd, const char *sign, const char *why)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "%s%s", sign, why);

	/* Who has gone is noticed by the next poll. */
	send(fd, text, len < (int)sizeof(text) ? (size_t)len : sizeof(text) - 1, MSG_NOSIGNAL);
}

/* Return: NULL; or why nothing is recorded */
static const char *begin(const char *text, size_t len)
{
	struct record_request *r = attach.request;
	struct json_doc doc;
	const char *why = NULL;

	if (!json_read(&doc, text, len, REQUEST_MAX))
		return "the request is not JSON";
	if (request_read("ascprof record", &doc, r))
		why = log_last_error();
	else if (!r->what.on)
		why = "the request switches nothing on";
	json_doc_free(&doc);
	if (why)
		return why;
	if (!session_record_claim())
		return "the program profiles itself already, or is about to end";
	attach.recording = !request_begin(r, true);
	if (attach.recording)
		return NULL;
	session_record_release();
	return log_last_error();
}

/* Return: whether the connection stays */
static bool take_request(int fd)
{
	char *text = malloc(REQUEST_MAX);
	ssize_t len = text ? recv(fd, text, REQUEST_MAX, MSG_TRUNC) : -1;
	const char *why = "out of memory";

	if (len > 0)
		why = len > (ssize_t)REQUEST_MAX ? "the request is too long" : begin(text, (size_t)len);
	if (len)
		answer(fd, why ? "-" : "+", why ? why : "");
	free(text);
	return !why;
}

static void end(void)
{
	if (attach.recording)
		session_record_release();
	attach.recording = false;
	if (is_ours(&attach.client))
		fds_close(attach.client.fd);
	else
		fds_forget(attach.client.fd);
	attach.client.fd = -1;
}

static void take_connection(void)
{
	int fd = accept4(attach.listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0 && allowed(fd)) {
		if (attach.client.fd < 0) {
			attach.client = endpoint_of(fd);
			return;
		}
		answer(fd, "-", "ascprof record is at it already");
	}
	if (fd >= 0)
		close(fd);
}

/* A packet, or the end, of the one connection. */
static void listen_to_client(void)
{
	char more;

	if (!is_ours(&attach.client))
		end();
	else if (attach.recording ? recv(attach.client.fd, &more, 1, 0) <= 0 : !take_request(attach.client.fd))
		end();
}

static void *wait_for_requests(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "ascprof-attach");
	for (;;) {
		struct pollfd p[2] = { { attach.listener.fd, POLLIN, 0 }, { attach.client.fd, POLLIN, 0 } };

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents)
			listen_to_client();
		if (!is_ours(&attach.listener))
			break;
		if (p[0].revents)
			take_connection();
	}
	if (attach.client.fd >= 0)
		end();
	return NULL;
}

/* ---- the begin ---- */

/* Return: 0, or an errno */
static int open_listener(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, len;

	if (stat("/proc/self/ns/pid", &st))
		return errno;
	len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "ascprof/%" PRIuMAX "/%d", (uintmax_t)st.st_ino,
		       getpid());
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	if (bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) ||
	    listen(fd, 4)) {
		int err = errno;

		close(fd);
		return err;
	}
	attach.listener = endpoint_of(fd);
	return attach.listener.fd < 0 ? ENOMEM : 0;
}

static int listen_for_requests(void)
{
	int err = open_listener();

	if (err)
		return err;
	err = threads_start(NULL, wait_for_requests, NULL);
	if (err)
		fds_close(attach.listener.fd);
	return err;
}

void attach_child(void)
{
	attach.listener.fd = attach.client.fd = -1; /* closed with all of the session's */
	attach.recording = false;
}

void attach_child_begin(void)
{
	if (attach.request)
		listen_for_requests();
}

static bool is(const char *name, const char *value)
{
	const char *now = secure_getenv(name);

	return now && !strcmp(now, value);
}

static __attribute__((constructor)) void begin_attach(void)
{
	const char *recorded = secure_getenv("ASCPROF_RECORD");
	int err = ENOMEM;

	if ((!is("ASCPROF_ATTACH", "1") && !is("PROFILING_MODE", "dynamic")) || (recorded && *recorded))
		return;
	attach.request = malloc(sizeof(*attach.request));
	if (attach.request && session_install_hooks())
		err = listen_for_requests();
	if (err)
		log_line(LOG_WARN, "ascprof record --pid will not find this program: %s", strerror(err));
}
