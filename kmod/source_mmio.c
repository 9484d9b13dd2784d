// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "mmio": the counter window of a device, uapi/ascprof_window.h, for
 * devices that the administrator names and no others.
 *
 * DOC: wraps
 *
 * Registers are followed by the source, not by its streams: it reads them often
 * enough that none can wrap unseen, whatever the periods of the streams are.
 *
 * DOC: removal
 *
 * The window is read under its lock, and unmapped under it. Who reads later
 * finds it gone. A device that vanishes without a word answers with ones; the
 * source is then retired at once, and the driver goes when the bus notices.
 *
 * DOC: sleep
 *
 * A device that sleeps answers like one that is gone. So whoever reads it is
 * frozen with the processes when the system goes to sleep: the threads of the
 * streams, and the work that follows the registers.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kmod/core/pci.h"
#include "kmod/core/policy.h"
#include "kmod/core/widen.h"
#include "kmod/core/window.h"
#include "kmod/source.h"
#include "kmod/stream.h"

#define POKE_REST_US	100

static char *mmio_ids = "";
module_param(mmio_ids, charp, 0444);
MODULE_PARM_DESC(mmio_ids,
		 "devices with a counter window: vendor:device,... (default: none; see also driver_override)");

static unsigned int mmio_bar;
module_param(mmio_bar, uint, 0444);
MODULE_PARM_DESC(mmio_bar, "BAR that holds the window, 0 to 5 (default: 0)");

/* of this module, for it has to be quick and freezable */
static struct workqueue_struct *looks;

/**
 * struct mmio_register - one register, as all streams see it
 * @widen: follows it; unused for gauges
 * @flaws: how often it could not be followed
 */
struct mmio_register {
	struct asc_widen widen;
	u64 flaws;
};

/**
 * struct mmio_source - one window
 * @base: the source
 * @pdev: its device
 * @lock: guards all below
 * @mem: the window; NULL: not there any more
 * @window: its head
 * @counters: its entries
 * @registers: what became of them
 * @users: counters that are started
 * @refresh: ns between two looks
 * @work: looks
 * @gone_work: tells that the device does not answer
 * @retired: it was told, or cannot be told yet
 */
struct mmio_source {
	struct asc_source base;
	struct pci_dev *pdev;
	struct mutex lock;		/* all below */
	void __iomem *mem;
	struct asc_window window;
	struct asc_window_counter *counters;
	struct mmio_register *registers;
	u32 users;
	u64 refresh;
	struct delayed_work work;
	struct work_struct gone_work;
	atomic_t retired;
};

/**
 * struct mmio_counter - one counter of one stream
 * @base: the counter
 * @index: its register
 * @flaws: those of the register that the stream knows of
 */
struct mmio_counter {
	struct asc_counter base;
	u32 index;
	u64 flaws;
};

static struct mmio_source *to_mmio(struct asc_source *source)
{
	return container_of(source, struct mmio_source, base);
}

static struct mmio_counter *to_counter(struct asc_counter *counter)
{
	return container_of(counter, struct mmio_counter, base);
}

static u32 read32(void *ctx, u32 offset)
{
	struct mmio_source *m = ctx;

	return readl(m->mem + offset);
}

/* Read a register and follow it. */
static int look(struct mmio_source *m, u32 index, u64 *value)
{
	const struct asc_window_io io = { .read32 = read32, .ctx = m };
	const struct asc_window_counter *c = &m->counters[index];
	struct mmio_register *reg = &m->registers[index];
	u64 raw, before;
	int ret;

	lockdep_assert_held(&m->lock);

	if (!m->mem)
		return -ENODEV;
	before = ktime_get_raw_ns();
	ret = asc_window_read(&io, c, &raw);
	if (ret == -ENODEV)
		schedule_work(&m->gone_work);
	if (ret)
		return ret;
	if (!c->rate) {
		*value = raw & (U64_MAX >> (64 - c->width));
		return 0;
	}
	if (asc_widen(&reg->widen, raw, ktime_get_raw_ns()))
		reg->flaws++;
	/* whatever came between: no less time than this will have gone by next time */
	reg->widen.stamp = before;
	*value = reg->widen.total;
	return 0;
}

static void schedule_look(struct mmio_source *m)
{
	if (m->refresh != U64_MAX)
		queue_delayed_work(looks, &m->work, nsecs_to_jiffies(m->refresh));
}

static void refresh_work(struct work_struct *work)
{
	struct mmio_source *m = container_of(work, struct mmio_source, work.work);
	u64 value;
	u32 i;

	mutex_lock(&m->lock);
	if (m->mem && m->users) {
		for (i = 0; i < m->window.count; i++)
			if (m->counters[i].rate)
				look(m, i, &value);
		schedule_look(m);
	}
	mutex_unlock(&m->lock);
}

static int mmio_event(struct asc_source *source, u32 index, struct ascprof_event *event)
{
	*event = to_mmio(source)->counters[index].event;
	return 0;
}

static struct asc_counter *mmio_add(struct asc_source *source,
				    const struct ascprof_counter_add *add,
				    const struct asc_caller *caller)
{
	struct mmio_source *m = to_mmio(source);
	struct mmio_counter *c;

	if (!asc_policy_plain(add))
		return ERR_PTR(-EINVAL);
	if (add->config >= m->window.count)
		return ERR_PTR(-ENOENT);
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->index = add->config;
	c->base.event = m->counters[c->index].event;
	c->base.cpu = -1;
	return &c->base;
}

static void mmio_remove(struct asc_counter *counter)
{
	kfree(to_counter(counter));
}

static int mmio_start(struct asc_counter *counter, u64 elapsed)
{
	struct mmio_source *m = to_mmio(counter->source);
	struct mmio_counter *c = to_counter(counter);
	u64 value;
	int ret;

	mutex_lock(&m->lock);
	/* nobody looked for long: what it did meanwhile is nobody's business */
	ret = look(m, c->index, &value);
	c->flaws = m->registers[c->index].flaws;
	if (ret != -ENODEV) {
		ret = 0;
		if (!m->users++)
			schedule_look(m);
	}
	mutex_unlock(&m->lock);
	return ret;
}

static void mmio_stop(struct asc_counter *counter)
{
	struct mmio_source *m = to_mmio(counter->source);

	mutex_lock(&m->lock);
	m->users--;
	mutex_unlock(&m->lock);
}

static int mmio_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct mmio_source *m = to_mmio(counter->source);
	struct mmio_counter *c = to_counter(counter);
	int ret;

	mutex_lock(&m->lock);
	ret = look(m, c->index, &value->count);
	if (!ret && c->flaws != m->registers[c->index].flaws) {
		c->flaws = m->registers[c->index].flaws;
		ret = -ERANGE;
	}
	mutex_unlock(&m->lock);
	value->enabled = elapsed;
	value->running = elapsed;
	return ret;
}

static void mmio_release(struct asc_source *source)
{
	struct mmio_source *m = to_mmio(source);

	kvfree(m->registers);
	kvfree(m->counters);
	kfree(m);
}

static const struct asc_source_ops mmio_ops = {
	.event = mmio_event,
	.add = mmio_add,
	.remove = mmio_remove,
	.start = mmio_start,
	.stop = mmio_stop,
	.read = mmio_read,
	.release = mmio_release,
};

/* Return: whether it was retired before. */
static bool retire(struct mmio_source *m)
{
	if (atomic_xchg(&m->retired, 1))
		return true;
	asc_source_retire(&m->base);
	return false;
}

static void gone_work(struct work_struct *work)
{
	struct mmio_source *m = container_of(work, struct mmio_source, gone_work);

	if (!retire(m))
		pci_err(m->pdev, "device does not answer any more\n");
}

/* A sample by interrupt: the streams' own threads take it, and not too often. */
static irqreturn_t mmio_interrupt(int irq, void *data)
{
	struct mmio_source *m = data;

	asc_streams_poke(&m->base);
	/* a storm wakes the streams no more often than this allows */
	usleep_range(POKE_REST_US, 2 * POKE_REST_US);
	return IRQ_HANDLED;
}

static void copy_words(const struct mmio_source *m, u32 offset, __le32 *to, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*to); i++)
		to[i] = cpu_to_le32(readl(m->mem + offset + i * sizeof(*to)));
}

/* Take in what the window says; once, before anybody can read it. */
static int read_window(struct mmio_source *m, u64 room)
{
	struct ascprof_window_head head;
	struct ascprof_window_entry entry;
	const char *wrong;
	u32 i;

	copy_words(m, 0, (__le32 *)&head, sizeof(head));
	wrong = asc_window_head(&head, room, &m->window);
	if (wrong) {
		pci_err(m->pdev, "BAR %u: %s\n", mmio_bar, wrong);
		return -EINVAL;
	}
	m->counters = kvcalloc(m->window.count, sizeof(*m->counters), GFP_KERNEL);
	m->registers = kvcalloc(m->window.count, sizeof(*m->registers), GFP_KERNEL);
	if (!m->counters || !m->registers)
		return -ENOMEM;
	for (i = 0; i < m->window.count; i++) {
		copy_words(m, m->window.first + i * m->window.stride, (__le32 *)&entry,
			   sizeof(entry));
		wrong = asc_window_entry(&entry, &m->window, i, m->counters);
		if (wrong) {
			pci_err(m->pdev, "BAR %u, entry %u: %s\n", mmio_bar, i, wrong);
			return -EINVAL;
		}
	}
	m->refresh = asc_window_refresh(m->counters, m->window.count);
	return 0;
}

static int follow_registers(struct mmio_source *m)
{
	const struct asc_window_io io = { .read32 = read32, .ctx = m };
	const struct asc_window_counter *c;
	u64 raw = 0;
	int ret;
	u32 i;

	for (i = 0; i < m->window.count; i++) {
		c = &m->counters[i];
		if (!c->rate)
			continue;
		ret = asc_window_read(&io, c, &raw);
		if (ret == -ENODEV)
			return ret;
		asc_widen_init(&m->registers[i].widen, c->width, c->rate,
			       raw & (U64_MAX >> (64 - c->width)), ktime_get_raw_ns());
	}
	return 0;
}

static void describe(struct mmio_source *m)
{
	struct pci_dev *pdev = m->pdev;

	m->base.ops = &mmio_ops;
	m->base.kind = ASCPROF_SOURCE_MMIO;
	m->base.device = -1;
	m->base.numa_node = dev_to_node(&pdev->dev);
	m->base.pci_addr = asc_pci_pack(pci_domain_nr(pdev->bus), pdev->bus->number, pdev->devfn);
	m->base.nr_events = m->window.count;
	snprintf(m->base.name, sizeof(m->base.name), "mmio-%s", pci_name(pdev));
}

static struct mmio_source *mmio_new(struct pci_dev *pdev)
{
	struct mmio_source *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return NULL;
	m->pdev = pdev;
	atomic_set(&m->retired, 1);	/* not before we hold a reference */
	mutex_init(&m->lock);
	INIT_DELAYED_WORK(&m->work, refresh_work);
	INIT_WORK(&m->gone_work, gone_work);
	return m;
}

/* Without the interrupt the window is only read in time, which is a loss, not an error. */
static bool want_interrupt(struct mmio_source *m)
{
	struct pci_dev *pdev = m->pdev;
	int ret;

	if (!m->window.msix)
		return false;
	pci_set_master(pdev);		/* interrupts are writes to memory */
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSIX);
	if (ret < 0)
		goto none;
	ret = request_threaded_irq(pci_irq_vector(pdev, 0), NULL, mmio_interrupt, IRQF_ONESHOT,
				   m->base.name, m);
	if (ret) {
		pci_free_irq_vectors(pdev);
		goto none;
	}
	return true;
none:
	pci_clear_master(pdev);
	pci_warn(pdev, "no MSI-X vector: no samples by interrupt (%d)\n", ret);
	return false;
}

static void drop_interrupt(struct mmio_source *m)
{
	if (!m->window.msix)
		return;
	free_irq(pci_irq_vector(m->pdev, 0), m);
	pci_free_irq_vectors(m->pdev);
	pci_clear_master(m->pdev);
}

static int mmio_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct mmio_source *m;
	int ret;

	m = mmio_new(pdev);
	if (!m)
		return -ENOMEM;
	ret = pci_enable_device_mem(pdev);
	if (ret)
		goto free;
	ret = pci_request_region(pdev, mmio_bar, "ascprof");
	if (ret)
		goto disable;
	ret = -EINVAL;
	if (!(pci_resource_flags(pdev, mmio_bar) & IORESOURCE_MEM) ||
	    pci_resource_len(pdev, mmio_bar) < sizeof(struct ascprof_window_head)) {
		pci_err(pdev, "BAR %u is not memory that can hold a counter window\n", mmio_bar);
		goto release;
	}
	ret = -ENOMEM;
	m->mem = pci_iomap(pdev, mmio_bar, 0);
	if (!m->mem)
		goto release;
	ret = read_window(m, pci_resource_len(pdev, mmio_bar));
	if (!ret)
		ret = follow_registers(m);
	if (ret)
		goto unmap;
	describe(m);
	ret = asc_source_appear(&m->base);
	if (ret)
		goto unmap;
	kref_get(&m->base.refs);	/* as long as the driver is bound */
	atomic_set(&m->retired, 0);
	pci_set_drvdata(pdev, m);
	m->window.msix = want_interrupt(m);
	pci_info(pdev, "%u counters in BAR %u\n", m->window.count, mmio_bar);
	return 0;

unmap:
	pci_iounmap(pdev, m->mem);
release:
	pci_release_region(pdev, mmio_bar);
disable:
	pci_disable_device(pdev);
free:
	mmio_release(&m->base);
	return ret;
}

static void mmio_unbind(struct pci_dev *pdev)
{
	struct mmio_source *m = pci_get_drvdata(pdev);
	void __iomem *mem;

	drop_interrupt(m);
	retire(m);

	mutex_lock(&m->lock);
	mem = m->mem;
	m->mem = NULL;
	mutex_unlock(&m->lock);
	/* neither is scheduled again without the memory */
	cancel_delayed_work_sync(&m->work);
	cancel_work_sync(&m->gone_work);

	pci_iounmap(pdev, mem);
	pci_release_region(pdev, mmio_bar);
	pci_disable_device(pdev);
	asc_source_put(&m->base);
}

static struct pci_driver mmio_driver = {
	.name = "ascprof",
	.id_table = NULL,	/* dynamic ids only */
	.probe = mmio_probe,
	.remove = mmio_unbind,
};

static int add_ids(const struct asc_pci_ids *ids)
{
	u32 i;
	int ret;

	for (i = 0; i < ids->nr; i++) {
		ret = pci_add_dynid(&mmio_driver, ids->id[i].vendor, ids->id[i].device,
				    PCI_ANY_ID, PCI_ANY_ID, 0, 0, 0);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * asc_mmio_init() - be ready for devices with a counter window
 *
 * Return: 0; -EINVAL for parameters that make no sense; -ENOMEM; what the bus says.
 */
int asc_mmio_init(void)
{
	struct asc_pci_ids ids;
	int ret;

	ret = asc_pci_ids_parse(mmio_ids, &ids);
	if (ret) {
		pr_err("ascprof: mmio_ids: expected up to %d of vvvv:dddd,... in hexadecimal\n",
		       ASC_PCI_IDS_MAX);
		return ret;
	}
	if (mmio_bar > PCI_STD_RESOURCE_END) {
		pr_err("ascprof: mmio_bar: expected 0 to %d\n", PCI_STD_RESOURCE_END);
		return -EINVAL;
	}
	looks = alloc_workqueue("ascprof", WQ_UNBOUND | WQ_HIGHPRI | WQ_FREEZABLE, 0);
	if (!looks)
		return -ENOMEM;
	ret = pci_register_driver(&mmio_driver);
	if (ret)
		goto destroy;
	ret = add_ids(&ids);
	if (ret)
		goto unregister;
	return 0;

unregister:
	pci_unregister_driver(&mmio_driver);
destroy:
	destroy_workqueue(looks);
	return ret;
}

/**
 * asc_mmio_exit() - let go of the devices
 */
void asc_mmio_exit(void)
{
	pci_unregister_driver(&mmio_driver);
	destroy_workqueue(looks);
}
