// SPDX-License-Identifier: Apache-2.0
/* Where a seccomp filter refuses io_uring, as containers do, pwritev takes over and says why. */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <sys/syscall.h>

struct refusal {
	int error;
	const char *word;
	const char *force; /* value of ASCPROF_IO */
	const char *dir;
};

static void record(const void *arg)
{
	const struct refusal *r = arg;
	aclprofConfig *config;
	void *stamp;

	if (!t_refuse(SYS_io_uring_setup, SYS_io_uring_register, r->error))
		t_skip("no seccomp filter can be installed");
	errno = 0;
	if (syscall(SYS_io_uring_setup, 1, NULL) != -1 || errno != r->error)
		t_skip("the seccomp filter has no effect");
	if (r->force)
		setenv("ASCPROF_IO", r->force, 1);
	t_stderr_begin();
	config = t_start(r->dir);
	if (r->force)
		t_equal(t_lines(t_stderr_end()), 1, "lines that the forced way is not there");
	else
		t_equal(t_lines(t_stderr_end()), 0, "lines of warning");
	stamp = t_stamp("filtered");
	for (unsigned int i = 0; i < 20000; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

int main(void)
{
	struct refusal refusals[] = {
		{ EPERM, "not permitted", NULL, t_dir() },
		{ ENOSYS, "not implemented", NULL, t_dir() },
		{ EPERM, "not permitted", "io_uring", t_dir() },
	};
	struct prof_totals totals;
	int status;

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];

		status = t_child(record, r);
		if (status == T_SKIP)
			return T_SKIP;
		t_equal(status, 0, "status when io_uring is %s", r->word);
		prof_check(r->dir, "", &totals);
		t_equal(totals.mark.written, 20000, "marks");
		t_check(!strcmp(totals.backend, "pwritev"), "backend %s", totals.backend);
		/* built without liburing the reason is another */
		t_check(strstr(totals.reason, r->word) || strstr(totals.reason, "built"),
			"reason '%s', expected '%s'", totals.reason, r->word);
	}
	return t_end();
}
