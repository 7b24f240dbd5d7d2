/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats records as text, in the style of libibmad's dumps. */
#include <ctype.h>
#include <errno.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/envelope.h"
#include "expr/value.h"
#include "format/text_int.h"
#include "format/rest.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/wire_int.h"

/* Writes a number, right-aligned in a column of width characters. */
static void put_padded(struct madkit_buf *buf, uint64_t v, size_t width)
{
	char digits[EMIT_U64_MAX];
	size_t n = (size_t)(emit_u64(digits, v) - digits);

	for (; n < width; width--)
		LIT(buf, " ");
	madkit_buf_add(buf, digits, n);
}

/* Writes "Name:.......". */
static void text_label(struct madkit_buf *buf, const char *name, size_t n)
{
	char *p = madkit_buf_room(buf, n + VALUE_COLUMN + 2);

	if (!p)
		return;
	memcpy(p, name, n);
	p[n++] = ':';
	/* one dot separates a longer name from its value */
	if (n < VALUE_COLUMN) {
		memset(p + n, '.', VALUE_COLUMN - n);
		n = VALUE_COLUMN;
	} else if (n > VALUE_COLUMN) {
		p[n++] = '.';
	}
	buf->len += n;
}

void madkit_text_label(struct madkit_buf *buf, const char *name)
{
	text_label(buf, name, strlen(name));
}

/* ---- tables: several elements a line --------------------------------------- */

/* Returns the number of the first element: numbers continue from block to block of a table. */
static unsigned int first_element(const struct text *t, unsigned int count)
{
	const struct madkit_message *m = t->record->message;
	const char *word = t->record->attribute ? t->record->attribute->modifier : NULL;
	size_t n = word ? strlen(word) : 0;

	if (n < 5 || strcmp(word + n - 5, "block") || m->len < MADKIT_HEADER_BYTES)
		return 0;
	return get_be16(m->mad + MADKIT_MAD_MODIFIER + 2) * count;
}

/* Writes the chosen elements of a table, one per line. Returns false, and writes nothing, if all are
 * chosen. */
static bool put_elements(struct text *t, const struct madkit_item *array)
{
	struct madkit_item one = *array;
	unsigned int chosen = 0;
	char path[PATH_BYTES];

	one.event = MADKIT_WALK_FIELD;
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < array->count; i++) {
			one.index = i;
			one.bit = array->bit - array->field->offset + madkit_field_offset(array->field, i);
			if (!projection_item(&t->view, &one))
				continue;
			chosen += !pass;
			if (!pass || madkit_field_get(array->field, i, array->base, array->len, &one.value))
				continue;
			text_label(t->buf, path, path_text(&t->path, &one, path));
			value_text(t->buf, NULL, &one, t->format->show_keys);
			LIT(t->buf, "\n");
		}
		if (chosen == array->count)
			return false;
	}
	return true;
}

static void put_rows(struct text *t, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	bool small = field->width <= 4;
	unsigned int row = field->width > 32 ? 2 : field->width > 8 ? 8 : 16;
	unsigned int first = first_element(t, madkit_field_count(field));
	struct madkit_item one = *item;

	if (t->format->fields && put_elements(t, item))
		return;
	one.event = MADKIT_WALK_FIELD;
	for (unsigned int i = 0; i < item->count; i++) {
		if (i % row == 0 && !small) {
			put_padded(t->buf, first + i, 4);
			LIT(t->buf, ":");
		} else if (i % row == 0) {
			LIT(t->buf, "|");
		}
		one.index = i;
		if (madkit_field_get(field, i, item->base, item->len, &one.value))
			break;
		if (!small)
			LIT(t->buf, " ");
		if (field->kind == MADKIT_KIND_UNSIGNED)
			put_padded(t->buf, one.value, small ? 2 : 3);
		else
			value_text(t->buf, NULL, &one, t->format->show_keys);
		if (small)
			LIT(t->buf, "|");
		if (i % row == row - 1 || i == item->count - 1)
			LIT(t->buf, "\n");
	}
}

/* Checks if a nested field is shown for any element of the array. */
static bool column_chosen(const struct text *t, const struct madkit_item *array,
			  const struct madkit_field *field)
{
	struct madkit_item item = { .event = MADKIT_WALK_FIELD, .field = field };

	for (unsigned int i = 0; i < array->count; i++) {
		item.bit = array->bit - array->field->offset + field->offset +
			   madkit_field_offset(array->field, i);
		if (projection_item(&t->view, &item))
			return true;
	}
	return false;
}

/* Writes an array of layouts, one line for each of their fields. */
static void put_columns(struct text *t, const struct madkit_item *item)
{
	const struct madkit_layout *sub = item->field->sub;
	size_t widest = 0;

	for (unsigned int f = 0; f < sub->nfields; f++)
		if (sub->fields[f].kind != MADKIT_KIND_RESERVED && strlen(sub->fields[f].name) > widest)
			widest = strlen(sub->fields[f].name);
	for (unsigned int f = 0; f < sub->nfields; f++) {
		const struct madkit_field *field = &sub->fields[f];
		size_t n = strlen(field->name);

		if (field->kind == MADKIT_KIND_RESERVED || field->width > 32 ||
		    !column_chosen(t, item, field))
			continue;
		for (size_t i = 0; i < widest; i++)
			madkit_buf_char(t->buf, i < n ? (char)toupper((unsigned char)field->name[i]) : ' ');
		LIT(t->buf, ": |");
		for (unsigned int i = 0; i < item->count; i++) {
			size_t at = madkit_field_offset(item->field, i) / 8;
			const struct madkit_item element = {
				.event = MADKIT_WALK_FIELD,
				.field = field,
				.bit = item->bit - item->field->offset + field->offset +
				       madkit_field_offset(item->field, i),
			};
			uint64_t value = 0;
			char hex[EMIT_HEX_MAX];
			size_t skip = 14;

			if (!projection_item(&t->view, &element))
				continue;
			madkit_field_get(field, 0, item->base + at, item->len - at, &value);
			emit_hex(hex, value, 16);
			for (size_t d = 2; d < 18; d++) {
				if (hex[d] != '0' && skip > d - 2)
					skip = d - 2;
				hex[d] = (char)toupper((unsigned char)hex[d]);
			}
			LIT(t->buf, "0x");
			/* left-aligned, two characters wide */
			if (value < 16)
				skip = 15;
			madkit_buf_add(t->buf, hex + 2 + skip, 16 - skip);
			if (value < 16)
				LIT(t->buf, " ");
			LIT(t->buf, "|");
		}
		LIT(t->buf, "\n");
	}
}

/* Writes an array of ROWS in whole lines. buf is that of the text. */
static void text_put_rows(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct text *t = context;

	(void)buf;
	if (item->field->kind == MADKIT_KIND_STRUCT)
		put_columns(t, item);
	else
		put_rows(t, item);
}

/* ---- fields ---------------------------------------------------------------- */

static int text_visit(void *context, const struct madkit_item *item)
{
	struct text *t = context;
	const struct madkit_field *field = item->field;
	bool rows = field->count && (field->flags & MADKIT_FIELD_ROWS), null;
	char path[PATH_BYTES];

	if (item->event == MADKIT_WALK_STRUCT) {
		path_push(&t->path, item);
		t->rows += rows || t->rows;
		return 0;
	}
	if (item->event == MADKIT_WALK_END) {
		path_pop(&t->path);
		t->rows -= t->rows ? 1 : 0;
		return 0;
	}
	if (item->event == MADKIT_WALK_TRUNCATED) {
		LIT(t->buf, "# cut short: ");
		put_number(t->buf, t->record->len);
		LIT(t->buf, " of ");
		put_number(t->buf, t->layout->bytes);
		LIT(t->buf, " bytes\n");
		return 0;
	}
	if (t->plan && (field->flags & MADKIT_FIELD_VARIABLE))
		return t->plan->error = -EINVAL;
	if (field->kind == MADKIT_KIND_RESERVED || t->rows || item->event == MADKIT_WALK_ARRAY_END ||
	    (rows ? item->event != MADKIT_WALK_ARRAY : item->event != MADKIT_WALK_FIELD))
		return 0;
	if (!projection_item(&t->view, item))
		return 0;
	if (rows) {
		line_call(t->buf, t->plan, PLAN_CALL, item, text_put_rows, t);
		return t->buf->error;
	}
	null = t->known && !bits_test(t->known, item->bit);
	if (null && !t->format->fields)
		return 0;
	text_label(t->buf, path, path_text(&t->path, item, path));
	if (!null)
		value_text(t->buf, t->plan, item, t->format->show_keys);
	LIT(t->buf, "\n");
	return t->buf->error;
}

/* Begins a layout. Fields of the data have no prefix, others have that of their key. */
static void begin_layout(struct text *t, enum name_scope scope, const struct madkit_layout *layout)
{
	static const char *const prefixes[] = {
		[NAME_HEADER] = "header",
		[NAME_RMPP] = "rmpp",
		[NAME_PORT] = ENVELOPE_PORT,
		[NAME_DATA] = "",
	};

	t->layout = layout;
	t->rows = 0;
	t->known = scope == NAME_DATA ? t->record->known :
		   scope == NAME_PORT ? t->record->message->port->known :
					NULL;
	path_begin(&t->path, prefixes[scope]);
	projection_view(t->format->fields, scope, layout, &t->view);
}

void text_put_layout(struct text *t, enum name_scope scope, const struct madkit_layout *layout,
		     const uint8_t *base, size_t len)
{
	begin_layout(t, scope, layout);
	madkit_walk(layout, base, len, text_visit, t);
}

/* ---- envelope -------------------------------------------------------------- */

static void put_entries(struct text *t)
{
	if (!t->format->fields && !t->format->verbose)
		return;
	for (unsigned int id = 0; id < ENVELOPE_N; id++) {
		const struct envelope_entry *e = &envelope_entries[id];
		struct envelope_value value;

		if (!projection_entry(t->format->fields, (enum envelope_id)id))
			continue;
		envelope_get(t->record, (enum envelope_id)id, &value);
		if (value.type == ENVELOPE_NONE && !t->format->fields)
			continue;
		text_label(t->buf, e->name, strlen(e->name));
		if (value.type == ENVELOPE_NUMBER) {
			put_number(t->buf, value.number);
		} else if (value.type == ENVELOPE_HEX64) {
			put_hex(t->buf, value.number, 16);
		} else if (value.type != ENVELOPE_NONE) {
			madkit_text_escape(t->buf, value.text, value.len);
		}
		LIT(t->buf, "\n");
	}
}

/* Writes the fields of headers, after the entries that every MAD has. */
static void text_put_headers(struct text *t)
{
	const struct madkit_message *m = t->record->message;
	const struct madkit_layout *layout;

	if (!m->mad || m->len < MADKIT_HEADER_BYTES || (!t->format->verbose && !t->format->fields))
		return;
	layout = layout_of_header(m->mad[MADKIT_MAD_CLASS]);
	begin_layout(t, NAME_HEADER, layout);
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
		text_visit(t, &item);
	}
	layout = layout_of_class_header(m->mad, m->len);
	if (layout && layout->bytes <= m->len)
		text_put_layout(t, NAME_HEADER, layout, m->mad, m->len);
	if (madkit_mad_has_rmpp(m->mad, m->len))
		text_put_layout(t, NAME_RMPP, &madkit_layout_rmpp, m->mad, m->len);
}

/* Writes the chosen fields of the port that the message is about. */
static void text_put_port(struct text *t)
{
	const struct madkit_record *port = t->record->message->port;

	if (port && t->format->fields)
		text_put_layout(t, NAME_PORT, port->layout, port->data, port->len);
}

void text_put_record(struct text *t)
{
	const struct madkit_record *r = t->record;

	LIT(t->buf, "# ");
	madkit_text_title(t->buf, r, true);
	LIT(t->buf, "\n");
	put_entries(t);
	text_put_port(t);
	text_put_headers(t);
	if (r->data && !r->layout && projection_group(t->format->fields, "data")) {
		text_label(t->buf, DATA_BYTES, sizeof(DATA_BYTES) - 1);
		if (!t->format->show_keys && data_is_secret(r))
			LIT(t->buf, NOT_DISPLAYED);
		else
			put_bytes(t->buf, r->data, r->len);
		LIT(t->buf, "\n");
	}
}
