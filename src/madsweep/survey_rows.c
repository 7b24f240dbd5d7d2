/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "survey_cells.h"
#include "survey_rows.h"
#include "util/array_size.h"

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
	bool placed;       /* the column NOTE is behind the fields, and before them, */
	bool nodes, ports; /* ... NODE and PORT, unless --fields has them */
	bool fixed; /* the columns are known; else those that have changed are shown, with the peer of the port */
	bool titled;
	struct survey_columns columns;
	struct madkit_grid *grid; /* of fixed columns or errors; NULL: none yet */
	struct madkit_buf held;   /* struct rows_row */
};

int survey_rows_new(struct survey_delta *delta, bool errors, struct survey_rows **out)
{
	const struct cli_options *o = delta->x->options;
	struct survey_rows *rows = calloc(1, sizeof(*rows));

	*out = rows;
	if (!rows)
		return cli_no_memory();
	rows->delta = delta;
	rows->columns.delta = delta;
	rows->out = delta->x->out;
	rows->csv = o->output.csv;
	rows->errors = errors;
	rows->placed = !rows->csv && (!o->output.fields || rows->out->format == FORMAT_TEXT);
	rows->fixed = rows->csv || o->output.fields;
	madkit_buf_init(&rows->held, 0);
	rows->nodes = rows->ports = rows->placed;
	if (o->output.fields) {
		const int status = survey_columns_add(&rows->columns, o->output.fields);

		rows->nodes &= !survey_columns_have(&rows->columns, "port.node.name");
		rows->ports &= !survey_columns_have(&rows->columns, "port.number");
		return status;
	}
	return rows->csv ? survey_columns_add_usual(&rows->columns, errors) : EXIT_DONE;
}

void survey_rows_free(struct survey_rows *rows)
{
	if (!rows)
		return;
	survey_columns_free(&rows->columns);
	madkit_grid_free(rows->grid);
	madkit_buf_free(&rows->held);
	free(rows);
}

/* ---- the choice of ports ------------------------------------------------------------------- */

static bool rows_any_changed(const struct survey_compared *compared, bool errors)
{
	const struct madkit_change *change;

	for (size_t i = 0; (change = madkit_counters_change(compared->difference.counters, i)); i++)
		if (survey_change_counts(change) && (!errors || change->field->flags & MADKIT_FIELD_ERROR))
			return true;
	return false;
}

bool survey_rows_has_errors(const struct survey_compared *compared)
{
	return madkit_counters_event(compared->difference.counters) || rows_any_changed(compared, true);
}

bool survey_rows_changed(const struct survey_rows *rows, const struct survey_compared *compared)
{
	const struct survey_column *columns = rows->columns.list;
	bool counters = false;

	if (madkit_counters_event(compared->difference.counters))
		return true;
	for (size_t i = 0; i < rows->columns.n && rows->fixed; i++) {
		if (columns[i].counter[0] && survey_column_changed(&columns[i], compared))
			return true;
		counters |= columns[i].counter[0] != 0;
	}
	return !counters && rows_any_changed(compared, rows->errors);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static const struct port_column rows_place[] = { { "NODE", MADKIT_GRID_NAME },
						 { "PORT", MADKIT_GRID_RIGHT } };
static const struct port_column rows_peer[] = { { "PEER", MADKIT_GRID_NAME }, { "PORT", MADKIT_GRID_RIGHT } };

/* Makes the grid of --errors. */
static struct madkit_grid *rows_errors_grid(const struct madkit_terminal *terminal)
{
	static const struct port_column columns[] = {
		{ "NODE", MADKIT_GRID_NAME },   { "PORT", MADKIT_GRID_RIGHT }, { "COUNTER", 0 },
		{ "DELTA", MADKIT_GRID_RIGHT }, { "RATE", MADKIT_GRID_RIGHT }, { "PEER", MADKIT_GRID_NAME },
		{ "PORT", MADKIT_GRID_RIGHT },  { "NOTE", MADKIT_GRID_NOTE },
	};

	return port_grid_new(columns, ARRAY_SIZE(columns), terminal);
}

/* Makes the grid. Returns an exit status. */
static int rows_begin(struct survey_rows *rows)
{
	const struct madkit_terminal *terminal = &rows->out->terminal;
	int ret = 0;

	if (rows->grid)
		return EXIT_DONE;
	rows->grid = rows->errors ? rows_errors_grid(terminal) :
				    port_grid_new(rows_place + !rows->nodes,
						  (size_t)rows->nodes + rows->ports, terminal);
	if (!rows->grid)
		return cli_no_memory();
	if (rows->errors)
		return EXIT_DONE;
	for (size_t i = 0; i < rows->columns.n && !ret; i++)
		ret = madkit_grid_add_column(rows->grid, rows->columns.list[i].name,
					     rows->columns.list[i].counter[0] ? MADKIT_GRID_RIGHT : 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows_peer) && !rows->fixed && !ret; i++)
		ret = madkit_grid_add_column(rows->grid, rows_peer[i].title, rows_peer[i].flags);
	if (rows->placed && !ret)
		ret = madkit_grid_add_column(rows->grid, "NOTE", MADKIT_GRID_NOTE);
	return ret ? cli_no_memory() : EXIT_DONE;
}

/* Adds a row of the grid. compared: NULL: the port did not respond, or refused. */
static int rows_put_grid(struct survey_rows *rows, const struct madkit_record *port,
			 const struct survey_compared *compared, bool refused)
{
	int status = rows_begin(rows);

	if (status)
		return status;
	if (rows->nodes)
		port_put_name(rows->grid, port, "node.name", "node.guid");
	if (rows->ports)
		port_put_number(rows->grid, port, "number");
	for (size_t i = 0; i < rows->columns.n; i++) {
		if (compared)
			survey_cell_put(rows->grid, &rows->columns.list[i], compared);
		else
			port_put_text(rows->grid, "?", MADKIT_COLOR_RED);
	}
	if (!rows->fixed) {
		port_put_name(rows->grid, port, "peer.node.name", "peer.node.guid");
		port_put_number(rows->grid, port, "peer.number");
	}
	if (rows->placed)
		survey_cell_put_note(rows->grid, compared, refused);
	return EXIT_DONE;
}

/* Ends a cell of CSV. */
static void rows_end_csv(struct survey_rows *rows, size_t i, const char *text, size_t len)
{
	struct madkit_buf *buf = &rows->out->buf;

	madkit_text_csv(buf, text, len);
	madkit_buf_str(buf, i + 1 < rows->columns.n ? "," : "\r\n");
}

/* Writes the header of CSV, once. */
static void rows_title_csv(struct survey_rows *rows)
{
	for (size_t i = 0; i < rows->columns.n && !rows->titled; i++)
		rows_end_csv(rows, i, rows->columns.list[i].name, strlen(rows->columns.list[i].name));
	rows->titled = true;
}

/* Writes a row of CSV. */
static int rows_put_csv(struct survey_rows *rows, const struct survey_compared *compared)
{
	struct madkit_buf cell;

	rows_title_csv(rows);
	madkit_buf_init(&cell, 0);
	for (size_t i = 0; i < rows->columns.n; i++) {
		madkit_buf_reset(&cell);
		survey_cell_put_exact(&cell, &rows->columns.list[i], compared);
		rows_end_csv(rows, i, cell.len ? cell.data : "", cell.len);
	}
	madkit_buf_free(&cell);
	return EXIT_DONE;
}

/* Adds a row of --errors. compared: NULL: the port did not respond; change: NULL: no counter is known. */
static int rows_put_error(struct survey_rows *rows, const struct madkit_record *port,
			  const struct survey_compared *compared, const struct madkit_change *change)
{
	const enum madkit_color color = compared ? MADKIT_COLOR_YELLOW : MADKIT_COLOR_RED;
	const char *unknown = compared ? "-" : "?";
	struct madkit_buf *cell;
	int status = rows_begin(rows);

	if (status)
		return status;
	port_put_name(rows->grid, port, "node.name", "node.guid");
	port_put_number(rows->grid, port, "number");
	port_put_text(rows->grid, change ? change->field->name : unknown, MADKIT_COLOR_NONE);
	if (change) {
		madkit_grid_color(rows->grid, color);
		cell = madkit_grid_cell(rows->grid);
		madkit_buf_str(cell, change->known ? "+" : "");
		survey_cell_put_delta(cell, change);
		madkit_grid_end_cell(rows->grid);
		survey_cell_put_rate(madkit_grid_cell(rows->grid), change);
		madkit_grid_end_cell(rows->grid);
	} else {
		port_put_text(rows->grid, unknown, color);
		port_put_text(rows->grid, unknown, MADKIT_COLOR_NONE);
	}
	port_put_name(rows->grid, port, "peer.node.name", "peer.node.guid");
	port_put_number(rows->grid, port, "peer.number");
	survey_cell_put_note(rows->grid, compared, false);
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
		if (!(change->field->flags & MADKIT_FIELD_ERROR) || !survey_change_counts(change) ||
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

int survey_rows_add(struct survey_rows *rows, size_t at, const struct madkit_attribute *attribute,
		    const struct survey_compared *compared)
{
	const struct rows_row row = { .at = at, .attribute = attribute };
	int status;

	if (rows->fixed || rows->errors)
		return rows_put(rows, compared->record.message->port, compared);
	status = survey_columns_add_changed(&rows->columns, compared);
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

	/* also if no port has changed */
	if (rows->csv)
		rows_title_csv(rows);
	if (rows->grid)
		madkit_grid_write(rows->grid, &rows->out->buf);
	if (rows->fixed || rows->errors)
		return status;
	madkit_grid_free(rows->grid);
	rows->grid = NULL;
	survey_columns_free(&rows->columns);
	return status;
}
