// SPDX-License-Identifier: Apache-2.0
/*
 * The disk fills up at random moments of recordings: full_anywhere [TIMES]
 *
 * On a tmpfs and, where one can be mounted, on a small ext4 in a loop device,
 * which has O_DIRECT. Stop fails or the oldest slices made room; the directory is
 * valid, exports, and accounts for every mark.
 */
#include "prof.h"
#include "t.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#define TIMES 12u
#define MEGABYTES 64

struct run {
	const char *disk, *dir;
	const char *io;
	unsigned int marks, pause_us, left; /* left: bytes free when it begins */
	aclError stopped;
	unsigned int accepted;
};

static void fill(const char *disk, unsigned long left)
{
	static char zeros[4096];
	int fd = open(t_path("%s/ballast", disk), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct statvfs v;

	if (!fstatvfs(fd, &v) && v.f_bavail * v.f_frsize > left)
		posix_fallocate(fd, 0, (off_t)(v.f_bavail * v.f_frsize - left));
	/* what the file system needs for itself is found by trying */
	for (off_t at = lseek(fd, 0, SEEK_END); !fstatvfs(fd, &v) && v.f_bavail * v.f_frsize > left + sizeof(zeros);
	     at += sizeof(zeros))
		if (pwrite(fd, zeros, sizeof(zeros), at) != sizeof(zeros))
			break;
	close(fd);
}

static void record(const void *arg)
{
	struct run *r = (void *)arg;
	aclprofConfig *config;
	void *stamp;

	setenv("ASCPROF_IO", r->io, 1);
	setenv("ASCPROF_LOG", "off", 1);
	config = t_start(r->dir);
	fill(r->disk, r->left);
	stamp = t_stamp("a mark on a disk that fills up");
	for (unsigned int i = 0; i < r->marks; i++) {
		aclError code = aclprofMark(stamp);

		r->accepted += !code;
		t_check(!code || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d", code);
		if (i % 1000 == 0)
			t_sleep_us(r->pause_us);
	}
	aclprofDestroyStamp(stamp);
	r->stopped = aclprofStop(config);
	t_check(!r->stopped || r->stopped == ACL_ERROR_PROFILING_FAILURE, "aclprofStop: %d", r->stopped);
	t_code(aclprofDestroyConfig(config), 0);
	t_code(aclprofFinalize(), 0);
}

static void one(struct run *r, unsigned int *random)
{
	struct prof_totals totals;

	r->marks = 2000 + t_random(random, 60000);
	r->pause_us = t_random(random, 3000);
	r->left = t_random(random, 8u << 20);
	t_equal(t_child(record, r), 0, "status");
	prof_check(r->dir, r->stopped ? "--dropped --aged --error" : "--dropped --aged", &totals);
	t_equal(totals.mark.produced, r->marks, "marks produced");
	t_equal(prof_export(prof_only(r->dir)), 0, "status of ascprof export");
	t_remove(r->dir);
	unlink(t_path("%s/ballast", r->disk));
}

static bool mount_loop(const char *dir, const char *image)
{
	int fd = open(image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)MEGABYTES << 20) || close(fd))
		return false;
	return !system(t_path("mkfs.ext4 -q -F -m 0 '%s' && mount -o loop '%s' '%s'", image, image, dir));
}

static bool separate_mounts(void)
{
	return !geteuid() && !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int main(int argc, char **argv)
{
	unsigned int times = argc > 1 ? (unsigned int)atoi(argv[1]) : TIMES, bad = 0, failed, stopped = 0;
	const char *disk[2] = { t_dir(), t_dir() }, *image = t_path("%s/image", t_dir());
	struct run *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int random = (unsigned int)getpid(), disks;

	if (!separate_mounts() || mount("tmpfs", disk[0], "tmpfs", 0, t_path("size=%dm,mode=0755", MEGABYTES)))
		t_skip("no small file system: mounting one needs root");
	disks = mount_loop(disk[1], image) ? 2 : 1;
	printf("seed %u, %s\n", random, disks == 2 ? "tmpfs and ext4" : "tmpfs alone");
	for (unsigned int i = 0; i < times; i++) {
		*r = (struct run){
			.disk = disk[i % disks],
			.dir = t_path("%s/%u", disk[i % disks], i),
			.io = i / 2 % 2 ? "io_uring" : "pwritev",
		};
		failed = t_failures();
		one(r, &random);
		stopped += r->stopped != 0;
		if (t_failures() != failed) {
			printf("case %u: %s on %s, %u marks, pause %u us, %u bytes left\n", i, r->io, r->dir, r->marks,
			       r->pause_us, r->left);
			bad++;
		}
	}
	t_check(stopped, "no disk was ever full");
	umount(disk[0]);
	if (disks == 2)
		umount(disk[1]);
	printf("campaign-full: %u cases, %u failures, %u times full\n", times, bad, stopped);
	return t_end();
}
