/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line: the walk over everything that a record shows. line.c visits the envelope, the port, the headers and
 * the data in the order of JSON, decides what the projection shows, and notes the secrets that are hidden. A
 * writer (json.c, text.c, table.c) turns each step into output. cache.c repeats the lines of a shape.
 */
#ifndef FORMAT_LINE_H
#define FORMAT_LINE_H

#include <madkit/format.h>
#include "expr/envelope.h"
#include "expr/plan.h"
#include "expr/projection.h"
#include "expr/value.h"
#include "util/bits.h"

/* The objects of a line, in the order of the walk. */
enum line_object {
	LINE_TOP,
	LINE_REMOTE,
	LINE_PORT,
	LINE_STATUS,
	LINE_HEADER,
	LINE_RMPP,
	LINE_DATA,
};

#define LINE_PATH_BYTES (MADKIT_PATH_MAX + 8)

/* The position within a layout. */
struct line_path {
	const char *prefix; /* "header", "rmpp", "port"; "" in the data */
	unsigned int depth;
	struct {
		const struct madkit_field *field;
		unsigned int index;
	} part[MADKIT_DEPTH_MAX];
};

/* Where the buffer has the head of the previous line: what precedes its data. Lines of one message have the
 * same head, except for the number of the record. */
struct line_previous {
	size_t begin, end;     /* end is 0: no line of this message was written */
	size_t number, behind; /* of the number; equal if it is not shown */
	uint64_t nulls;        /* of the message's envelope */
};

struct line_writer;

struct line {
	struct madkit_buf *buf;
	struct plan *plan; /* NULL, or the plan being recorded: buf is its text */
	const struct line_writer *writer;
	const struct madkit_format *format;
	const struct madkit_record *record;
	void *context; /* of the writer */

	/* the layout being walked */
	enum name_scope scope;
	const struct madkit_layout *layout;
	size_t len;                  /* bytes of the layout that are there */
	const uint8_t *known;        /* which fields are not null, as in struct madkit_record; or NULL */
	struct projection_view view; /* selects the fields that are shown */
	struct line_path path;

	bool rest;                  /* something may belong in "rest" */
	bool noting;                /* note the secrets that are hidden */
	struct madkit_buf redacted; /* their names, as elements of a JSON array */
	struct line_previous *head; /* receives the position of the number, or NULL */

	/* for JSON: where the line begins in the buffer; the end of a structure of the port that is null, in bits */
	size_t begin;
	uint32_t null_end;
	/* for text: depth of layouts within an array of ROWS */
	unsigned int rows;
};

/* The operations of a writer. Those that may be NULL do nothing then. */
struct line_writer {
	/* JSON: the port is an object between remote and status, and contains the data of a record of kind
	 * PORT; headers that are cut short are shown. Else, the port follows the entries of the header. */
	bool nested;
	/* Begins a line, before anything that is the same in lines of one shape. May be NULL. */
	void (*title)(struct line *line);
	/* Begins an object. known: false if the line does not have its content. Returns true if the content
	 * follows. */
	bool (*begin)(struct line *line, enum line_object object, bool known);
	void (*end)(struct line *line, enum line_object object);
	/* Writes an entry of the envelope that is shown. */
	void (*entry)(struct line *line, enum envelope_id id);
	/* Writes a part of a layout that is shown, as madkit_walk() reports it, except for reserved fields. */
	void (*item)(struct line *line, const struct madkit_item *item);
	/* Writes data without a layout. */
	void (*octets)(struct line *line);
	/* Writes an object of which the message has the members. May be NULL. */
	void (*members)(struct line *line, const char *key, const struct madkit_object *object);
	/* Writes "rest", if any is set; otherwise, writes it as empty. May be NULL. */
	void (*rest)(struct line *line, bool any);
};

/* Checks if the value must not be shown. */
static inline bool line_hides(const struct line *line, const struct madkit_item *item)
{
	return !line->format->show_keys && item_is_secret(item);
}

static inline bool line_is_null(const struct line *line, const struct madkit_item *item)
{
	return line->known && !bits_test(line->known, item->bit);
}

/* Walks the parts of a line: everything before the data; the data; "rest" and the end of the line. */
void line_head(struct line *line);
void line_data(struct line *line);
void line_tail(struct line *line, bool rest);

/* Walks a whole line. */
void line_walk(struct line *line);

/* Frees what a walk allocated. The line can be walked again. */
void line_free(struct line *line);

/* Writes an entry by put(). A plan calls emit(), or put() if emit is NULL, unless all lines of the shape have
 * the same value. Both receive the id as the index. */
void line_entry(struct line *line, enum envelope_id id, plan_put put, plan_write_at emit);

/* Writes the data of the record in hexadecimal. A plan calls it for each line. */
void line_octets(struct line *line);

/* Writes the number of an entry at p. Returns the end. */
char *line_emit_number(struct line *line, enum envelope_id id, char *p);

/* Writes the dotted name of an item of the layout being walked: "NodeInfo.Guid", "Block[3].VL"; for an array
 * as a whole, without an index. Returns its length. A name that does not fit is truncated. */
size_t line_path(const struct line *line, const struct madkit_item *item, char text[LINE_PATH_BYTES]);

/*
 * Appends the records of a message that pass the filter: all or none. Uses the cache of the format.
 * Returns the number of records or, if buf could not grow, -errno with buf unchanged.
 */
int cache_lines(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, const struct line_writer *writer);

#endif
