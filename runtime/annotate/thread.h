/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the annotations of one thread need: its ring, its free stamps, its
 * stack of pushed ranges. Only the thread itself touches it, but for the two
 * atomic positions of the ring, the counters, and `pass`.
 *
 * Contexts are never freed: a thread that ends leaves its context as an
 * orphan, the flusher drains it, and a new thread takes it over.
 */
#ifndef ASCPROF_THREAD_H
#define ASCPROF_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/gate.h"
#include "format/rows.h"

#define TX_MESSAGE_MAX 127  /* bytes of a stamp's message, without the terminating zero */
#define TX_LONG_MAX 65535u  /* bytes of a message in the ring */
#define TX_RING_BYTES (32u << 20)
#define TX_FIRST_WAKE (1u << 20) /* bytes after which the flusher is woken in the first lap */
#define TX_RECORD_PAD 0xff  /* fills the ring up to its end */
#define TX_PUSH_MAX (1u << 20)
#define TX_MARK_IDS 1024u   /* that a thread takes at a time */

/* What is counted apart. */
enum tx_kind {
	TX_KIND_MARK,
	TX_KIND_PUSH_POP,
	TX_KIND_RANGE,
	TX_KIND_MSTX_MARK,
	TX_KIND_MSTX_RANGE,
	TX_KIND_MARK_EX,
	TX_KIND_TENSOR, /* counted in rows: a launch has one for each ROW_TENSORS tensors */
	/* What frameworks report; tensors of operators count as those of launches. */
	TX_KIND_API,
	TX_KIND_EVENT,
	TX_KIND_COMPACT,
	TX_KIND_ADDITIONAL,
	TX_KINDS,
};

/* What a record has before its message. */
enum tx_body {
	TX_BODY_PLAIN, /* nothing */
	TX_BODY_EXTENDED, /* struct tx_extension */
	TX_BODY_DETAILED, /* struct tx_details */
	TX_BODY_LAUNCH, /* struct tx_launch, and no message */
	TX_BODY_REPORT, /* it is a struct tx_report */
};

/* One annotation in the ring; records start on 8-byte borders. */
struct tx_record {
	uint32_t len; /* of the record, a multiple of 8 */
	uint8_t kind; /* enum tx_kind, or TX_RECORD_PAD */
	uint8_t has; /* enum tx_body */
	uint16_t message_len;
	uint64_t start; /* ticks */
	uint64_t end;
	char body[];
};

/* Its first eight bytes, read at once. */
static inline unsigned int head_kind(uint64_t head)
{
	return (uint8_t)(head >> 32);
}

static inline bool head_is_plain(uint64_t head)
{
	return (uint8_t)(head >> 40) == TX_BODY_PLAIN;
}

static inline uint32_t head_message_len(uint64_t head)
{
	return (uint32_t)(head >> 48);
}

/* What a framework reports, in the same place: no stamps of ours, and a row as it will be in its file. */
struct tx_report {
	uint32_t len;
	uint8_t kind;
	uint8_t has;
	uint16_t stays; /* not for ageing */
	char row[];
};

struct tx_domain;

/* For rows of info type 1, which may be several for one message. */
struct tx_extension {
	struct tx_domain *domain;
	uint64_t mark_id;
	uint32_t tid; /* of the thread that began it */
	uint32_t unused;
};

/* What a stamp may carry beside its message. */
struct tx_details {
	uint32_t category;
	int32_t payload_type;
	uint64_t payload;
};

/* Tensors of a launched operator, as their rows hold them. */
struct tx_launch {
	uint64_t op_name;
	uint32_t nr;
	uint32_t unused;
	struct row_tensor tensor[];
};

struct tx_open {
	uint64_t start; /* ticks */
	uint64_t head; /* of the record to be, of plain_head() */
	bool detailed; /* `details` holds */
	_Alignas(8) char message[TX_MESSAGE_MAX + 1];
	struct tx_details details;
};

enum tx_drop { TX_DROP_RING_FULL, TX_DROP_NO_MEMORY, TX_DROP_REENTRANT, TX_DROPS };

struct tx_counts {
	_Atomic uint64_t produced[TX_KINDS]; /* without TX_DROP_REENTRANT, which signal handlers count */
	_Atomic uint64_t dropped[TX_KINDS][TX_DROPS];
	_Atomic uint64_t left_pushed; /* by a thread that ended */
	_Atomic uint64_t left_launching; /* likewise */
};

#define TX_INSIDE 1u /* no state of an open gate */

enum tx_life { TX_LIVE, TX_ORPHAN, TX_FREE };

struct range_block;
struct launch_stack;

struct tx_thread {
	/* the thread's own, but for the flusher, which looks at `head` now and then */
	_Alignas(128) _Atomic uint64_t head;
	uint64_t limit; /* up to here there is room, without a look at anything else */
	char *ring;
	/*
	 * TX_INSIDE: the thread is inside an annotation. Else the state of the gate with
	 * which it may enter at once, since it was in this session, needs no fence, and
	 * has a cycle counter; 0: with none.
	 */
	_Atomic uint32_t pass;
	uint32_t pass_outside; /* what `pass` is when the thread is outside */
	struct tx_stamp *spare; /* the stamp destroyed last: out of the list, whose length need not change */
	struct tx_open *pushed;
	_Atomic uint32_t depth;
	uint32_t push_room;
	struct range_block *ranges; /* of which ids are handed out */
	uint32_t range_id; /* to hand out next; a multiple of RANGE_BLOCK_IDS: a block has to be taken first */
	uint32_t ranges_ended; /* by the thread itself, of `ranges` */
	_Atomic uint32_t tid; /* of the thread that has it, or had it last */
	_Atomic uint32_t generation; /* state of the gate when `depth` was last right */
	_Atomic uint32_t launching; /* operators begun with aclprofRangePushEx */
	struct launch_stack *launches;
	struct tx_stamp *free_stamps;
	uint32_t nr_free_stamps;
	uint64_t tail_seen;
	uint64_t wake_at; /* position at which the flusher is woken next */
	uint64_t mark_id; /* to hand out next */
	uint64_t mark_ids_end;
	struct tx_counts counts;

	/* written by the flusher */
	_Alignas(128) _Atomic uint64_t tail;
	_Atomic uint32_t life; /* enum tx_life */
	uint64_t ready; /* bytes of the ring whose memory is there; the flusher's own, as the next */
	uint64_t taken[TX_KINDS]; /* out of the ring */
	struct tx_thread *next;
};

/* initial-exec: eight bytes of static TLS, and no call to find them */
extern _Thread_local struct tx_thread *tx_self __attribute__((tls_model("initial-exec")));

/* Gives the calling thread a context; NULL without memory. */
struct tx_thread *tx_attach(void);
int tx_threads_setup(void); /* before the gate is first opened; more often does nothing; errno or 0 */
void tx_threads_child(void); /* in a forked child */
struct tx_thread *tx_threads(void); /* the list; it only grows, at its head */

/* A drop that has no context to be counted in. */
void tx_count_lost(enum tx_kind kind, enum tx_drop why);
void tx_count_refused(void); /* a call that Stop overtook: it returned an error, and made nothing */

/* More mark ids, of which no two in the process are equal, for @t. */
void tx_take_mark_ids(struct tx_thread *t);

struct tx_totals {
	uint64_t produced[TX_KINDS];
	uint64_t dropped[TX_KINDS][TX_DROPS];
	uint64_t left_pushed; /* pushed and not popped; right while the gate is shut */
	uint64_t left_launching; /* likewise, of aclprofRangePushEx */
	uint64_t refused;
};

struct by_thread;

/* Both of the flusher's thread, which alone recycles contexts; the first before it reads, with the gate shut. */
void tx_totals_reset(void);
/* @by_thread: the same, thread by thread */
void tx_totals_read(struct tx_totals *out, struct by_thread *by_thread);
/* The range that was begun first of those that nobody ended. */
struct tx_oldest {
	uint64_t start; /* ticks; 0: there is none */
	uint32_t message_len;
	char message[TX_MESSAGE_MAX + 1];
};

void tx_oldest_see(struct tx_oldest *oldest, uint64_t start, const char *message, uint32_t len);
/* Among those pushed by threads that live; gate shut. */
void tx_oldest_pushed(struct tx_oldest *oldest);
/*
 * Has the kernel make memory ahead of a producer that has come to @head: a page
 * fault of its own would cost it more than a hundred annotations do.
 */
void tx_ring_ahead(struct tx_thread *t, uint64_t head);
/* Orphans whose ring is empty become free for new threads. */
void tx_recycle(struct tx_thread *t);

#endif /* ASCPROF_THREAD_H */
