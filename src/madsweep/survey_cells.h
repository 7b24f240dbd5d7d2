/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cells of rows of differences: how much a counter has changed, for a person and exactly. */
#ifndef SRC_SURVEY_CELLS_H
#define SRC_SURVEY_CELLS_H

#include "port_table.h"
#include "survey_columns.h"

/* Appends how much a counter has changed, or "reset" or "full". */
void survey_cell_put_delta(struct madkit_buf *cell, const struct madkit_change *change);
/* Appends its rate: "79.8 Gb/s", "3/h". */
void survey_cell_put_rate(struct madkit_buf *cell, const struct madkit_change *change);

/* Adds the cell of a column. */
void survey_cell_put(struct madkit_grid *grid, const struct survey_column *column,
		     const struct survey_compared *compared);
/* Appends the exact number of a column, for CSV; nothing: it is not known. */
void survey_cell_put_exact(struct madkit_buf *cell, const struct survey_column *column,
			   const struct survey_compared *compared);

/* Adds the last column: what happened to a port. compared: NULL: the port did not respond, or refused. */
void survey_cell_put_note(struct madkit_grid *grid, const struct survey_compared *compared, bool refused);

#endif
