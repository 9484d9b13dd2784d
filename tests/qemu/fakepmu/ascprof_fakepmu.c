// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUs with the names, fields and files of a Kunpeng server, for tests. What they
 * count is made up, and exact: every read adds the same step, which follows from
 * the config words. So a reader that takes n samples sees n steps, and a config
 * word that got lost shows.
 *
 *	step = 1 + event code + 1000 * bus address or stream id
 *
 * As their models do, the PMUs serve all CPUs from one, move their events when
 * that CPU goes offline, refuse tasks and sampling, and have eight counters each.
 * The parameter counters takes some away, which is how an event loses its place.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#define COUNTERS	8

static unsigned int counters = COUNTERS;
module_param(counters, uint, 0644);
MODULE_PARM_DESC(counters, "counters of each PMU, at most 8 (default: 8)");

static unsigned int step_num = 1;
module_param(step_num, uint, 0444);
MODULE_PARM_DESC(step_num, "every step is this many times larger (default: 1)");

/**
 * struct fake_pmu - one PMU
 * @pmu: perf's part
 * @name: of the PMU
 * @groups: sysfs files
 * @event_mask: bits of config that are the event code
 * @id_word: config word that holds the bus address or stream id, 0: none
 * @id_shift: where in it
 * @id_mask: how much of it
 * @prefer: CPU to begin with
 * @version: content of the file identifier
 * @used: counters in use
 * @cpu: that serves it
 * @registered: perf knows it
 */
struct fake_pmu {
	struct pmu pmu;
	const char *name;
	const struct attribute_group **groups;
	u64 event_mask;
	int id_word;
	int id_shift;
	u64 id_mask;
	unsigned int prefer;
	unsigned int version;
	atomic_t used;
	unsigned int cpu;
	bool registered;
};

static struct fake_pmu *to_fake(struct pmu *pmu)
{
	return container_of(pmu, struct fake_pmu, pmu);
}

static u64 fake_step(const struct perf_event *event)
{
	struct fake_pmu *fake = to_fake(event->pmu);
	u64 id = 0;

	if (fake->id_word == 1)
		id = event->attr.config1 >> fake->id_shift & fake->id_mask;
	else if (fake->id_word == 2)
		id = event->attr.config2 >> fake->id_shift & fake->id_mask;
	return (1 + (event->attr.config & fake->event_mask) + 1000 * id) * step_num;
}

static int fake_event_init(struct perf_event *event)
{
	struct fake_pmu *fake = to_fake(event->pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK)
		return -EOPNOTSUPP;
	if (event->cpu < 0 || event->attr.config & ~fake->event_mask)
		return -EINVAL;
	event->cpu = fake->cpu;
	return 0;
}

static void fake_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		local64_add(fake_step(event), &event->count);
}

static void fake_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void fake_stop(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int fake_add(struct perf_event *event, int flags)
{
	struct fake_pmu *fake = to_fake(event->pmu);

	if (atomic_inc_return(&fake->used) > min_t(int, READ_ONCE(counters), COUNTERS)) {
		atomic_dec(&fake->used);
		return -EAGAIN;
	}
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		fake_start(event, PERF_EF_RELOAD);
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
	fake_stop(event, PERF_EF_UPDATE);
	atomic_dec(&to_fake(event->pmu)->used);
}

/* ---- files ---- */

static struct fake_pmu *fake_of(struct device *dev)
{
	return to_fake(dev_get_drvdata(dev));
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpumask_of(fake_of(dev)->cpu)));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", fake_of(dev)->version);
}
static DEVICE_ATTR_RO(identifier);

static struct attribute *shared_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

static const struct attribute_group shared_group = { .attrs = shared_attrs };

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct dev_ext_attribute *ext = container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(buf, "%s\n", (char *)ext->var);
}

#define TEXT(_name, _text) \
	(&((struct dev_ext_attribute[]) { \
		{ .attr = __ATTR(_name, 0444, text_show, NULL), .var = (_text) } \
	})[0].attr.attr)

#define GROUP(_id, _folder, ...) \
static struct attribute *_id##_attrs[] = { __VA_ARGS__, NULL }; \
static const struct attribute_group _id##_group = { .name = _folder, .attrs = _id##_attrs }

#define GROUPS(_id) \
static const struct attribute_group *_id##_groups[] = { \
	&_id##_format_group, &_id##_events_group, &shared_group, NULL \
}

GROUP(l3c_format, "format", TEXT(event, "config:0-7"), TEXT(tt_core, "config1:0-7"));
GROUP(l3c_events, "events", TEXT(rd_cpipe, "config=0x0"), TEXT(wr_cpipe, "config=0x1"),
	TEXT(rd_hit_cpipe, "config=0x2"), TEXT(wr_hit_cpipe, "config=0x3"),
	TEXT(victim_num, "config=0x4"));
GROUPS(l3c);

GROUP(ddrc_format, "format", TEXT(event, "config:0-4"));
GROUP(ddrc_events, "events", TEXT(flux_wr, "config=0x0"), TEXT(flux_rd, "config=0x1"),
	TEXT(flux_wcmd, "config=0x2"), TEXT(flux_rcmd, "config=0x3"));
GROUPS(ddrc);

GROUP(hha_format, "format", TEXT(event, "config:0-7"));
GROUP(hha_events, "events", TEXT(rx_ops_num, "config=0x0"), TEXT(rd_ddr_64b, "config=0x1c"),
	TEXT(wr_ddr_64b, "config=0x1d"), TEXT(rd_ddr_128b, "config=0x1e"),
	TEXT(wr_ddr_128b, "config=0x1f"));
GROUPS(hha);

GROUP(sllc_format, "format", TEXT(event, "config:0-7"));
GROUP(sllc_events, "events", TEXT(rx_req, "config=0x30"), TEXT(rx_data, "config=0x31"),
	TEXT(tx_req, "config=0x34"), TEXT(tx_data, "config=0x35"));
GROUPS(sllc);

GROUP(pa_format, "format", TEXT(event, "config:0-7"));
GROUP(pa_events, "events", TEXT(rx_req, "config=0x40"), TEXT(tx_req, "config=0x5c"),
	TEXT(cycle, "config=0x78"));
GROUPS(pa);

GROUP(pcie_format, "format", TEXT(event, "config:0-16"), TEXT(thr_len, "config1:0-3"),
	TEXT(thr_mode, "config1:4"), TEXT(trig_len, "config1:5-8"), TEXT(trig_mode, "config1:9"),
	TEXT(port, "config2:0-15"), TEXT(bdf, "config2:16-31"));
GROUP(pcie_events, "events", TEXT(rx_mrd_flux, "event=0x0804"), TEXT(rx_mrd_time, "event=0x10804"),
	TEXT(tx_mrd_flux, "event=0x0405"), TEXT(tx_mrd_time, "event=0x10405"));
GROUPS(pcie);

GROUP(smmu_format, "format", TEXT(event, "config:0-15"), TEXT(filter_stream_id, "config1:0-31"),
	TEXT(filter_span, "config1:32"), TEXT(filter_enable, "config1:33"));
GROUP(smmu_events, "events", TEXT(transaction, "event=0x1"), TEXT(tlb_miss, "event=0x2"));
GROUPS(smmu);

GROUP(hns3_format, "format", TEXT(subevent, "config:0-7"), TEXT(event_type, "config:8-15"),
	TEXT(ext_counter_used, "config:16"), TEXT(bdf, "config1:8-23"), TEXT(global, "config1:52"));
GROUP(hns3_events, "events", TEXT(bw_ssu_rpu_byte_num, "config=0x00002"),
	TEXT(bw_ssu_rpu_time, "config=0x10002"));
GROUPS(hns3);

#define FAKE(_name, _id, _event_mask, _id_word, _id_shift, _id_mask, _prefer, _version) { \
	.name = _name, .groups = _id##_groups, .event_mask = _event_mask, \
	.id_word = _id_word, .id_shift = _id_shift, .id_mask = _id_mask, \
	.prefer = _prefer, .version = _version }

static struct fake_pmu fakes[] = {
	FAKE("hisi_sccl1_l3c0", l3c, 0xff, 0, 0, 0, 0, 0x20),
	FAKE("hisi_sccl3_l3c0", l3c, 0xff, 0, 0, 0, 1, 0x20),
	FAKE("hisi_sccl1_ddrc0", ddrc, 0x1f, 0, 0, 0, 0, 0x20),
	FAKE("hisi_sccl3_ddrc1", ddrc, 0x1f, 0, 0, 0, 1, 0x20),
	FAKE("hisi_sccl1_hha0", hha, 0xff, 0, 0, 0, 0, 0x20),
	FAKE("hisi_sccl1_sllc0", sllc, 0xff, 0, 0, 0, 0, 0x30),
	FAKE("hisi_sicl2_pa0", pa, 0xff, 0, 0, 0, 0, 0x30),
	FAKE("hisi_pcie0_core0", pcie, 0x1ffff, 2, 16, 0xffff, 0, 0x30),
	FAKE("hns3_pmu_sicl_0", hns3, 0x1ffff, 1, 52, 1, 0, 0x30),
	FAKE("smmuv3_pmcg_148020", smmu, 0xffff, 1, 0, 0xffffffff, 1, 0x30),
};

/* ---- CPUs ---- */

static int hotplug_state;

static int fake_cpu_offline(unsigned int cpu)
{
	unsigned int target = cpumask_any_but(cpu_online_mask, cpu);
	size_t i;

	if (target >= nr_cpu_ids)
		return 0;
	for (i = 0; i < ARRAY_SIZE(fakes); i++) {
		if (!fakes[i].registered || fakes[i].cpu != cpu)
			continue;
		perf_pmu_migrate_context(&fakes[i].pmu, cpu, target);
		fakes[i].cpu = target;
	}
	return 0;
}

static void fake_unregister(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fakes); i++) {
		if (fakes[i].registered)
			perf_pmu_unregister(&fakes[i].pmu);
		fakes[i].registered = false;
	}
}

static int fake_register(struct fake_pmu *fake)
{
	int ret;

	fake->cpu = cpu_online(fake->prefer) ? fake->prefer : cpumask_first(cpu_online_mask);
	fake->pmu = (struct pmu) {
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups = fake->groups,
		.event_init = fake_event_init,
		.add = fake_add,
		.del = fake_del,
		.start = fake_start,
		.stop = fake_stop,
		.read = fake_read,
	};
	ret = perf_pmu_register(&fake->pmu, fake->name, -1);
	fake->registered = !ret;
	return ret;
}

static int __init fake_init(void)
{
	size_t i;
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "ascprof/fakepmu:online", NULL,
					fake_cpu_offline);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	for (i = 0; i < ARRAY_SIZE(fakes); i++) {
		ret = fake_register(&fakes[i]);
		if (ret)
			goto unregister;
	}
	return 0;

unregister:
	fake_unregister();
	cpuhp_remove_state_nocalls(hotplug_state);
	return ret;
}

static void __exit fake_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	fake_unregister();
}

module_init(fake_init);
module_exit(fake_exit);

MODULE_DESCRIPTION("Made-up PMUs of a Kunpeng server, for tests");
MODULE_AUTHOR("The ascprof developers");
MODULE_LICENSE("GPL");
