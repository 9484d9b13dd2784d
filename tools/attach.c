/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/attach.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "format/json_write.h"

/* ---- why not ---- */

/* A file of the process. NULL: it is not there, or not ours to read */
static FILE *open_of(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/* Whether one of the lines, or strings, of it has @word. */
static bool has(pid_t pid, const char *name, int separator, const char *word)
{
	FILE *f = open_of(pid, name);
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (f && !found && getdelim(&line, &room, separator, f) > 0)
		found = strstr(line, word);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static int refuse(pid_t pid, struct diag *diag)
{
	FILE *maps = open_of(pid, "maps");
	char first = 0;

	if (!maps || fread(&first, 1, 1, maps) != 1) {
		if (maps)
			fclose(maps);
		if (kill(pid, 0) && errno == ESRCH)
			return diag_fail(diag, "option --pid: there is no process %d", pid);
		return diag_fail(diag, "option --pid: process %d is another user's, or no program: be the same user", pid);
	}
	fclose(maps);
	if (!has(pid, "maps", '\n', "/libascprof.so"))
		return diag_fail(diag, "option --pid: process %d has no libascprof loaded, and none can be put into a "
				 "program that runs: begin it by ascprof record (--delay, --duration), or with the library and "
				 "ASCPROF_ATTACH=1; counters of the machine: ascprof record -m off -f 50 -- tail --pid=%d "
				 "-f /dev/null", pid, pid);
	if (has(pid, "environ", '\0', "ASCPROF_RECORD="))
		return diag_fail(diag, "option --pid: process %d is recorded already, by ascprof record that began it", pid);
	return diag_fail(diag, "option --pid: process %d cannot be asked: it was begun without ASCPROF_ATTACH=1, or has closed "
			 "its socket", pid);
}

/* ---- the connection ---- */

static bool namespace_of(const char *process, const char *name, struct stat *st)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", process, name);
	return !stat(path, st);
}

static bool is_shared(const char *process, const char *name)
{
	struct stat ours, theirs;

	return !namespace_of("self", name, &ours) || !namespace_of(process, name, &theirs) ||
	       ours.st_ino == theirs.st_ino;
}

/* Its number as it knows it itself. */
static int own_number(pid_t pid)
{
	FILE *f = open_of(pid, "status");
	int number = pid;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			number = atoi(last);
	}
	if (f)
		fclose(f);
	return number;
}

/* The name may be somebody else's, who got it first. */
static bool is_process(int fd, pid_t pid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.pid == pid;
}

static int open_connection(pid_t pid, struct diag *diag)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char process[16];
	struct stat st;
	int fd, len;

	snprintf(process, sizeof(process), "%d", pid);
	if (!namespace_of(process, "pid", &st))
		return refuse(pid, diag);
	/* Abstract names are those of a network, and the folder is to be the same one for both. */
	if (!is_shared(process, "net") || !is_shared(process, "mnt"))
		return diag_fail(diag, "option --pid: process %d is in a container, or has a network or files of its own: run "
				 "ascprof where it is, as by nsenter --net --mount --target %d", pid, pid);
	len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "ascprof/%" PRIuMAX "/%d", (uintmax_t)st.st_ino,
		       own_number(pid));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at,
				(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) &&
	    is_process(fd, pid))
		return fd;
	if (fd >= 0)
		close(fd);
	return refuse(pid, diag);
}

static int send_request(int fd, const struct attach_request *r)
{
	struct json_writer w = { 0 };
	const char *text;
	size_t len;
	int ret;

	json_open(&w, NULL, '{');
	json_string(&w, "id", r->id);
	json_u64(&w, "devices", r->devices);
	json_copy(&w, "profiler", r->profiler, strlen(r->profiler));
	json_close(&w, '}');
	text = json_finish(&w, &len);
	errno = ENOMEM;
	ret = text && send(fd, text, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -1;
	json_release(&w);
	return ret;
}

static int begin(int fd, pid_t pid, const struct attach_request *r, struct diag *diag)
{
	char answer[1024];
	ssize_t len;

	/* It may have answered, and closed, before it was asked. */
	if (send_request(fd, r) && errno != EPIPE && errno != ECONNRESET)
		return diag_fail(diag, "option --pid: a request: %s", strerror(errno));
	do
		len = recv(fd, answer, sizeof(answer) - 1, 0);
	while (len < 0 && errno == ECONNRESET);
	if (len <= 0)
		return refuse(pid, diag);
	answer[len] = '\0';
	return *answer == '+' ? 0 : diag_fail(diag, "option --pid: process %d: %s", pid, answer + 1);
}

/* Returns when all is written. */
static void end(int fd)
{
	char more;

	shutdown(fd, SHUT_WR);
	while (recv(fd, &more, 1, 0) > 0)
		;
	close(fd);
}

/* ---- the recording ---- */

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Until @due (0: however long), a signal, or the end of the process. Return: whether it was @due. */
static bool wait_until(uint64_t due, const struct attach_request *r, int fd, int signals)
{
	struct pollfd p[2] = { { fd, POLLIN, 0 }, { signals, POLLIN, 0 } };

	for (;;) {
		uint64_t at = now(), left = due > at ? (due - at) / 1000000 + 1 : 0;
		int ms = r->progress ? r->progress_ms : -1;

		if (due && at >= due)
			return true;
		if (due && (ms < 0 || left < (uint64_t)ms))
			ms = left < INT_MAX ? (int)left : INT_MAX;
		if (poll(p, 2, ms) > 0)
			return false;
		if (r->progress)
			r->progress(r->arg);
	}
}

static int record(pid_t pid, const struct attach_request *r, int fd, int signals, struct diag *diag)
{
	if (r->delay_ns && !wait_until(now() + r->delay_ns, r, fd, signals))
		return 0;
	if (begin(fd, pid, r, diag))
		return -1;
	r->begun(r->arg);
	wait_until(r->duration_ns ? now() + r->duration_ns : 0, r, fd, signals);
	return 0;
}

int attach_record(pid_t pid, const struct attach_request *r, struct diag *diag)
{
	int fd = open_connection(pid, diag), signals, ret;
	const struct timespec none = { 0, 0 };
	sigset_t set, before;

	if (fd < 0)
		return -1;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &before);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0) {
		ret = diag_fail(diag, "a descriptor for signals: %s", strerror(errno));
	} else {
		ret = record(pid, r, fd, signals, diag);
		close(signals);
	}
	sigtimedwait(&set, NULL, &none); /* the one that has ended it */
	sigprocmask(SIG_SETMASK, &before, NULL);
	end(fd);
	return ret;
}
