/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_grid - align cells of text in columns
 *
 * A grid has columns with titles, and rows with a cell for each column. Cells are UTF-8. Where a line would be longer than
 * the terminal, titles have several lines, and names are cut, in the middle if possible, so that no two different names
 * look alike. If that does not suffice, a row takes as few lines of the terminal as it can. The functions do not block.
 */
#ifndef MADKIT_GRID_H
#define MADKIT_GRID_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <madkit/buf.h>

MADKIT_BEGIN_DECLS

struct madkit_grid;

enum {
	MADKIT_GRID_COLUMNS = 66, /* maximum number of columns */
};

enum madkit_grid_flags {
	MADKIT_GRID_RIGHT = 1 << 0, /* cells are aligned at the right */
	MADKIT_GRID_NAME = 1 << 1,  /* cells are names, which may be cut */
	MADKIT_GRID_NOTE = 1 << 2,  /* cells of the last column that do not fit are on a separate line */
};

/* How a terminal shows lines. All zero: a pipe or a file. */
struct madkit_terminal {
	size_t columns; /* characters of a line; 0: no limit */
	bool color;     /* problems are red or yellow */
	bool ascii;     /* characters beyond ASCII are escaped */
};

enum madkit_color {
	MADKIT_COLOR_NONE,
	MADKIT_COLOR_YELLOW, /* a warning */
	MADKIT_COLOR_RED,    /* a critical problem, or no response */
};

/*
 * madkit_color - return the sequence that changes the colour of a terminal
 * @terminal: the terminal, or NULL
 * @color:    the colour of the text that follows; MADKIT_COLOR_NONE: that before the previous sequence
 *
 * Return: the sequence; "" if the terminal shows no colours.
 */
const char *madkit_color(const struct madkit_terminal *terminal, enum madkit_color color);

/*
 * madkit_grid_new - make a grid without columns
 * @gap: number of blanks between two columns
 *
 * Return: the grid, which the caller frees with madkit_grid_free(); NULL if out of memory.
 */
struct madkit_grid *madkit_grid_new(size_t gap);

/*
 * madkit_grid_set_terminal - choose the terminal of a grid without rows
 * @grid:     the grid; a new one has none
 * @terminal: the terminal, which is copied
 */
void madkit_grid_set_terminal(struct madkit_grid *grid, const struct madkit_terminal *terminal);

/*
 * madkit_grid_free - free a grid
 * @grid: grid to free, or NULL; rows that were not written are lost
 */
void madkit_grid_free(struct madkit_grid *grid);

/*
 * madkit_grid_clear - remove all columns and rows
 * @grid: the grid
 */
void madkit_grid_clear(struct madkit_grid *grid);

/*
 * madkit_grid_add_column - add a column at the right of a grid without rows
 * @grid:  the grid
 * @title: its title, which is copied
 * @flags: enum madkit_grid_flags
 *
 * Return: 0, -E2BIG if there are MADKIT_GRID_COLUMNS, or -ENOMEM.
 */
int madkit_grid_add_column(struct madkit_grid *grid, const char *title, unsigned int flags);

/*
 * madkit_grid_cell - return the text of the next cell
 * @grid: the grid
 *
 * Return: the buffer that the caller appends the text of the cell to, until madkit_grid_end_cell(). Text before that of
 * the cell is not changed.
 */
struct madkit_buf *madkit_grid_cell(struct madkit_grid *grid);

/*
 * madkit_grid_color - colour the next cell
 * @grid:  the grid
 * @color: colour of the cell. Its text is not yet appended.
 */
void madkit_grid_color(struct madkit_grid *grid, enum madkit_color color);

/*
 * madkit_grid_end_cell - end a cell
 * @grid: the grid. Its row ends with the cell of the last column.
 *
 * Return: 0; -ENOMEM or -EFBIG if the row is lost. The caller adds its other cells as if it were not.
 */
int madkit_grid_end_cell(struct madkit_grid *grid);

/*
 * madkit_grid_rows, madkit_grid_bytes - return how much was added since madkit_grid_write()
 * @grid: the grid
 *
 * Return: the number of rows; the number of bytes of their cells.
 */
size_t madkit_grid_rows(const struct madkit_grid *grid);
size_t madkit_grid_bytes(const struct madkit_grid *grid);

/*
 * madkit_grid_write - append the rows, and remove them
 * @grid: the grid. The first rows have the titles above them. The columns of later rows are at least as wide. Names are
 *        compared with those of the same call only.
 * @buf:  receives whole lines
 */
void madkit_grid_write(struct madkit_grid *grid, struct madkit_buf *buf);

MADKIT_END_DECLS
#endif
