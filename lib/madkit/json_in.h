/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_json_in - read MADs from JSON lines
 *
 * This is the inverse of madkit_format_json(). A line that a command printed becomes the bytes that it
 * was made from. A line written by hand has the same form and may omit keys:
 *
 *	{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":4}}
 *
 * Values are numbers, or text as madkit_set() reads it. The functions do not block. A reader has no
 * lock: only one thread may use it at a time.
 */
#ifndef MADKIT_JSON_IN_H
#define MADKIT_JSON_IN_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/error.h>
#include <madkit/mad.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

struct madkit_json_in;

/* The optional keys: one bit for each key that a line contains. */
enum madkit_json_given {
	MADKIT_JSON_KIND = 1 << 0,
	MADKIT_JSON_TID = 1 << 1,
	MADKIT_JSON_LID = 1 << 2,        /* remote.lid */
	MADKIT_JSON_PATH = 1 << 3,       /* remote.path */
	MADKIT_JSON_GID = 1 << 4,        /* remote.gid */
	MADKIT_JSON_QP = 1 << 5,         /* remote.qp */
	MADKIT_JSON_SL = 1 << 6,         /* remote.sl */
	MADKIT_JSON_PKEY_INDEX = 1 << 7, /* remote.pkey_index */
	MADKIT_JSON_GUID = 1 << 8,       /* port GUID; only in lines written by hand */
	MADKIT_JSON_NAME = 1 << 9,       /* node description; only in lines written by hand */
	MADKIT_JSON_M_KEY = 1 << 10,     /* of the header */
	MADKIT_JSON_SM_KEY = 1 << 11,    /* of the header */
	MADKIT_JSON_ROUTE = 1 << 12,     /* initial_path and the other members of a directed route */
	MADKIT_JSON_PRINTED = 1 << 13,   /* a complete line, as a command prints it */
	/* the class. Without it, the class is that of the attribute; an SMP is of class SubnMgt unless
	 * remote has a path. */
	MADKIT_JSON_CLASS = 1 << 14,
	MADKIT_JSON_WHOLE = 1 << 15, /* data names every field */
	MADKIT_JSON_PORT = 1 << 16,  /* data.PortSelect, or data as bytes */
	MADKIT_JSON_TIMEOUT = 1 << 17,
	MADKIT_JSON_RETRIES = 1 << 18,
	MADKIT_JSON_DEADLINE = 1 << 19,
	MADKIT_JSON_CANCEL = 1 << 20, /* {"cancel":TAG}: tag is set, and there is no MAD (len is 0) */
	MADKIT_JSON_SELECT = 1 << 21, /* data.CounterSelect or CounterSelect2, or data as bytes */
};

/* The end of a run of madsweep, as its summary describes it. */
struct madkit_json_run {
	bool ended;    /* the line is the summary of requests */
	bool cut;      /* the deadline or a signal ended the run */
	bool partial;  /* nodes may be missing: the sweep was not complete */
	uint64_t read; /* requests with a response: each has a line, unless a filter left it out */
};

/* A reading of the counters of a port, as madsweep prints it with a difference. */
struct madkit_json_reading {
	uint16_t attribute; /* ID in class PerfMgt */
	uint64_t time_ns;   /* since 1970 */
	size_t len;         /* of data */
	uint8_t data[MADKIT_MAD_BYTES];
};

/* A message from one or more lines. It is valid until the next line is read. */
struct madkit_json_message {
	unsigned int given;                       /* bits of enum madkit_json_given */
	enum madkit_message_kind kind;            /* a request unless the line states another kind */
	const struct madkit_attribute *attribute; /* NULL: not in the tables */
	const uint8_t *mad;
	size_t len; /* 256 or 2048, or more for an RMPP message */
	struct madkit_addr remote;
	uint64_t guid;
	const char *name;
	const char *tag; /* JSON text, or NULL */
	/* limits for this request, each 0 unless the line has it: */
	uint32_t timeout_ms;  /* for each try: 1 to INT32_MAX */
	uint32_t retries;     /* resends: 0 to 1000 */
	uint32_t deadline_ms; /* from now on: 0 to INT32_MAX */
	/* after madkit_json_in_read_ports(): */
	uint64_t time_ns;                 /* when the line was printed, since 1970; 0: not known */
	const struct madkit_record *port; /* the port that it is about, or NULL */
	struct madkit_json_run run;
	const struct madkit_json_reading *readings; /* of the port */
	size_t nreadings;
};

/*
 * madkit_json_in_new - make a reader
 *
 * Return: the reader, which the caller frees with madkit_json_in_free(); NULL if out of memory.
 */
struct madkit_json_in *madkit_json_in_new(void);

/*
 * madkit_json_in_read_ports - also read the port that a line is about
 * @in:        the reader
 * @attribute: description of the record of a port: madkit_sweep_attribute()
 *
 * Each message then has the time and the port of its line, which the commands print after a sweep. Lines without a
 * MAD, such as those of kinds "port", "event" and "summary", or with redacted fields, are accepted: len is 0. Those of
 * differences have readings. Without this call, they are rejected.
 *
 * Return: 0; -EINVAL if the description is another one; -ENOMEM if out of memory.
 */
int madkit_json_in_read_ports(struct madkit_json_in *in, const struct madkit_attribute *attribute);

/*
 * madkit_json_in_free - free a reader
 * @in: reader to free, or NULL
 */
void madkit_json_in_free(struct madkit_json_in *in);

/*
 * madkit_json_in_line - read a line
 * @in:    the reader
 * @line:  the line, with or without its newline
 * @len:   bytes of @line
 * @error: receives the key and the reason of a failure, or NULL
 *
 * A table has one line for each record. After a line that is rejected, the message has only its tag. A
 * line that does not fit the message that was begun discards that message.
 *
 * Return: 1 if the message is complete (madkit_json_in_message()); 0 if it continues on the next line
 * (record is less than records - 1); or:
 * - -EINVAL: the line is not JSON, has an unknown key or a value that does not fit, was cut by a
 *   projection, or lacks secrets
 * - -EINVAL: the line does not continue the message that was begun, or its schema, kind, tag, remote,
 *   header, rmpp, timeout, retries or deadline is not that of record 0
 * - -EFBIG: the line or the message is longer than 64 MiB
 * - -ENOMEM: out of memory
 */
int madkit_json_in_line(struct madkit_json_in *in, const char *line, size_t len, struct madkit_error *error);

/*
 * madkit_json_in_message - return the message of the latest line
 * @in: the reader
 *
 * Return: the message, which is complete if madkit_json_in_line() returned 1. After a line that was
 * rejected, it has only a tag.
 */
const struct madkit_json_message *madkit_json_in_message(const struct madkit_json_in *in);

/*
 * madkit_json_in_end - check for an incomplete message at the end of the input
 * @in:    the reader
 * @error: receives the number of records that were read, or NULL
 *
 * Return: 0, or -ENODATA if the last message lacks lines.
 */
int madkit_json_in_end(struct madkit_json_in *in, struct madkit_error *error);

MADKIT_END_DECLS
#endif
