/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdrm, loaded when it is asked for: its ioctl() that does not give up when it is
 * interrupted, by which the module is called, and its list of graphics cards and displays,
 * whose traffic is in the same counters as that of an NPU they sit beside. Without the
 * library an equal ioctl() of our own is used, and nothing is known of cards. All
 * functions may be called by any thread.
 */
#ifndef ASCPROF_DRM_H
#define ASCPROF_DRM_H

#include <stdint.h>

#include "collect/pci.h"

#define DRM_LIBRARY "libdrm.so.2"
#define DRM_CARDS 64 /* more are not looked at */

/* What the library offers. */
struct drm_library {
	char why[128]; /* what is missing; "" when all is there */
	int (*ioctl)(int fd, unsigned long request, void *arg); /* ours, if not the library's */
	int (*devices)(uint32_t flags, void *devices, int max); /* NULL: no list */
	void (*release)(void *devices, int count);
};

/* Loads it for good; drm_ioctl() and drm_cards() do that themselves. */
void drm_load(struct drm_library *drm, const char *file);

/* Why libdrm is not used, "" when it is. */
const char *drm_missing(void);

/*
 * ioctl(2), again for as long as it says EINTR or EAGAIN: not for requests that say EAGAIN
 * when there is nothing to be had, as ASCPROF_IOC_KICK. Return: its result, errno set.
 */
int drm_ioctl(int fd, unsigned long request, void *arg);

/* A DRM device on the PCI bus. */
struct drm_card {
	struct pci_address at;
	uint16_t vendor;
	uint16_t device;
	char node[64]; /* a path below /dev */
};

/* Return: how many of them @cards has now; 0 without /dev/dri; or -1, see drm_missing(). */
int drm_cards(struct drm_card cards[DRM_CARDS]);

#define DRM_SHARES_PORT (1u << 0) /* the root port, so its PCIe counters */
#define DRM_SHARES_NODE (1u << 1) /* the NUMA node, so its memory controllers and caches */

struct drm_neighbour {
	const struct drm_card *card;
	unsigned int shares; /* DRM_SHARES_* */
};

/*
 * Those of @nr @cards that share something with the function at @npu. @root: where sysfs
 * is; NULL: /sys. Return: how many; 0 also when one of them is in no such folder.
 */
unsigned int drm_neighbours(const char *root, const struct pci_address *npu, const struct drm_card *cards,
			    unsigned int nr, struct drm_neighbour *found);

#endif /* ASCPROF_DRM_H */
