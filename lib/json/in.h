/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of reading a message from its lines. */
#ifndef JSON_IN_H
#define JSON_IN_H

#include <madkit/buf.h>
#include <madkit/json_in.h>
#include "json/tokens.h"

struct madkit_json_in {
	struct json_tokens tokens; /* of the latest line */
	struct madkit_json_message message;
	struct madkit_buf mad, text; /* text: tag and name, for the message */
	uint64_t seq, next, records; /* next 0: no message has begun */
	size_t end;                  /* of the bytes in its lines */
	size_t record_end;           /* of the last record, without padding */
	bool partial;                /* the last record lacks fields */
	/* for a message in several lines: the shared members, as in its first line */
	struct madkit_buf first;
	struct json_tokens first_tokens;
	const struct json_token *first_root;
};

/* Writes the line's header into the MAD, and sets its class, method and attribute. Returns 0, -EINVAL or
 * -ENOMEM. */
int header_put(struct madkit_json_in *in, const struct json_token *line, const struct json_token *header,
	       struct madkit_error *error);

/* Writes the data of one record into the MAD, which grows as needed. Returns 0, -EINVAL, -EFBIG or
 * -ENOMEM. */
int data_put(struct madkit_json_in *in, const struct json_token *line, uint64_t record,
	     struct madkit_error *error);

/* Call this after all records: gives the MAD the length of the message that was printed. */
void data_end(struct madkit_json_in *in);

#endif
