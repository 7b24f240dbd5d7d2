/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The envelope of a record: everything in a JSON line except the data of the attribute. One table for JSON,
 * filters, projections and text.
 */
#ifndef EXPR_ENVELOPE_H
#define EXPR_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/message.h>

enum envelope_id {
	ENVELOPE_SCHEMA,
	ENVELOPE_KIND,
	ENVELOPE_HOST,
	ENVELOPE_TIME,
	ENVELOPE_EPOCH, /* the time as seconds, with six decimals */
	ENVELOPE_DEVICE,
	ENVELOPE_AGENT,
	ENVELOPE_SEQ,
	ENVELOPE_TAG,
	ENVELOPE_RECORD,
	ENVELOPE_RECORDS,
	ENVELOPE_REMOTE_LID,
	ENVELOPE_REMOTE_PATH,
	ENVELOPE_REMOTE_GID,
	ENVELOPE_REMOTE_QP,
	ENVELOPE_REMOTE_SL,
	ENVELOPE_REMOTE_PKEY_INDEX,
	ENVELOPE_REMOTE_NAME,
	ENVELOPE_RTT_US,
	ENVELOPE_ATTEMPTS,
	ENVELOPE_STATUS_SEND,
	ENVELOPE_STATUS_MAD,
	ENVELOPE_STATUS_RMPP,
	ENVELOPE_STATUS_TEXT,
	ENVELOPE_CLASS,
	ENVELOPE_CLASS_ID,
	ENVELOPE_BASE_VERSION,
	ENVELOPE_CLASS_VERSION,
	ENVELOPE_METHOD,
	ENVELOPE_METHOD_ID,
	ENVELOPE_ATTRIBUTE,
	ENVELOPE_ATTRIBUTE_ID,
	ENVELOPE_MODIFIER,
	ENVELOPE_TID,
	ENVELOPE_STATUS,
	ENVELOPE_N,
};

enum envelope_group {
	ENVELOPE_TOP,
	ENVELOPE_REMOTE, /* "remote." ... */
	ENVELOPE_RESULT, /* "status." ... */
	ENVELOPE_HEADER, /* "header." ... */
};

/* In the order of JSON output. */
struct envelope_entry {
	uint8_t group;    /* enum envelope_group */
	uint8_t key;      /* where the last part of name begins */
	uint8_t key_len;  /* its length */
	bool number;      /* a number, unless it is null; otherwise text or JSON */
	const char *name; /* "remote.lid" */
};

extern const struct envelope_entry envelope_entries[ENVELOPE_N];

/* The key of the port that a message is about. */
#define ENVELOPE_PORT "port"
/* The key of the fields of a problem, in place of "data". */
#define ENVELOPE_PROBLEM "problem"
/* The same of a difference. */
#define ENVELOPE_DIFFERENCE "difference"

/* The objects of a line: "remote", "data" ... Terminated by NULL. */
extern const char *const envelope_groups[];

enum envelope_type {
	ENVELOPE_NONE, /* unknown: null */
	ENVELOPE_NUMBER,
	ENVELOPE_HEX64, /* number, shown as 0x and 16 digits */
	ENVELOPE_TEXT,  /* text, len */
	ENVELOPE_PLAIN, /* ... without characters that JSON escapes */
	ENVELOPE_JSON,  /* text is JSON already */
};

#define ENVELOPE_STORE MADKIT_PATH_TEXT_MAX

struct envelope_value {
	enum envelope_type type;
	uint64_t number;
	const char *text;
	size_t len;
	char store[ENVELOPE_STORE];
};

/* Returns the entries that are null, as bits. A time out of range, and a method or an attribute without a
 * name, are also null, but have no bit. */
uint64_t envelope_nulls(const struct madkit_message *message);

/* Returns the number of an entry that has one and is not null. */
uint64_t envelope_number(const struct madkit_record *record, enum envelope_id id);

/* Gets the value of an entry of the record. */
void envelope_get(const struct madkit_record *record, enum envelope_id id, struct envelope_value *value);

/* Returns the reason why the exchange failed, as text. store: room for texts that are not constant. */
const char *envelope_failure(const struct madkit_message *message, char store[ENVELOPE_STORE]);

/* Returns the entry with this name (including its group), ignoring case, or ENVELOPE_N. */
enum envelope_id envelope_find(const char *name, size_t len);

/* Checks if a field of the common header's layout is one of the fixed entries. */
int envelope_has_field(const struct madkit_field *field);

#endif
