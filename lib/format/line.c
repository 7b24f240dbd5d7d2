/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "format/line.h"
#include "format/rest.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/wire_int.h"

/* ---- names ------------------------------------------------------------------ */

static char *line_path_part(char *p, const char *end, bool dot, const char *name, bool indexed,
			    unsigned int index)
{
	size_t n = strlen(name);

	if ((size_t)(end - p) < n + EMIT_U64_MAX + 4)
		return p;
	if (dot)
		*p++ = '.';
	memcpy(p, name, n);
	p += n;
	if (indexed) {
		*p++ = '[';
		p = emit_u64(p, index);
		*p++ = ']';
	}
	return p;
}

size_t line_path(const struct line *line, const struct madkit_item *item, char text[LINE_PATH_BYTES])
{
	const struct line_path *path = &line->path;
	const char *end = text + LINE_PATH_BYTES;
	char *p = text;
	bool element = item->field->count && item->event != MADKIT_WALK_ARRAY &&
		       item->event != MADKIT_WALK_ARRAY_END;
	bool numbered = item->field->flags & MADKIT_FIELD_NUMBERED;

	if (*path->prefix)
		p = line_path_part(p, end, false, path->prefix, false, 0);
	for (unsigned int i = 0; i < path->depth && i < MADKIT_DEPTH_MAX; i++)
		p = line_path_part(p, end, p > text, path->part[i].field->name, path->part[i].field->count,
				   path->part[i].index);
	p = line_path_part(p, end, p > text, item->field->name, element && !numbered, item->index);
	if (element && numbered && end - p > EMIT_U64_MAX)
		p = emit_u64(p, item->index);
	*p = 0;
	return (size_t)(p - text);
}

static void line_path_move(struct line_path *path, const struct madkit_item *item)
{
	if (item->event == MADKIT_WALK_END) {
		path->depth--;
	} else if (item->event == MADKIT_WALK_STRUCT) {
		if (path->depth < MADKIT_DEPTH_MAX) {
			path->part[path->depth].field = item->field;
			path->part[path->depth].index = item->index;
		}
		path->depth++;
	}
}

/* ---- secrets ---------------------------------------------------------------- */

static void line_note(struct line *line, const char *name, size_t len)
{
	LIT(&line->redacted, "\"");
	if (line->scope == NAME_DATA)
		LIT(&line->redacted, "data.");
	madkit_buf_add(&line->redacted, name, len);
	LIT(&line->redacted, "\",");
}

static void line_note_item(struct line *line, const struct madkit_item *item)
{
	char path[LINE_PATH_BYTES];

	line_note(line, path, line_path(line, item, path));
}

/* Secrets of which only "rest" could show a part: from a bit of the layout to the end of the message. */
struct line_beyond {
	struct line *line;
	uint32_t from;
};

static int line_visit_beyond(void *context, const struct madkit_item *item)
{
	struct line_beyond *beyond = context;
	struct line *line = beyond->line;

	line_path_move(&line->path, item);
	if (item->event == MADKIT_WALK_FIELD && item_is_secret(item) && item->bit >= beyond->from &&
	    item->bit < (uint64_t)line->len * 8 && projection_item(&line->view, item))
		line_note_item(line, item);
	return 0;
}

static void line_walk_beyond(struct line *line, uint32_t from)
{
	/* every field is visited, whatever the length of the message */
	static const uint8_t whole[MADKIT_FRAME_BYTES];
	struct line_beyond beyond = { line, from };

	if (line->noting)
		madkit_walk(line->layout, whole, sizeof(whole), line_visit_beyond, &beyond);
}

/* ---- layouts ---------------------------------------------------------------- */

/* Begins a layout of len bytes. */
static void line_begin(struct line *line, enum name_scope scope, const struct madkit_layout *layout,
		       size_t len)
{
	static const char *const prefixes[] = {
		[NAME_HEADER] = "header",
		[NAME_RMPP] = "rmpp",
		[NAME_PORT] = ENVELOPE_PORT,
		[NAME_DATA] = "",
	};

	line->scope = scope;
	line->layout = layout;
	line->len = len;
	line->known = NULL;
	line->path.prefix = prefixes[scope];
	line->path.depth = 0;
	projection_view(line->format->fields, scope, layout, &line->view);
}

static bool line_reserved_is_zero(const struct madkit_item *item)
{
	if (item->field->width <= 64)
		return !item->value;
	return bytes_are_zero(madkit_item_bytes(item), (item->field->width + 7) / 8);
}

static int line_visit(void *context, const struct madkit_item *item)
{
	struct line *line = context;
	const struct madkit_field *field = item->field;

	line_path_move(&line->path, item);
	if (item->event == MADKIT_WALK_TRUNCATED) {
		line->rest = true;
		line->writer->item(line, item);
		line_walk_beyond(line, item->bit);
		return line->buf->error;
	}
	if (field->kind == MADKIT_KIND_RESERVED) {
		if (item->event == MADKIT_WALK_FIELD && !line_reserved_is_zero(item))
			line->rest = true;
		return 0;
	}
	/* part of an element of a VARIABLE array may remain */
	if (item->event == MADKIT_WALK_ARRAY && item->count < madkit_field_count(field))
		line->rest = true;
	if (line->plan && (field->flags & MADKIT_FIELD_VARIABLE))
		line->plan->error = -EINVAL;
	if (!projection_item(&line->view, item))
		return 0;
	if (line->noting && item->event == MADKIT_WALK_FIELD && item_is_secret(item))
		line_note_item(line, item);
	line->writer->item(line, item);
	return line->buf->error;
}

static void line_layout(struct line *line, const uint8_t *base)
{
	/* a plan contains every field, whatever the length of the message */
	static const uint8_t whole[MADKIT_FRAME_BYTES];

	madkit_walk(line->layout, line->plan ? whole : base, line->plan ? sizeof(whole) : line->len,
		    line_visit, line);
}

/* ---- envelope --------------------------------------------------------------- */

/* For values that are not fields of a layout. */
static const struct madkit_field octets = { .kind = MADKIT_KIND_BYTES };

static void line_put_octets(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct line *line = context;

	(void)item;
	put_bytes(buf, line->record->data, line->record->len);
}

void line_octets(struct line *line)
{
	const struct madkit_item item = { .field = &octets };

	line_call(line->buf, line->plan, PLAN_CALL, &item, line_put_octets, line);
}

/* Checks if an entry varies. Lines of a shape have the same kind, the same nulls, no error, and the same
 * header except for two entries. */
static bool line_entry_varies(const struct line *line, enum envelope_id id)
{
	return ((id > ENVELOPE_KIND && id < ENVELOPE_STATUS_SEND) || id == ENVELOPE_MODIFIER ||
		id == ENVELOPE_TID) &&
	       !(envelope_nulls(line->record->message) >> id & 1);
}

void line_entry(struct line *line, enum envelope_id id, plan_put put, plan_write_at emit)
{
	const struct madkit_item item = { .field = &octets, .index = id, .count = 1 };

	if (!line->plan || !line_entry_varies(line, id))
		put(line, line->buf, &item);
	else if (emit)
		plan_emit(line->plan, &item, emit);
	else
		line_call(line->buf, line->plan, PLAN_CALL, &item, put, line);
}

char *line_emit_number(struct line *line, enum envelope_id id, char *p)
{
	char *end = emit_u64(p, envelope_number(line->record, id));

	if (id == ENVELOPE_RECORD && line->head) {
		line->head->number = (size_t)(p - line->buf->data);
		line->head->behind = (size_t)(end - line->buf->data);
	}
	return end;
}

static void line_entries(struct line *line, enum envelope_id first, enum envelope_id last)
{
	for (enum envelope_id id = first; id <= last; id++)
		if (projection_entry(line->format->fields, id))
			line->writer->entry(line, id);
}

/* ---- port ------------------------------------------------------------------- */

static void line_put_port(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct line *line = context;
	const struct madkit_message *m = line->record->message;

	(void)buf;
	(void)item;
	line_begin(line, NAME_PORT, m->port->layout, m->port->len);
	line->known = m->port->known;
	line->view.own = line->writer->nested && m->kind == MADKIT_MESSAGE_PORT;
	line_layout(line, m->port->data);
	line->writer->end(line, LINE_PORT);
}

static void line_port(struct line *line)
{
	const struct madkit_item item = { .field = &octets, .count = 1 };
	const struct madkit_message *m = line->record->message;

	if (line->writer->begin(line, LINE_PORT, m->port) && m->port)
		line_call(line->buf, line->plan, PLAN_CALL, &item, line_put_port, line);
}

/* ---- headers ---------------------------------------------------------------- */

/* Walks the fields of the common header that are not entries: those of directed-route SMPs. */
static void line_common_header(struct line *line)
{
	const struct madkit_message *m = line->record->message;
	const struct madkit_layout *layout = layout_of_header(m->mad[MADKIT_MAD_CLASS]);

	line_begin(line, NAME_HEADER, layout, m->len);
	for (unsigned int i = 0; i < layout->nfields; i++) {
		struct madkit_item item = {
			.event = MADKIT_WALK_FIELD,
			.field = &layout->fields[i],
			.count = 1,
			.base = m->mad,
			.len = m->len,
			.bit = layout->fields[i].offset,
		};

		if (envelope_has_field(item.field))
			continue;
		item.value = bits_get(m->mad, item.bit, item.field->width);
		line_visit(line, &item);
	}
}

static void line_header(struct line *line)
{
	const struct madkit_message *m = line->record->message;
	bool known = m->mad && m->len >= MADKIT_HEADER_BYTES;
	bool nested = line->writer->nested, shown = line->writer->begin(line, LINE_HEADER, known);
	const struct madkit_layout *layout = shown && known ? layout_of_class_header(m->mad, m->len) : NULL;

	if (shown || !nested)
		line_entries(line, ENVELOPE_CLASS, ENVELOPE_STATUS);
	if (!nested)
		line_port(line);
	if (!shown)
		return;
	if (known)
		line_common_header(line);
	/* a plan is only used for messages that have the whole header */
	if (layout && (nested || line->plan || layout->bytes <= m->len)) {
		line_begin(line, NAME_HEADER, layout, m->len);
		line_layout(line, m->mad);
	}
	line->writer->end(line, LINE_HEADER);
}

/* ---- lines ------------------------------------------------------------------ */

void line_head(struct line *line)
{
	const struct line_writer *w = line->writer;
	const struct madkit_message *m = line->record->message;

	w->begin(line, LINE_TOP, true);
	line_entries(line, ENVELOPE_SCHEMA, ENVELOPE_RECORDS);
	if (w->begin(line, LINE_REMOTE, m->remote)) {
		line_entries(line, ENVELOPE_REMOTE_LID, ENVELOPE_REMOTE_NAME);
		w->end(line, LINE_REMOTE);
	}
	if (w->nested)
		line_port(line);
	if (w->members && m->hop)
		w->members(line, "hop", m->hop);
	line_entries(line, ENVELOPE_RTT_US, ENVELOPE_ATTEMPTS);
	if (w->begin(line, LINE_STATUS, true)) {
		line_entries(line, ENVELOPE_STATUS_SEND, ENVELOPE_STATUS_TEXT);
		w->end(line, LINE_STATUS);
	}
	line_header(line);
	if (w->begin(line, LINE_RMPP, m->mad && madkit_mad_has_rmpp(m->mad, m->len))) {
		line_begin(line, NAME_RMPP, &madkit_layout_rmpp, m->len);
		line_layout(line, m->mad);
		w->end(line, LINE_RMPP);
	}
}

/* Notes the secrets of data that is not shown, and of which "rest" shows the bytes. */
static void line_hidden_data(struct line *line)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;
	const struct madkit_layout *layout;

	if (!m->mad || !r->attribute || r->offset >= m->len || !rest_shown(m))
		return;
	layout = madkit_attribute_layout(r->attribute, m->mad + r->offset, m->len - r->offset);
	if (!layout)
		return;
	line_begin(line, NAME_DATA, layout, m->len - r->offset);
	if (!data_is_secret(r))
		line_walk_beyond(line, 0);
	else if (projection_group(line->format->fields, "data"))
		line_note(line, DATA_BYTES, sizeof(DATA_BYTES) - 1);
}

void line_data(struct line *line)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;
	bool noting = line->noting;

	if (line->writer->members && m->data) {
		line->writer->members(line, "data", m->data);
	} else if (line->writer->begin(line, LINE_DATA, r->data)) {
		line->scope = NAME_DATA;
		/* if the places of secrets are not known, all of it is one */
		if (noting && data_is_secret(r)) {
			line_note(line, DATA_BYTES, sizeof(DATA_BYTES) - 1);
			line->noting = false;
		}
		if (r->layout) {
			line_begin(line, NAME_DATA, r->layout, r->len);
			line->known = r->known;
			line_layout(line, r->data);
		} else {
			line->writer->octets(line);
		}
		line->noting = noting;
		line->writer->end(line, LINE_DATA);
	}
	if (noting && !r->data)
		line_hidden_data(line);
}

void line_tail(struct line *line, bool rest)
{
	if (line->writer->rest)
		line->writer->rest(line, rest);
	line->writer->end(line, LINE_TOP);
}

void line_walk(struct line *line)
{
	if (line->writer->title)
		line->writer->title(line);
	line_head(line);
	line_data(line);
	line_tail(line, line->writer->rest && line->record->message->mad &&
				(line->rest || line->format->fields || rest_likely(line->record)));
}

void line_free(struct line *line)
{
	madkit_buf_free(&line->redacted);
}
