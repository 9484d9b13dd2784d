// SPDX-License-Identifier: Apache-2.0
/*
 * In containers: name spaces of its own, a root that cannot be written, no
 * device nodes, no /sys, no io_uring, and then no /proc either. The program
 * runs, what can be had is recorded, the rest is named with its reason. Several
 * containers in which every program has the same number share a result folder.
 */
#include "prof.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MARKS 1000
#define CONTAINERS 8

struct place {
	const char *root; /* an empty folder */
	const char *results; /* is /mnt inside */
	bool proc;
};

static void record(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	void *stamp;

	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_HOST_SYS, "cpu,mem,disk,network,numa"), 0);
	t_code(t_set(ACL_PROF_HOST_SYS_USAGE, "cpu,mem"), 0);
	t_code(t_set(ACL_PROF_SYS_IO_FREQ, "10"), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "100"), 0);
	t_code(aclprofStart(config), 0);
	stamp = t_stamp("inside");
	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

/* A process that is the first of new name spaces. */
static int first_inside(int spaces, void (*body)(const struct place *), const struct place *p)
{
	int status;
	pid_t pid;

	if (unshare(spaces))
		return T_SKIP;
	pid = fork();
	if (!pid) {
		t_forked(120);
		body(p);
		fflush(stdout);
		_exit(t_failures() ? T_FAIL : T_PASS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return T_FAIL;
	return WEXITSTATUS(status);
}

static const char *inside(const struct place *p, const char *name)
{
	return t_path("%s/%s", p->root, name);
}

static bool make_root(const struct place *p)
{
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", p->root, "tmpfs", 0, NULL) &&
	       !mkdir(inside(p, "mnt"), 0755) && !mkdir(inside(p, "proc"), 0755) && !mkdir(inside(p, "sys"), 0755) &&
	       !mkdir(inside(p, "dev"), 0755) && !mkdir(inside(p, "tmp"), 0755) &&
	       !mount(p->results, inside(p, "mnt"), NULL, MS_BIND, NULL) &&
	       (!p->proc || !mount("proc", inside(p, "proc"), "proc", MS_RDONLY, NULL)) &&
	       !mount(NULL, p->root, NULL, MS_REMOUNT | MS_RDONLY, NULL) && !chroot(p->root) && !chdir("/");
}

static void record_inside(const struct place *p)
{
	if (!make_root(p))
		_exit(T_SKIP);
	t_check(mkdir("/new", 0755) && errno == EROFS, "the root can be written");
	t_check(!t_exists("/dev/ascprof") && !t_exists("/sys/class"), "device nodes or /sys are there");
	t_check(t_refuse(SYS_io_uring_setup, SYS_io_uring_register, EPERM), "no seccomp filter");
	record("/mnt");
}

static void apart(const void *arg)
{
	/* no exit(): its handlers can make no process any more, where the first one has ended */
	_exit(first_inside(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS, record_inside,
			   arg));
}

static void numbered(const struct place *p)
{
	t_equal(getpid(), 1, "number of the process");
	record(p->results);
}

static void one_of_many(const void *arg)
{
	_exit(first_inside(CLONE_NEWPID, numbered, arg));
}

static void summary_says(const char *prof, const char *const *words)
{
	static char text[1 << 16];
	FILE *file = fopen(t_path("%s/ascprof.json", prof), "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = 0;
	if (file)
		fclose(file);
	for (; *words; words++)
		t_check(strstr(text, *words), "ascprof.json does not say: %s", *words);
}

static void isolated(bool proc)
{
	static const char *const always[] = { "\"backend\":\"pwritev\"", "not permitted",
					      "{\"device\":0,\"source\":\"none\"", "No such file or directory",
					      "ACL_PROF_HOST_SYS: numa: /sys/devices/system/node: No such file",
					      "ACL_PROF_SYS_HARDWARE_MEM_FREQ: this machine shows no PMU", NULL };
	static const char *const with_proc[] = { "ACL_PROF_SYS_IO_FREQ has no effect in a container",
						 "network: cards of this container", "\"kind\":\"host_cpu\"",
						 "\"kind\":\"host_mem\"", "\"kind\":\"host_disk\"",
						 "\"kind\":\"host_network\"", "\"kind\":\"sys_cpu\"",
						 "\"kind\":\"process_mem\"", NULL };
	static const char *const without[] = { "ACL_PROF_HOST_SYS: cpu: /proc/uptime: No such file",
					       "ACL_PROF_HOST_SYS: mem: /proc/self/statm: No such file",
					       "ACL_PROF_HOST_SYS: disk: /proc/self/io: No such file",
					       "ACL_PROF_HOST_SYS: network: /proc/net/dev: No such file",
					       "ACL_PROF_HOST_SYS_USAGE: mem: /proc/meminfo: No such file", NULL };
	struct place p = { t_dir(), t_dir(), proc };
	struct prof_totals totals;
	int status = t_child(apart, &p);

	if (status == T_SKIP)
		t_skip("no name spaces and mounts of its own may be made here");
	t_equal(status, 0, "status %s /proc", proc ? "with" : "without");
	prof_check(p.results, "", &totals);
	t_equal(totals.mark.written, MARKS, "marks %s /proc", proc ? "with" : "without");
	summary_says(prof_only(p.results), always);
	summary_says(prof_only(p.results), proc ? with_proc : without);
	t_code(prof_export(prof_only(p.results)), 0);
}

static void many(void)
{
	struct place p = { NULL, t_dir(), true };
	struct prof_totals totals;
	pid_t pid[CONTAINERS];

	for (int i = 0; i < CONTAINERS; i++)
		pid[i] = t_spawn(one_of_many, &p);
	for (int i = 0; i < CONTAINERS; i++)
		t_equal(t_wait(pid[i]), 0, "status of container %d", i);
	prof_check(p.results, "", &totals);
	t_equal(totals.dirs, CONTAINERS, "directories");
	t_equal(totals.mark.written, CONTAINERS * MARKS, "marks");
}

int main(void)
{
	isolated(true);
	isolated(false);
	many();
	return t_end();
}
