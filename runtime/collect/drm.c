/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collect/drm.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#if HAVE_LIBDRM
#include <xf86drm.h>
#endif

static struct drm_library drm;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static int own_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret;
}

void drm_load(struct drm_library *d, const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *found;

	memset(d, 0, sizeof(*d));
	d->ioctl = own_ioctl;
	if (!library) {
		snprintf(d->why, sizeof(d->why), "%s", dlerror());
		return;
	}
	found = dlsym(library, "drmIoctl");
	if (found)
		memcpy(&d->ioctl, &found, sizeof(found));
	*(void **)&d->devices = dlsym(library, "drmGetDevices2");
	*(void **)&d->release = dlsym(library, "drmFreeDevices");
	if (!found || !d->devices || !d->release) {
		snprintf(d->why, sizeof(d->why), "%s is too old", file);
		d->devices = NULL;
	}
	dlclose(library);
}

static void load(void)
{
	drm_load(&drm, DRM_LIBRARY);
}

const char *drm_missing(void)
{
	pthread_once(&loaded, load);
	return HAVE_LIBDRM ? drm.why : "built without libdrm";
}

int drm_ioctl(int fd, unsigned long request, void *arg)
{
	pthread_once(&loaded, load);
	return drm.ioctl(fd, request, arg);
}

#if HAVE_LIBDRM
static const char *node_of(const drmDevice *device)
{
	int i;

	for (i = 0; i < DRM_NODE_MAX; i++)
		if (device->available_nodes & (1 << i))
			return device->nodes[i];
	return "";
}

static void describe(const drmDevice *device, struct drm_card *card)
{
	const drmPciBusInfo *bus = device->businfo.pci;

	card->at = (struct pci_address){ bus->domain, bus->bus, bus->dev, bus->func };
	card->vendor = device->deviceinfo.pci->vendor_id;
	card->device = device->deviceinfo.pci->device_id;
	snprintf(card->node, sizeof(card->node), "%s", node_of(device));
}

int drm_cards(struct drm_card cards[DRM_CARDS])
{
	drmDevicePtr devices[DRM_CARDS];
	int nr, i, found = 0;

	if (*drm_missing())
		return -1;
	/* negative: there is no /dev/dri */
	nr = drm.devices(0, devices, DRM_CARDS);
	for (i = 0; i < nr && i < DRM_CARDS; i++)
		if (devices[i]->bustype == DRM_BUS_PCI)
			describe(devices[i], &cards[found++]);
	if (nr > 0)
		drm.release(devices, nr < DRM_CARDS ? nr : DRM_CARDS);
	return found;
}
#else
int drm_cards(struct drm_card cards[DRM_CARDS])
{
	(void)cards;
	return -1;
}
#endif

static unsigned int shared(const struct pci_place *a, const struct pci_place *b)
{
	unsigned int shares = 0;

	if (a->has_port && b->has_port && pci_equal(&a->port, &b->port))
		shares |= DRM_SHARES_PORT;
	if (a->numa_node >= 0 && a->numa_node == b->numa_node)
		shares |= DRM_SHARES_NODE;
	return shares;
}

unsigned int drm_neighbours(const char *root, const struct pci_address *npu, const struct drm_card *cards,
			    unsigned int nr, struct drm_neighbour *found)
{
	struct pci_place here, there;
	unsigned int i, shares, n = 0;

	if (pci_find(root, npu, &here))
		return 0;
	for (i = 0; i < nr; i++) {
		if (pci_equal(&cards[i].at, npu) || pci_find(root, &cards[i].at, &there))
			continue;
		shares = shared(&here, &there);
		if (shares)
			found[n++] = (struct drm_neighbour){ &cards[i], shares };
	}
	return n;
}
