// SPDX-License-Identifier: Apache-2.0
/* Where a seccomp filter refuses io_uring, as containers do, pwritev takes over and says why. */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct refusal {
	int error;
	const char *word;
	const char *force; /* value of ASCPROF_IO */
	const char *dir;
};

static bool refuse_io_uring(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_enter, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_register, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void record(const void *arg)
{
	const struct refusal *r = arg;
	aclprofConfig *config;
	void *stamp;

	if (!refuse_io_uring(r->error))
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
