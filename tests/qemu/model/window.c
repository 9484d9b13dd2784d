// SPDX-License-Identifier: Apache-2.0
/*
 * A PCI device with a counter window, for guests: the far end of QEMU's
 * ivshmem-doorbell. The window lies in the shared memory (BAR 2), interrupts are
 * eventfds, and QEMU itself is told by QMP to pull the device out and to plug it
 * in. The guest says what is to happen, line by line, over its second serial port.
 *
 *   window FOLDER     listens on FOLDER/bar and FOLDER/words before it says "ready",
 *                     connects to FOLDER/qmp when it has to; ends with the guest
 *
 * Lines from the guest, each answered by one line that begins with ok or error:
 *
 *   good              a good window, all counters 0
 *   bad N             window number N that makes no sense; "error" beyond the last
 *   set I VALUE       register I; decimal, or hexadecimal after 0x
 *   add I VALUE       let it count; it wraps at its width
 *   run RATE          all counters count on, RATE per second
 *   halt              they stand still; the answer has the totals that a counter
 *                     without end would show
 *   irq N             N interrupts
 *   ones, back        every word reads as ones; and as before
 *   unplug, plug      take the device out of its slot, put it in again
 *   error             the port of the slot reports an error that is not fatal
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "uapi/ascprof_window.h"

#define SIZE		(1u << 20)	/* of the BAR */
#define STRIDE		128
#define FIRST		128
#define VECTORS		2
#define PEER_MODEL	0
#define PEER_GUEST	1

static struct {
	char folder[80];
	int bar_listen;
	int words;
	int bar;		/* QEMU's ivshmem device */
	int memory;
	uint8_t *window;
	uint8_t *saved;
	int vector[VECTORS];
	int unused_vector[VECTORS];
	uint64_t rate;		/* counts per second */
	uint64_t since;		/* ns, when the counters were moved last */
} model;

/* What the registers are, and the totals behind them. */
static struct counter {
	const char *name;
	uint32_t width;
	uint32_t kind;
	uint64_t rate;
	uint64_t total;
} counters[] = {
	{ .name = "count32", .width = 32, .rate = 10000000000ull },
	{ .name = "count48", .width = 48, .rate = 10000000000ull },
	{ .name = "count64", .width = 64, .rate = 10000000000ull },
	{ .name = "level", .width = 32, .kind = 1 },
};

#define NR (sizeof(counters) / sizeof(counters[0]))

static void die(const char *what)
{
	fprintf(stderr, "window: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct ascprof_window_head *head(void)
{
	return (struct ascprof_window_head *)model.window;
}

static struct ascprof_window_entry *entry(size_t i)
{
	return (struct ascprof_window_entry *)(model.window + FIRST + i * STRIDE);
}

/* All numbers are little endian, as this program's machine is. */
static void show(size_t i)
{
	const struct counter *c = &counters[i];
	uint64_t mask = c->width == 64 ? UINT64_MAX : (1ull << c->width) - 1;

	__atomic_store_n(&entry(i)->value, c->total & mask, __ATOMIC_RELEASE);
}

static void good_window(void)
{
	memset(model.window, 0, SIZE);
	*head() = (struct ascprof_window_head) {
		.magic = ASCPROF_WINDOW_MAGIC,
		.version = ASCPROF_WINDOW_VERSION,
		.count = NR,
		.stride = STRIDE,
		.first = FIRST,
		.flags = ASCPROF_WINDOW_F_MSIX,
	};
	for (size_t i = 0; i < NR; i++) {
		*entry(i) = (struct ascprof_window_entry) {
			.rate = counters[i].rate,
			.width = counters[i].width,
			.value_kind = counters[i].kind,
			.event_class = 2,
			.scale_num = 32,
			.scale_den = 1,
			.unit = "bytes",
		};
		snprintf(entry(i)->name, sizeof(entry(i)->name), "%s", counters[i].name);
		counters[i].total = 0;
	}
	model.rate = 0;
}

/* Windows that make no sense; false beyond the last. */
static bool bad_window(unsigned long n)
{
	good_window();
	switch (n) {
	case 0: memset(model.window, 0, SIZE); break;
	case 1: memset(model.window, 0xff, SIZE); break;
	case 2: head()->magic++; break;
	case 3: head()->version = 2; break;
	case 4: head()->count = 0; break;
	case 5: head()->count = 513; break;
	case 6: head()->count = UINT32_MAX; break;
	case 7: head()->stride = 0; break;
	case 8: head()->stride = 100; break;
	case 9: head()->stride = UINT32_MAX - 7; break;
	case 10: head()->first = 0; break;
	case 11: head()->first = UINT32_MAX - 7; break;
	case 12: head()->first = SIZE - NR * STRIDE + 8; break;
	case 13: head()->flags = 0x80000001; break;
	case 14: head()->reserved[9] = 1; break;
	case 15: entry(0)->width = 0; break;
	case 16: entry(1)->width = 49; break;
	case 17: entry(2)->width = 128; break;
	case 18: entry(0)->rate = 0; break;
	case 19: entry(0)->rate = UINT64_MAX; break;
	case 20: entry(3)->rate = 1; break;
	case 21: entry(0)->value_kind = 7; break;
	case 22: entry(0)->event_class = 0; break;
	case 23: entry(0)->scale_num = 0; break;
	case 24: entry(0)->scale_den = 0; break;
	case 25: entry(0)->reserved = 1; break;
	case 26: entry(0)->unit[0] = '\033'; break;
	case 27: memset(entry(0)->unit, 'u', sizeof(entry(0)->unit)); break;
	case 28: memset(entry(0)->name, 'n', sizeof(entry(0)->name)); break;
	case 29: entry(0)->name[0] = 0; break;
	case 30: snprintf(entry(3)->name, sizeof(entry(3)->name), "count32"); break;
	default: return false;
	}
	return true;
}

/* What they counted since they were moved last. */
static void count_on(void)
{
	uint64_t now = now_ns();

	for (size_t i = 0; i < NR && model.rate; i++) {
		if (counters[i].kind)
			continue;
		counters[i].total += (uint64_t)((unsigned __int128)(now - model.since) *
						model.rate / 1000000000u);
		show(i);
	}
	model.since = now;
}

/* ---- sockets ------------------------------------------------------------ */

static int local_socket(const char *name, struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", model.folder, name);
	if (fd < 0)
		die("socket");
	return fd;
}

static int listen_on(const char *name)
{
	struct sockaddr_un address;
	int fd = local_socket(name, &address);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		die(address.sun_path);
	return fd;
}

/* One message of ivshmem's protocol: a number, and with some a descriptor. */
static void tell(int64_t number, int fd)
{
	char room[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec part = { &number, sizeof(number) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		message.msg_control = room;
		message.msg_controllen = sizeof(room);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(model.bar, &message, MSG_NOSIGNAL) != sizeof(number))
		die("message to QEMU");
}

/* Version, who the guest is, the memory, our vectors, the guest's vectors. */
static void serve_device(void)
{
	if (model.bar >= 0)
		close(model.bar);
	model.bar = accept(model.bar_listen, NULL, NULL);
	if (model.bar < 0)
		die("accept");
	tell(0, -1);
	tell(PEER_GUEST, -1);
	tell(-1, model.memory);
	for (int i = 0; i < VECTORS; i++)
		tell(PEER_MODEL, model.unused_vector[i]);
	for (int i = 0; i < VECTORS; i++)
		tell(PEER_GUEST, model.vector[i]);
}

/* ---- QMP ---------------------------------------------------------------- */

/* Reads on until a line holds the word; false if QEMU says error or goes away. */
static bool qmp_wait(FILE *qmp, const char *word)
{
	static char line[8192];

	while (fgets(line, sizeof(line), qmp)) {
		fprintf(stderr, "window: QMP: %s", line);
		if (strstr(line, word))
			return true;
		if (strstr(line, "\"error\""))
			return false;
	}
	return false;
}

static bool qmp_do(FILE *qmp, const char *command, const char *word)
{
	return fprintf(qmp, "%s\n", command) > 0 && fflush(qmp) == 0 && qmp_wait(qmp, word);
}

static FILE *qmp_open(void)
{
	struct sockaddr_un address;
	int fd = local_socket("qmp", &address);
	FILE *qmp;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		die(address.sun_path);
	qmp = fdopen(fd, "r+e");
	if (!qmp)
		die("fdopen");
	if (!qmp_wait(qmp, "\"QMP\"") || !qmp_do(qmp, "{\"execute\":\"qmp_capabilities\"}", "return"))
		die("QMP");
	return qmp;
}

static bool bus_error(void)
{
	FILE *qmp = qmp_open();
	bool done = qmp_do(qmp, "{\"execute\":\"human-monitor-command\",\"arguments\":"
			   "{\"command-line\":\"pcie_aer_inject_error slot1 POISON_TLP\"}}", "OK id: slot1");

	fclose(qmp);
	return done;
}

static bool unplug(void)
{
	FILE *qmp = qmp_open();
	bool done = qmp_do(qmp, "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"window\"}}",
			   "DEVICE_DELETED") &&
		    qmp_do(qmp, "{\"execute\":\"chardev-remove\",\"arguments\":{\"id\":\"window\"}}",
			   "return");

	fclose(qmp);
	return done;
}

/* The device asks for its memory while it is made: it has to be there before. */
static bool plug(void)
{
	FILE *qmp = qmp_open();
	char command[512];
	bool done;

	snprintf(command, sizeof(command),
		 "{\"execute\":\"chardev-add\",\"arguments\":{\"id\":\"window\",\"backend\":"
		 "{\"type\":\"socket\",\"data\":{\"server\":false,\"addr\":{\"type\":\"unix\","
		 "\"data\":{\"path\":\"%s/bar\"}}}}}}", model.folder);
	done = qmp_do(qmp, command, "return");
	if (done) {
		serve_device();
		done = qmp_do(qmp, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":"
			      "\"ivshmem-doorbell\",\"id\":\"window\",\"bus\":\"slot1\","
			      "\"chardev\":\"window\",\"vectors\":2}}", "return");
	}
	fclose(qmp);
	return done;
}

/* ---- words of the guest -------------------------------------------------- */

static bool interrupt(unsigned long times)
{
	uint64_t one = 1;

	while (times--)
		if (write(model.vector[0], &one, sizeof(one)) != sizeof(one))
			return false;
	return true;
}

static bool register_word(const char *verb, char *rest)
{
	char *end;
	unsigned long i = strtoul(rest, &end, 10);
	uint64_t value = strtoull(end, NULL, 0);

	if (i >= NR)
		return false;
	counters[i].total = *verb == 's' ? value : counters[i].total + value;
	show(i);
	return true;
}

static bool obey(char *line)
{
	char *verb = strtok(line, " "), *rest = strtok(NULL, "");
	unsigned long n = rest ? strtoul(rest, NULL, 0) : 0;

	if (!verb)
		return false;
	count_on();
	if (!strcmp(verb, "good"))
		good_window();
	else if (!strcmp(verb, "bad"))
		return bad_window(n);
	else if (rest && (!strcmp(verb, "set") || !strcmp(verb, "add")))
		return register_word(verb, rest);
	else if (!strcmp(verb, "run"))
		model.rate = n;
	else if (!strcmp(verb, "halt"))
		model.rate = 0;
	else if (!strcmp(verb, "irq"))
		return interrupt(n);
	else if (!strcmp(verb, "ones"))
		memcpy(model.saved, model.window, SIZE), memset(model.window, 0xff, SIZE);
	else if (!strcmp(verb, "back"))
		memcpy(model.window, model.saved, SIZE);
	else if (!strcmp(verb, "unplug"))
		return unplug();
	else if (!strcmp(verb, "plug"))
		return plug();
	else if (!strcmp(verb, "error"))
		return bus_error();
	else
		return false;
	return true;
}

static void answer(char *line)
{
	bool good = obey(line);

	if (!good)
		dprintf(model.words, "error\n");
	else
		dprintf(model.words, "ok %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counters[0].total,
			counters[1].total, counters[2].total);
}

/* Whole lines out of what came; false when the guest has gone. */
static bool listen_to_guest(void)
{
	static char line[256];
	static size_t len;
	char c;
	ssize_t got = read(model.words, &c, 1);

	if (got <= 0)
		return false;
	if (c == '\n') {
		line[len] = 0;
		len = 0;
		answer(line);
	} else if (c != '\r' && len + 1 < sizeof(line)) {
		line[len++] = c;
	}
	return true;
}

static void begin(const char *folder)
{
	snprintf(model.folder, sizeof(model.folder), "%s", folder);
	model.bar = -1;
	model.memory = memfd_create("window", MFD_CLOEXEC);
	if (model.memory < 0 || ftruncate(model.memory, SIZE))
		die("memfd");
	model.window = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, model.memory, 0);
	model.saved = malloc(SIZE);
	if (model.window == MAP_FAILED || !model.saved)
		die("memory");
	for (int i = 0; i < VECTORS; i++) {
		model.vector[i] = eventfd(0, EFD_CLOEXEC);
		model.unused_vector[i] = eventfd(0, EFD_CLOEXEC);
		if (model.vector[i] < 0 || model.unused_vector[i] < 0)
			die("eventfd");
	}
	good_window();
	model.bar_listen = listen_on("bar");
}

int main(int argc, char **argv)
{
	int words;

	if (argc != 2 || strlen(argv[1]) >= sizeof(model.folder)) {
		fputs("usage: window FOLDER (its name shorter than 80 bytes)\n", stderr);
		return 2;
	}
	begin(argv[1]);
	words = listen_on("words");
	puts("ready");
	fflush(stdout);

	model.words = accept(words, NULL, NULL);
	if (model.words < 0)
		die("accept");
	serve_device();
	for (;;) {
		struct pollfd p = { .fd = model.words, .events = POLLIN };
		int ready = poll(&p, 1, model.rate ? 1 : -1);

		if (ready < 0 && errno != EINTR)
			die("poll");
		count_on();
		if (ready > 0 && !listen_to_guest())
			return 0;
	}
}
