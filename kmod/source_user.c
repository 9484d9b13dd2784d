// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "user": counters that a process feeds in, through a descriptor of its
 * own. One process can so own what only one may own, a profiling channel of the
 * vendor's driver for instance, and many streams read.
 *
 * DOC: readers
 *
 * Each stream that counts something of the source gets each sample, as a USER
 * record in its own ring; what finds no room there is that stream's loss alone,
 * and the writer never waits. The newest values are in the stream's own samples
 * as well, beside its other counters.
 *
 * DOC: life
 *
 * The source is there as long as its descriptor. Streams hold counters of it
 * beyond that, with no values any more.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "kmod/compat/compat.h"
#include "kmod/core/feed.h"
#include "kmod/core/policy.h"
#include "kmod/core/record.h"
#include "kmod/core/sized.h"
#include "kmod/ioctl.h"
#include "kmod/source.h"
#include "kmod/stream.h"

static unsigned int max_user_sources = 64;
module_param(max_user_sources, uint, 0644);
MODULE_PARM_DESC(max_user_sources, "sources fed by processes (default: 64)");

static atomic_t user_sources = ATOMIC_INIT(0);

/**
 * struct user_source - one source
 * @base: the source
 * @write_lock: one writer at a time; guards @sample. The writer's memory is
 *	touched under it, which takes as long as whoever provides that memory likes,
 *	so nobody else waits for it
 * @sample: what is being written
 * @lock: guards @readers, @nr_readers and @rec; taken under @write_lock
 * @readers: streams that count it
 * @nr_readers: how many
 * @rec: what a stream gets
 * @feed_lock: guards @feed
 * @feed: what was written
 * @events: the counters
 */
struct user_source {
	struct asc_source base;
	struct mutex write_lock;	/* sample */
	struct ascprof_user_sample *sample;
	struct mutex lock;		/* readers, rec */
	struct list_head readers;
	u32 nr_readers;
	struct ascprof_rec_user *rec;
	spinlock_t feed_lock;		/* feed */
	struct asc_feed feed;
	struct ascprof_event *events;
};

/**
 * struct user_reader - one stream that counts a source
 * @list: all of the source
 * @stream: the stream
 * @counters: its counters, in slot order
 */
struct user_reader {
	struct list_head list;
	struct asc_stream *stream;
	struct list_head counters;
};

/**
 * struct user_counter - one counter of one stream
 * @base: the counter
 * @list: the others of this stream and source
 * @reader: they
 * @index: which of the source's
 */
struct user_counter {
	struct asc_counter base;
	struct list_head list;
	struct user_reader *reader;
	u32 index;
};

static struct user_source *to_user(struct asc_source *source)
{
	return container_of(source, struct user_source, base);
}

static struct user_counter *to_counter(struct asc_counter *counter)
{
	return container_of(counter, struct user_counter, base);
}

static int user_event(struct asc_source *source, u32 index, struct ascprof_event *event)
{
	*event = to_user(source)->events[index];
	return 0;
}

static struct user_reader *get_reader(struct user_source *u, struct asc_stream *stream)
{
	struct user_reader *reader;

	lockdep_assert_held(&u->lock);

	list_for_each_entry(reader, &u->readers, list)
		if (reader->stream == stream)
			return reader;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return NULL;
	reader->stream = stream;
	INIT_LIST_HEAD(&reader->counters);
	list_add_tail(&reader->list, &u->readers);
	u->nr_readers++;
	return reader;
}

static int find_event(const struct user_source *u, u64 config)
{
	u32 i;

	for (i = 0; i < u->feed.nr; i++)
		if (u->events[i].config == config)
			return i;
	return -ENOENT;
}

static struct asc_counter *user_add(struct asc_source *source,
				    const struct ascprof_counter_add *add,
				    const struct asc_caller *caller)
{
	struct user_source *u = to_user(source);
	struct user_counter *c;
	int index;

	if (!asc_policy_plain(add))
		return ERR_PTR(-EINVAL);
	index = find_event(u, add->config);
	if (index < 0)
		return ERR_PTR(index);

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->base.source = source;
	c->base.event = u->events[index];
	c->base.cpu = -1;
	c->index = index;

	mutex_lock(&u->lock);
	c->reader = get_reader(u, caller->stream);
	if (c->reader)
		list_add_tail(&c->list, &c->reader->counters);
	mutex_unlock(&u->lock);
	if (!c->reader) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	return &c->base;
}

static void user_remove(struct asc_counter *counter)
{
	struct user_source *u = to_user(counter->source);
	struct user_counter *c = to_counter(counter);

	mutex_lock(&u->lock);
	list_del(&c->list);
	if (list_empty(&c->reader->counters)) {
		list_del(&c->reader->list);
		u->nr_readers--;
		kfree(c->reader);
	}
	mutex_unlock(&u->lock);
	kfree(c);
}

static int user_start(struct asc_counter *counter, u64 elapsed)
{
	return 0;
}

static void user_stop(struct asc_counter *counter)
{
}

static int user_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct user_source *u = to_user(counter->source);
	int ret = 0;

	if (READ_ONCE(u->base.gone))
		return -ENODEV;
	spin_lock(&u->feed_lock);
	if (u->feed.samples)
		value->count = u->feed.value[to_counter(counter)->index];
	else
		ret = -ENODATA;
	spin_unlock(&u->feed_lock);
	value->enabled = elapsed;
	value->running = elapsed;
	return ret;
}

static void user_release(struct asc_source *source)
{
	struct user_source *u = to_user(source);

	kvfree(u->events);
	kvfree(u->feed.value);
	kvfree(u->sample);
	kvfree(u->rec);
	kfree(u);
	atomic_dec(&user_sources);
}

static const struct asc_source_ops user_ops = {
	.event = user_event,
	.add = user_add,
	.remove = user_remove,
	.start = user_start,
	.stop = user_stop,
	.read = user_read,
	.release = user_release,
};

static void pass_on(struct user_source *u, u64 seq, u64 now)
{
	struct user_reader *reader;
	struct user_counter *c;

	lockdep_assert_held(&u->write_lock);

	mutex_lock(&u->lock);
	list_for_each_entry(reader, &u->readers, list) {
		asc_rec_user(u->rec, u->base.id, seq, now, u->sample);
		list_for_each_entry(c, &reader->counters, list)
			asc_rec_user_add(u->rec, u->sample->value[c->index]);
		asc_stream_user(reader->stream, u->rec);
	}
	mutex_unlock(&u->lock);
}

/* Copied once, head first, and looked at only then. */
static int copy_sample(struct user_source *u, struct iov_iter *from)
{
	struct ascprof_user_sample *sample = u->sample;
	size_t given = iov_iter_count(from), rest;
	int ret;

	if (given < sizeof(*sample))
		return -EINVAL;
	if (copy_from_iter(sample, sizeof(*sample), from) != sizeof(*sample))
		return -EFAULT;
	ret = asc_feed_check_head(&u->feed, sample, given);
	if (ret)
		return ret;
	rest = sample->len - sizeof(*sample);
	return copy_from_iter(sample->value, rest, from) == rest ? 0 : -EFAULT;
}

/* One sample. Return: its bytes, or a negative errno. */
static ssize_t take_sample(struct user_source *u, struct iov_iter *from)
{
	size_t before = iov_iter_count(from);
	u64 now, seq = 0;
	int ret;

	lockdep_assert_held(&u->write_lock);

	ret = copy_sample(u, from);
	now = ktime_get_raw_ns();
	spin_lock(&u->feed_lock);
	if (!ret)
		ret = asc_feed_check(&u->feed, u->sample, now);
	if (ret) {
		u->feed.refused++;
	} else {
		seq = u->feed.samples;
		asc_feed_take(&u->feed, u->sample);
	}
	spin_unlock(&u->feed_lock);
	if (ret) {
		iov_iter_revert(from, before - iov_iter_count(from));
		return ret;
	}
	pass_on(u, seq, now);
	return u->sample->len;
}

static ssize_t user_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct user_source *u = iocb->ki_filp->private_data;
	ssize_t done = 0, ret = 0;

	if (!(iocb->ki_flags & IOCB_NOWAIT)) {
		ret = mutex_lock_interruptible(&u->write_lock);
		if (ret)
			return ret;
	} else if (!mutex_trylock(&u->write_lock)) {
		return -EAGAIN;
	}
	while (iov_iter_count(from) && done < ASCPROF_USER_WRITE_MAX) {
		ret = take_sample(u, from);
		if (ret < 0)
			break;
		done += ret;
		cond_resched();		/* thousands of samples, for each of all readers */
	}
	mutex_unlock(&u->write_lock);
	return done ? done : ret;
}

static long call_stats(void *ctx, union asc_ioctl_arg *arg)
{
	struct user_source *u = ctx;

	arg->user_stats.id = u->base.id;
	mutex_lock(&u->lock);
	arg->user_stats.readers = u->nr_readers;
	mutex_unlock(&u->lock);
	spin_lock(&u->feed_lock);
	arg->user_stats.samples = u->feed.samples;
	arg->user_stats.refused = u->feed.refused;
	spin_unlock(&u->feed_lock);
	return 0;
}

static const struct asc_ioctl user_ioctls[] = {
	{ ASCPROF_IOC_USER_STATS, call_stats },
};

static long user_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return asc_ioctl(user_ioctls, ARRAY_SIZE(user_ioctls), file->private_data, cmd,
			 (void __user *)arg);
}

static int user_file_release(struct inode *inode, struct file *file)
{
	struct user_source *u = file->private_data;

	asc_source_retire(&u->base);
	return 0;
}

static const struct file_operations user_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = user_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.write_iter = user_write_iter,
	.release = user_file_release,
};

static int copy_event(struct ascprof_event *event, const void __user *from, size_t size)
{
	void *copy = memdup_user(from, size);
	int ret;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	ret = asc_sized_in(event, sizeof(*event), copy, size);
	kfree(copy);
	return ret;
}

static int copy_events(struct user_source *u, const struct ascprof_user_create *req)
{
	const char __user *from = u64_to_user_ptr(req->counters);
	u32 i;
	int ret;

	for (i = 0; i < req->nr_counters; i++, from += req->counter_size) {
		ret = copy_event(&u->events[i], from, req->counter_size);
		if (!ret)
			ret = asc_feed_check_event(u->events, i);
		if (ret)
			return ret;
	}
	return 0;
}

static struct user_source *user_new(const struct ascprof_user_create *req)
{
	u32 nr = req->nr_counters;
	struct user_source *u;
	int ret = -ENOMEM;

	if (atomic_inc_return(&user_sources) > READ_ONCE(max_user_sources)) {
		atomic_dec(&user_sources);
		return ERR_PTR(-EDQUOT);
	}
	u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
	if (!u) {
		atomic_dec(&user_sources);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&u->write_lock);
	mutex_init(&u->lock);
	spin_lock_init(&u->feed_lock);
	INIT_LIST_HEAD(&u->readers);
	u->events = kvcalloc(nr, sizeof(*u->events), GFP_KERNEL_ACCOUNT);
	u->feed.value = kvcalloc(nr, sizeof(u64), GFP_KERNEL_ACCOUNT);
	u->sample = kvzalloc(asc_feed_len(nr), GFP_KERNEL_ACCOUNT);
	/* a stream may count one thing in every slot it has */
	u->rec = kvzalloc(asc_rec_user_len(ASCPROF_MAX_COUNTERS), GFP_KERNEL_ACCOUNT);
	if (!u->events || !u->feed.value || !u->sample || !u->rec)
		goto free;
	ret = copy_events(u, req);
	if (ret)
		goto free;
	u->feed.nr = nr;
	u->feed.events = u->events;

	u->base.ops = &user_ops;
	u->base.kind = ASCPROF_SOURCE_USER;
	u->base.flags = req->device >= 0 ? ASCPROF_SOURCE_F_NPU : 0;
	u->base.device = req->device;
	u->base.numa_node = req->numa_node;
	u->base.pci_addr = req->pci_addr;
	u->base.nr_events = nr;
	strscpy(u->base.name, req->name, sizeof(u->base.name));
	return u;

free:
	user_release(&u->base);
	return ERR_PTR(ret);
}

/**
 * asc_user_create() - answer USER_CREATE
 * @req: as it was asked for
 *
 * Return: the descriptor; -EINVAL; -EACCES without CAP_PERFMON; -EEXIST for a
 * name that is taken; -EDQUOT for too many; -EFAULT, -E2BIG, -ENOMEM, -EMFILE.
 */
long asc_user_create(const struct ascprof_user_create *req)
{
	struct user_source *u;
	struct file *file;
	int fd, ret;

	ret = asc_feed_check_source(req);
	if (ret)
		return ret;
	if (!perfmon_capable())
		return -EACCES;
	u = user_new(req);
	if (IS_ERR(u))
		return PTR_ERR(u);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto free;
	}
	ret = asc_source_appear(&u->base);
	if (ret)
		goto put_fd;
	file = anon_inode_getfile("[ascprof-source]", &user_fops, u, O_WRONLY);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		asc_source_retire(&u->base);
		return PTR_ERR(file);
	}
	stream_open(file_inode(file), file);
	file->f_mode |= FMODE_NOWAIT;
	fd_install(fd, file);
	return fd;

put_fd:
	put_unused_fd(fd);
free:
	user_release(&u->base);
	return ret;
}
