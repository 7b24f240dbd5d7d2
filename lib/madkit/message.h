/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A MAD with its envelope (address, times, status), and the records in it: the input of text,
 * JSON, filters and projections. Nothing here is owned: the pointers are the caller's and must
 * live as long as the struct is used.
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

/* The value of "schema" in every JSON line. */
#define MADKIT_SCHEMA "madkit/1"

/* How a message relates to our requests. The response bit of the method separates
 * requests (Send, Trap and Report among them) from responses. */
enum madkit_message_kind {
	MADKIT_MESSAGE_REQUEST,     /* a request: to be sent, received from a port,
					 * or read from a file or trace events */
	MADKIT_MESSAGE_RESPONSE,    /* a response to a request of ours; from a file
					 * or trace events, where nothing is matched,
					 * any response */
	MADKIT_MESSAGE_TIMEOUT,     /* a request of ours without a response in time */
	MADKIT_MESSAGE_UNSOLICITED, /* a response that matches no request of ours */
	MADKIT_MESSAGE_EVENT,       /* a result that is not a MAD */
	MADKIT_MESSAGE_ERROR,       /* a failure, with its errno in send_status:
					 * ECANCELED for a cancelled request */
	MADKIT_MESSAGE_SUMMARY,     /* a closing line */
};

/* "request", "response" ... */
const char *madkit_message_kind_name(enum madkit_message_kind kind);

/* A destination that has not been resolved to an address. */
struct madkit_unresolved {
	uint64_t guid;    /* port GUID, if name is NULL */
	const char *name; /* node description, or NULL */
	bool sl_given;    /* remote.sl is the SL to use, not the one of the path */
};

struct madkit_message {
	enum madkit_message_kind kind;
	const char *host;     /* NULL: not known */
	const char *device;   /* "umad:mlx5_0/1", NULL: none (a file) */
	struct timespec time; /* real time; tv_nsec -1: not known */
	uint32_t agent;
	uint64_t seq;
	const char *tag;                  /* JSON text to echo, or NULL */
	const struct madkit_addr *remote; /* NULL: not known */
	/* Takes the place of the LID, and of the SL unless that is given, in remote, which is not NULL. NULL: remote
	 * is the address. */
	const struct madkit_unresolved *unresolved;
	int64_t rtt_us;      /* -1: not known */
	int32_t attempts;    /* -1: not known (the kernel resends) */
	int send_status;     /* 0 or a positive errno: ETIMEDOUT ... */
	uint8_t rmpp_status; /* of the STOP or ABORT that ended the transfer; 0: there
				 * was none, or the kernel does not report it */
	bool rmpp_illegal;   /* rmpp_status (which may be 0) is not legal in a packet of its type */
	/* The MAD: one frame, or a whole RMPP message in umad's format: the first segment's
	 * headers, then the data of all segments. NULL: no MAD. For a timeout: the request. */
	const uint8_t *mad;
	size_t len;
	/* Selects a row if several rows of the tables describe the attribute
	 * (PortExtendedSpeedsCounters, with RS-FEC or without): the one that was requested.
	 * Ignored if the MAD has another attribute; NULL: the first row. */
	const struct madkit_attribute *attribute;
	bool tid_partial; /* the upper half of the MAD's transaction ID is not known: header.tid is null */
	/* the whole message was longer: mad is only its beginning */
	bool truncated;
	/* A JSON object that a JSON line has as its data instead of the MAD's (kinds event, error,
	 * summary); NULL: the MAD's data, or null. */
	const char *data_json;
};

/* One attribute instance of a message: the view that is shown as a line. */
struct madkit_record {
	const struct madkit_message *message;
	const struct madkit_attribute *attribute; /* NULL: not known */
	const struct madkit_layout *layout;       /* NULL: bytes */
	const uint8_t *data;                      /* NULL: an empty table, or no MAD */
	size_t len;                               /* of data: at most what the message holds */
	/* NULL (madkit_record_get() sets that): every field within len has a value. Otherwise one bit for
	 * each bit of data: an element whose first bit is 0 here is null in expressions and for
	 * madkit_record_value(). */
	const uint8_t *known;
	size_t offset; /* of data in the message */
	size_t end;    /* of all data in the message */
	unsigned int record;
	unsigned int records; /* 0: an empty table */
};

/*
 * How many records the message holds: 1 for all but SA table responses
 * (GetTableResp, GetTraceTableResp, GetMultiResp), where it is the data's
 * length by AttributeOffset (IBA volume 1, section 15.2.1.1), possibly 0. A
 * response with a status other than 0 has none: its data is undefined. For a table
 * that is cut short, only whole records count. 0 also if there is no data: no MAD,
 * a timeout, an error, only a header, an RMPP ACK, STOP or ABORT. A later segment
 * of a table by itself is one record of bytes.
 */
unsigned int madkit_message_records(const struct madkit_message *message);

/*
 * Whether a message is complete. It is cut if it is shorter than its RMPP header
 * declares (one MAD with FIRST but without LAST, or fewer bytes than PayloadLength),
 * or if its receiver truncated it. 0 if complete; -ENODATA if cut: *got is then the
 * number of whole records in it, and *total the number in the complete message by its
 * PayloadLength (0: not known). A message that is not a table has 0 of 1.
 * -EBADMSG if the message has its declared length, but its table cannot be divided into
 * records: if it ends within a record, *got is the number of whole records and *total is
 * *got + 1; if AttributeOffset is 0 although there is data, both are 0. The last record may
 * lack its padding.
 */
int madkit_message_complete(const struct madkit_message *message, unsigned int *got, unsigned int *total);

/* Fills the view of record n. If n is madkit_message_records() or more (0 for an empty
 * table), data is NULL; the attribute and its offset are still set. */
void madkit_record_get(const struct madkit_message *message, unsigned int n, struct madkit_record *record);

/* Advances the view to the next record, as madkit_record_get() would fill it, without
 * parsing the headers again. False: it was the last one, and the view is unchanged. */
bool madkit_record_next(struct madkit_record *record);

/*
 * The value of a field of the record by its name, as madkit_place_find() takes
 * names. 0; -ENOENT no such field, or no layout is known; -EEXIST several match;
 * -EINVAL the field has more than 64 bits, or is an array without an index; -ENODATA
 * the record has no data, ends before the field, or the field is null (known). *value
 * is set only on success.
 */
int madkit_record_value(const struct madkit_record *record, const char *name, uint64_t *value);

/* The status in the MAD's header without the D bit; 0 for a request and without a MAD. */
uint16_t madkit_message_status(const struct madkit_message *message);

MADKIT_END_DECLS
#endif
