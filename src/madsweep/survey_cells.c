/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include "survey_cells.h"

void survey_cell_put_delta(struct madkit_buf *cell, const struct madkit_change *change)
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

void survey_cell_put_rate(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (!change->rated)
		madkit_buf_char(cell, '-');
	else if (change->unit)
		difference_put_bits(cell, change->unit * change->rate);
	else
		difference_put_rate(cell, change->rate);
}

/* Appends the rate and the share of the link, or why the rate is not known. */
static void cell_put_move(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (change->known && !change->delta)
		madkit_buf_char(cell, '0');
	else if (change->known && change->rated)
		survey_cell_put_rate(cell, change);
	else
		survey_cell_put_delta(cell, change);
	if (change->shared)
		madkit_buf_printf(cell, " %4.*f %%", change->share < 9.95, change->share);
}

/* Appends the percentage of the link. */
static void cell_put_share(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (change->shared)
		madkit_buf_printf(cell, "%.*f %%", change->share < 9.95, change->share);
}

/* Appends a rate in octets. */
static void cell_put_bytes(struct madkit_buf *cell, const struct madkit_change *change)
{
	if (!change->rated || !change->unit)
		return;
	madkit_text_bytes(cell, change->unit * change->rate);
	madkit_buf_str(cell, "/s");
}

static void (*const cell_parts[])(struct madkit_buf *cell, const struct madkit_change *change) = {
	[COLUMN_DELTA] = survey_cell_put_delta, [COLUMN_RATE] = survey_cell_put_rate,
	[COLUMN_RATE_BYTES] = cell_put_bytes,   [COLUMN_SHARE] = cell_put_share,
	[COLUMN_MOVE] = cell_put_move,
};

void survey_cell_put(struct madkit_grid *g, const struct survey_column *c,
		     const struct survey_compared *compared)
{
	const struct madkit_change *change = c->part == COLUMN_VALUE ? NULL : survey_column_find(c, compared);
	struct madkit_buf *cell;
	size_t before;

	if (change && change->field->flags & MADKIT_FIELD_ERROR && survey_change_counts(change))
		madkit_grid_color(g, MADKIT_COLOR_YELLOW);
	cell = madkit_grid_cell(g);
	before = cell->len;
	if (change)
		cell_parts[c->part](cell, change);
	else
		madkit_expr_put_value(c->expr, 0, false, &compared->record, false, cell);
	if (cell->len == before)
		madkit_buf_char(cell, '-');
	madkit_grid_end_cell(g);
}

void survey_cell_put_exact(struct madkit_buf *cell, const struct survey_column *c,
			   const struct survey_compared *compared)
{
	const bool rate = c->part == COLUMN_RATE || c->part == COLUMN_RATE_BYTES || c->part == COLUMN_SHARE;
	const struct madkit_change *change =
		rate && compared->difference.counters ? survey_column_find(c, compared) : NULL;

	/* expressions have whole numbers */
	if (!change)
		madkit_expr_put_value(c->expr, 0, false, &compared->record, false, cell);
	else if (c->part == COLUMN_SHARE ? change->shared :
					   change->rated && (c->part == COLUMN_RATE || change->unit))
		madkit_buf_printf(cell, "%.3f",
				  c->part == COLUMN_SHARE ? change->share :
				  c->part == COLUMN_RATE  ? change->rate :
							    change->unit * change->rate);
}

/* Writes what happened to a port. */
static void cell_note(const struct survey_compared *compared, char note[PORT_NOTE_MAX])
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

void survey_cell_put_note(struct madkit_grid *g, const struct survey_compared *compared, bool refused)
{
	char note[PORT_NOTE_MAX];

	if (!compared) {
		port_put_text(g, refused ? "refused" : "no response", MADKIT_COLOR_RED);
		return;
	}
	cell_note(compared, note);
	port_put_text(g, note, *note ? MADKIT_COLOR_YELLOW : MADKIT_COLOR_NONE);
}
