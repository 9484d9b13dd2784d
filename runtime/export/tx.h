/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations of one host part (msproftx rows) that its filter wants, in the
 * order of their start. 16 bytes each, which need not fit into memory; text
 * stays in the files. Not thread-safe.
 */
#ifndef ASCPROF_TX_H
#define ASCPROF_TX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/names.h"
#include "export/prof.h"
#include "export/scratch.h"
#include "format/rows.h"

/* By what the table shows as start, or exactly and longer ones first. */
enum tx_order { TX_ORDER_TABLE, TX_ORDER_TRACE };

/* Kinds of the accounting; TX_OTHER: an event type nobody has defined. */
enum tx_kind { TX_MARK, TX_PUSH_POP, TX_RANGE, TX_OTHER, TX_KINDS };

/* How the accounting of the runtime divides them. */
enum tx_account {
	TX_ACCOUNT_MARK,
	TX_ACCOUNT_PUSH_POP,
	TX_ACCOUNT_RANGE,
	TX_ACCOUNT_OTHER,
	TX_ACCOUNT_MSTX_MARK,
	TX_ACCOUNT_MSTX_RANGE,
	TX_ACCOUNT_MARK_EX,
	TX_ACCOUNTS,
};

struct tx_entry {
	uint64_t key;
	uint32_t slice; /* UINT32_MAX: several rows, @row is an index of groups */
	uint32_t row;
};

struct tx_segment; /* row of a message that may have several (mark-ex, mstx) */
struct tx_group; /* the rows of a message that has several */

struct tx {
	const struct prof_part *host;
	struct tx_entry *entry;
	size_t nr;
	uint64_t kinds[TX_KINDS]; /* events of each */
	uint64_t accounts[TX_ACCOUNTS]; /* the same, divided otherwise */
	uint64_t bad_rows; /* without the marks that every row has */

	struct tx_segment *segment;
	size_t nr_segments;
	struct tx_group *group;
	size_t nr_groups;
	struct names domains; /* loaded where there are such messages */
	size_t longest; /* rows of a group */
	char *joined; /* message of the last tx_get() of a group */
	struct scratch entries, segments, groups; /* where these arrays lie */
	unsigned int gets; /* until guard_trim() */
};

/* One annotation. Text is as in the files: any bytes. */
struct tx_event {
	struct row_tx row; /* of the first segment; its message is not used */
	enum tx_kind kind;
	bool extended; /* has a domain; no category, payload, message type */
	const char *message;
	size_t message_len;
	const char *domain;
	size_t domain_len;
};

/*
 * @host may be NULL: then there are none. Return: 0; -1 with a message.
 * tx_free() is due in any case.
 */
int tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *diag);
void tx_free(struct tx *tx);

/* Event @i of tx->nr; its text is valid until the next call. */
void tx_get(struct tx *tx, size_t i, struct tx_event *e);

/* Start of event @i by the order it was loaded with; TX_ORDER_TRACE: wall clock, ns. */
static inline int64_t tx_start(const struct tx *tx, size_t i)
{
	return (int64_t)(tx->entry[i].key ^ 1ULL << 63);
}

enum tx_kind tx_event_kind(uint32_t event); /* of row_tx.event */
const char *tx_kind_name(enum tx_kind kind);
/* Where the accounting has the row's event, and under what name. */
enum tx_account tx_account_of(const struct row_tx *row);
const char *tx_account_name(enum tx_account account);

#endif /* ASCPROF_TX_H */
