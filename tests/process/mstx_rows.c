// SPDX-License-Identifier: Apache-2.0
/*
 * What mstx calls leave in the files: test vectors 154 to 156, domains, ranges
 * across threads and sessions, the thread and the domain of each row.
 */
#include "mstx.h"

#include <pthread.h>
#include <sys/syscall.h>

#include <mstx/ms_tools_ext.h>

static mstxDomainHandle_t net, disk;
static pid_t starter;

/* The call says in ascprof_last_error() what was wrong. */
#define ignored(call, words)                                                                        \
	do {                                                                                        \
		t_stderr_begin();                                                                   \
		aclprofDestroyConfig(NULL); /* so that an error of before does not count */         \
		call;                                                                               \
		t_stderr_end();                                                                     \
		t_check(strstr(ascprof_last_error(), words), "%s: last error '%s', expected '%s'", \
			#call, ascprof_last_error(), words);                                        \
	} while (0)

/* All of it without a session, as programs do it at their begin. */
static void domains(void)
{
	char name[1025];

	net = mstxDomainCreateA("net");
	disk = mstxDomainCreateA("d\xc3\xafsk \xff 1");
	t_check(net && disk && net != disk, "handles %p and %p", (void *)net, (void *)disk);
	t_check(mstxDomainCreateA("net") == net, "another handle for the same name");

	memset(name, 'n', sizeof(name));
	name[1024] = 0;
	ignored(t_check(!mstxDomainCreateA(name), "a name of 1024 bytes"), "1 to 1023");
	name[1023] = 0;
	t_check(mstxDomainCreateA(name), "no name of 1023 bytes");
	ignored(t_check(!mstxDomainCreateA(NULL), "no name"), "NULL");
	ignored(t_check(!mstxDomainCreateA(""), "an empty name"), "0 bytes");
	ignored(t_check(!mstxDomainCreateA("default"), "the default by name"), "default");
	for (const char *c = "=+-@"; *c; c++) {
		name[0] = *c;
		name[1] = 0;
		ignored(t_check(!mstxDomainCreateA(name), "name %s", name), "= + - @");
	}
	ignored(t_check(!mstxDomainCreateA("two\nlines"), "a line end"), "0x0a");
	ignored(t_check(!mstxDomainCreateA("\x7f"), "a control character"), "0x7f");
}

static void vector_154(void)
{
	static const char *const messages[] = { "=cmd", "+", "-1", "@x" };

	for (size_t i = 0; i < 4; i++) {
		ignored(mstxMarkA(messages[i], NULL), "mstxMarkA: message begins with");
		ignored(mstxDomainMarkA(net, messages[i], NULL), "mstxDomainMarkA: message begins with");
		ignored(t_code(mstxRangeStartA(messages[i], NULL), 0), "mstxRangeStartA: message begins with");
		ignored(t_code(mstxDomainRangeStartA(net, messages[i], NULL), 0), "mstxDomainRangeStartA");
	}
	ignored(mstxMarkA("", NULL), "mstxMarkA: message is empty");
	ignored(mstxMarkA(NULL, NULL), "mstxMarkA: message is NULL");
	ignored(t_code(mstxRangeStartA("", NULL), 0), "mstxRangeStartA: message is empty");
	ignored(t_code(mstxRangeStartA(NULL, NULL), 0), "mstxRangeStartA: message is NULL");
	ignored(mstxDomainMarkA(net, NULL, NULL), "mstxDomainMarkA: message is NULL");
}

static void vector_155(void)
{
	char message[158];
	mstxRangeId id;

	memset(message, 'v', 157);
	message[157] = 0;
	id = mstxRangeStartA(message, NULL);
	t_check(id, "no range with 157 characters");
	mstxRangeEnd(id);
}

static void vector_156(void)
{
	mstxRangeId id = mstxDomainRangeStartA(net, "named", NULL), plain = mstxRangeStartA("plain", NULL);

	ignored(mstxDomainRangeEnd(disk, id), "another domain");
	ignored(mstxRangeEnd(id), "another domain");
	ignored(mstxDomainRangeEnd(net, plain), "another domain");
	ignored(mstxDomainRangeEnd(NULL, plain), "not in use");
	/* neither has ended */
	mstxDomainRangeEnd(net, id);
	mstxRangeEnd(plain);
	ignored(mstxDomainRangeEnd(net, id), "ended already");
	ignored(mstxRangeEnd(plain), "ended already");
}

static void bad_handles(void)
{
	int unknown = 0;
	void *handles[] = { NULL, &unknown, (char *)net + 1, (char *)net + 4, (void *)-1 };

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		mstxDomainHandle_t handle = handles[i];

		ignored(mstxDomainMarkA(handle, "bad handle", NULL), "mstxDomainMarkA: domain");
		ignored(t_code(mstxDomainRangeStartA(handle, "bad handle", NULL), 0), "mstxDomainRangeStartA: domain");
		ignored(mstxDomainRangeEnd(handle, 1000), "mstxDomainRangeEnd: domain");
	}
	mstxDomainDestroy(NULL);
	ignored(mstxDomainDestroy((mstxDomainHandle_t)&unknown), "mstxDomainDestroy");
}

static void destroyed(void)
{
	mstxDomainHandle_t gone = mstxDomainCreateA("gone");
	mstxRangeId id;

	mstxDomainMarkA(gone, "before destruction", NULL);
	id = mstxDomainRangeStartA(gone, "never ended", NULL);
	mstxDomainDestroy(gone);
	ignored(mstxDomainMarkA(gone, "after destruction", NULL), "not in use");
	ignored(t_code(mstxDomainRangeStartA(gone, "after destruction", NULL), 0), "not in use");
	ignored(mstxDomainRangeEnd(gone, id), "not in use");
	ignored(mstxDomainDestroy(gone), "not in use");
	gone = mstxDomainCreateA("gone");
	t_check(gone, "a destroyed name cannot be had again");
	mstxDomainMarkA(gone, "created again", NULL);
}

/* Ids of the one interface mean nothing to the other. */
static void two_interfaces(void)
{
	void *stamp = t_stamp("by stamp");
	mstxRangeId id = mstxRangeStartA("by mstx", NULL);
	uint32_t classic = 0;

	t_code(aclprofRangeStart(stamp, &classic), 0);
	t_check(id != classic, "one id for two ranges");
	ignored(mstxRangeEnd(classic), "another domain");
	ignored(t_code(aclprofRangeStop((uint32_t)id), ACL_ERROR_INVALID_PARAM), "never given out");
	ignored(mstxRangeEnd(id + (1ULL << 32)), "never given out");
	ignored(mstxRangeEnd(UINT64_MAX), "never given out");
	mstxRangeEnd(0);
	mstxRangeEnd(id);
	t_code(aclprofRangeStop(classic), 0);
	aclprofDestroyStamp(stamp);
}

static void *start_elsewhere(void *arg)
{
	starter = (pid_t)syscall(SYS_gettid);
	*(mstxRangeId *)arg = mstxRangeStartA("across threads", NULL);
	return NULL;
}

static void across_threads(void)
{
	mstxRangeId id = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, start_elsewhere, &id);
	pthread_join(thread, NULL);
	t_check(id, "no range in a thread");
	mstxRangeEnd(id);
}

static void check_event(const struct mstx_events *all, const char *message, enum row_tx_event event,
			const char *domain, pid_t tid)
{
	const struct mstx_event *e = mstx_only(all, message);
	const struct row_tx *row = e ? &e->head : NULL;

	if (!row)
		return;
	t_equal(row->event, event, "event of '%s'", message);
	t_check(mstx_named(all, row->domain, domain), "domain of '%s' is %llu, expected %s in:\n%s", message,
		(unsigned long long)row->domain, domain, all->names);
	t_equal(row->pid, getpid(), "pid");
	t_equal(row->tid, tid, "tid of '%s'", message);
	t_check(row->mark_id, "mark id 0");
	t_check(row->start && row->start <= row->end && row->stamp == row->end, "times of '%s'", message);
	t_check((event == ROW_TX_MARK) == (row->start == row->end), "'%s' lasts", message);
	t_check(row->magic == ROW_MAGIC && row->level == ROW_TX_LEVEL && row->data_len == ROW_TX_DATA_LEN &&
			row->magic2 == ROW_MAGIC && row->tag == ROW_TX_TAG && !row->type && !row->reserved &&
			!row->category && !row->payload_type && !row->payload && !row->message_type,
		"head of '%s'", message);
}

static void check_ids(const struct mstx_events *all)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t j = 0; j < i; j++)
			t_check(all->event[i].head.mark_id != all->event[j].head.mark_id, "mark id %llu twice",
				(unsigned long long)all->event[i].head.mark_id);
}

static void check_first(const char *prof)
{
	pid_t self = (pid_t)syscall(SYS_gettid);
	struct mstx_account marks = mstx_account(prof, "mstx_mark"), ranges = mstx_account(prof, "mstx_range");
	const struct mstx_event *v155 = NULL;
	struct mstx_events all;

	mstx_read(&all, prof);
	check_event(&all, "hello", ROW_TX_MARK, "default", self);
	check_event(&all, "with a stream", ROW_TX_MARK, "default", self);
	check_event(&all, "packet", ROW_TX_MARK, "net", self);
	/* a name that is not UTF-8 would cost readers the whole dictionary */
	check_event(&all, "block", ROW_TX_MARK, "d\xc3\xafsk \xef\xbf\xbd 1", self);
	check_event(&all, "named", ROW_TX_RANGE, "net", self);
	check_event(&all, "plain", ROW_TX_RANGE, "default", self);
	check_event(&all, "before destruction", ROW_TX_MARK, "gone", self);
	check_event(&all, "created again", ROW_TX_MARK, "gone", self);
	check_event(&all, "by mstx", ROW_TX_RANGE, "default", self);
	check_event(&all, "across threads", ROW_TX_RANGE, "default", starter);
	for (size_t i = 0; i < all.count; i++)
		if (all.event[i].message[0] == 'v')
			v155 = &all.event[i];
	t_check(v155 && v155->rows == 2 && strlen(v155->message) == 157, "157 characters");
	t_equal(all.count, 11, "events");
	t_equal(t_lines(all.names), 4, "lines of the dictionary, one for each domain in use:\n%s", all.names);
	check_ids(&all);

	t_equal((long long)marks.written, (long long)mstx_count(&all, ROW_TX_MARK), "marks written");
	t_equal((long long)ranges.written, (long long)mstx_count(&all, ROW_TX_RANGE), "ranges written");
	t_equal((long long)marks.produced, 6, "marks produced");
	t_equal((long long)ranges.produced, 5, "ranges produced");
	t_equal((long long)ranges.open, 2, "ranges left open");
	t_equal((long long)mstx_account(prof, "range").open, 0, "ranges of stamps left open");
	t_equal((long long)mstx_account(prof, "range").written, 1, "ranges of stamps");
	t_check(marks.first_ns && marks.first_ns <= marks.last_ns, "times of the account");
	mstx_free(&all);
}

static void check_second(const char *prof)
{
	struct mstx_events all;

	mstx_read(&all, prof);
	t_equal(all.count, 1, "events of the second session");
	check_event(&all, "second", ROW_TX_MARK, "net", (pid_t)syscall(SYS_gettid));
	t_equal(t_lines(all.names), 1, "lines of its dictionary:\n%s", all.names);
	t_equal((long long)mstx_account(prof, "mstx_range").open, 0, "open ranges");
	mstx_free(&all);
}

struct parent {
	mstxRangeId open;
	const char *dir; /* for the child */
};

/* A forked child has the domains of its parent, and neither its session nor its ranges. */
static void child(const void *arg)
{
	const struct parent *parent = arg;
	aclprofConfig *config;
	struct mstx_events all;

	mstxMarkA("child", NULL);
	t_code(mstxRangeStartA("child", NULL), 0);
	config = t_start(parent->dir);
	ignored(mstxRangeEnd(parent->open), "mstxRangeEnd");
	mstxDomainMarkA(net, "of a child", NULL);
	t_stop(config);
	mstx_read(&all, prof_only(parent->dir));
	t_equal(all.count, 1, "events of the child");
	check_event(&all, "of a child", ROW_TX_MARK, "net", (pid_t)syscall(SYS_gettid));
	mstx_free(&all);
	_exit(t_end()); /* what the parent has open is no leak of the child's */
}

int main(void)
{
	const char *first = t_dir(), *second = t_dir(), *third = t_dir();
	struct parent parent = { .dir = t_dir() };
	aclprofConfig *config;
	mstxRangeId open;
	uint64_t tool = 7;
	int stream;

	domains();
	mstxGetToolId(&tool);
	t_equal((long long)tool, MSTX_TOOL_MSPROF_ID, "tool");
	mstxGetToolId(NULL);

	config = t_start(first);
	mstxMarkA("hello", NULL);
	mstxMarkA("with a stream", &stream);
	mstxDomainMarkA(net, "packet", NULL);
	mstxDomainMarkA(disk, "block", NULL);
	vector_154();
	vector_155();
	vector_156();
	bad_handles();
	destroyed();
	two_interfaces();
	across_threads();
	open = mstxRangeStartA("open at the end", NULL);
	t_check(open, "no range");
	t_stop(config);
	mstxMarkA("between sessions", NULL);
	mstxRangeEnd(open);
	prof_check(first, "", NULL);
	check_first(prof_only(first));

	config = t_start(second);
	ignored(mstxRangeEnd(open), "ended already");
	mstxDomainMarkA(net, "second", NULL);
	t_stop(config);
	prof_check(second, "", NULL);
	check_second(prof_only(second));

	config = t_start(third);
	parent.open = mstxRangeStartA("the parent's", NULL);
	if (!T_TSAN) /* whose children cannot have threads */
		t_equal(t_child(child, &parent), T_PASS, "child");
	mstxRangeEnd(parent.open);
	t_stop(config);
	t_equal((long long)mstx_account(prof_only(third), "mstx_range").written, 1, "the parent's range");
	t_equal((long long)mstx_account(prof_only(third), "mstx_mark").produced, 0, "marks of the parent");
	return t_end();
}
