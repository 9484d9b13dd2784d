/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof bridge: hands the vendor's profiling channels on to any number of readers. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect/hub.h"
#include "tools/bridge_feed.h"
#include "collect/hal.h"
#include "tools/options.h"

#define PERIOD_DEFAULT_MS 20
#define HZ_DEFAULT 50000000 /* Ascend 910B */
#define BUFFER_BYTES (256u << 10)
#define POLL_SECONDS 1

#define SWITCH_ON 1
#define SWITCH_OFF 2
#define ALL_MASTERS 0xffffffffu
#define AICORE_SAMPLED 1
#define AICORE_ALMOST_FULL 26214
#define FFTS_CUBE 1
#define FFTS_SAMPLED (1 << 1)
#define FFTS_WORDS 18

static const struct option_def options[] = {
	{ 'd', "device", "N", "device, 0 to 63 (default 0)", OPTION_NUMBER, 0, HAL_DEVICES - 1 },
	{ 'p', "period", "MS", "milliseconds between samples, 1 to 1000 (default 20)", OPTION_NUMBER, 1, 1000,
	  .unit = "ms" },
	{ 'c', "channels", "LIST", "of hbm, ddr, llc, soc, aicore, separated by commas\n"
	  "(default: all that the device has)", OPTION_LIST, .choices = "hbm ddr llc soc aicore" },
	{ 'l', "llc", "MODE", "events of the LLC: read or write (default read)", OPTION_CHOICE,
	  .choices = "read write" },
	{ 'f', "frequency", "HZ", "of the device's counter (default 50000000)", OPTION_NUMBER, 1000000, 10000000000,
	  .unit = "Hz" },
	{ 'r', "records", "VERSION", "layout of HBM and LLC records, 1 or 2 (default 1)", OPTION_NUMBER, 1, 2 },
	{ 'w', "width", "BITS", "of a DDR access: 128 (Ascend 310) or 256 (default 256)", OPTION_CHOICE,
	  .choices = "128 256" },
	{ 'L', "library", "FILE", "the vendor's library (default " HAL_LIBRARY ")", OPTION_PATH },
	{ 0 },
};

struct channel_def {
	const char *name;
	unsigned int id;
	unsigned int other; /* that other chips have for the same; 0: none */
	int type;
	enum bridge_kind kind[2]; /* by the version of the records */
};

/* In the order of option --channels. */
static const struct channel_def channel_defs[] = {
	{ "hbm", HAL_HBM, 0, HAL_TYPE_PERIPHERAL, { BRIDGE_HBM1, BRIDGE_HBM2 } },
	{ "ddr", HAL_DDR, 0, HAL_TYPE_PERIPHERAL, { BRIDGE_DDR, BRIDGE_DDR } },
	{ "llc", HAL_LLC, 0, HAL_TYPE_PERIPHERAL, { BRIDGE_LLC1, BRIDGE_LLC2 } },
	{ "soc", HAL_SOC_PROFILE, 0, HAL_TYPE_SCHEDULER, { BRIDGE_SOC, BRIDGE_SOC } },
	{ "aicore", HAL_AICORE, HAL_FFTS_SAMPLE, HAL_TYPE_SCHEDULER, { BRIDGE_AICORE, BRIDGE_AICORE } },
};

#define CHANNELS (sizeof(channel_defs) / sizeof(channel_defs[0]))

struct channel {
	const struct channel_def *def;
	unsigned int id; /* on this chip */
	bool running;
	struct bridge_feed feed;
};

struct bridge {
	unsigned int device;
	unsigned int period_ms;
	unsigned int llc_type; /* 1 read, 2 write: as the vendor's collector sends it */
	unsigned int version;
	unsigned int ddr_bytes; /* of one access */
	uint64_t hz;
	bool wanted[CHANNELS];
	const char *library;
	struct hal hal;
	int control;
	struct channel channel[CHANNELS];
	unsigned int running;
	char *buffer;
	struct diag *diag;
};

static volatile sig_atomic_t over;

static void end(int signal)
{
	(void)signal;
	over = 1;
}

static uint64_t now_raw(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- options --------------------------------------------------------------- */

static void set_option(struct bridge *b, int letter, const struct option_value *value)
{
	switch (letter) {
	case 'd':
		b->device = (unsigned int)value->number;
		break;
	case 'p':
		b->period_ms = (unsigned int)value->number;
		break;
	case 'c':
		for (unsigned int i = 0; i < CHANNELS; i++)
			b->wanted[i] = value->set >> i & 1;
		break;
	case 'l':
		b->llc_type = (unsigned int)value->number + 1;
		break;
	case 'f':
		b->hz = value->number;
		break;
	case 'r':
		b->version = (unsigned int)value->number;
		break;
	case 'w':
		b->ddr_bytes = value->number ? 32 : 16;
		break;
	default:
		b->library = value->text;
		break;
	}
}

/* ---- channels -------------------------------------------------------------- */

/* What a channel is told to count: words, as 1.0 of the vendor's interface has them. */
static unsigned int words_of(const struct bridge *b, unsigned int id, uint32_t *w)
{
	unsigned int n = 0;

	switch (id) {
	case HAL_HBM:
	case HAL_DDR:
		w[n++] = b->period_ms;
		w[n++] = ALL_MASTERS;
		w[n++] = 2; /* events: */
		w[n++] = 0; /* read */
		w[n++] = 1; /* write */
		break;
	case HAL_LLC:
		w[n++] = b->period_ms;
		w[n++] = b->llc_type;
		break;
	case HAL_SOC_PROFILE:
		/* accelerators, levels, between dies, between chips; not: power, scheduler */
		for (int i = 0; i < 6; i++) {
			w[n++] = i < 4 ? SWITCH_ON : SWITCH_OFF;
			w[n++] = b->period_ms;
		}
		break;
	case HAL_AICORE:
		w[n++] = AICORE_SAMPLED;
		w[n++] = AICORE_ALMOST_FULL;
		w[n++] = b->period_ms;
		w[n++] = 0xffffffffu; /* all cores */
		w[n++] = BRIDGE_AICORE_EVENTS;
		for (int i = 0; i < BRIDGE_AICORE_EVENTS; i++)
			w[n++] = bridge_aicore_events[i];
		w[n++] = 0; /* starts now */
		break;
	case HAL_FFTS_SAMPLE:
		w[n++] = FFTS_CUBE; /* of the two that follow the first only */
		w[n++] = FFTS_SAMPLED;
		w[n++] = b->period_ms;
		w[n++] = 0xffffffffu;
		w[n++] = BRIDGE_AICORE_EVENTS;
		for (int i = 0; i < BRIDGE_AICORE_EVENTS; i += 2) /* of 16 bits */
			w[n++] = bridge_aicore_events[i] | bridge_aicore_events[i + 1] << 16;
		while (n < FFTS_WORDS) /* nothing of vector cores; starts now */
			w[n++] = 0;
		break;
	}
	return n;
}

static void start_channel(struct bridge *b, struct channel *c)
{
	uint32_t words[32];
	struct hal_start start = {
		.type = c->def->type,
		.period_ms = b->period_ms,
		.real_time = 1,
		.user_data = words,
	};
	int ret;

	start.user_data_size = (unsigned int)(words_of(b, c->id, words) * sizeof(words[0]));
	if (bridge_feed_init(&c->feed, c->def->kind[b->version - 1], c->def->name, (int)b->device, b->period_ms,
			     b->hz)) {
		fprintf(stderr, "ascprof bridge: channel %s: no memory\n", c->def->name);
		return;
	}
	if (c->id == HAL_DDR)
		c->feed.scale = b->ddr_bytes;
	ret = b->hal.start(b->device, c->id, &start);
	if (ret) {
		fprintf(stderr, "ascprof bridge: channel %s: the driver refuses (%d)%s\n", c->def->name, ret,
			ret == HAL_ERROR_RUNNING ? ": it runs already; does another collector have it?" : "");
		bridge_feed_close(&c->feed);
		return;
	}
	c->running = true;
	b->running++;
}

static int start_channels(struct bridge *b)
{
	static struct hal_channel_list list;
	int ret = b->hal.get_channels(b->device, &list);

	if (ret)
		return diag_fail(b->diag, "device %u: the driver does not list its channels (%d)", b->device, ret);
	for (size_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &b->channel[i];

		c->def = &channel_defs[i];
		c->id = hal_listed(&list, c->def->id) ? c->def->id : c->def->other;
		c->feed.source = -1;
		if (b->wanted[i] && hal_listed(&list, c->id))
			start_channel(b, c);
	}
	if (!b->running)
		return diag_fail(b->diag, "device %u: no channel could be started", b->device);
	return 0;
}

static void stop_channel(struct bridge *b, struct channel *c, const char *why)
{
	if (why)
		fprintf(stderr, "ascprof bridge: channel %s: %s\n", c->def->name, why);
	b->hal.stop(b->device, c->id);
	c->running = false;
	b->running--;
	/* its readers are told at once */
	if (c->feed.source >= 0)
		close(c->feed.source);
	c->feed.source = -1;
}

/* All that is there now. */
static void drain(struct bridge *b, struct channel *c)
{
	int got, err;

	while (c->running) {
		got = b->hal.read(b->device, c->id, b->buffer, BUFFER_BYTES);
		if (got < 0) {
			stop_channel(b, c, got == HAL_ERROR_STOPPED ? "the driver has stopped it" :
								      "cannot be read");
			return;
		}
		if (!got)
			return;
		err = bridge_feed_take(&c->feed, b->control, (const uint8_t *)b->buffer, (size_t)got, now_raw());
		if (err) {
			stop_channel(b, c, strerror(err));
			return;
		}
	}
}

static int serve(struct bridge *b)
{
	struct hal_ready ready[CHANNELS];
	int nr;

	while (!over && b->running) {
		nr = b->hal.poll(ready, CHANNELS, POLL_SECONDS);
		if (nr < 0)
			return diag_fail(b->diag, "the driver does not wait for data (%d)", nr);
		for (int i = 0; i < nr && i < (int)CHANNELS; i++)
			for (size_t k = 0; k < CHANNELS; k++)
				if (b->channel[k].id == ready[i].channel && ready[i].device == b->device)
					drain(b, &b->channel[k]);
	}
	return over ? 0 : diag_fail(b->diag, "device %u: no channel runs any more", b->device);
}

static void finish(struct bridge *b)
{
	unsigned int left;

	for (size_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &b->channel[i];

		if (c->running) {
			if (b->hal.flush)
				b->hal.flush(b->device, c->id, &left);
			drain(b, c);
		}
		if (c->running) {
			bridge_feed_finish(&c->feed, b->control, now_raw());
			stop_channel(b, c, NULL);
		}
		if (c->feed.events)
			printf("%s: %llu records, %llu samples, %llu refused, %llu not understood, "
			       "%llu of counters that came late, drift %lld ppb\n",
			       c->feed.name, (unsigned long long)c->feed.records,
			       (unsigned long long)c->feed.samples, (unsigned long long)c->feed.refused,
			       (unsigned long long)c->feed.bad, (unsigned long long)c->feed.unknown,
			       (long long)bridge_clock_drift(&c->feed.clock));
		bridge_feed_close(&c->feed);
	}
}

static int open_module(struct bridge *b)
{
	b->control = open(hub_path(), O_RDWR | O_CLOEXEC);
	return b->control < 0 ? diag_fail(b->diag, "%s: %s", hub_path(), strerror(errno)) : 0;
}

static int open_hal(struct bridge *b, char *why, size_t size)
{
	const char *missing;

	if (hal_open(&b->hal, b->library, why, size))
		return -1;
	missing = hal_missing(&b->hal);
	if (!missing)
		return 0;
	snprintf(why, size, "%s: has no function %s", b->library, missing);
	hal_close(&b->hal);
	return -1;
}

static int run_bridge(struct bridge *b)
{
	struct sigaction action = { .sa_handler = end };
	char why[256];
	int ret;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (open_module(b))
		return -1;
	ret = open_hal(b, why, sizeof(why));
	if (ret) {
		diag_fail(b->diag, "%s", why);
		goto close;
	}
	b->buffer = malloc(BUFFER_BYTES);
	ret = b->buffer ? start_channels(b) : diag_fail(b->diag, "no memory");
	if (!ret)
		ret = serve(b);
	if (b->buffer && b->channel[0].def)
		finish(b);
	free(b->buffer);
	hal_close(&b->hal);
close:
	close(b->control);
	return ret;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct bridge b = {
		.period_ms = PERIOD_DEFAULT_MS,
		.llc_type = 1,
		.version = 1,
		.ddr_bytes = 32,
		.hz = HZ_DEFAULT,
		.library = HAL_LIBRARY,
		.diag = diag,
	};
	struct option_value value;
	int letter;

	memset(b.wanted, 1, sizeof(b.wanted));
	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter < 0)
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		set_option(&b, letter, &value);
	}
	if (optind < argc)
		return options_wrong(c, "no argument was expected, not \"%s\"", argv[optind]);
	return run_bridge(&b) ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_bridge = {
	.name = "bridge",
	.operands = "",
	.summary = "hand the profiling channels of an NPU on to the kernel module",
	.text = "Opens the profiling channels of the vendor's driver, of which each has one owner,\n"
		"and feeds what comes into the kernel module, where any number of streams can\n"
		"count it beside the counters of the machine. Each channel is a source named\n"
		"npuN-CHANNEL while this runs. Needs CAP_PERFMON, and what the driver asks for.\n"
		"Ends with SIGINT or SIGTERM, or when no channel is left.",
	.options = options,
	.run = run,
};
