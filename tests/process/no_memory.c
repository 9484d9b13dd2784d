// SPDX-License-Identifier: Apache-2.0
/* No memory for a thread's ring: the calls fail and are counted, the rest goes on. */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#define REFUSED 10

static void no_more_memory(struct rlimit *limits)
{
	struct rlimit tight;

	getrlimit(RLIMIT_AS, limits);
	tight = *limits;
	tight.rlim_cur = (rlim_t)t_status_kb("VmSize") << 10;
	setrlimit(RLIMIT_AS, &tight);
}

static void *mark_without_memory(void *stamp)
{
	struct rlimit limits;

	no_more_memory(&limits);
	for (int i = 0; i < REFUSED; i++) {
		aclError code = aclprofMark(stamp);

		t_check(code == ACL_ERROR_BAD_ALLOC || code == ACL_ERROR_PROFILING_FAILURE,
			"mark: %d", code);
	}
	t_check(strstr(ascprof_last_error(), "memory"), "reason: '%s'", ascprof_last_error());
	t_check(!aclprofCreateStamp(), "a stamp without memory");
	setrlimit(RLIMIT_AS, &limits);
	t_code(aclprofMark(stamp), 0);
	return NULL;
}

/* A call says what was wrong by its code: errno is the program's. */
#define KEEPS_ERRNO(call)                                              \
	do {                                                           \
		errno = 0;                                             \
		t_code(call, ACL_ERROR_BAD_ALLOC);                     \
		t_equal(errno, 0, "errno after %s", #call);            \
	} while (0)

static void keeps_errno(void *stamp)
{
	struct rlimit limits, tight;
	unsigned int pushed = 0, begun = 0;
	uint32_t id;

	getrlimit(RLIMIT_AS, &limits);
	tight = limits;
	tight.rlim_cur = 0;
	setrlimit(RLIMIT_AS, &tight);
	while (pushed < 1000 && !aclprofPush(stamp))
		pushed++;
	while (begun < 1000 && !aclprofRangeStart(stamp, &id))
		begun++;
	KEEPS_ERRNO(aclprofPush(stamp));
	KEEPS_ERRNO(aclprofRangeStart(stamp, &id));
	setrlimit(RLIMIT_AS, &limits);
	while (pushed--)
		aclprofPop();
}

/* A ring that there is already is read and written without more memory. */
static void written_without_memory(void)
{
	const char *dir = t_dir();
	struct prof_totals totals;
	aclprofConfig *config;
	struct rlimit limits;
	void *stamp;

	config = t_start(dir);
	stamp = t_stamp("memory");
	no_more_memory(&limits);
	t_code(aclprofMark(stamp), 0);
	usleep(300000);
	setrlimit(RLIMIT_AS, &limits);
	aclprofDestroyStamp(stamp);
	t_stop(config);
	prof_check(dir, "", &totals);
	t_equal(totals.mark.written, 1, "marks written");
}

int main(void)
{
	const char *dir = t_dir();
	struct prof_totals totals;
	aclprofConfig *config;
	pthread_t thread;
	void *stamp;

	if (T_SANITIZED)
		t_skip("the sanitizers need more address space than can be limited");
	config = t_start(dir);
	stamp = t_stamp("memory");
	t_code(aclprofMark(stamp), 0);
	t_stderr_begin();
	pthread_create(&thread, NULL, mark_without_memory, stamp);
	pthread_join(thread, NULL);
	keeps_errno(stamp);
	t_stderr_end();
	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, 3, "marks written");
	t_equal(totals.mark.dropped, REFUSED, "marks dropped");
	written_without_memory();
	return t_end();
}
