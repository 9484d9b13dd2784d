/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of calls, with arguments out of the input: pointers are none, objects that live or lived, or
 * what was never one; texts of options and messages are any bytes. Whatever is called, a code that is not
 * 0 has a reason, objects that were made work, and after the end all begins anew.
 */
#include "tests/fuzz/readers/reader.h"
#include "tests/fuzz/readers/folder.h"

#include <dirent.h>

#include "acl/acl_prof.h"
#include "ascprof/ascprof.h"
#include "mstx/ms_tools_ext.h"

#define OBJECTS 4
#define STARTS 3 /* in one input: each has threads and a directory */

static struct input in;

static struct objects {
	void *stamp[OBJECTS];
	aclprofConfig *config[OBJECTS];
	uint32_t range[OBJECTS];
	mstxRangeId mstx_range[OBJECTS];
	mstxDomainHandle_t domain[OBJECTS];
	unsigned int starts;
} has;

static uint64_t take(size_t n)
{
	return input_take(&in, n);
}

/* Ends where it ends: what is read behind it shows. To be freed. */
static char *take_text(size_t *len)
{
	size_t n = take(1), left = (size_t)(in.end - in.at);
	char *text;

	n = n == 255 ? 70000 : n; /* longer than any may be */
	*len = n;
	text = malloc(n + 1);
	memset(text, 'x', n);
	memcpy(text, in.at, n < left ? n : left);
	in.at += n < left ? n : left;
	text[n] = 0;
	return text;
}

static void told(aclError code)
{
	if (code && !*ascprof_last_error())
		abort();
}

/* A stamp may be any number; of other objects what is none is memory that can be read. */
static void *a_stamp(void)
{
	uint64_t which = take(1);

	return which == 255 ? (void *)(uintptr_t)take(8) : has.stamp[which % OBJECTS];
}

static aclprofConfig *a_config(void)
{
	static uint64_t none[64];
	uint64_t which = take(1);

	return which == 255 ? (void *)none : has.config[which % OBJECTS];
}

static void session(uint64_t what)
{
	uint64_t at = take(1) % OBJECTS;
	uint32_t devices[4];
	char *text;
	size_t len;

	switch (what) {
	case 0:
		told(aclprofInit("r", 1));
		break;
	case 1:
		told(aclprofFinalize());
		break;
	case 2:
		if (has.starts++ < STARTS)
			told(aclprofStart(a_config()));
		break;
	case 3:
		told(aclprofStop(a_config()));
		break;
	case 4:
		for (size_t i = 0; i < 4; i++)
			devices[i] = (uint32_t)take(1);
		len = take(1) % 5; /* any other bit is refused by Start, which is why few are */
		has.config[at] = aclprofCreateConfig(devices, (uint32_t)len, (aclprofAicoreMetrics)take(1), NULL,
						     ACL_PROF_MSPROFTX | take(2));
		break;
	case 5:
		told(aclprofDestroyConfig(a_config()));
		break;
	default:
		text = take_text(&len);
		told(aclprofSetConfig((aclprofConfigType)at + (aclprofConfigType)take(1) % 24, text, len));
		free(text);
	}
}

static void annotation(uint64_t what)
{
	uint64_t at = take(1) % OBJECTS;
	char *text;
	size_t len;

	switch (what) {
	case 0:
		has.stamp[at] = aclprofCreateStamp();
		break;
	case 1:
		aclprofDestroyStamp(a_stamp());
		break;
	case 2:
		text = take_text(&len);
		told(aclprofSetStampTraceMessage(a_stamp(), text, (uint32_t)len));
		free(text);
		break;
	case 3:
		told(aclprofMark(a_stamp()));
		break;
	case 4:
		told(aclprofPush(a_stamp()));
		break;
	case 5:
		told(aclprofPop());
		break;
	case 6:
		told(aclprofRangeStart(a_stamp(), &has.range[at]));
		break;
	case 7:
		told(aclprofRangeStop(has.range[at] + (uint32_t)take(1) / 128));
		break;
	default:
		text = take_text(&len);
		told(aclprofMarkEx(text, len, (void *)(uintptr_t)take(2)));
		free(text);
	}
}

static void extension(uint64_t what)
{
	uint64_t at = take(1) % OBJECTS;
	size_t len;
	char *text = take_text(&len);

	switch (what) {
	case 0:
		mstxMarkA(text, NULL);
		break;
	case 1:
		has.mstx_range[at] = mstxRangeStartA(text, NULL);
		break;
	case 2:
		mstxRangeEnd(has.mstx_range[at] + take(1) / 128);
		break;
	case 3:
		has.domain[at] = mstxDomainCreateA(text);
		break;
	case 4:
		mstxDomainDestroy(has.domain[at]);
		break;
	case 5:
		mstxDomainMarkA(at ? has.domain[at] : (void *)(uintptr_t)take(8), text, NULL);
		break;
	case 6:
		has.mstx_range[at] = mstxDomainRangeStartA(has.domain[at], text, NULL);
		break;
	default:
		mstxDomainRangeEnd(has.domain[at], has.mstx_range[at]);
	}
	free(text);
}

static void empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char below[512];

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
		if (!unlink(below) || !rmdir(below))
			continue;
		empty(below);
		rmdir(below);
	}
	if (d)
		closedir(d);
}

/* Everything is ended, and a recording is as if nothing had been. */
static void begin_anew(void)
{
	aclprofConfig *config;
	void *stamp;

	aclprofFinalize();
	for (size_t i = 0; i < OBJECTS; i++)
		aclprofDestroyStamp(has.stamp[i]);
	config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	if (aclprofInit("r", 1) || aclprofStart(config))
		abort();
	stamp = aclprofCreateStamp();
	if (!stamp || aclprofSetStampTraceMessage(stamp, "after", 5) || aclprofMark(stamp))
		abort();
	aclprofDestroyStamp(stamp);
	if (aclprofStop(config) || aclprofFinalize() || aclprofDestroyConfig(config))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	setenv("ASCPROF_LOG", "off", 1);
	folder_enter();
	mkdir("r", 0700);
	in = (struct input){ data, data + size };
	memset(&has, 0, sizeof(has));
	while (in.at < in.end) {
		uint64_t what = take(1);

		if (what < 64)
			session(what % 8);
		else if (what < 192)
			annotation(what % 9);
		else
			extension(what % 8);
	}
	begin_anew();
	for (size_t i = 0; i < OBJECTS; i++)
		if (has.config[i])
			aclprofDestroyConfig(has.config[i]); /* or it was destroyed before, which is told */
	empty("r");
	return 0;
}
