// SPDX-License-Identifier: Apache-2.0
/*
 * A device with a counter window as something that the module binds, for failnth.c. It is there
 * when the model of it runs beside the machine (tests/qemu/model/window.c).
 */
#include "hostile.h"
#include "tests/qemu/guest/model.h"

#define MODEL_ARGS	MODULE_ARGS " mmio_bar=2"	/* where the model has its window */

static char address[32];
static int bind_fd = -1;

/* Loads the module anew, and lets it have the device. false: there is none. */
bool window_prepare(void)
{
	if (!find_device("0x1af4", "0x1110", address, sizeof(address)))
		return false;
	model_open();
	model("good");
	reload(MODEL_ARGS);
	if (driver_override(address, "ascprof"))
		bail("driver_override");
	/* open already: nothing but the bind itself is to fail */
	bind_fd = open(PCI_DRIVER "bind", O_WRONLY | O_CLOEXEC);
	if (bind_fd < 0)
		bail(PCI_DRIVER "bind");
	return true;
}

long window_bind(void)
{
	return pwrite(bind_fd, address, strlen(address), 0);
}

/* After window_bind() returned that. */
void window_unbind(long result)
{
	if (driven(address) != (result > 0)) {
		errno = EPROTO;
		bail("what bind said of the device is not so");
	}
	if (result > 0 && write_file(PCI_DRIVER "unbind", address))
		bail("unbind");
}

void window_over(void)
{
	close(bind_fd);
	if (driver_override(address, "\n"))
		bail("driver_override");
	reload(MODULE_ARGS);
}
