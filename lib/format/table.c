/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats records as rows of a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/format.h>
#include <madkit/mad.h>
#include "format/line.h"
#include "util/put.h"

enum {
	TABLE_COLUMNS = 64,
	TABLE_DEFAULT = 8, /* fields that are columns by default */
	/* rows are held until there are this many, or their text is this long */
	TABLE_ROWS = 1000,
	TABLE_BYTES = 1 << 20,
};

struct table_column {
	char *name;
	struct madkit_projection *p;
	struct projection_view view; /* of the current layout */
	size_t width;                /* characters of the widest cell so far */
	struct madkit_buf cell;      /* of the current row */
};

struct madkit_table {
	char *fields;                             /* chosen fields; NULL: the attribute decides */
	const struct madkit_attribute *attribute; /* ... of the current columns */
	bool direct, port;                        /* ... and how they identify the port */
	const struct madkit_layout *layout;       /* of the views of the columns */
	/* the current layout at each depth */
	const struct madkit_layout *layouts[MADKIT_DEPTH_MAX + 1];
	struct table_column columns[TABLE_COLUMNS];
	size_t n;
	bool titled;            /* the titles of these columns were written */
	bool any;               /* any titles were written */
	struct madkit_buf held; /* cells, each terminated by NUL */
	size_t rows;            /* number of held rows */
	bool show_keys;
	bool csv; /* RFC 4180: rows are not aligned, and not held */
};

/* ---- columns --------------------------------------------------------------------- */

static void table_drop_columns(struct madkit_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->columns[i].name);
		madkit_projection_free(t->columns[i].p);
		madkit_buf_free(&t->columns[i].cell);
	}
	t->n = 0;
	t->titled = false;
}

/* Returns the number of characters, of which some have several bytes. */
static size_t table_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static int table_add_column(struct madkit_table *t, const char *name, size_t len)
{
	struct table_column *c = &t->columns[t->n];
	int ret;

	if (t->n == TABLE_COLUMNS)
		return -E2BIG;
	*c = (struct table_column){ .name = strndup(name, len) };
	if (!c->name)
		return -ENOMEM;
	ret = madkit_projection_new(c->name, &c->p, NULL);
	if (ret) {
		free(c->name);
		return ret;
	}
	c->width = table_width(c->name);
	madkit_buf_init(&c->cell, 0);
	t->n++;
	return 0;
}

/* Adds a column for each name of a list separated by commas. */
static int table_add_columns(struct madkit_table *t, const char *names)
{
	int ret = 0;

	for (const char *p = names; !ret; p++) {
		size_t skip = strspn(p, " \t"), len = strcspn(p, ","), word = len;

		while (word > skip && strchr(" \t", p[word - 1]))
			word--;
		ret = table_add_column(t, p + skip, word - skip);
		p += len;
		if (!*p)
			break;
	}
	return ret;
}

/* Adds the first fields of a layout as columns. */
static int table_visit_default(void *context, const struct madkit_item *item)
{
	struct madkit_table *t = context;
	const struct madkit_field *f = item->field;

	enum madkit_walk_event first = f->count                      ? MADKIT_WALK_ARRAY :
				       f->kind == MADKIT_KIND_STRUCT ? MADKIT_WALK_STRUCT :
								       MADKIT_WALK_FIELD;

	if (f->kind == MADKIT_KIND_RESERVED || f->kind == MADKIT_KIND_KEY || item->depth ||
	    item->event != first || t->n >= TABLE_DEFAULT + 2)
		return 0;
	return table_add_column(t, f->name, strlen(f->name));
}

static int table_choose_columns(struct madkit_table *t, const struct madkit_record *r)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];
	const struct madkit_attribute *a = r->attribute;
	const struct madkit_message *m = r->message;
	int ret = 0;

	if (t->fields)
		return table_add_columns(t, t->fields);
	if (m->kind == MADKIT_MESSAGE_PORT || m->kind == MADKIT_MESSAGE_PROBLEM)
		return table_add_columns(t, a->columns);
	if (t->port)
		ret = table_add_columns(t, "port.node.name,port.number");
	/* a record of the SA does not describe the node that sends it */
	else if (!m->mad || m->len < MADKIT_HEADER_BYTES || m->mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SA)
		ret = table_add_columns(t, t->direct ? "remote.path" : "remote.lid");
	if (!ret && (!a || (a->modifier && !t->port)))
		ret = table_add_columns(t, a ? "header.modifier" : "header.attribute,header.modifier");
	if (!ret && a && a->columns)
		ret = table_add_columns(t, a->columns);
	else if (!ret && r->layout)
		ret = madkit_walk(r->layout, zeros, r->layout->bytes, table_visit_default, t);
	return ret;
}

/* ---- rows ------------------------------------------------------------------------ */

static void table_put_text(struct madkit_buf *cell, const char *text, size_t len)
{
	if (cell->len)
		LIT(cell, " ");
	madkit_text_escape(cell, text, len);
}

static const struct madkit_field *table_field(const struct madkit_layout *layout, const char *name)
{
	unsigned int i = 0;

	while (i < layout->nfields && strcmp(layout->fields[i].name, name))
		i++;
	return i < layout->nfields ? &layout->fields[i] : NULL;
}

/* If the item is one of several fields for a quantity, replaces it by the effective one. Returns the short
 * name of its value, or NULL to show it like any other. */
static const char *table_effective(const struct madkit_layout *layout, struct madkit_item *item)
{
	const struct madkit_value *v;
	unsigned int i = 0;

	while (i < layout->neffective && strcmp(layout->effective[i], item->field->name))
		i++;
	if (i == layout->neffective)
		return NULL;
	while (++i < layout->neffective) {
		const struct madkit_field *newer = table_field(layout, layout->effective[i]);
		uint64_t value;

		if (!newer || madkit_field_get(newer, 0, item->base, item->len, &value) || !value)
			continue;
		item->bit = item->bit - item->field->offset + newer->offset;
		item->field = newer;
		item->value = value;
	}
	for (v = item->field->values; v && v->name && v->value != item->value;)
		v++;
	return v ? v->alias : NULL;
}

/* Writes the value on one line. A speed is the effective one, whichever field contains it. */
static void table_put_value(const struct madkit_table *t, struct madkit_buf *cell,
			    const struct madkit_item *item)
{
	struct madkit_item effective = *item;
	const char *name = table_effective(t->layouts[item->depth], &effective);

	if (name)
		madkit_buf_str(cell, name);
	else
		value_cell(cell, &effective, t->show_keys);
}

static bool table_begin_object(struct line *line, enum line_object object, bool known)
{
	struct madkit_table *t = line->context;

	switch (object) {
	case LINE_HEADER:
	case LINE_RMPP:
		return known && t->fields;
	case LINE_PORT:
	case LINE_DATA:
		return known;
	default:
		return true;
	}
}

static void table_end_object(struct line *line, enum line_object object)
{
	struct madkit_table *t = line->context;

	(void)object;
	t->layout = NULL;
}

static void table_entry(struct line *line, enum envelope_id id)
{
	struct madkit_table *t = line->context;

	for (size_t i = 0; i < t->n; i++) {
		struct madkit_buf *cell = &t->columns[i].cell;
		struct envelope_value value;

		if (!projection_entry(t->columns[i].p, id))
			continue;
		envelope_get(line->record, id, &value);
		if (value.type == ENVELOPE_NONE)
			continue;
		if (cell->len)
			LIT(cell, " ");
		if (value.type == ENVELOPE_NUMBER)
			put_number(cell, value.number);
		else if (value.type == ENVELOPE_HEX64)
			put_hex(cell, value.number, 16);
		else
			madkit_text_escape(cell, value.text, value.len);
	}
}

static void table_item(struct line *line, const struct madkit_item *item)
{
	struct madkit_table *t = line->context;

	if (t->layout != line->layout) {
		t->layout = t->layouts[0] = line->layout;
		for (size_t i = 0; i < t->n; i++)
			projection_view(t->columns[i].p, line->scope, line->layout, &t->columns[i].view);
	}
	if (item->event == MADKIT_WALK_STRUCT)
		t->layouts[item->depth + 1] = item->field->sub;
	if (item->event != MADKIT_WALK_FIELD || line_is_null(line, item))
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct table_column *c = &t->columns[i];

		if (!projection_item(&c->view, item))
			continue;
		if (c->cell.len)
			LIT(&c->cell, " ");
		table_put_value(t, &c->cell, item);
	}
}

static void table_octets(struct line *line)
{
	struct madkit_table *t = line->context;

	for (size_t i = 0; i < t->n; i++) {
		if (!projection_group(t->columns[i].p, "data"))
			continue;
		if (!t->show_keys && data_is_secret(line->record))
			table_put_text(&t->columns[i].cell, NOT_DISPLAYED, strlen(NOT_DISPLAYED));
		else
			put_bytes(&t->columns[i].cell, line->record->data, line->record->len);
	}
}

static const struct line_writer table_writer = {
	.begin = table_begin_object,
	.end = table_end_object,
	.entry = table_entry,
	.item = table_item,
	.octets = table_octets,
};

/* Moves the cells of the row to the held cells: all of them or, if memory is short, none. */
static int table_hold(struct madkit_table *t)
{
	const size_t begin = t->held.len;
	int error = 0;

	for (size_t i = 0; i < t->n && !error; i++) {
		struct table_column *c = &t->columns[i];

		if (!c->cell.len && !t->csv)
			LIT(&c->cell, "-");
		madkit_buf_char(&c->cell, '\0');
		error = c->cell.error;
		if (!error)
			madkit_buf_add(&t->held, c->cell.data, c->cell.len);
		error = error ? error : t->held.error;
	}
	if (error) {
		t->held.len = begin;
		t->held.error = 0;
		return error;
	}
	t->rows++;
	for (size_t i = 0; i < t->n; i++) {
		size_t width = table_width(t->columns[i].cell.data);

		if (width > t->columns[i].width)
			t->columns[i].width = width;
	}
	return 0;
}

static int table_add_record(struct madkit_table *t, const struct madkit_record *r)
{
	/* the columns select the fields */
	const struct madkit_format format = { .show_keys = t->show_keys };
	struct madkit_buf none = { .error = 0 };
	struct line line = {
		.buf = &none,
		.writer = &table_writer,
		.format = &format,
		.record = r,
		.context = t,
	};

	for (size_t i = 0; i < t->n; i++)
		madkit_buf_reset(&t->columns[i].cell);
	line_walk(&line);
	return table_hold(t);
}

/* ---- output ---------------------------------------------------------------------- */

/* Writes a cell of CSV, in quotes if it has a character that separates cells, or blanks at its ends. */
static void table_put_csv(struct madkit_buf *buf, const char *text, size_t len)
{
	const bool quoted = text[strcspn(text, ",\"\r\n")] || text[0] == ' ' || (len && text[len - 1] == ' ');

	if (quoted)
		LIT(buf, "\"");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			LIT(buf, "\"");
		madkit_buf_char(buf, text[i]);
	}
	if (quoted)
		LIT(buf, "\"");
}

static const char *table_put_row(const struct madkit_table *t, struct madkit_buf *buf, const char *cells)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *text = cells ? cells : t->columns[i].name;
		size_t len = strlen(text);

		if (t->csv) {
			table_put_csv(buf, text, len);
			if (i + 1 < t->n)
				LIT(buf, ",");
			cells += cells ? len + 1 : 0;
			continue;
		}
		madkit_buf_add(buf, text, len);
		for (size_t width = table_width(text); i + 1 < t->n && width < t->columns[i].width + 2;
		     width++)
			LIT(buf, " ");
		if (cells)
			cells += len + 1;
	}
	madkit_buf_str(buf, t->csv ? "\r\n" : "\n");
	return cells;
}

void madkit_table_flush(struct madkit_table *t, struct madkit_buf *buf)
{
	const char *cells = t->held.data;

	if (t->rows && !t->titled) {
		if (t->any)
			LIT(buf, "\n");
		table_put_row(t, buf, NULL);
		t->titled = t->any = true;
	}
	for (size_t i = 0; i < t->rows; i++)
		cells = table_put_row(t, buf, cells);
	madkit_buf_reset(&t->held);
	t->rows = 0;
}

/* Begins new columns for the record, unless the previous record has the same ones. */
static int table_begin(struct madkit_table *t, struct madkit_buf *buf, const struct madkit_record *r)
{
	const struct madkit_addr *remote = r->message->remote;
	bool direct = remote && remote->direct, port = r->message->port != NULL;
	int ret;

	if (t->n && (t->fields || (t->attribute == r->attribute && t->direct == direct && t->port == port)))
		return 0;
	madkit_table_flush(t, buf);
	table_drop_columns(t);
	t->attribute = r->attribute;
	t->direct = direct;
	t->port = port;
	ret = table_choose_columns(t, r);
	/* the next record begins new columns */
	if (ret)
		table_drop_columns(t);
	return ret;
}

int madkit_table_add(struct madkit_table *t, struct madkit_buf *buf, const struct madkit_message *message,
		     const struct madkit_format *format)
{
	struct madkit_record record;
	int rows = 0, ret;

	t->show_keys = format->show_keys;
	madkit_record_get(message, 0, &record);
	do {
		if (format->filter && madkit_expr_eval(format->filter, &record) != 1)
			continue;
		rows++;
		/* an empty table has no rows */
		if (!record.data && message->kind == MADKIT_MESSAGE_RESPONSE)
			continue;
		ret = table_begin(t, buf, &record);
		if (!ret)
			ret = table_add_record(t, &record);
		if (ret)
			return ret;
		if (t->csv || t->rows == TABLE_ROWS || t->held.len > TABLE_BYTES)
			madkit_table_flush(t, buf);
	} while (!buf->error && madkit_record_next(&record));
	return buf->error ? buf->error : rows;
}

struct madkit_table *madkit_table_new(const char *fields)
{
	struct madkit_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	madkit_buf_init(&t->held, 0);
	t->fields = fields ? strdup(fields) : NULL;
	if (!fields || t->fields)
		return t;
	free(t);
	return NULL;
}

void madkit_table_as_csv(struct madkit_table *t)
{
	t->csv = true;
}

void madkit_table_free(struct madkit_table *t)
{
	if (!t)
		return;
	table_drop_columns(t);
	madkit_buf_free(&t->held);
	free(t->fields);
	free(t);
}
