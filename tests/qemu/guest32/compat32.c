// SPDX-License-Identifier: Apache-2.0
/*
 * A 32-bit program on a 64-bit kernel meets the same interface: the same numbers, sizes
 * and records. It has no C library, hence system calls and text of its own.
 */
#include "uapi/ascprof.h"

#define NULL		((void *)0)
#define SYS_EXIT	1
#define SYS_READ	3
#define SYS_WRITE	4
#define SYS_OPEN	5
#define SYS_CLOSE	6
#define SYS_IOCTL	54
#define SYS_POLL	168
#define SYS_MMAP2	192
#define O_RDWR		2
#define PROT_READ	1
#define PROT_WRITE	2
#define MAP_SHARED	1
#define PAGE		4096
#define RING		(1 << 18)
#define EFAULT		14
#define EINVAL		22
#define ENOTTY		25
#define E2BIG		7
#define MAX_ERRNO	4095u

static int lines, failed;

void *memset(void *at, int c, unsigned long size);
void *memset(void *at, int c, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < size; i++)
		((volatile char *)at)[i] = (char)c;
	return at;
}

void *memcpy(void *to, const void *from, unsigned long size);
void *memcpy(void *to, const void *from, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

/* The sixth argument of mmap2 goes by %ebp, which has to be saved by hand. */
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	long args[6] = { a, b, c, d, e, f }, *at = args, ret;

	__asm__ volatile("push %%ebp\n\t"
			 "mov 0(%%esi), %%ebx\n\t"
			 "mov 4(%%esi), %%ecx\n\t"
			 "mov 8(%%esi), %%edx\n\t"
			 "mov 16(%%esi), %%edi\n\t"
			 "mov 20(%%esi), %%ebp\n\t"
			 "mov 12(%%esi), %%esi\n\t"
			 "int $0x80\n\t"
			 "pop %%ebp"
			 : "=a" (ret), "+S" (at)
			 : "a" (nr)
			 : "ebx", "ecx", "edx", "edi", "memory");
	return ret;
}

static long ioctl(int fd, unsigned long cmd, void *arg)
{
	return call(SYS_IOCTL, fd, (long)cmd, (long)arg, 0, 0, 0);
}

static void *map(int fd, unsigned long size, long prot, __u64 offset)
{
	return (void *)call(SYS_MMAP2, 0, (long)size, prot, MAP_SHARED, fd,
			    (long)(offset / PAGE));
}

static void say(const char *text)
{
	unsigned long len = 0;

	while (text[len])
		len++;
	call(SYS_WRITE, 1, (long)text, (long)len, 0, 0, 0);
}

static void say_number(unsigned int n)
{
	char text[12];
	int at = sizeof(text) - 1;

	text[at] = '\0';
	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	say(text + at);
}

static int check(int good, const char *what)
{
	say(good ? "ok " : "not ok ");
	say_number((unsigned int)++lines);
	say(" - 32 bit: ");
	say(what);
	say("\n");
	failed += !good;
	return good;
}

static void finish(void)
{
	say("1..");
	say_number((unsigned int)lines);
	say("\n");
	call(SYS_EXIT, failed != 0, 0, 0, 0, 0, 0);
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static __u32 find_sim(int control)
{
	struct ascprof_source source;

	memset(&source, 0, sizeof(source));
	while (ioctl(control, ASCPROF_IOC_SOURCE_GET, &source) == 0) {
		if (same(source.name, "sim0"))
			return source.id;
		source.index++;
	}
	return 0;
}

static void test_control(int control, __u32 sim)
{
	struct ascprof_stream_create req;
	struct ascprof_event event;
	struct ascprof_info info;
	__u64 wide[32];

	check(ioctl(control, ASCPROF_IOC_INFO, &info) == 0 && info.abi == ASCPROF_ABI_VERSION &&
	      info.max_period_ns == 1000000000u, "INFO");
	memset(&event, 0, sizeof(event));
	event.source_id = sim;
	check(ioctl(control, ASCPROF_IOC_EVENT_GET, &event) == 0 && event.scale_den == 1 &&
	      same(event.unit, "bytes"), "EVENT_GET");
	check(ioctl(control, ASCPROF_IOC_INFO, (void *)8) == -EFAULT, "INFO: EFAULT");
	check(ioctl(control, _IO('P', 0xAF), NULL) == -ENOTTY, "unknown ioctl: ENOTTY");
	memset(&req, 0, sizeof(req));
	req.home_cpu = -1;
	req.ring_bytes = RING;
	req.period_ns = 1000000;
	req.flags = 1u << 31;
	check(ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req) == -EINVAL, "unknown flag: EINVAL");
	memset(wide, 0, sizeof(wide));
	req.flags = 0;
	memcpy(wide, &req, sizeof(req));
	wide[31] = 1;
	check(ioctl(control, _IOC(_IOC_WRITE, 'P', 0xA3, sizeof(wide)), wide) == -E2BIG,
	      "a longer structure with something in it: E2BIG");
}

static int make_stream(int control, __u32 sim)
{
	struct ascprof_stream_create req;
	struct ascprof_counter_add add;
	int stream;

	memset(&req, 0, sizeof(req));
	req.home_cpu = -1;
	req.ring_bytes = RING;
	req.period_ns = 1000000;
	stream = (int)ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	if (!check(stream >= 0, "STREAM_CREATE"))
		finish();
	memset(&add, 0, sizeof(add));
	add.source_id = sim;
	add.cpu = -1;
	add.cookie = 0x0123456789abcdefULL;
	add.config = ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 1, ASCPROF_SIM_HBM_WRITE);
	check(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) == 0 && add.slot == 0, "COUNTER_ADD");
	return stream;
}

static void test_stream(int control, __u32 sim)
{
	int stream = make_stream(control, sim);
	struct ascprof_consumer_page *consumer = map(stream, PAGE, PROT_READ | PROT_WRITE,
						     ASCPROF_OFF_CONSUMER);
	struct ascprof_producer_page *producer = map(stream, PAGE, PROT_READ, ASCPROF_OFF_PRODUCER);
	const char *data = map(stream, 2 * RING, PROT_READ, ASCPROF_OFF_DATA);
	unsigned int samples = 0, odd = 0, configs = 0;
	struct ascprof_stats stats;
	__u64 tail = 0, head, last = 0;
	int i;

	check((unsigned long)consumer < -MAX_ERRNO && (unsigned long)producer < -MAX_ERRNO &&
	      (unsigned long)data < -MAX_ERRNO, "mmap");
	check(producer->ring_bytes == RING, "producer page");
	check(ioctl(stream, ASCPROF_IOC_START, NULL) == 0, "START");
	for (i = 0; i < 20000; i++) {
		call(SYS_POLL, 0, 0, 1, 0, 0, 0);
		if (ioctl(stream, ASCPROF_IOC_STATS, &stats) || stats.samples >= 50)
			break;
	}
	check(ioctl(stream, ASCPROF_IOC_STOP, NULL) == 0, "STOP");
	head = *(volatile __u64 *)&producer->head;
	while (tail != head) {
		const struct ascprof_rec *rec = (const void *)(data + ((unsigned long)tail & (RING - 1)));

		if (rec->type == ASCPROF_REC_CONFIG) {
			const struct ascprof_rec_config *config = (const void *)rec;

			configs += config->cookie == 0x0123456789abcdefULL &&
				   same(config->name, "hbm1_write") && rec->len == sizeof(*config);
		}
		if (rec->type == ASCPROF_REC_SAMPLE) {
			const struct ascprof_rec_sample *s = (const void *)rec;

			odd += s->seq != samples || s->value[0] < last ||
			       rec->len != sizeof(*s) + 8;
			last = s->value[0];
			samples++;
		}
		tail += rec->len;
	}
	*(volatile __u64 *)&consumer->tail = tail;
	check(configs == 1, "CONFIG with its cookie");
	check(samples >= 50 && odd == 0, "samples in order");
	check(ioctl(stream, ASCPROF_IOC_STATS, &stats) == 0 && stats.samples == samples &&
	      stats.head == stats.tail, "STATS, and the tail arrived");
	call(SYS_CLOSE, stream, 0, 0, 0, 0, 0);
}

/* What the structure of USER_CREATE points to is as wide for everybody, and so is what is written. */
static int make_source(int control, __u32 *id)
{
	struct ascprof_user_create req;
	struct ascprof_user_stats stats;
	struct ascprof_event counter;
	int source;

	memset(&counter, 0, sizeof(counter));
	counter.event_class = ASCPROF_CLASS_OTHER;
	counter.config = 0x1122334455667788ULL;
	counter.scale_num = 1;
	counter.scale_den = 1;
	memcpy(counter.unit, "events", sizeof("events"));
	memcpy(counter.name, "counter", sizeof("counter"));
	memset(&req, 0, sizeof(req));
	req.device = -1;
	req.numa_node = -1;
	req.nr_counters = 1;
	req.counter_size = sizeof(counter);
	memcpy(req.name, "compat32", sizeof("compat32"));
	req.counters = 0xfffff000;
	check(ioctl(control, ASCPROF_IOC_USER_CREATE, &req) == -EFAULT, "USER_CREATE: EFAULT");
	req.counters = (unsigned long)&counter;
	source = (int)ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
	if (!check(source >= 0, "USER_CREATE"))
		finish();
	check(ioctl(source, ASCPROF_IOC_USER_STATS, &stats) == 0 && stats.samples == 0 && stats.readers == 0,
	      "USER_STATS");
	*id = stats.id;
	return source;
}

/* One that was fed, and the sample of KICK, by read(). */
static void test_fed(int control)
{
	static __u64 buffer[1024];
	struct {
		struct ascprof_user_sample head;
		__u64 value;
	} sample;
	struct ascprof_stream_create req;
	struct ascprof_counter_add add;
	struct ascprof_user_stats stats;
	unsigned int users = 0, kicks = 0;
	long got, at;
	__u32 id = 0;
	int source = make_source(control, &id), stream;

	memset(&req, 0, sizeof(req));
	req.home_cpu = -1;
	req.ring_bytes = RING;
	req.period_ns = 1000000000;
	stream = (int)ioctl(control, ASCPROF_IOC_STREAM_CREATE, &req);
	memset(&add, 0, sizeof(add));
	add.source_id = id;
	add.cpu = -1;
	add.config = 0x1122334455667788ULL;
	check(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add) == 0 &&
	      ioctl(stream, ASCPROF_IOC_START, NULL) == 0, "START with a counter that is fed");
	/* the CLOCK record that comes first has the time */
	got = call(SYS_READ, stream, (long)buffer, sizeof(struct ascprof_rec_clock), 0, 0, 0);
	check(got == sizeof(struct ascprof_rec_clock), "read");
	memset(&sample, 0, sizeof(sample));
	sample.head.len = sizeof(sample);
	sample.head.nr = 1;
	sample.head.t_raw = ((struct ascprof_rec_clock *)buffer)->raw;
	sample.head.t_device = 0xfedcba9876543210ULL;
	sample.value = 0x0fedcba987654321ULL;
	check(call(SYS_WRITE, source, (long)&sample, sizeof(sample), 0, 0, 0) == sizeof(sample), "write");
	check(ioctl(stream, ASCPROF_IOC_KICK, NULL) == 0, "KICK");
	check(ioctl(stream, ASCPROF_IOC_STOP, NULL) == 0, "STOP");
	got = call(SYS_READ, stream, (long)buffer, sizeof(buffer), 0, 0, 0);
	for (at = 0; at < got; ) {
		const struct ascprof_rec *rec = (const void *)((const char *)buffer + at);
		const struct ascprof_rec_user *u = (const void *)rec;

		users += rec->type == ASCPROF_REC_USER && u->t_device == sample.head.t_device &&
			 u->t_raw == sample.head.t_raw && u->value[0] == sample.value;
		kicks += rec->type == ASCPROF_REC_SAMPLE && (rec->flags & ASCPROF_SAMPLE_F_KICK);
		at += rec->len;
	}
	check(users == 1 && kicks == 1, "the record of what was written, and the sample of KICK");
	check(ioctl(source, ASCPROF_IOC_USER_STATS, &stats) == 0 && stats.samples == 1 && stats.readers == 1,
	      "USER_STATS knows of both");
	call(SYS_CLOSE, stream, 0, 0, 0, 0, 0);
	call(SYS_CLOSE, source, 0, 0, 0, 0, 0);
}

__attribute__((used)) static void run(void)
{
	int control = (int)call(SYS_OPEN, (long)ASCPROF_DEVICE_PATH, O_RDWR, 0, 0, 0, 0);
	__u32 sim;

	if (check(control >= 0, "open")) {
		sim = find_sim(control);
		if (check(sim != 0, "SOURCE_GET")) {
			test_control(control, sim);
			test_stream(control, sim);
			test_fed(control);
		}
	}
	finish();
}

__asm__(".globl _start\n"
	"_start:\n\t"
	"and $-16, %esp\n\t"
	"call run\n");
