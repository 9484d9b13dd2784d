// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream descriptor: ioctl, mmap, poll, read.
 */
#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/uio.h>

#include "kmod/compat/compat.h"
#include "kmod/core/wake.h"
#include "kmod/ioctl.h"
#include "kmod/stream.h"

static long call_add(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_stream_add(ctx, &arg->add);
}

static void undo_add(void *ctx, const union asc_ioctl_arg *arg)
{
	asc_stream_undo_add(ctx, arg->add.slot);
}

static long call_start(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_stream_start(ctx);
}

static long call_stop(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_stream_stop(ctx);
}

static long call_kick(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_stream_kick(ctx);
}

static long call_stats(void *ctx, union asc_ioctl_arg *arg)
{
	asc_stream_stats(ctx, &arg->stats);
	return 0;
}

static const struct asc_ioctl stream_ioctls[] = {
	{ ASCPROF_IOC_COUNTER_ADD, call_add, undo_add },
	{ ASCPROF_IOC_START, call_start },
	{ ASCPROF_IOC_STOP, call_stop },
	{ ASCPROF_IOC_KICK, call_kick },
	{ ASCPROF_IOC_STATS, call_stats },
};

static long stream_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return asc_ioctl(stream_ioctls, ARRAY_SIZE(stream_ioctls), file->private_data, cmd,
			 (void __user *)arg);
}

/* The first reader decides who owns the tail; the other kind is refused. */
static int claim_tail(struct asc_stream *s, enum asc_reader reader)
{
	int ret = 0;

	spin_lock(&s->ring_lock);
	if (s->reader == ASC_READER_NONE) {
		s->reader = reader;
		s->ring.tail_in_page = reader == ASC_READER_MAPPED;
	} else if (s->reader != reader) {
		ret = -EBUSY;
	}
	spin_unlock(&s->ring_lock);
	return ret;
}

static int stream_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct asc_stream *s = file->private_data;
	bool consumer = (u64)vma->vm_pgoff << PAGE_SHIFT == ASCPROF_OFF_CONSUMER;
	int ret;

	if (consumer) {
		spin_lock(&s->ring_lock);
		ret = s->reader == ASC_READER_READ ? -EBUSY : 0;
		spin_unlock(&s->ring_lock);
		if (ret)
			return ret;
	}
	ret = asc_ringmem_map(&s->mem, vma);
	if (ret || !consumer)
		return ret;
	return claim_tail(s, ASC_READER_MAPPED);
}

static __poll_t stream_poll(struct file *file, poll_table *wait)
{
	struct asc_stream *s = file->private_data;
	unsigned int mask;
	__poll_t events = 0;

	poll_wait(file, &s->wait, wait);
	spin_lock(&s->ring_lock);
	mask = asc_stream_mask(s);
	spin_unlock(&s->ring_lock);

	if (mask & ASC_WAKE_IN)
		events |= EPOLLIN | EPOLLRDNORM;
	if (mask & ASC_WAKE_HUP)
		events |= EPOLLHUP;
	if (mask & ASC_WAKE_ERR)
		events |= EPOLLERR;
	return events;
}

/* Whole records, as many as fit. -EAGAIN: none now; 0: none ever. */
static ssize_t copy_records(struct asc_stream *s, struct iov_iter *to)
{
	const struct ascprof_rec *rec;
	u64 tail, head, pos;
	bool over;

	lockdep_assert_held(&s->read_lock);

	spin_lock(&s->ring_lock);
	over = asc_stream_mask(s) & ASC_WAKE_HUP;
	tail = s->ring.tail;
	head = s->ring.head;
	spin_unlock(&s->ring_lock);
	if (head == tail)
		return over ? 0 : -EAGAIN;

	/* unread bytes do not change: no lock while user memory is touched */
	for (pos = tail; (rec = asc_ring_peek(&s->ring, pos, head)); pos += rec->len) {
		size_t copied;

		if (rec->len > iov_iter_count(to))
			break;
		copied = copy_to_iter(rec, rec->len, to);
		if (copied != rec->len) {
			iov_iter_revert(to, copied);
			if (pos == tail)
				return -EFAULT;
			break;
		}
		cond_resched();		/* a ring of small records has millions */
	}
	if (pos == tail)
		return -EINVAL;		/* not even one fits */

	spin_lock(&s->ring_lock);
	asc_ring_consume(&s->ring, pos - tail, ktime_get_raw_ns());
	spin_unlock(&s->ring_lock);
	return pos - tail;
}

static bool readable(struct asc_stream *s)
{
	bool ret;

	spin_lock(&s->ring_lock);
	ret = asc_stream_mask(s);
	spin_unlock(&s->ring_lock);
	return ret;
}

static ssize_t stream_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct asc_stream *s = iocb->ki_filp->private_data;
	bool nowait = (iocb->ki_flags & IOCB_NOWAIT) || (iocb->ki_filp->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	ret = claim_tail(s, ASC_READER_READ);
	if (ret)
		return ret;

	for (;;) {
		if (!nowait) {
			ret = mutex_lock_interruptible(&s->read_lock);
			if (ret)
				return ret;
		} else if (!mutex_trylock(&s->read_lock)) {
			return -EAGAIN;
		}
		ret = copy_records(s, to);
		mutex_unlock(&s->read_lock);
		if (ret != -EAGAIN || nowait)
			return ret;
		ret = wait_event_interruptible(s->wait, readable(s));
		if (ret)
			return ret;
	}
}

static int stream_release(struct inode *inode, struct file *file)
{
	asc_stream_free(file->private_data);
	return 0;
}

static const struct file_operations stream_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = stream_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = stream_mmap,
	.poll = stream_poll,
	.read_iter = stream_read_iter,
	.release = stream_release,
};

/**
 * asc_stream_install() - give the caller a descriptor of the stream
 * @s: the stream; belongs to the descriptor if that succeeds
 *
 * Return: the descriptor, or a negative errno.
 */
int asc_stream_install(struct asc_stream *s)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = anon_inode_getfile("[ascprof]", &stream_fops, s, O_RDWR);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	stream_open(file_inode(file), file);
	file->f_mode |= FMODE_NOWAIT;
	fd_install(fd, file);
	return fd;
}
