// SPDX-License-Identifier: Apache-2.0
/*
 * The module cannot be unloaded while anything of it is in use, and can after.
 */
#include "guest.h"

int main(void)
{
	struct ascprof_stream_create req = good_stream();
	struct ring_map map;
	int control = open_control();
	int stream, i;

	refused(module_unload(), EWOULDBLOCK, "unload with the device open");
	stream = make_stream(control, &req);
	add_hbm(stream, source_id(control, "sim0"));
	close(control);
	refused(module_unload(), EWOULDBLOCK, "unload with a stream open");
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	wait_samples(stream, 3);
	refused(module_unload(), EWOULDBLOCK, "unload with a stream running");
	map_ring(&map, stream, req.ring_bytes);
	close(stream);
	refused(module_unload(), EWOULDBLOCK, "unload with only a mapping left");
	check(map.producer->samples >= 3, "... which still works");
	unmap_ring(&map);
	equal((uint64_t)module_users(), 0, "no reference is left");
	check(module_unload() == 0, "unload");
	check(access(ASCPROF_DEVICE_PATH, F_OK) != 0, "the device is gone");

	for (i = 0; i < 20; i++)
		if (module_load() || module_unload())
			break;
	equal((uint64_t)i, 20, "load and unload, 20 times");
	check(module_load() == 0, "load");
	check(access(ASCPROF_DEVICE_PATH, F_OK) == 0, "the device is back");
	return finish();
}
