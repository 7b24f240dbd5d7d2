/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON lines to MADs: the inverse of madkit_format_json(). Lines that a command
 * printed become the bytes that they were made from; shorter ones, written by
 * hand, have the same shape and leave keys out:
 *
 *   {"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":4}}
 *
 * Values are numbers, or text as madkit_set() reads it.
 */
#ifndef MADKIT_JSON_IN_H
#define MADKIT_JSON_IN_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/error.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

struct madkit_json_in;

/* The keys that a line may leave out: a bit for each that it has. */
enum madkit_json_given {
	MADKIT_JSON_KIND = 1 << 0,
	MADKIT_JSON_TID = 1 << 1,
	MADKIT_JSON_LID = 1 << 2,  /* remote.lid */
	MADKIT_JSON_PATH = 1 << 3, /* remote.path, and so on */
	MADKIT_JSON_GID = 1 << 4,
	MADKIT_JSON_QP = 1 << 5,
	MADKIT_JSON_SL = 1 << 6,
	MADKIT_JSON_PKEY_INDEX = 1 << 7,
	MADKIT_JSON_GUID = 1 << 8,     /* port GUID, in lines by hand alone */
	MADKIT_JSON_NAME = 1 << 9,     /* node description, likewise */
	MADKIT_JSON_M_KEY = 1 << 10,   /* of the header */
	MADKIT_JSON_SM_KEY = 1 << 11,  /* of the header */
	MADKIT_JSON_ROUTE = 1 << 12,   /* initial_path and what goes with it */
	MADKIT_JSON_PRINTED = 1 << 13, /* a command's own line: all of it */
	MADKIT_JSON_CLASS = 1 << 14,   /* else the attribute's: SMPs are LID-routed
				 * ones of class SubnMgt, unless remote has a path */
	MADKIT_JSON_WHOLE = 1 << 15,   /* data names every field */
	MADKIT_JSON_PORT = 1 << 16,    /* data.PortSelect, or data as bytes */
	MADKIT_JSON_TIMEOUT = 1 << 17,
	MADKIT_JSON_RETRIES = 1 << 18,
	MADKIT_JSON_DEADLINE = 1 << 19,
	MADKIT_JSON_CANCEL = 1 << 20, /* {"cancel":TAG}: tag is set, and there is no MAD (len 0) */
	MADKIT_JSON_SELECT = 1 << 21, /* data.CounterSelect or CounterSelect2, or data as bytes */
};

/* A message, from one line or several. All of it lives until the next line is
 * read. */
struct madkit_json_message {
	unsigned int given;                       /* enum madkit_json_given */
	enum madkit_message_kind kind;            /* a request, where the line does not say */
	const struct madkit_attribute *attribute; /* NULL: no table has it */
	const uint8_t *mad;
	size_t len; /* 256 or 2048, or longer */
	struct madkit_addr remote;
	uint64_t guid;
	const char *name;
	const char *tag; /* JSON text, or NULL */
	/* limits of this request, each 0 unless it is given */
	uint32_t timeout_ms;  /* for each try: 1 to INT32_MAX */
	uint32_t retries;     /* resends: 0 to 1000 */
	uint32_t deadline_ms; /* from now on: 0 to INT32_MAX */
};

/* NULL: no memory. The reader is the caller's to free; NULL is fine there. */
struct madkit_json_in *madkit_json_in_new(void);
void madkit_json_in_free(struct madkit_json_in *in);

/*
 * Reads one line (len bytes, its newline may be among them). 1: a message is
 * whole, see madkit_json_in_message(); 0: it goes on with the next line (record
 * below records - 1). -EINVAL, with error naming the key and the reason: no JSON, a
 * key that nothing has, a value that does not fit, a line cut by a projection or
 * with secrets left out, one that does not go on with the message begun or whose
 * schema, kind, tag, remote, header or rmpp differs from that of record 0 (the message is given up then); -EFBIG beyond 64 MiB; -ENOMEM. Of a line that is refused the
 * message has the tag alone. Never blocks.
 */
int madkit_json_in_line(struct madkit_json_in *in, const char *line, size_t len, struct madkit_error *error);

/* The message of the latest line: whole after 1, of a line that is refused its tag. */
const struct madkit_json_message *madkit_json_in_message(const struct madkit_json_in *in);

/* At the end of input: 0, or -ENODATA where a message lacks lines: error says how
 * many it has. */
int madkit_json_in_end(struct madkit_json_in *in, struct madkit_error *error);

MADKIT_END_DECLS
#endif
