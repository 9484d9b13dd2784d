/* SPDX-License-Identifier: Apache-2.0 */
/* What the layers of the conventional design hand to each other; see replica.h. */
#ifndef ASCPROF_BENCH_REPLICA_PARTS_H
#define ASCPROF_BENCH_REPLICA_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a text and what was said of it: what a stamp holds. */
struct replica_body {
	uint32_t kind;
	uint16_t magic, tag;
	uint32_t pid, tid, category, event, payload_type;
	uint64_t payload, start, end, mark_id, domain;
	uint32_t message_type;
	char message[156];
};

struct replica_record {
	uint16_t magic, level;
	uint32_t type, tid, len;
	uint64_t stamp;
	char data[232];
};

_Static_assert(sizeof(struct replica_body) <= sizeof(((struct replica_record *)0)->data), "a body fits into a record");
_Static_assert(sizeof(struct replica_record) == 256, "as on disk");

struct replica_slot {
	struct replica_record record;
	uint8_t aging, there;
};

struct replica_stamp {
	struct replica_body body;
	bool in_range;
	uint32_t index;
	struct replica_stamp *next, *before;
};

/* An object of which there is one, made under a lock when it is first asked for. */
struct replica_single {
	_Atomic bool made;
	pthread_mutex_t lock;
};

#define REPLICA_SINGLE { false, PTHREAD_MUTEX_INITIALIZER }

extern struct replica_single replica_platform, replica_driver, replica_plugin, replica_manager, replica_reports;

bool replica_logs(int level);
int replica_devices(uint32_t *number);
int replica_driver_devices(void *self, uint32_t *number);
bool replica_driver_helper(void);
bool replica_is_helper(void *self);
uint64_t replica_ticks(void);
uint64_t replica_clock(void *self);
int32_t replica_system_tid(void);
int32_t replica_tid(void);
int replica_copy(void *to, size_t room, const void *from, size_t len);
int replica_copy_text(char *to, size_t room, const char *from, size_t count);

int replica_into_ring(uint32_t aging, const struct replica_record *r);
int replica_pass_on(void *self, uint32_t aging, const void *data, uint32_t len);
int replica_callback(uint32_t aging, const void *data, uint32_t len);
int replica_report(const struct replica_body *body);

struct replica_stamp *replica_pool_get(void);
void replica_pool_put(struct replica_stamp *s);
int replica_stack_push(struct replica_stamp *s);
struct replica_stamp *replica_stack_pop(void);
struct replica_stamp *replica_of_id(uint32_t id);

void *replica_manager_create(void *self);
void replica_manager_destroy(void *self, struct replica_stamp *s);
int replica_manager_message(void *self, struct replica_stamp *s, const char *text, uint32_t len);
int replica_manager_report(struct replica_stamp *s);
int replica_manager_mark(void *self, struct replica_stamp *s);
int replica_manager_push(void *self, struct replica_stamp *s);
int replica_manager_pop(void *self);
int replica_manager_range_start(void *self, struct replica_stamp *s, uint32_t *id);
int replica_manager_range_stop(void *self, uint32_t id);

/* the functions of the interface, once more in each layer below it */
#define REPLICA_FUNCTIONS(layer)                                             \
	void *replica_##layer##_create(void);                                \
	void replica_##layer##_destroy(void *s);                             \
	int replica_##layer##_message(void *s, const char *text, uint32_t len); \
	int replica_##layer##_mark(void *s);                                 \
	int replica_##layer##_push(void *s);                                 \
	int replica_##layer##_pop(void);                                     \
	int replica_##layer##_range_start(void *s, uint32_t *id);            \
	int replica_##layer##_range_stop(uint32_t id);

REPLICA_FUNCTIONS(impl)
REPLICA_FUNCTIONS(found)
REPLICA_FUNCTIONS(plugin)

#endif /* ASCPROF_BENCH_REPLICA_PARTS_H */
