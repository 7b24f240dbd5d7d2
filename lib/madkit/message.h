/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_message - a MAD with its address, times and status, and its records
 *
 * A struct madkit_message is the input of the formats (madkit_format(3)), filters and projections
 * (madkit_expr(3)). A struct madkit_record is a view of one attribute in it: a response with a table
 * has a record for each entry.
 *
 * The structs own nothing: what their pointers refer to belongs to the caller and must remain valid as
 * long as the struct is used. The functions do not block, and any number of threads may call them at
 * once.
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

/*
 * The kind of a message. The response bit of the method distinguishes requests (including Send, Trap and
 * Report) from responses.
 */
enum madkit_message_kind {
	/* a request: to be sent, received by a port, or read from a file or from trace events */
	MADKIT_MESSAGE_REQUEST,
	/* a response to a request of this program; in a file or in trace events, any response */
	MADKIT_MESSAGE_RESPONSE,
	MADKIT_MESSAGE_TIMEOUT,     /* a request of this program that got no response in time */
	MADKIT_MESSAGE_UNSOLICITED, /* a response that matches no request of this program */
	MADKIT_MESSAGE_EVENT,       /* a result that is not a MAD */
	MADKIT_MESSAGE_ERROR,       /* a failure, with its errno in send_status; ECANCELED: cancelled */
	MADKIT_MESSAGE_SUMMARY,     /* the last line of a command's output */
	MADKIT_MESSAGE_PORT,        /* a port of a subnet, without a MAD */
	MADKIT_MESSAGE_PROBLEM,     /* a problem of a port, a link or a subnet, without a MAD */
	MADKIT_MESSAGE_DIFFERENCE,  /* a difference between two states of a subnet, without a MAD */
};

/* A destination that has not been resolved to an address. */
struct madkit_unresolved {
	uint64_t guid;    /* port GUID, if name is NULL */
	const char *name; /* node description, or NULL */
	bool sl_given;    /* use remote.sl instead of the SL of the path */
};

struct madkit_object;
struct madkit_record;

/* A message. */
struct madkit_message {
	enum madkit_message_kind kind;
	const char *host;     /* NULL: not known */
	const char *device;   /* "umad:mlx5_0/1"; NULL: none, for example in a file */
	struct timespec time; /* real time; tv_nsec -1: not known */
	uint32_t agent;
	uint64_t seq;
	const char *tag;                  /* JSON text to copy to the output, or NULL */
	const struct madkit_addr *remote; /* NULL: not known */
	/* NULL: remote is the complete address. Otherwise this replaces the LID in remote, and the SL
	 * unless sl_given is set; remote must not be NULL. */
	const struct madkit_unresolved *unresolved;
	const char *name; /* of the node at remote; NULL: not known */
	int64_t rtt_us;   /* round trip in microseconds; -1: not known */
	int32_t attempts; /* -1: not known, because the kernel resends */
	int send_status;  /* 0 or a positive errno value, such as ETIMEDOUT */
	/* of the STOP or ABORT that ended the transfer; 0: there was none, or the kernel does not
	 * report it */
	uint8_t rmpp_status;
	bool rmpp_illegal; /* a packet of its type must not have rmpp_status (which may be 0) */
	/* The MAD: one frame, or a whole RMPP message in umad's format, that is the headers of the
	 * first segment and then the data of all segments. Of a timeout: the request. NULL: no MAD. */
	const uint8_t *mad;
	size_t len;
	/* The row of the tables that was requested, if several rows describe one attribute
	 * (PortExtendedSpeedsCounters with and without RS-FEC). Ignored if the MAD has another
	 * attribute. NULL: the first row. */
	const struct madkit_attribute *attribute;
	bool tid_partial; /* the upper half of the transaction ID is not known: header.tid is null */
	bool truncated;   /* the receiver truncated the message: mad is only its beginning */
	/* Members to write as the data of a JSON line instead of the fields of the MAD (kinds event, error
	 * and summary); NULL: the data of the MAD, or null. */
	const struct madkit_object *data;
	/* The port that the message is about: a record with the fields of "port" in a JSON line
	 * (its message is ignored), or NULL. If kind is MADKIT_MESSAGE_PORT, it is the message's only
	 * record. */
	const struct madkit_record *port;
	/* If kind is MADKIT_MESSAGE_PROBLEM: a record with the fields of "problem" in a JSON line (its message is
	 * ignored). It is the message's only record. */
	const struct madkit_record *problem;
	/* If kind is MADKIT_MESSAGE_DIFFERENCE: the same with the fields of "difference". */
	const struct madkit_record *difference;
	/* Members to write as "hop" in a JSON line: the place of the port on a route. NULL: the line does not
	 * have this key. */
	const struct madkit_object *hop;
};

/* One attribute of a message: the data of one line of output. */
struct madkit_record {
	const struct madkit_message *message;
	const struct madkit_attribute *attribute; /* NULL: not known */
	const struct madkit_layout *layout;       /* NULL: bytes without fields */
	const uint8_t *data;                      /* NULL: an empty table, or no MAD */
	size_t len;                               /* of data: at most what the message contains */
	/* One bit for each bit of data. If the first bit of an element is 0 here, the element is null
	 * in expressions, for madkit_record_value(), and in the output if this is the port of a
	 * message. NULL, as madkit_record_get() sets it for a MAD: every field within len has a value. */
	const uint8_t *known;
	size_t offset;        /* of data in the message */
	size_t end;           /* of all data in the message */
	unsigned int record;  /* number of this record, from 0 */
	unsigned int records; /* in the message; 0: an empty table */
};

/*
 * madkit_message_records - return the number of records in a message
 * @message: the message
 *
 * A response with an SA table (GetTableResp, GetTraceTableResp, GetMultiResp) has as many records as
 * its length and AttributeOffset determine (IBA volume 1, section 15.2.1.1), possibly 0. If it was cut
 * short, only complete records count. Any other MAD with data has one record, and so has a message of
 * kind MADKIT_MESSAGE_PORT. A later segment of a table on its own is one record without fields.
 *
 * A response with a status other than 0 has no records, because its data is undefined. A message
 * without data has none: no MAD, a timeout, an error, only a header, an RMPP ACK, STOP or ABORT.
 *
 * Return: the number of records.
 */
unsigned int madkit_message_records(const struct madkit_message *message);

/*
 * madkit_message_complete - check whether a message is complete
 * @message: the message
 * @got:     receives the number of complete records
 * @total:   receives the number of records in the whole message; 0: not known
 *
 * A message is incomplete if its receiver truncated it, or if it is shorter than its RMPP header
 * declares: one MAD with FIRST but without LAST, or fewer bytes than PayloadLength. The last record of
 * a table may lack its padding.
 *
 * @got and @total are set unless the message is complete. For a message that is not a table, they are 0
 * and 1.
 *
 * Return: 0 if the message is complete; or:
 * - -ENODATA: it is incomplete; @total is computed from its PayloadLength
 * - -EBADMSG: it has its declared length, but its table cannot be divided into records. If it ends
 *   within a record, @total is @got + 1. If AttributeOffset is 0 although there is data, both are 0.
 */
int madkit_message_complete(const struct madkit_message *message, unsigned int *got, unsigned int *total);

/*
 * madkit_record_get - return a record of a message
 * @message: the message
 * @n:       number of the record, from 0
 * @record:  receives the record
 *
 * If the message has no such record (in an empty table, even record 0), data is NULL; the attribute and
 * its offset are still set.
 */
void madkit_record_get(const struct madkit_message *message, unsigned int n, struct madkit_record *record);

/*
 * madkit_record_next - advance to the next record
 * @record: record to replace by the next one
 *
 * Has the same result as madkit_record_get() with the next number, but does not parse the headers
 * again.
 *
 * Return: false if it was the last record; @record is then unchanged.
 */
bool madkit_record_next(struct madkit_record *record);

/*
 * madkit_record_value - return a field of a record by its name
 * @record: the record
 * @name:   name of the field, as for madkit_place_find()
 * @value:  receives the value; unchanged on failure
 *
 * madkit_get() with a constant is faster.
 *
 * Return: 0 on success, or:
 * - -ENOENT: there is no such field, or the layout is not known
 * - -EEXIST: a short name matches several fields
 * - -EINVAL: the field has more than 64 bits, or is an array without an index
 * - -ENODATA: the record has no data, ends before the field, or the field is null
 */
int madkit_record_value(const struct madkit_record *record, const char *name, uint64_t *value);

/*
 * madkit_message_status - return the MAD status of a response
 * @message: the message
 *
 * Return: the status without the D bit of a directed-route SMP; 0 for a request, and for a message
 * without a MAD.
 */
uint16_t madkit_message_status(const struct madkit_message *message);

MADKIT_END_DECLS
#endif
