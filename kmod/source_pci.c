// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources "pci-*": the NPUs on the bus, one source each, with what the bus knows
 * of them. Nothing is bound and nothing is written: the devices belong to the
 * vendor's driver, or to nobody.
 *
 * DOC: errors
 *
 * The kernel counts the errors that devices report and shows the counts as
 * attributes of the device. There is no other interface to them, so that is
 * what is read: the attribute is looked up in the device's folder and asked as
 * sysfs would ask it. The reference to the device keeps both alive.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kernfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "kmod/core/pci.h"
#include "kmod/core/policy.h"
#include "kmod/source.h"

#define FRESH_NS	(100 * NSEC_PER_MSEC)	/* facts are not asked for more often */
#define NR_EVENTS	(ASCPROF_PCI_AER_FATAL + 1)

static char *pci_ids = "";
module_param(pci_ids, charp, 0444);
MODULE_PARM_DESC(pci_ids,
		 "more devices to list as NPUs: vendor:device,... (default: none; for new chips, and for tests)");

/**
 * struct pci_source - one NPU
 * @base: the source
 * @list: all of them
 * @pdev: with a reference, not bound
 * @lock: guards @fact and @read
 * @aer: attributes with the counts of errors; NULL: there is none
 * @fact: each as last read
 * @read: when, CLOCK_MONOTONIC, ns; 0: never
 */
struct pci_source {
	struct asc_source base;
	struct list_head list;
	struct pci_dev *pdev;
	struct mutex lock;		/* fact, read */
	struct device_attribute *aer[3];
	u64 fact[NR_EVENTS];
	u64 read[NR_EVENTS];
};

static struct asc_pci_ids extra_ids;
static LIST_HEAD(npus);
static DEFINE_MUTEX(npus_lock);

static const struct ascprof_event events[NR_EVENTS] = {
	{ .config = ASCPROF_PCI_LINK_SPEED, .value_kind = ASCPROF_VALUE_GAUGE,
	  .unit = "MT/s", .name = "link_speed" },
	{ .config = ASCPROF_PCI_LINK_WIDTH, .value_kind = ASCPROF_VALUE_GAUGE,
	  .unit = "lanes", .name = "link_width" },
	{ .config = ASCPROF_PCI_AER_CORRECTABLE, .unit = "errors", .name = "aer_correctable" },
	{ .config = ASCPROF_PCI_AER_NONFATAL, .unit = "errors", .name = "aer_nonfatal" },
	{ .config = ASCPROF_PCI_AER_FATAL, .unit = "errors", .name = "aer_fatal" },
};

static const char * const aer_names[] = {
	"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal",
};

static struct pci_source *to_pci(struct asc_source *source)
{
	return container_of(source, struct pci_source, base);
}

static bool has_event(const struct pci_source *p, u32 config)
{
	if (config >= NR_EVENTS)
		return false;
	if (config >= ASCPROF_PCI_AER_CORRECTABLE)
		return p->aer[config - ASCPROF_PCI_AER_CORRECTABLE];
	return pci_is_pcie(p->pdev);
}

static void describe_event(u32 config, struct ascprof_event *event)
{
	*event = events[config];
	event->event_class = ASCPROF_CLASS_OTHER;
	event->scale_num = 1;
	event->scale_den = 1;
}

static int pci_event(struct asc_source *source, u32 index, struct ascprof_event *event)
{
	const struct pci_source *p = to_pci(source);
	u32 config;

	for (config = 0; config < NR_EVENTS; config++) {
		if (has_event(p, config) && index-- == 0) {
			describe_event(config, event);
			return 0;
		}
	}
	return -EINVAL;
}

static struct asc_counter *pci_add(struct asc_source *source,
				   const struct ascprof_counter_add *add,
				   const struct asc_caller *caller)
{
	struct pci_source *p = to_pci(source);
	struct asc_counter *c;

	if (!asc_policy_plain(add))
		return ERR_PTR(-EINVAL);
	if (add->config >= NR_EVENTS || !has_event(p, add->config))
		return ERR_PTR(-ENOENT);
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	describe_event(add->config, &c->event);
	c->cpu = -1;
	return c;
}

static void pci_remove(struct asc_counter *counter)
{
	kfree(counter);
}

static int pci_start(struct asc_counter *counter, u64 elapsed)
{
	return 0;
}

static void pci_stop(struct asc_counter *counter)
{
}

static int read_link(struct pci_source *p, u32 config, u64 *fact)
{
	u16 status;

	/* all ones: nobody answers */
	if (pcie_capability_read_word(p->pdev, PCI_EXP_LNKSTA, &status) || status == 0xffff)
		return -EIO;
	*fact = config == ASCPROF_PCI_LINK_SPEED ? asc_pci_link_speed(status) :
						   asc_pci_link_width(status);
	return 0;
}

static int read_aer(struct pci_source *p, struct device_attribute *attr, u64 *fact)
{
	char *text = (char *)get_zeroed_page(GFP_KERNEL);
	ssize_t len;
	int ret;

	if (!text)
		return -ENOMEM;
	len = attr->show(&p->pdev->dev, attr, text);
	ret = len > 0 && len < PAGE_SIZE ? asc_pci_aer_total(text, fact) : -EIO;
	free_page((unsigned long)text);
	return ret;
}

static int read_fact(struct pci_source *p, u32 config)
{
	u64 now = ktime_get_ns();
	int ret;

	lockdep_assert_held(&p->lock);

	if (p->read[config] && now - p->read[config] < FRESH_NS)
		return 0;
	if (config < ASCPROF_PCI_AER_CORRECTABLE)
		ret = read_link(p, config, &p->fact[config]);
	else
		ret = read_aer(p, p->aer[config - ASCPROF_PCI_AER_CORRECTABLE],
			       &p->fact[config]);
	if (!ret)
		p->read[config] = now;
	return ret;
}

static int pci_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct pci_source *p = to_pci(counter->source);
	u32 config = counter->event.config;
	int ret = -ENODEV;

	mutex_lock(&p->lock);
	if (!READ_ONCE(p->base.gone))
		ret = read_fact(p, config);
	value->count = p->fact[config];
	mutex_unlock(&p->lock);
	value->enabled = elapsed;
	value->running = elapsed;
	return ret;
}

static void pci_release(struct asc_source *source)
{
	struct pci_source *p = to_pci(source);

	pci_dev_put(p->pdev);
	kfree(p);
}

static const struct asc_source_ops pci_ops = {
	.event = pci_event,
	.add = pci_add,
	.remove = pci_remove,
	.start = pci_start,
	.stop = pci_stop,
	.read = pci_read,
	.release = pci_release,
};

static struct device_attribute *find_attribute(struct pci_dev *pdev, const char *name)
{
	struct device_attribute *attr = NULL;
	struct kernfs_node *node;

	if (!pdev->dev.kobj.sd)
		return NULL;
	node = kernfs_find_and_get(pdev->dev.kobj.sd, name);
	if (!node)
		return NULL;
	if (kernfs_type(node) == KERNFS_FILE)
		attr = container_of((struct attribute *)node->priv, struct device_attribute, attr);
	kernfs_put(node);
	return attr && attr->show ? attr : NULL;
}

static bool wanted(const struct pci_dev *pdev)
{
	return asc_pci_npu(pdev->vendor, pdev->device) ||
	       asc_pci_ids_have(&extra_ids, pdev->vendor, pdev->device);
}

static struct pci_source *find(const struct pci_dev *pdev)
{
	struct pci_source *p;

	lockdep_assert_held(&npus_lock);

	list_for_each_entry(p, &npus, list)
		if (p->pdev == pdev)
			return p;
	return NULL;
}

static void appear(struct pci_dev *pdev)
{
	struct pci_source *p;
	u32 config, i;

	lockdep_assert_held(&npus_lock);

	if (!wanted(pdev) || find(pdev))
		return;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return;
	p->pdev = pci_dev_get(pdev);
	mutex_init(&p->lock);
	for (i = 0; i < ARRAY_SIZE(aer_names); i++)
		p->aer[i] = find_attribute(pdev, aer_names[i]);
	p->base.ops = &pci_ops;
	p->base.kind = ASCPROF_SOURCE_PCI;
	p->base.device = -1;
	p->base.numa_node = dev_to_node(&pdev->dev);
	p->base.pci_addr = asc_pci_pack(pci_domain_nr(pdev->bus), pdev->bus->number, pdev->devfn);
	for (config = 0; config < NR_EVENTS; config++)
		p->base.nr_events += has_event(p, config);
	snprintf(p->base.name, sizeof(p->base.name), "pci-%s", pci_name(pdev));
	if (asc_source_appear(&p->base)) {
		pci_release(&p->base);
		return;
	}
	list_add_tail(&p->list, &npus);
}

static void vanish(struct pci_source *p)
{
	lockdep_assert_held(&npus_lock);

	list_del(&p->list);
	asc_source_retire(&p->base);
}

static int bus_event(struct notifier_block *block, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);
	struct pci_source *p;

	mutex_lock(&npus_lock);
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		appear(pdev);
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		p = find(pdev);
		if (p)
			vanish(p);
		break;
	}
	mutex_unlock(&npus_lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = bus_event,
};

/**
 * asc_pci_init() - list the NPUs that are there, and those that come
 *
 * Return: 0; -EINVAL for a parameter that makes no sense; what the bus says.
 */
int asc_pci_init(void)
{
	struct pci_dev *pdev = NULL;
	int ret;

	ret = asc_pci_ids_parse(pci_ids, &extra_ids);
	if (ret) {
		pr_err("ascprof: pci_ids: expected up to %d of vvvv:dddd,... in hexadecimal\n",
		       ASC_PCI_IDS_MAX);
		return ret;
	}
	ret = bus_register_notifier(&pci_bus_type, &notifier);
	if (ret)
		return ret;
	/* nothing goes while we look; references are taken and dropped on the way */
	pci_lock_rescan_remove();
	while ((pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev))) {
		mutex_lock(&npus_lock);
		appear(pdev);
		mutex_unlock(&npus_lock);
	}
	pci_unlock_rescan_remove();
	return 0;
}

/**
 * asc_pci_exit() - forget them
 */
void asc_pci_exit(void)
{
	struct pci_source *p, *next;

	bus_unregister_notifier(&pci_bus_type, &notifier);
	mutex_lock(&npus_lock);
	list_for_each_entry_safe(p, next, &npus, list)
		vanish(p);
	mutex_unlock(&npus_lock);
}
