/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A message that is being read from its lines. */
#ifndef JSON_IN_H
#define JSON_IN_H

#include <madkit/buf.h>
#include <madkit/json_in.h>
#include "json/tokens.h"

struct madkit_json_in {
	struct json_tokens tokens; /* of the latest line */
	struct madkit_json_message message;
	struct madkit_buf mad, text; /* text: tag and name, for the message */
	uint64_t seq, next, records; /* next 0: no message is begun */
	size_t end;                  /* of the bytes that its lines have */
	size_t record_end;           /* of the last record, without padding */
	bool partial;                /* it lacks fields */
	/* of a message in several lines: what all of them share, as its first line has it */
	struct madkit_buf first;
	struct json_tokens first_tokens;
	const struct json_token *first_root;
};

/* The MAD with the line's header in it; its class, method and attribute. 0, -EINVAL,
 * -ENOMEM. */
int header_put(struct madkit_json_in *in, const struct json_token *line, const struct json_token *header,
	       struct madkit_error *error);

/* Puts the data of one record into the MAD, which becomes as long as that needs. 0,
 * -EINVAL, -EFBIG, -ENOMEM. */
int data_put(struct madkit_json_in *in, const struct json_token *line, uint64_t record,
	     struct madkit_error *error);

/* All records are there: the MAD is as long as the message was that was printed. */
void data_end(struct madkit_json_in *in);

#endif
