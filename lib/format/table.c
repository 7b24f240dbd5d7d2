/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats records as rows of a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/format.h>
#include <madkit/grid.h>
#include <madkit/mad.h>
#include "format/line.h"
#include "util/put.h"
#include "wire/unit.h"

enum {
	TABLE_COLUMNS = 64,
	TABLE_GAP = 2,     /* blanks between columns */
	TABLE_DEFAULT = 8, /* fields that are columns by default */
	/* rows are held until there are this many, or their text is this long */
	TABLE_ROWS = 1000,
	TABLE_BYTES = 1 << 20,
};

struct table_column {
	char *name;
	struct madkit_projection *p;
	struct projection_view view; /* of the current layout */
	struct madkit_buf cell;      /* of the current row */
	bool counts;                 /* the cell has a counter of errors that is not 0 */
};

struct madkit_table {
	char *fields;                             /* chosen fields; NULL: the attribute decides */
	const struct madkit_attribute *attribute; /* ... of the current columns */
	bool direct, port;                        /* ... and how they identify the port */
	bool problem;                             /* ... which are those of problems and differences */
	const struct madkit_layout *layout;       /* of the views of the columns */
	/* the current layout at each depth */
	const struct madkit_layout *layouts[MADKIT_DEPTH_MAX + 1];
	struct table_column columns[TABLE_COLUMNS];
	size_t n;
	struct madkit_grid *grid; /* rows that are held; NULL: CSV (RFC 4180), of which none are */
	struct madkit_terminal terminal;
	bool titled; /* the titles of these columns were written */
	bool any;    /* any titles were written */
	bool show_keys;
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
	if (t->grid)
		madkit_grid_clear(t->grid);
}

/* Returns the title of a column: the short ones of the port only if the caller did not choose the columns. */
static const char *table_title(const struct madkit_table *t, const char *name)
{
	if (!t->fields && !strcmp(name, "port.node.name"))
		return "NODE";
	return !t->fields && !strcmp(name, "port.number") ? "PORT" : name;
}

/* Returns how a column is aligned: counts at the right. A name of a node may be cut. */
static unsigned int table_flags(const struct madkit_table *t, const char *name)
{
	const size_t len = strlen(name), end = strlen("node.name");
	struct madkit_place place;

	if (len >= end && !strcasecmp(name + len - end, "node.name"))
		return MADKIT_GRID_NAME;
	if (!strcasecmp(name, "port.number"))
		return MADKIT_GRID_RIGHT;
	if (!t->attribute || !t->attribute->layout ||
	    madkit_place_find(t->attribute->layout, name, len, &place, NULL))
		return 0;
	return place.field->kind == MADKIT_KIND_COUNTER && !place.whole ? MADKIT_GRID_RIGHT : 0;
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
	madkit_buf_init(&c->cell, 0);
	t->n++;
	return t->grid ? madkit_grid_add_column(t->grid, table_title(t, c->name), table_flags(t, c->name)) :
			 0;
}

/* Checks if a field only repeats the number of the port, which is a column. */
static bool table_is_port(const struct madkit_table *t, const char *name, size_t len)
{
	struct madkit_place place;

	return !t->fields && t->port && t->attribute && t->attribute->layout &&
	       !madkit_place_find(t->attribute->layout, name, len, &place, NULL) &&
	       place.field->flags & MADKIT_FIELD_SELECTOR;
}

/* Adds a column for each name of a list separated by commas. */
static int table_add_columns(struct madkit_table *t, const char *names)
{
	int ret = 0;

	for (const char *p = names; !ret; p++) {
		size_t skip = strspn(p, " \t"), len = strcspn(p, ","), word = len;

		while (word > skip && strchr(" \t", p[word - 1]))
			word--;
		if (!table_is_port(t, p + skip, word - skip))
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
	    item->event != first || t->n >= TABLE_DEFAULT + 2 || table_is_port(t, f->name, strlen(f->name)))
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
	if (m->kind == MADKIT_MESSAGE_PORT || m->kind == MADKIT_MESSAGE_PROBLEM ||
	    m->kind == MADKIT_MESSAGE_DIFFERENCE)
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
	else if (t->grid && item->field->kind == MADKIT_KIND_COUNTER &&
		 item->field->flags & MADKIT_FIELD_OCTETS4)
		madkit_text_bytes(cell, 4 * (double)item->value);
	else if (!t->grid && unit_is_decimal(item->field))
		value_number(cell, item, item->field->count ? "-" : "");
	else if (!value_is_none(item) || item->field->count)
		value_cell(cell, &effective, t->show_keys);
}

/* Removes the unit of the element before, so that an array has it once: "6.5 6.4 mA". */
static void table_join_units(const struct madkit_table *t, struct madkit_buf *cell,
			     const struct madkit_item *item)
{
	const struct madkit_unit *u = item->field->unit;
	size_t n;

	if (!t->grid || !u || !item->index || value_is_none(item))
		return;
	n = strlen(unit_get(item->field, item->base, item->len)->symbol) + 1;
	if (cell->len > n && cell->data[cell->len - n] == ' ' &&
	    !memcmp(cell->data + cell->len - n + 1, unit_get(item->field, item->base, item->len)->symbol,
		    n - 1))
		cell->len -= n;
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
		table_join_units(t, &c->cell, item);
		if (c->cell.len)
			LIT(&c->cell, " ");
		c->counts |= item->field->flags & MADKIT_FIELD_ERROR && item->value;
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

/* Moves the cells of the row to the grid: all of them or, if memory is short, none. silent: there was no response. */
static int table_hold(struct madkit_table *t, bool silent)
{
	const char *none = silent ? "?" : "-";
	int error = 0;

	for (size_t i = 0; i < t->n && !error; i++)
		error = t->columns[i].cell.error;
	for (size_t i = 0; i < t->n && !error; i++) {
		const struct madkit_buf *cell = &t->columns[i].cell;
		struct madkit_buf *held = madkit_grid_cell(t->grid);

		if (t->columns[i].counts || (silent && !cell->len))
			madkit_grid_color(t->grid, silent ? MADKIT_COLOR_RED : MADKIT_COLOR_YELLOW);
		madkit_buf_add(held, cell->len ? cell->data : none, cell->len ? cell->len : 1);
		/* after a failure, the cells that follow end the row, which is lost */
		error = madkit_grid_end_cell(t->grid);
		for (; error && i + 1 < t->n; i++)
			madkit_grid_end_cell(t->grid);
	}
	return error;
}

void madkit_text_csv(struct madkit_buf *buf, const char *text, size_t len)
{
	bool quoted = len && (text[0] == ' ' || text[len - 1] == ' ');

	for (size_t i = 0; i < len && !quoted; i++)
		quoted = text[i] && strchr(",\"\r\n", text[i]);
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

/* Writes the row as CSV, below the names of the columns. */
static int table_put_row(struct madkit_table *t, struct madkit_buf *buf)
{
	const size_t begin = buf->len;
	int error = 0;

	if (!t->titled && t->any)
		LIT(buf, "\n");
	for (size_t i = 0; i < t->n && !t->titled; i++) {
		madkit_text_csv(buf, t->columns[i].name, strlen(t->columns[i].name));
		madkit_buf_str(buf, i + 1 < t->n ? "," : "\r\n");
	}
	for (size_t i = 0; i < t->n && !error; i++) {
		struct madkit_buf *cell = &t->columns[i].cell;

		madkit_buf_char(cell, '\0');
		error = cell->error;
		if (!error)
			madkit_text_csv(buf, cell->data, cell->len - 1);
		madkit_buf_str(buf, i + 1 < t->n ? "," : "\r\n");
	}
	error = error ? error : buf->error;
	if (error)
		buf->len = begin;
	else
		t->titled = t->any = true;
	return error;
}

static int table_add_record(struct madkit_table *t, struct madkit_buf *buf, const struct madkit_record *r)
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

	for (size_t i = 0; i < t->n; i++) {
		madkit_buf_reset(&t->columns[i].cell);
		t->columns[i].counts = false;
	}
	line_walk(&line);
	if (!t->grid)
		return table_put_row(t, buf);
	/* a "-" is a field that a response does not have */
	return table_hold(t, r->message->kind == MADKIT_MESSAGE_TIMEOUT ||
				     r->message->kind == MADKIT_MESSAGE_ERROR);
}

/* ---- output ---------------------------------------------------------------------- */

void madkit_table_flush(struct madkit_table *t, struct madkit_buf *buf)
{
	if (!t->grid || !madkit_grid_rows(t->grid))
		return;
	if (!t->titled && t->any)
		LIT(buf, "\n");
	t->titled = t->any = true;
	madkit_grid_write(t->grid, buf);
}

/* Checks if a record is a problem or a difference. They have the same columns, and not those of a port. */
static bool table_is_problem(const struct madkit_record *r)
{
	return r->message->kind == MADKIT_MESSAGE_PROBLEM || r->message->kind == MADKIT_MESSAGE_DIFFERENCE;
}

/* Begins new columns for the record, unless the previous record has the same ones. */
static int table_begin(struct madkit_table *t, struct madkit_buf *buf, const struct madkit_record *r)
{
	const struct madkit_addr *remote = r->message->remote;
	const bool problem = table_is_problem(r);
	bool direct = remote && remote->direct, port = r->message->port != NULL;
	int ret;

	if (t->n && (t->fields || (problem && t->problem) ||
		     (t->attribute == r->attribute && t->direct == direct && t->port == port)))
		return 0;
	madkit_table_flush(t, buf);
	table_drop_columns(t);
	t->attribute = r->attribute;
	t->problem = problem;
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
			ret = table_add_record(t, buf, &record);
		if (ret)
			return ret;
		/* where names are cut, each is compared with all others */
		if (t->grid && !t->terminal.columns &&
		    (madkit_grid_rows(t->grid) == TABLE_ROWS || madkit_grid_bytes(t->grid) > TABLE_BYTES))
			madkit_table_flush(t, buf);
	} while (!buf->error && madkit_record_next(&record));
	return buf->error ? buf->error : rows;
}

struct madkit_table *madkit_table_new(const char *fields)
{
	struct madkit_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->grid = madkit_grid_new(TABLE_GAP);
	t->fields = fields ? strdup(fields) : NULL;
	if (t->grid && (!fields || t->fields))
		return t;
	madkit_table_free(t);
	return NULL;
}

void madkit_table_as_csv(struct madkit_table *t)
{
	madkit_grid_free(t->grid);
	t->grid = NULL;
}

void madkit_table_set_terminal(struct madkit_table *t, const struct madkit_terminal *terminal)
{
	t->terminal = *terminal;
	if (t->grid)
		madkit_grid_set_terminal(t->grid, terminal);
}

void madkit_table_free(struct madkit_table *t)
{
	if (!t)
		return;
	table_drop_columns(t);
	madkit_grid_free(t->grid);
	free(t->fields);
	free(t);
}
