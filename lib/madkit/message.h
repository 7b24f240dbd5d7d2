/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A MAD with what is known about it, and the records in it: what text, JSON,
 * filters and projections are made from. Nothing here is owned: the pointers
 * are the caller's and must live as long as the struct is used.
 */
#ifndef MADKIT_MESSAGE_H
#define MADKIT_MESSAGE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>
#include <madkit/registry.h>

MADKIT_BEGIN_DECLS

/* What the "schema" of every JSON line says. */
#define MADKIT_SCHEMA "madkit/1"

enum madkit_message_kind {
	MADKIT_MESSAGE_REQUEST,
	MADKIT_MESSAGE_RESPONSE,
	MADKIT_MESSAGE_TIMEOUT,
	MADKIT_MESSAGE_UNSOLICITED,
	MADKIT_MESSAGE_EVENT,
	MADKIT_MESSAGE_ERROR,
	MADKIT_MESSAGE_SUMMARY,
};

/* "request", "response" ... */
const char *madkit_message_kind_name(enum madkit_message_kind kind);

struct madkit_message {
	enum madkit_message_kind kind;
	const char *host;	/* NULL: not known */
	const char *device;	/* "umad:mlx5_0/1", NULL: none (a file) */
	struct timespec time;	/* real time; tv_nsec -1: not known */
	uint32_t agent;
	uint64_t seq;
	const char *tag;	/* JSON text to echo, or NULL */
	const struct madkit_addr *remote; /* NULL: not known */
	int64_t rtt_us;		/* -1: not known */
	int32_t attempts;	/* -1: not known (the kernel resends) */
	int send_status;	/* 0 or a positive errno: ETIMEDOUT ... */
	uint8_t rmpp_status;	/* of the STOP or ABORT that ended the transfer; 0: none
				 * did, or the kernel does not tell */
	/* The MAD: one frame, or a whole RMPP message as umad hands it over:
	 * the first segment's headers, then the data of all. NULL where there
	 * is none. For a timeout: the request. */
	const uint8_t *mad;
	size_t len;
	/* How to read data that another row of the tables describes too
	 * (PortExtendedSpeedsCounters, with RS-FEC or without): what its sender
	 * asked for. Not heeded where the MAD is of another attribute; NULL: the
	 * first row. */
	const struct madkit_attribute *attribute;
	/* the whole message was longer: mad is only its beginning */
	bool truncated;
	/* What a JSON line shows as its data instead of a MAD's (kinds event,
	 * error, summary), a JSON object; NULL: the MAD's, or null. */
	const char *data_json;
};

/* One attribute instance of a message: the view that is shown as a line. */
struct madkit_record {
	const struct madkit_message *message;
	const struct madkit_attribute *attribute; /* NULL: not known */
	const struct madkit_layout *layout;	/* NULL: bytes */
	const uint8_t *data;	/* NULL: an empty table, or no MAD */
	size_t len;		/* of data: at most what the message holds */
	size_t offset;		/* of data in the message */
	size_t end;		/* of all data in the message */
	unsigned int record;
	unsigned int records;	/* 0: an empty table */
};

/*
 * How many records the message holds: 1 for all but SA table responses
 * (GetTableResp, GetTraceTableResp, GetMultiResp), where it is the data's
 * length by AttributeOffset (IBA volume 1, section 15.2.1.1), possibly 0. A
 * response with a status other than 0 has none: what its bytes hold are no values
 * of anything. For a table cut short this counts the whole records that are there.
 * 0 also for what has no data: no MAD, a timeout, an error, a header alone, an
 * RMPP ACK, STOP or ABORT. A later segment of a table by itself is one record of
 * bytes.
 */
unsigned int madkit_message_records(const struct madkit_message *message);

/*
 * Of a message that came shorter than its RMPP header says (one MAD with FIRST
 * but without LAST, or fewer bytes than PayloadLength declares), or that was
 * cut by whoever received it: how many whole records are there, and how many
 * the whole has as far as PayloadLength tells it (0: it does not). What is no
 * table is 0 of 1. -ENODATA where the message is cut (got and total are set
 * then), 0 where it is whole.
 */
int madkit_message_complete(const struct madkit_message *message,
			    unsigned int *got, unsigned int *total);

/* Fills the view of record n. From madkit_message_records() on (0 for an empty
 * table) there is no data, but the attribute and its offset are told. */
void madkit_record_get(const struct madkit_message *message, unsigned int n,
		       struct madkit_record *record);

/* From the view of a record to that of the next one, as madkit_record_get() would
 * fill it, without looking at the headers again. False: that was the last one;
 * the view is as it was. */
bool madkit_record_next(struct madkit_record *record);

/*
 * The value of a field of the record by its name, as madkit_place_find() takes
 * names. 0; -ENOENT no such field, or no layout is known; -EEXIST several fit;
 * -EINVAL it is none of at most 64 bits, or an array without an index; -ENODATA
 * the record has no data, or ends before it. *value is set with 0 alone.
 */
int madkit_record_value(const struct madkit_record *record, const char *name,
			uint64_t *value);

/* The MAD's own status (0 where there is no MAD or it is a request), without
 * the D bit. */
uint16_t madkit_message_status(const struct madkit_message *message);

MADKIT_END_DECLS
#endif
