// SPDX-License-Identifier: Apache-2.0
/*
 * A stream in other hands: sent over a socket, kept over exec when its flag is cleared,
 * and gone when the last holder is. CPU and system going to sleep do not end it.
 */
#include <sys/socket.h>

#include "guest.h"

#define SELF		"/proc/self/exe"
#define POWER_STATE	"/sys/power/state"
#define POWER_TEST	"/sys/power/pm_test"

static int control;
static uint32_t sim0;

static int running_stream(void)
{
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);

	add_hbm(stream, sim0);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	return stream;
}

static void send_fd(int socket, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			      .msg_controllen = sizeof(space) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (sendmsg(socket, &msg, 0) != 1)
		bail("sendmsg");
}

static int receive_fd(int socket)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			      .msg_controllen = sizeof(space) };
	int fd = -1;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* Another user, with nothing but the descriptor, drains and stops the stream. */
static int receiver(int socket)
{
	static uint64_t buffer[8192];
	uint64_t samples = 0;
	ssize_t got, at;
	int stream;

	if (setgid(65534) || setuid(65534))
		return 2;
	stream = receive_fd(socket);
	if (stream < 0)
		return 3;
	while ((got = read(stream, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < got; ) {
			const struct ascprof_rec *rec = (const void *)((char *)buffer + at);

			samples += rec->type == ASCPROF_REC_SAMPLE;
			at += rec->len;
		}
		if (samples >= 20)
			ioctl(stream, ASCPROF_IOC_STOP);
	}
	if (got < 0)
		return 4;
	return stats_of(stream).samples == samples ? 0 : 5;
}

static void test_sent(void)
{
	int pair[2], status = 0, stream;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		printf("# no sockets on this kernel: %s\n", strerror(errno));
		return;
	}
	fflush(stdout);
	child = fork();
	if (child == 0) {
		close(control);
		close(pair[0]);
		_exit(receiver(pair[1]));
	}
	if (child < 0)
		bail("fork");
	/* made after the fork, so that the socket is the only way to it */
	stream = running_stream();
	send_fd(pair[0], stream);
	close(stream);
	close(pair[0]);
	close(pair[1]);
	if (waitpid(child, &status, 0) != child)
		bail("waitpid");
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	      "sent to another process: it reads all of it, after the maker let go (%d)",
	      WEXITSTATUS(status));
}

/* What the program does when it is started again by exec: 0 if @fd still is a stream. */
static int after_exec(const char *fd_text, const char *want)
{
	struct ascprof_stats stats;
	int fd = atoi(fd_text);
	bool there = ioctl(fd, ASCPROF_IOC_STATS, &stats) == 0;

	if (strcmp(want, "kept"))
		return there;
	if (!there || stats.state != ASCPROF_STATE_RUNNING)
		return 1;
	wait_samples(fd, stats.samples + 3);
	return 0;
}

static void exec_child(int stream, const char *want)
{
	char text[16];
	int status = 0;
	pid_t child;

	snprintf(text, sizeof(text), "%d", stream);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		execl(SELF, "sharing", text, want, NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("fork");
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "exec: the stream is %s", want);
}

static void test_exec(void)
{
	int stream = running_stream();

	check(fcntl(stream, F_GETFD) & FD_CLOEXEC, "a stream is closed on exec");
	exec_child(stream, "closed");
	fcntl(stream, F_SETFD, 0);
	exec_child(stream, "kept");
	equal(stats_of(stream).state, ASCPROF_STATE_RUNNING, "... and runs on here");
	close(stream);
}

/* The longest time between two samples, ns. */
static uint64_t longest_pause(struct ring_map *map)
{
	const struct ascprof_rec *rec;
	uint64_t last = 0, longest = 0;

	while ((rec = next_record(map))) {
		const struct ascprof_rec_sample *sample = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE) {
			if (last && sample->t_raw - last > longest)
				longest = sample->t_raw - last;
			last = sample->t_raw;
		}
		done_with(map, rec);
	}
	return longest;
}

/*
 * Suspend as far as devices, by the kernel's own test mode, which wakes up by itself after
 * some seconds. All that time devices sleep, and may not be read.
 */
static void test_suspend(void)
{
	struct ascprof_stats before, after;
	struct ring_map map;
	uint64_t begin, end;
	int stream;

	if (access(POWER_TEST, W_OK) || access(POWER_STATE, W_OK)) {
		printf("# this kernel cannot test suspend\n");
		return;
	}
	stream = running_stream();
	map_ring(&map, stream, good_stream().ring_bytes);
	wait_samples(stream, 5);
	before = stats_of(stream);
	write_file(POWER_TEST, "platform");
	begin = now_of(CLOCK_MONOTONIC_RAW);
	accepted(write_file(POWER_STATE, "freeze"), "suspended, and resumed");
	end = now_of(CLOCK_MONOTONIC_RAW);
	write_file(POWER_TEST, "none");
	equal(stats_of(stream).state, ASCPROF_STATE_RUNNING, "... the stream still runs");
	wait_samples(stream, before.samples + 5);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	after = stats_of(stream);
	check(after.samples >= before.samples + 6, "... and samples");
	/* the kernel counts loops for its seconds, which may be much less than five on a busy host */
	check(end - begin >= 1000 * MS && longest_pause(&map) >= (end - begin) / 2,
	      "... and took none while devices slept");
	unmap_ring(&map);
	close(stream);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return after_exec(argv[1], argv[2]);
	control = open_control();
	sim0 = source_id(control, "sim0");
	test_sent();
	test_exec();
	test_suspend();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
