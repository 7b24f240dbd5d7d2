/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats records as text, in the style of libibmad's dumps. */
#include <ctype.h>
#include <errno.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "format/line.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/wire_int.h"

/* The column in which values begin, counted from 0. */
#define VALUE_COLUMN 33

/* Writes a number, right-aligned in a column of width characters. */
static void text_put_padded(struct madkit_buf *buf, uint64_t v, size_t width)
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

void madkit_text_bytes(struct madkit_buf *buf, double bytes)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	for (; bytes >= 999.95 && unit + 2 < sizeof(units); unit++)
		bytes /= 1000;
	if (unit)
		madkit_buf_printf(buf, "%.1f %cB", bytes, units[unit]);
	else
		madkit_buf_printf(buf, "%.0f B", bytes);
}

void madkit_text_label(struct madkit_buf *buf, const char *name)
{
	text_label(buf, name, strlen(name));
}

/* ---- tables: several elements a line --------------------------------------- */

/* Returns the number of the first element: numbers continue from block to block of a table. */
static unsigned int text_first_element(const struct line *t, unsigned int count)
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
static bool text_put_elements(struct line *t, const struct madkit_item *array)
{
	struct madkit_item one = *array;
	unsigned int chosen = 0;
	char path[LINE_PATH_BYTES];

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
			text_label(t->buf, path, line_path(t, &one, path));
			value_text(t->buf, NULL, &one, t->format->show_keys);
			LIT(t->buf, "\n");
		}
		if (chosen == array->count)
			return false;
	}
	return true;
}

static void text_put_row_lines(struct line *t, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	bool small = field->width <= 4;
	unsigned int row = field->width > 32 ? 2 : field->width > 8 ? 8 : 16;
	unsigned int first = text_first_element(t, madkit_field_count(field));
	struct madkit_item one = *item;

	if (t->format->fields && text_put_elements(t, item))
		return;
	one.event = MADKIT_WALK_FIELD;
	for (unsigned int i = 0; i < item->count; i++) {
		if (i % row == 0 && !small) {
			text_put_padded(t->buf, first + i, 4);
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
			text_put_padded(t->buf, one.value, small ? 2 : 3);
		else
			value_text(t->buf, NULL, &one, t->format->show_keys);
		if (small)
			LIT(t->buf, "|");
		if (i % row == row - 1 || i == item->count - 1)
			LIT(t->buf, "\n");
	}
}

/* Checks if an element is shown. A call of a plan has no view: text_item() rejects plans of projections. */
static bool text_shows(const struct line *t, const struct madkit_item *item)
{
	return !t->format->fields || projection_item(&t->view, item);
}

/* Checks if a nested field is shown for any element of the array. */
static bool text_shows_column(const struct line *t, const struct madkit_item *array,
			      const struct madkit_field *field)
{
	struct madkit_item item = { .event = MADKIT_WALK_FIELD, .field = field };

	for (unsigned int i = 0; i < array->count; i++) {
		item.bit = array->bit - array->field->offset + field->offset +
			   madkit_field_offset(array->field, i);
		if (text_shows(t, &item))
			return true;
	}
	return false;
}

/* Writes an array of layouts, one line for each of their fields. */
static void text_put_columns(struct line *t, const struct madkit_item *item)
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
		    !text_shows_column(t, item, field))
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

			if (!text_shows(t, &element))
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
	struct line *t = context;

	(void)buf;
	if (item->field->kind == MADKIT_KIND_STRUCT)
		text_put_columns(t, item);
	else
		text_put_row_lines(t, item);
}

/* ---- fields ---------------------------------------------------------------- */

static void text_item(struct line *t, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	bool rows = field->count && (field->flags & MADKIT_FIELD_ROWS), null;
	char path[LINE_PATH_BYTES];

	switch (item->event) {
	case MADKIT_WALK_STRUCT:
		t->rows += rows || t->rows;
		return;
	case MADKIT_WALK_END:
		t->rows -= t->rows ? 1 : 0;
		return;
	case MADKIT_WALK_TRUNCATED:
		LIT(t->buf, "# cut short: ");
		put_number(t->buf, t->record->len);
		LIT(t->buf, " of ");
		put_number(t->buf, t->layout->bytes);
		LIT(t->buf, " bytes\n");
		return;
	case MADKIT_WALK_ARRAY_END:
		return;
	default:
		break;
	}
	if (t->rows || rows != (item->event == MADKIT_WALK_ARRAY))
		return;
	if (rows) {
		/* the items of a call do not have the position that a projection needs */
		if (t->plan && t->format->fields)
			t->plan->error = -EINVAL;
		line_call(t->buf, t->plan, PLAN_CALL, item, text_put_rows, t);
		return;
	}
	null = line_is_null(t, item);
	if (null && !t->format->fields)
		return;
	text_label(t->buf, path, line_path(t, item, path));
	if (!null)
		value_text(t->buf, t->plan, item, t->format->show_keys);
	LIT(t->buf, "\n");
}

static void text_octets(struct line *t)
{
	text_label(t->buf, DATA_BYTES, sizeof(DATA_BYTES) - 1);
	if (!t->format->show_keys && data_is_secret(t->record))
		LIT(t->buf, NOT_DISPLAYED);
	else
		line_octets(t);
	LIT(t->buf, "\n");
}

/* ---- envelope -------------------------------------------------------------- */

/* Writes the line of an entry that is not a number. Without a projection, an entry that is null has none. */
static void text_put_entry(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	struct line *t = context;
	const struct envelope_entry *e = &envelope_entries[item->index];
	struct envelope_value value;

	envelope_get(t->record, (enum envelope_id)item->index, &value);
	if (value.type == ENVELOPE_NONE && !t->format->fields)
		return;
	text_label(buf, e->name, strlen(e->name));
	if (value.type != ENVELOPE_NONE)
		madkit_text_escape(buf, value.text, value.len);
	LIT(buf, "\n");
}

static char *text_emit_number(void *context, unsigned int id, char *p)
{
	struct line *t = context;

	if (id == ENVELOPE_TID)
		return emit_hex(p, envelope_number(t->record, ENVELOPE_TID), 16);
	return line_emit_number(t, (enum envelope_id)id, p);
}

static void text_put_number(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	char *p = madkit_buf_room(buf, EMIT_U64_MAX);

	if (p)
		buf->len = (size_t)(text_emit_number(context, item->index, p) - buf->data);
}

static void text_entry(struct line *t, enum envelope_id id)
{
	const struct envelope_entry *e = &envelope_entries[id];
	bool null = envelope_nulls(t->record->message) >> id & 1;

	/* without a projection, the time is shown once */
	if (!t->format->fields && (!t->format->verbose || null || id == ENVELOPE_EPOCH))
		return;
	if (!e->number) {
		line_entry(t, id, text_put_entry, NULL);
		return;
	}
	text_label(t->buf, e->name, strlen(e->name));
	if (!null)
		line_entry(t, id, text_put_number, text_emit_number);
	LIT(t->buf, "\n");
}

static bool text_begin(struct line *t, enum line_object object, bool known)
{
	const struct madkit_record *r = t->record;

	t->rows = 0;
	switch (object) {
	case LINE_PORT:
		return known && t->format->fields;
	case LINE_HEADER:
	case LINE_RMPP:
		return known && (t->format->fields || t->format->verbose);
	case LINE_DATA:
		return known && (r->layout || projection_group(t->format->fields, "data"));
	default:
		return true;
	}
}

static void text_end(struct line *t, enum line_object object)
{
	(void)t;
	(void)object;
}

static void text_title(struct line *t)
{
	LIT(t->buf, "# ");
	madkit_text_title(t->buf, t->record, true);
	LIT(t->buf, "\n");
}

static const struct line_writer text_writer = {
	.title = text_title,
	.begin = text_begin,
	.end = text_end,
	.entry = text_entry,
	.item = text_item,
	.octets = text_octets,
};

int madkit_format_text(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format)
{
	return cache_lines(buf, message, format, &text_writer);
}
