/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "port_table.h"
#include "request/layout_choice.h"
#include "survey_rows.h"
#include "util/array_size.h"

enum { ROWS_COLUMNS = 60, ROWS_LAYOUTS = 3 };

enum rows_cell { ROWS_VALUE, ROWS_DELTA, ROWS_RATE };

struct rows_column {
	char name[MADKIT_PATH_MAX];    /* a field, as in --fields */
	char counter[MADKIT_PATH_MAX]; /* the counter that it is a part of; "": it is another field */
	const struct madkit_field *fields[ROWS_LAYOUTS]; /* this counter in each attribute; NULL: not there */
	int index;                                       /* the element of the counter; -1: all */
	enum rows_cell cell;
	unsigned int rank;        /* of a counter: its place in the attribute */
	struct madkit_expr *expr; /* the field */
};

/* A row that is held until its columns are known. */
struct rows_row {
	size_t at;
	const struct madkit_attribute *attribute;
	const struct baseline_port *gone; /* the port is gone */
	bool silent;                      /* the port did not respond */
	bool refused;                     /* ... or its response has no counters */
};

struct survey_rows {
	struct survey_delta *delta;
	struct output *out;
	bool errors;
	bool csv;
	bool placed; /* the columns NODE, PORT and NOTE are around the fields */
	bool fixed;  /* the columns are known; else those that have changed are shown */
	bool titled;
	struct rows_column columns[ROWS_COLUMNS];
	size_t n;
	struct madkit_grid *grid; /* of fixed columns or errors; NULL: none yet */
	struct madkit_buf held;   /* struct rows_row */
};

/* ---- columns --------------------------------------------------------------------------- */

static void rows_drop_columns(struct survey_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		madkit_expr_free(rows->columns[i].expr);
	rows->n = 0;
}

/* Finds the counter of a column in the attributes. */
static void rows_find_fields(const struct survey_rows *rows, struct rows_column *c)
{
	const struct survey_delta *d = rows->delta;
	const struct madkit_attribute *const attributes[ROWS_LAYOUTS] = { d->request->attribute,
									  d->wide.attribute, layout_rsfec() };
	const size_t len = strcspn(c->counter, "[");
	struct madkit_place place;

	c->index = c->counter[len] ? atoi(c->counter + len + 1) : -1;
	for (size_t i = 0; i < ROWS_LAYOUTS; i++)
		if (attributes[i] && !madkit_place_find(attributes[i]->layout, c->counter, len, &place, NULL))
			c->fields[i] = place.field;
}

/* Finds out which counter a field is a part of. */
static void rows_read_name(const struct survey_rows *rows, struct rows_column *c)
{
	static const char *const parts[] = { "delta", "rate",  "value",    "rate_bytes",
					     "share", "reset", "saturated" };
	const struct madkit_layout *layout = survey_delta_attribute(rows->delta)->layout;
	const char *name = strncasecmp(c->name, "data.", 5) ? c->name : c->name + 5;
	const char *dot = strrchr(name, '.');
	size_t len = strlen(name);
	struct madkit_place place;

	for (size_t i = 0; dot && i < ARRAY_SIZE(parts); i++)
		if (!strcasecmp(dot + 1, parts[i]))
			len = (size_t)(dot - name);
	snprintf(c->counter, sizeof(c->counter), "%.*s", (int)len, name);
	if (madkit_place_find(layout, c->counter, len, &place, NULL) ||
	    place.field->kind != MADKIT_KIND_COUNTER) {
		c->counter[0] = 0;
		return;
	}
	rows_find_fields(rows, c);
	c->cell = !name[len] || !strcasecmp(name + len, ".delta") ? ROWS_DELTA :
		  !strcasecmp(name + len, ".rate")                ? ROWS_RATE :
								    ROWS_VALUE;
}

static int rows_add_column(struct survey_rows *rows, const char *name, size_t len)
{
	struct rows_column *c = &rows->columns[rows->n];
	struct madkit_error error = { .text = "" };
	int ret;

	if (rows->n == ROWS_COLUMNS)
		return cli_usage_error("--fields: more than %d columns", ROWS_COLUMNS);
	*c = (struct rows_column){ .cell = ROWS_VALUE };
	snprintf(c->name, sizeof(c->name), "%.*s", (int)len, name);
	ret = madkit_expr_new(c->name, &c->expr, &error);
	if (ret)
		return ret == -ENOMEM ? cli_no_memory() :
					output_expression_error("--fields", c->name, &error);
	rows->n++;
	rows_read_name(rows, c);
	return EXIT_DONE;
}

/* Adds a column for each name of a list separated by commas. usual: those of the attribute, without the number of the
 * port, which has a column. */
static int rows_add_columns(struct survey_rows *rows, const char *names, bool usual)
{
	static const char selector[] = "PortSelect";
	int status = EXIT_DONE;

	for (const char *p = names; !status; p++) {
		const size_t skip = strspn(p, " \t"), len = strcspn(p, ",");
		size_t word = len;

		while (word > skip && strchr(" \t", p[word - 1]))
			word--;
		if (usual && word - skip == strlen(selector) && !strncmp(p + skip, selector, word - skip))
			word = skip;
		if (word > skip || !usual)
			status = rows_add_column(rows, p + skip, word - skip);
		p += len;
		if (!*p)
			break;
	}
	return status;
}

/* Adds the columns of CSV if --fields does not choose them. */
static int rows_add_usual(struct survey_rows *rows)
{
	const struct madkit_attribute *a = survey_delta_attribute(rows->delta);
	int status = rows_add_columns(rows, "port.node.name,port.number", false);

	if (!status && a->columns && !rows->errors)
		status = rows_add_columns(rows, a->columns, true);
	for (unsigned int i = 0; i < a->layout->nfields && (rows->errors || !a->columns); i++) {
		const struct madkit_field *f = &a->layout->fields[i];

		if (!status && f->kind == MADKIT_KIND_COUNTER &&
		    (!rows->errors || f->flags & MADKIT_FIELD_ERROR))
			status = rows_add_column(rows, f->name, strlen(f->name));
	}
	return status ? status : rows_add_column(rows, "change", strlen("change"));
}

int survey_rows_new(struct survey_delta *delta, bool errors, struct survey_rows **out)
{
	const struct cli_options *o = delta->x->options;
	struct survey_rows *rows = calloc(1, sizeof(*rows));

	*out = rows;
	if (!rows)
		return cli_no_memory();
	rows->delta = delta;
	rows->out = delta->x->out;
	rows->csv = o->output.csv;
	rows->errors = errors;
	rows->placed = !rows->csv && (!o->output.fields || rows->out->format == FORMAT_TEXT);
	rows->fixed = rows->csv || o->output.fields;
	madkit_buf_init(&rows->held, 0);
	if (o->output.fields)
		return rows_add_columns(rows, o->output.fields, false);
	return rows->csv ? rows_add_usual(rows) : EXIT_DONE;
}

void survey_rows_free(struct survey_rows *rows)
{
	if (!rows)
		return;
	rows_drop_columns(rows);
	madkit_grid_free(rows->grid);
	madkit_buf_free(&rows->held);
	free(rows);
}

/* ---- changes ----------------------------------------------------------------------------- */

/* Checks if a counter has changed, or may have. */
static bool rows_change_counts(const struct madkit_change *change)
{
	return !change->known || change->delta;
}

/* Writes the name of a counter or element, as in --fields. */
static void rows_put_counter(const struct madkit_change *change, char name[MADKIT_PATH_MAX])
{
	if (change->field->count)
		snprintf(name, MADKIT_PATH_MAX, "%s[%u]", change->field->name, change->index);
	else
		snprintf(name, MADKIT_PATH_MAX, "%s", change->field->name);
}

static bool rows_is_of(const struct rows_column *c, const struct madkit_change *change)
{
	for (size_t i = 0; i < ROWS_LAYOUTS; i++)
		if (change->field == c->fields[i])
			return c->index < 0 || (unsigned int)c->index == change->index;
	return false;
}

/* Finds the change of a column; NULL: the port does not have the counter, or it is an array. */
static const struct madkit_change *rows_find(const struct rows_column *c,
					     const struct survey_compared *compared)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (rows_is_of(c, change))
			return change->field->count && c->index < 0 ? NULL : change;
	return NULL;
}

/* Checks if the counter of a column has changed at all: one element of an array suffices. */
static bool rows_column_changed(const struct rows_column *c, const struct survey_compared *compared)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (rows_change_counts(change) && rows_is_of(c, change))
			return true;
	return false;
}

static bool rows_any_changed(const struct survey_compared *compared, bool errors)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (rows_change_counts(change) && (!errors || change->field->flags & MADKIT_FIELD_ERROR))
			return true;
	return false;
}

bool survey_rows_has_errors(const struct survey_compared *compared)
{
	return madkit_counters_event(compared->difference.counters) || rows_any_changed(compared, true);
}

bool survey_rows_changed(const struct survey_rows *rows, const struct survey_compared *compared)
{
	bool counters = false;

	if (madkit_counters_event(compared->difference.counters))
		return true;
	for (size_t i = 0; i < rows->n && rows->fixed; i++) {
		if (rows->columns[i].counter[0] && rows_column_changed(&rows->columns[i], compared))
			return true;
		counters |= rows->columns[i].counter[0] != 0;
	}
	return !counters && rows_any_changed(compared, rows->errors);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* Appends how much a counter has changed, for a person. */
static void rows_put_delta(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (!change->known) {
		madkit_buf_str(cell, change->reset ? "reset" : "full");
		return;
	}
	/* a counter of the IBA stops at its greatest value */
	madkit_buf_str(cell, change->saturated ? ">= " : "");
	if (change->unit)
		madkit_text_bytes(cell, change->unit * (double)change->delta);
	else
		madkit_buf_printf(cell, "%" PRIu64, change->delta);
}

static void rows_put_rate(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (!change->rated)
		madkit_buf_char(cell, '-');
	else if (change->unit)
		madkit_text_bytes(cell, change->unit * change->rate);
	else
		madkit_buf_printf(cell, "%.1f", change->rate);
	madkit_buf_str(cell, change->rated ? "/s" : "");
}

/* Appends the exact value of a field; "": it is not known. */
static void rows_put_exact(struct madkit_buf *cell, const struct rows_column *c,
			   const struct survey_compared *compared)
{
	madkit_expr_put_value(c->expr, 0, false, &compared->record, false, cell);
}

static void rows_put_cell(struct madkit_grid *g, const struct rows_column *c,
			  const struct survey_compared *compared)
{
	const struct madkit_change *change = c->cell == ROWS_VALUE ? NULL : rows_find(c, compared);
	struct madkit_buf *cell;
	size_t before;

	if (change && change->field->flags & MADKIT_FIELD_ERROR && rows_change_counts(change))
		madkit_grid_color(g, MADKIT_COLOR_YELLOW);
	cell = madkit_grid_cell(g);
	before = cell->len;
	if (change && c->cell == ROWS_DELTA)
		rows_put_delta(cell, change);
	else if (change)
		rows_put_rate(cell, change);
	else
		rows_put_exact(cell, c, compared);
	if (cell->len == before)
		madkit_buf_char(cell, '-');
	madkit_grid_end_cell(g);
}

/* Writes what happened to a port, for the last column. */
static void rows_put_note(const struct survey_compared *compared, char note[PORT_NOTE_MAX])
{
	const enum madkit_counters_event event = madkit_counters_event(compared->difference.counters);
	const struct baseline_port *was = compared->replaced;

	if (event == MADKIT_COUNTERS_SILENT)
		snprintf(note, PORT_NOTE_MAX, "silent before");
	else if (was && *was->name)
		snprintf(note, PORT_NOTE_MAX, "replaced %s", was->name);
	else if (was)
		snprintf(note, PORT_NOTE_MAX, "replaced 0x%016" PRIx64, was->node_guid);
	else
		snprintf(note, PORT_NOTE_MAX, "%s", event ? madkit_counters_event_name(event) : "");
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Makes the grid. Returns an exit status. */
static int rows_begin(struct survey_rows *rows)
{
	static const struct port_column errors[] = {
		{ "NODE", MADKIT_GRID_NAME },   { "PORT", MADKIT_GRID_RIGHT }, { "COUNTER", 0 },
		{ "DELTA", MADKIT_GRID_RIGHT }, { "RATE", MADKIT_GRID_RIGHT }, { "PEER", MADKIT_GRID_NAME },
		{ "PORT", MADKIT_GRID_RIGHT },  { "NOTE", MADKIT_GRID_NOTE },
	};
	int ret = 0;

	if (rows->grid)
		return EXIT_DONE;
	rows->grid = port_grid_new(errors,
				   rows->errors ? ARRAY_SIZE(errors) :
				   rows->placed ? 2 :
						  0,
				   &rows->out->terminal);
	for (size_t i = 0; rows->grid && i < rows->n && !rows->errors && !ret; i++)
		ret = madkit_grid_add_column(rows->grid, rows->columns[i].name,
					     rows->columns[i].counter[0] ? MADKIT_GRID_RIGHT : 0);
	if (rows->grid && rows->placed && !rows->errors && !ret)
		ret = madkit_grid_add_column(rows->grid, "NOTE", MADKIT_GRID_NOTE);
	return rows->grid && !ret ? EXIT_DONE : cli_no_memory();
}

/* Adds a row of the grid. compared: NULL: the port did not respond, or refused. */
static int rows_put_grid(struct survey_rows *rows, const struct madkit_record *port,
			 const struct survey_compared *compared, bool refused)
{
	char note[PORT_NOTE_MAX];
	int status = rows_begin(rows);

	snprintf(note, sizeof(note), "%s", refused ? "refused" : "no response");
	if (status)
		return status;
	if (compared)
		rows_put_note(compared, note);
	if (rows->placed) {
		port_put_name(rows->grid, port, "node.name", "node.guid");
		port_put_number(rows->grid, port, "number");
	}
	for (size_t i = 0; i < rows->n; i++) {
		if (compared)
			rows_put_cell(rows->grid, &rows->columns[i], compared);
		else
			port_put_text(rows->grid, "?", MADKIT_COLOR_RED);
	}
	if (rows->placed)
		port_put_text(rows->grid, note,
			      !*note   ? MADKIT_COLOR_NONE :
			      compared ? MADKIT_COLOR_YELLOW :
					 MADKIT_COLOR_RED);
	return EXIT_DONE;
}

/* Writes a row of CSV. */
static int rows_put_csv(struct survey_rows *rows, const struct survey_compared *compared)
{
	struct madkit_buf *buf = &rows->out->buf, cell;

	for (size_t i = 0; i < rows->n && !rows->titled; i++) {
		madkit_text_csv(buf, rows->columns[i].name, strlen(rows->columns[i].name));
		madkit_buf_str(buf, i + 1 < rows->n ? "," : "\r\n");
	}
	rows->titled = true;
	madkit_buf_init(&cell, 0);
	for (size_t i = 0; i < rows->n; i++) {
		madkit_buf_reset(&cell);
		rows_put_exact(&cell, &rows->columns[i], compared);
		madkit_text_csv(buf, cell.len ? cell.data : "", cell.len);
		madkit_buf_str(buf, i + 1 < rows->n ? "," : "\r\n");
	}
	madkit_buf_free(&cell);
	return EXIT_DONE;
}

/* Adds a row of --errors. change: NULL: no counter is known. */
static int rows_put_error(struct survey_rows *rows, const struct madkit_record *port,
			  const struct survey_compared *compared, const struct madkit_change *change)
{
	const char *unknown = compared ? "-" : "?";
	char note[PORT_NOTE_MAX] = "no response";
	struct madkit_grid *g;
	struct madkit_buf *cell;
	int status = rows_begin(rows);

	if (status)
		return status;
	g = rows->grid;
	if (compared)
		rows_put_note(compared, note);
	port_put_name(g, port, "node.name", "node.guid");
	port_put_number(g, port, "number");
	port_put_text(g, change ? change->field->name : unknown, MADKIT_COLOR_NONE);
	madkit_grid_color(g, compared ? MADKIT_COLOR_YELLOW : MADKIT_COLOR_RED);
	cell = madkit_grid_cell(g);
	if (change && change->known)
		madkit_buf_char(cell, '+');
	if (change)
		rows_put_delta(cell, change);
	else
		madkit_buf_str(cell, unknown);
	madkit_grid_end_cell(g);
	cell = madkit_grid_cell(g);
	if (change)
		rows_put_rate(cell, change);
	else
		madkit_buf_str(cell, unknown);
	madkit_grid_end_cell(g);
	port_put_name(g, port, "peer.node.name", "peer.node.guid");
	port_put_number(g, port, "peer.number");
	port_put_text(g, note,
		      !*note   ? MADKIT_COLOR_NONE :
		      compared ? MADKIT_COLOR_YELLOW :
				 MADKIT_COLOR_RED);
	return EXIT_DONE;
}

/* Adds a row for each counter of errors that has changed. */
static int rows_put_errors(struct survey_rows *rows, const struct madkit_record *port,
			   const struct survey_compared *compared)
{
	const struct madkit_change *change;
	int status = EXIT_DONE;
	size_t n = 0;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++) {
		/* after a reset, nothing is known of any counter */
		if (!(change->field->flags & MADKIT_FIELD_ERROR) || !rows_change_counts(change) ||
		    change->reset || status)
			continue;
		status = rows_put_error(rows, port, compared, change);
		n++;
	}
	return status || n ? status : rows_put_error(rows, port, compared, NULL);
}

/* Keeps a row until all columns are known. */
static int rows_hold(struct survey_rows *rows, const struct rows_row *row)
{
	madkit_buf_add(&rows->held, row, sizeof(*row));
	return rows->held.error ? cli_no_memory() : EXIT_DONE;
}

/* Adds a row now, if the columns are known. */
static int rows_put(struct survey_rows *rows, const struct madkit_record *port,
		    const struct survey_compared *compared)
{
	if (rows->csv)
		return rows_put_csv(rows, compared);
	return rows->errors ? rows_put_errors(rows, port, compared) :
			      rows_put_grid(rows, port, compared, false);
}

/* Returns the place of a counter in the attribute. */
static unsigned int rows_rank(const struct survey_rows *rows, const struct madkit_change *change)
{
	const struct madkit_layout *layout = survey_delta_attribute(rows->delta)->layout;
	unsigned int i = 0;

	while (i < layout->nfields && strcmp(layout->fields[i].name, change->field->name))
		i++;
	return i * 1024 + change->index;
}

/* Adds a column for a counter in its place, unless there is one. */
static int rows_insert(struct survey_rows *rows, const struct madkit_change *change)
{
	struct rows_column added;
	char name[MADKIT_PATH_MAX];
	unsigned int rank;
	size_t i;
	int status;

	for (i = 0; i < rows->n; i++)
		if (rows_is_of(&rows->columns[i], change))
			return EXIT_DONE;
	if (rows->n == ROWS_COLUMNS)
		return EXIT_DONE;
	rank = rows_rank(rows, change);
	for (i = 0; i < rows->n && rows->columns[i].rank < rank;)
		i++;
	rows_put_counter(change, name);
	status = rows_add_column(rows, name, strlen(name));
	if (status)
		return status;
	added = rows->columns[rows->n - 1];
	added.rank = rank;
	memmove(&rows->columns[i + 1], &rows->columns[i], (rows->n - 1 - i) * sizeof(added));
	rows->columns[i] = added;
	return EXIT_DONE;
}

/* Adds the columns of the counters that have changed. After a reset, nothing is known of any counter: the note says so. */
static int rows_add_changed(struct survey_rows *rows, const struct survey_compared *compared)
{
	const struct madkit_change *change;
	int status = EXIT_DONE;

	for (size_t i = 0; !status && (change = madkit_counters_change(compared->difference.counters, i));
	     i++)
		if (rows_change_counts(change) && !change->reset)
			status = rows_insert(rows, change);
	return status;
}

int survey_rows_add(struct survey_rows *rows, size_t at, const struct madkit_attribute *attribute,
		    const struct survey_compared *compared)
{
	const struct rows_row row = { .at = at, .attribute = attribute };
	int status;

	if (rows->fixed || rows->errors)
		return rows_put(rows, compared->record.message->port, compared);
	status = rows_add_changed(rows, compared);
	return status ? status : rows_hold(rows, &row);
}

int survey_rows_add_silent(struct survey_rows *rows, size_t at, const struct madkit_message *message)
{
	const bool refused = message->kind == MADKIT_MESSAGE_RESPONSE;
	const struct rows_row row = { .at = at, .silent = true, .refused = refused };
	const struct survey_compared none = { .record.message = message };

	if (rows->csv)
		return rows_put_csv(rows, &none);
	if (rows->errors)
		return rows_put_error(rows, message->port, NULL, NULL);
	return rows->fixed ? rows_put_grid(rows, message->port, NULL, refused) : rows_hold(rows, &row);
}

int survey_rows_add_gone(struct survey_rows *rows, const struct baseline_port *port,
			 const struct survey_compared *compared)
{
	const struct rows_row row = { .gone = port };

	if (rows->fixed || rows->errors)
		return rows_put(rows, compared->record.message->port, compared);
	return rows_hold(rows, &row);
}

/* ---- rows with the columns that have changed ---------------------------------------------------- */

/* Compares the port of a row again. Returns the port. */
static const struct madkit_record *rows_again(struct survey_rows *rows, const struct rows_row *row,
					      struct madkit_sweep_record *record,
					      struct survey_compared *compared)
{
	const struct scope *scope = rows->delta->scope;

	if (row->gone)
		baseline_get_record(row->gone, record);
	else
		scope_record(scope, &scope->ports[row->at], record);
	if (row->gone)
		survey_delta_gone(rows->delta, &record->message, compared);
	else if (!row->silent)
		survey_delta_compare(rows->delta, row->at, row->attribute, &record->record, &record->message,
				     compared);
	return &record->record;
}

static int rows_write_held(struct survey_rows *rows)
{
	const struct rows_row *row = (const struct rows_row *)(const void *)rows->held.data;
	const size_t n = rows->held.len / sizeof(*row);
	struct survey_compared compared;
	struct madkit_sweep_record record;
	int status = EXIT_DONE;

	for (size_t i = 0; i < n && !status; i++) {
		const struct madkit_record *port = rows_again(rows, &row[i], &record, &compared);

		status = rows_put_grid(rows, port, row[i].silent ? NULL : &compared, row[i].refused);
	}
	madkit_buf_reset(&rows->held);
	return status;
}

int survey_rows_write(struct survey_rows *rows)
{
	int status = rows->fixed || rows->errors ? EXIT_DONE : rows_write_held(rows);

	if (rows->grid)
		madkit_grid_write(rows->grid, &rows->out->buf);
	if (rows->fixed || rows->errors)
		return status;
	madkit_grid_free(rows->grid);
	rows->grid = NULL;
	rows_drop_columns(rows);
	return status;
}
