// SPDX-License-Identifier: Apache-2.0
/*
 * What comes and goes behind the backs of the streams: the module, a CPU, PMUs, the device with
 * a counter window.
 */
#include "soak.h"
#include "tests/qemu/guest/model.h"

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define FAKE_PMUS	"ascprof_fakepmu"
#define ARGUMENTS	MODULE_ARGS " mmio_bar=2 mmio_ids=1af4:1110"	/* where the model has its window */

static char address[32];
static bool has_window, ones;

/* What may be refused, and be gone. */
static bool try_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return done;
}

static void load(void)
{
	if (module_load_with(ARGUMENTS))
		bail("load");
	if (chmod(ASCPROF_DEVICE_PATH, 0666))
		bail(ASCPROF_DEVICE_PATH);
}

/* Unloads it, if nobody has anything of it just now, and loads it again. */
void chores_unload(void)
{
	if (module_unload() == 0) {
		load();
		count(&soak->reloads, 1);
	} else if (errno == EWOULDBLOCK) {
		count(&soak->in_use, 1);
	} else {
		wrong("unload: %s", strerror(errno));
	}
}

static void hotplug(bool online)
{
	if (try_write(CPU1, online ? "1" : "0"))
		count(&soak->hotplugs, 1);
}

static bool pmus_unload(void)
{
	return syscall(SYS_delete_module, FAKE_PMUS, O_NONBLOCK) == 0;
}

static void locked_toggle_pmus(void)
{
	int fd;

	if (pmus_unload()) {
		count(&soak->pmus, 1);
		return;
	}
	if (errno != ENOENT)	/* a stream counts them */
		return;
	fd = open("/mod/" FAKE_PMUS ".ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		bail(FAKE_PMUS);
	close(fd);
	count(&soak->pmus, 1);
}

static void toggle_pmus(void)
{
	int lock = lock_pmus(LOCK_EX);

	locked_toggle_pmus();
	close(lock);
}

static void device_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DEVICES "%s/%s", address, name);
	if (try_write(path, "1"))
		count(&soak->windows, 1);
}

static bool present(void)
{
	char path[256];

	snprintf(path, sizeof(path), PCI_DEVICES "%s", address);
	return access(path, F_OK) == 0;
}

/* Whatever became of the device: it is there, and the module drives it. */
static void put_back(void)
{
	if (ones)
		model("back");
	ones = false;
	if (!present() && !try_write("/sys/bus/pci/rescan", "1"))
		wrong("the bus cannot be looked at");
	if (!driven(address) && try_write(PCI_DRIVER "bind", address))
		count(&soak->windows, 1);
}

static void window(struct dice *dice)
{
	char words[32];

	switch (pick(dice, 8)) {
	case 0:
		device_file("remove");
		break;
	case 1:
		if (try_write(PCI_DRIVER "unbind", address))
			count(&soak->windows, 1);
		break;
	case 2:
		/* as a device that was pulled out answers */
		model(ones ? "back" : "ones");
		ones = !ones;
		break;
	case 3:
		snprintf(words, sizeof(words), "irq %u", 1 + pick(dice, 20));
		model(words);
		count(&soak->interrupts, 1);
		break;
	case 4:
		model(pick(dice, 2) ? "run 1000000000" : "halt");
		break;
	default:
		put_back();
	}
}

/* Once a round: everything is there. */
bool chores_begin(void)
{
	close(lock_pmus(LOCK_SH));
	has_window = find_device("0x1af4", "0x1110", address, sizeof(address));
	if (has_window) {
		model_open();
		model("good");
	}
	if (module_users() >= 0 && module_unload())
		bail("unload");
	return has_window;
}

void chores_round(void)
{
	load();
	if (has_window)
		put_back();
}

/* One of them, by the dice. */
void chores_one(struct dice *dice)
{
	unsigned int what = pick(dice, 100);

	if (what < 25)
		hotplug(pick(dice, 2));
	else if (what < 50)
		chores_unload();
	else if (what < 65)
		toggle_pmus();
	else if (has_window)
		window(dice);
}

/* All processes are gone: nothing may be left. */
void chores_over(void)
{
	int tries;

	hotplug(true);
	if (has_window)
		model("halt");
	for (tries = 0; tries < PATIENCE && module_users() > 0; tries++)
		usleep(1000);
	if (module_users() != 0)
		wrong("%d references to the module are left", module_users());
	for (tries = 0; tries < PATIENCE / 10 && !pmus_unload() && errno != ENOENT; tries++)
		usleep(10000);
	if (errno != ENOENT && access("/sys/module/" FAKE_PMUS, F_OK) == 0)
		wrong("counters of the made-up PMUs are left");
	if (module_unload())
		bail("unload after a round");
}
