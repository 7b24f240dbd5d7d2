/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines become a message: the state of the reader (in.c), the members of a line and its header (line.c), and its
 * data and rest (data.c). Errors name the key and are -EINVAL. */
#ifndef JSON_IN_H
#define JSON_IN_H

#include <madkit/buf.h>
#include <madkit/json_in.h>
#include "expr/envelope.h"
#include "json/tokens.h"
#include "util/nearest.h"

#define LINE_MESSAGE_MAX (64 << 20) /* bytes of a line, and of a message */

enum {
	PORT_OBJECT_BYTES = 717, /* the longest layout of a port */
	PORT_OBJECT_READINGS = 2,
};

struct madkit_json_port;

struct madkit_json_in {
	struct json_tokens tokens; /* of the latest line */
	struct madkit_json_message message;
	struct madkit_json_port *port; /* NULL: ports are not read */
	struct madkit_buf mad, text;   /* text: tag and name, for the message */
	uint64_t seq, next, records;   /* next 0: no message has begun */
	size_t end;                    /* of the bytes in its lines */
	size_t record_end;             /* of the last record, without padding */
	bool partial;                  /* the last record lacks fields */
	/* for a message in several lines: the shared members, as in its first line */
	struct madkit_buf first;
	struct json_tokens first_tokens;
	const struct json_token *first_root;
};

/* ---- line.c ---- */

/* The entries of the envelope that an object has; at first all zeros. */
struct line_entries {
	uint64_t found;    /* a bit for each */
	unsigned int next; /* to look at first: printed lines have the order of the table */
};

/* Checks if the envelope has an entry with this key in the group, and adds it. At the top, groups are also accepted. */
bool line_has_entry(struct line_entries *entries, enum envelope_group group, const struct json_token *key);

/* Returns the first entry of the group that has not been found, or NULL. */
const struct envelope_entry *line_lacks(const struct line_entries *entries, enum envelope_group group);

/* Rejects a key for a reason, and suggests the nearest key of the group or word that nearest has compared.
 * Returns -EINVAL. */
int line_unknown(enum envelope_group group, const char *scope, const char *reason, struct nearest *nearest,
		 struct madkit_error *error);

/* Returns a member, or NULL if it is missing or null. */
const struct json_token *line_member(const struct json_token *object, const char *key);

/* Gets the number of a member, at most max, or otherwise if it is missing. */
int line_number(const struct json_token *object, const char *scope, const char *key, uint64_t max,
		uint64_t otherwise, uint64_t *number, struct madkit_error *error);

/* Gets a string without U+0000, or NULL if it is missing. */
int line_text(const struct json_token *object, const char *scope, const char *key, const char **text,
	      struct madkit_error *error);

/* Reads the address of the message. */
int line_remote(struct madkit_json_message *message, const struct json_token *line,
		struct madkit_error *error);

/* Extends the message with zeros to at least this length. Returns 0, -EFBIG or -ENOMEM. */
int line_extend(struct madkit_buf *mad, size_t len);

/* The same for the value of a key, which is rejected (-EINVAL) if a MAD of the class cannot be that long. */
int line_reach(struct madkit_buf *mad, size_t len, const char *scope, const char *key,
	       struct madkit_error *error);

/* Writes the line's header into the MAD, and sets its class, method and attribute. Returns 0, -EINVAL or
 * -ENOMEM. */
int header_put(struct madkit_json_in *in, const struct json_token *line, const struct json_token *header,
	       struct madkit_error *error);

/* ---- port_object.c ---- */

/* The port of a line, as a record. */
struct madkit_json_port {
	const struct madkit_attribute *attribute;
	struct madkit_record record; /* without data: the line has no port */
	uint8_t data[PORT_OBJECT_BYTES], known[PORT_OBJECT_BYTES];
	struct madkit_json_reading readings[PORT_OBJECT_READINGS];
	size_t nreadings;
};

/* Reads the time at which a line was printed: nanoseconds since 1970; 0: it has none. Returns 0 or -EINVAL. */
int port_object_time(const struct json_token *line, uint64_t *ns, struct madkit_error *error);

/* Reads the end of a run: of other lines than summaries with requests, all zero. Returns 0 or -EINVAL. */
int port_object_run(const struct json_token *line, struct madkit_json_run *run, struct madkit_error *error);

/* Reads the port of a line. Returns 0 or -EINVAL. */
int port_object_read(struct madkit_json_port *port, const struct json_token *line,
		     struct madkit_error *error);

/* Reads the readings of a difference, in a line of this time. Returns 0 or -EINVAL. */
int port_object_readings(struct madkit_json_port *port, const struct json_token *line, uint64_t time_ns,
			 struct madkit_error *error);

/* ---- data.c ---- */

/* Writes the data of one record into the MAD, which grows as needed. Returns 0, -EINVAL, -EFBIG or
 * -ENOMEM. */
int data_put(struct madkit_json_in *in, const struct json_token *line, uint64_t record,
	     struct madkit_error *error);

/* Writes the line's rest (or NULL) into the message: bits that no field covers. If rest has bytes of a
 * string, the string consists only of these. Raises *end to the end of the last byte. */
int line_rest(struct madkit_buf *mad, const struct json_token *rest, size_t *end, struct madkit_error *error);

/* Call this after all records: gives the MAD the length of the message that was printed. */
void data_end(struct madkit_json_in *in);

#endif
