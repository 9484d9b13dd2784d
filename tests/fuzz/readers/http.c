/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody says to ascprof serve: an input is all that one connection sends. */
#include "tests/fuzz/readers/reader.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/serve.h"

static char *page(void *arg, size_t *len)
{
	(void)arg;
	*len = 6;
	return strdup("# EOF\n");
}

/* Where libmicrohttpd is not, nothing is answered. */
static struct serve_http *server(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct diag diag = { .program = "fuzz" };
	static struct serve_http *http;
	static bool tried;

	if (!tried && !*serve_http_missing())
		http = serve_http_start((struct sockaddr *)&any, sizeof(any), page, NULL, &diag);
	tried = true;
	return http;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* What is no whole request is waited for longer than it is worth. */
	const struct timeval limit = { 0, 50000 };
	char answer[4096];
	bool said = false;
	ssize_t got;
	int fd;

	if (!server())
		return 0;
	at.sin_port = htons(serve_http_port(server()));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)))
		abort();
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (send(fd, data, size, MSG_NOSIGNAL) >= 0)
		shutdown(fd, SHUT_WR);
	while ((got = recv(fd, answer, sizeof(answer), 0)) > 0) {
		if (!said && (got < 5 || memcmp(answer, "HTTP/", 5)))
			abort();
		said = true;
	}
	close(fd);
	return 0;
}
