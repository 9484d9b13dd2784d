/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_SYSFS_H
#define ASC_SYSFS_H

#include <linux/completion.h>
#include <linux/kobject.h>

struct asc_source;
struct asc_stream;

/**
 * struct asc_folder - a folder in sysfs, part of what it shows
 * @kobj: the folder
 * @gone: nobody looks into it any more
 * @there: it was made
 */
struct asc_folder {
	struct kobject kobj;
	struct completion gone;
	bool there;	/* is to be put */
	bool shown;	/* and is in sysfs */
};

int asc_sysfs_init(void);
void asc_sysfs_exit(void);
int asc_sysfs_add_source(struct asc_source *source);
int asc_sysfs_add_stream(struct asc_stream *stream);
void asc_sysfs_remove(struct asc_folder *folder);

#endif /* ASC_SYSFS_H */
