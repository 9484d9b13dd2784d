// SPDX-License-Identifier: Apache-2.0
/*
 * The inventory of NPUs. There is none here, so that the list is empty until the
 * test names another device: the port that the model's device is plugged into.
 */
#include "model.h"

static int control;
static char address[32];
static char source_name[ASCPROF_NAME_LEN];

static uint64_t fact(const char *file)
{
	char path[256], line[64];

	snprintf(path, sizeof(path), PCI_DEVICES "%s/%s", address, file);
	if (!read_line(path, line, sizeof(line)))
		bail(path);
	return strtoull(line, NULL, 10);
}

static void test_empty(void)
{
	if (module_users() >= 0 && module_unload())
		bail("unload");
	refused(module_load_with("pci_ids=1b36"), EINVAL, "pci_ids=1b36");
	refused(module_load_with("pci_ids=1b36:000c,"), EINVAL, "pci_ids=1b36:000c,");
	reload("sim=1");
	control = open_control();
	equal(sources_of_kind(control, ASCPROF_SOURCE_PCI), 0, "no NPU, empty inventory");
	close(control);
}

/* Values of the first sample that has them all. */
static void sample(int stream, struct ring_map *map, uint64_t *value, unsigned int nr)
{
	const struct ascprof_rec *rec;

	/* facts are kept for a while */
	usleep(150000);
	if (ioctl(stream, ASCPROF_IOC_KICK))
		bail("KICK");
	while ((rec = next_record(map))) {
		const struct ascprof_rec_sample *s = (const void *)rec;

		if (rec->type == ASCPROF_REC_SAMPLE) {
			memset(value, 0xff, nr * sizeof(*value));
			if (!s->bad)
				memcpy(value, s->value, nr * sizeof(*value));
		}
		done_with(map, rec);
	}
}

static void test_facts(void)
{
	struct ascprof_stream_create req = good_stream();
	struct ascprof_counter_add add;
	struct ascprof_source source;
	struct ring_map map;
	unsigned int events = 0, aer = 0, users, i;
	uint64_t value[8];
	int stream;

	reload("sim=1 pci_ids=" PORT_ID);
	control = open_control();
	snprintf(source_name, sizeof(source_name), "pci-%s", address);
	if (!check(source_by_name(control, source_name, &source), "the device is in the inventory"))
		return;
	check(source.kind == ASCPROF_SOURCE_PCI && source.device == -1 && source.pci_addr,
	      "SOURCE_GET describes it");
	users = (unsigned int)module_users();
	stream = make_stream(control, &req);
	for (i = 0; i < source.nr_events; i++) {
		struct ascprof_event event = { .source_id = source.id, .index = i };

		if (ioctl(control, ASCPROF_IOC_EVENT_GET, &event))
			bail("EVENT_GET");
		aer += event.config >= ASCPROF_PCI_AER_CORRECTABLE;
		add_sim(stream, source.id, event.config);
		events++;
	}
	check(events == 2 + aer && (aer == 0 || aer == 3), "link, and errors if they are counted");
	add = sim_counter(source.id, 5);
	refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), ENOENT, "COUNTER_ADD beyond the last");
	if (!aer) {
		add = sim_counter(source.id, ASCPROF_PCI_AER_FATAL);
		refused(ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add), ENOENT,
			"COUNTER_ADD of what it does not count");
	}
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	sample(stream, &map, value, events);
	/* "2.5 GT/s PCIe": whole GT/s are enough to compare */
	equal(value[0] / 1000, fact("current_link_speed"), "link speed as in sysfs");
	equal(value[1], fact("current_link_width"), "link width as in sysfs");
	if (aer) {
		equal(value[2], aer_total(address, "aer_dev_correctable"), "corrected errors as in sysfs");
		equal(value[3], aer_total(address, "aer_dev_nonfatal"), "errors that are not fatal");
		equal(value[4], aer_total(address, "aer_dev_fatal"), "fatal errors");
	}
	unmap_ring(&map);
	close(stream);
	equal((uint64_t)module_users(), users, "no reference to the module is left");
	close(control);
}

static bool driver_is(const char *name)
{
	char path[256], target[256];
	ssize_t len;

	snprintf(path, sizeof(path), PCI_DEVICES "%s/driver", address);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = 0;
	return strstr(target, name);
}

int main(void)
{
	test_empty();
	if (!find_device("0x1b36", "0x000c", address, sizeof(address))) {
		puts("# no port of the model: the inventory stays empty");
		reload(MODULE_ARGS);
		return finish();
	}
	test_facts();
	check(!driver_is("ascprof"), "nothing is bound");
	reload(MODULE_ARGS);
	check(!access("/sys/bus/pci/drivers/ascprof", F_OK), "the driver is there for who is named");
	return finish();
}
