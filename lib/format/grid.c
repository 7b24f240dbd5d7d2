/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include <madkit/grid.h>

enum {
	NAME_LEAST = 10, /* minimum number of characters of a name that is cut */
	NOTE_INDENT = 4, /* blanks before a note on a separate line */
};
#define DOTS "..."

struct grid_column {
	char *title;
	unsigned int flags;
	size_t width; /* characters of the longest cell so far */
};

/* A name that differs from all others, and the place where it is cut. */
struct grid_name {
	const char *text;
	const char *cut;       /* the name as it is written, to compare it with others */
	struct grid_name *kin; /* a name with the same place; that of the last one is itself */
	unsigned int step;     /* how far the cut of the kin is from the middle: see grid_head() */
	bool alike;            /* some of the kin look alike */
};

/* How the lines are written. */
struct grid_shape {
	size_t limit;            /* characters of a line; 0: none */
	size_t name;             /* characters of a name */
	struct grid_name *names; /* sorted by text; NULL: no name is cut */
	size_t n;
	size_t width[MADKIT_GRID_COLUMNS]; /* characters of each column */
	size_t titles;                     /* lines of titles */
};

struct madkit_grid {
	struct grid_column columns[MADKIT_GRID_COLUMNS];
	size_t n, gap;
	struct madkit_terminal terminal;
	struct madkit_buf cells; /* each ends with a NUL */
	size_t rows;
	bool titled;
	/* the row being added */
	size_t at;           /* column of the next cell */
	size_t cell, row;    /* where they begin in cells */
	bool colored;        /* the cell has a colour */
	int error;           /* the row is lost */
	size_t longest_name; /* characters */
};

struct madkit_grid *madkit_grid_new(size_t gap)
{
	struct madkit_grid *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->gap = gap;
	madkit_buf_init(&g->cells, 0);
	return g;
}

void madkit_grid_set_terminal(struct madkit_grid *g, const struct madkit_terminal *terminal)
{
	g->terminal = *terminal;
}

void madkit_grid_clear(struct madkit_grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->columns[i].title);
	madkit_buf_reset(&g->cells);
	g->n = g->rows = g->at = g->cell = g->row = g->longest_name = 0;
	g->titled = g->colored = false;
	g->error = 0;
}

void madkit_grid_free(struct madkit_grid *g)
{
	if (!g)
		return;
	madkit_grid_clear(g);
	madkit_buf_free(&g->cells);
	free(g);
}

/* ---- cells ------------------------------------------------------------------------ */

const char *madkit_color(const struct madkit_terminal *terminal, enum madkit_color color)
{
	static const char *const sequences[] = {
		[MADKIT_COLOR_NONE] = "\033[0m",
		[MADKIT_COLOR_YELLOW] = "\033[33m",
		[MADKIT_COLOR_RED] = "\033[31m",
	};

	return terminal && terminal->color ? sequences[color] : "";
}

static size_t grid_width(const char *text)
{
	return madkit_text_columns(text, strlen(text));
}

int madkit_grid_add_column(struct madkit_grid *g, const char *title, unsigned int flags)
{
	struct grid_column *c = &g->columns[g->n];

	if (g->n == MADKIT_GRID_COLUMNS)
		return -E2BIG;
	*c = (struct grid_column){ .title = strdup(title), .flags = flags };
	if (!c->title)
		return -ENOMEM;
	g->n++;
	return 0;
}

struct madkit_buf *madkit_grid_cell(struct madkit_grid *g)
{
	return &g->cells;
}

void madkit_grid_color(struct madkit_grid *g, enum madkit_color color)
{
	g->colored = color && g->terminal.color;
	if (g->colored)
		madkit_buf_str(&g->cells, madkit_color(&g->terminal, color));
}

int madkit_grid_end_cell(struct madkit_grid *g)
{
	struct grid_column *c = &g->columns[g->at];
	int error;

	if (g->colored)
		madkit_buf_str(&g->cells, madkit_color(&g->terminal, MADKIT_COLOR_NONE));
	g->colored = false;
	if (g->terminal.ascii)
		madkit_text_ascii(&g->cells, g->cell);
	madkit_buf_char(&g->cells, 0);
	g->error = g->error ? g->error : g->cells.error;
	if (!g->error) {
		const size_t width = grid_width(g->cells.data + g->cell);

		c->width = width > c->width ? width : c->width;
		if (c->flags & MADKIT_GRID_NAME && width > g->longest_name)
			g->longest_name = width;
	}
	g->cell = g->cells.len;
	error = g->error;
	if (++g->at < g->n)
		return error;
	if (error) {
		g->cells.len = g->row;
		g->cells.error = 0;
	}
	g->rows += !error;
	g->row = g->cell = g->cells.len;
	g->at = 0;
	g->error = 0;
	return error;
}

size_t madkit_grid_rows(const struct madkit_grid *g)
{
	return g->rows;
}

size_t madkit_grid_bytes(const struct madkit_grid *g)
{
	return g->row;
}

/* ---- titles ----------------------------------------------------------------------- */

/* Returns the length of the first word of a title: "Symbol" of "SymbolErrorCounter". */
static size_t grid_word(const char *title)
{
	size_t n = *title != 0;

	while (title[n] && title[n - 1] != '.' &&
	       !(title[n] >= 'A' && title[n] <= 'Z' && title[n - 1] >= 'a' && title[n - 1] <= 'z'))
		n++;
	return n;
}

/* Returns the length of a title's first line of at most width characters, or of one word. */
static size_t grid_title_line(const char *title, size_t width)
{
	size_t n = grid_word(title);

	while (title[n] && n + grid_word(title + n) <= width)
		n += grid_word(title + n);
	return n;
}

static size_t grid_longest_word(const char *title)
{
	size_t longest = 0;

	for (size_t n; *title; title += n) {
		n = grid_word(title);
		longest = n > longest ? n : longest;
	}
	return longest;
}

static size_t grid_title_lines(const char *title, size_t width)
{
	size_t lines = 0;

	for (; *title; lines++)
		title += grid_title_line(title, width);
	return lines;
}

/* ---- names that are cut ----------------------------------------------------------- */

/* Returns the number of bytes of a text that take at most the given columns, and those that they take. */
static size_t grid_name_bytes(const char *text, size_t columns, size_t *taken)
{
	const size_t len = strlen(text);
	size_t bytes = 0, n = 0, more;

	*taken = 0;
	while (bytes < len && (n = madkit_text_next(text + bytes, len - bytes, &more)) &&
	       *taken + more <= columns) {
		*taken += more;
		bytes += n;
	}
	return bytes;
}

/* Returns how many of the characters that are kept precede the cut: half, one less, one more, two less ... at the
 * steps 0, 1, 2 ... Returns SIZE_MAX beyond the last step. */
static size_t grid_head(const struct grid_shape *shape, unsigned int step)
{
	const size_t kept = shape->name - strlen(DOTS), middle = kept / 2, aside = (step + 1) / 2;

	if (aside > middle)
		return SIZE_MAX;
	return step % 2 ? middle - aside : middle + aside;
}

/* Returns the name that has the place of the cut of a name. */
static struct grid_name *grid_kin(struct grid_name *name)
{
	while (name->kin != name) {
		name->kin = name->kin->kin;
		name = name->kin;
	}
	return name;
}

static int grid_name_compare(const void *a, const void *b)
{
	return strcmp(((const struct grid_name *)a)->text, ((const struct grid_name *)b)->text);
}

static int grid_cut_compare(const void *a, const void *b)
{
	return strcmp((*(const struct grid_name *const *)a)->cut, (*(const struct grid_name *const *)b)->cut);
}

/* Appends a name that is cut at a step. */
static void grid_put_cut(struct madkit_buf *buf, const char *text, const struct grid_shape *shape,
			 unsigned int step)
{
	const size_t own = grid_width(text), head = grid_head(shape, step);
	const size_t tail = shape->name - strlen(DOTS) - head;
	size_t taken, skipped;

	if (own <= shape->name) {
		madkit_buf_str(buf, text);
		return;
	}
	madkit_buf_add(buf, text, grid_name_bytes(text, head, &taken));
	madkit_buf_str(buf, DOTS);
	text += grid_name_bytes(text, own - tail, &skipped);
	/* a wide character at the cut is left out */
	if (skipped < own - tail)
		text += madkit_text_next(text, strlen(text), &skipped);
	madkit_buf_str(buf, text);
}

/* Appends a name of at most shape->name characters. */
static void grid_put_name(struct madkit_buf *buf, const char *text, const struct grid_shape *shape)
{
	const struct grid_name key = { .text = text };
	struct grid_name *name =
		shape->n ? bsearch(&key, shape->names, shape->n, sizeof(key), grid_name_compare) : NULL;

	if (name)
		grid_put_cut(buf, text, shape, grid_kin(name)->step);
	else
		madkit_buf_str(buf, text);
}

/* Lists the names of the grid, each once, in order. Returns false if memory ran out. */
static bool grid_list_names(const struct madkit_grid *g, struct grid_shape *shape)
{
	struct grid_name *names = calloc(g->rows * g->n + 1, sizeof(*names));
	const char *cell = g->cells.data;
	size_t all = 0, n = 0;

	if (!names)
		return false;
	for (size_t i = 0; i < g->rows * g->n; i++, cell += strlen(cell) + 1)
		if (g->columns[i % g->n].flags & MADKIT_GRID_NAME)
			names[all++].text = cell;
	qsort(names, all, sizeof(*names), grid_name_compare);
	for (size_t i = 0; i < all; i++)
		if (!n || strcmp(names[n - 1].text, names[i].text) != 0)
			names[n++] = names[i];
	shape->names = names;
	shape->n = n;
	return true;
}

/* Cuts all names at their steps, into buf, and sorts them by the result. Returns false if memory ran out. */
static bool grid_cut_all(const struct grid_shape *shape, struct madkit_buf *buf, struct grid_name **sorted)
{
	const char *text;

	madkit_buf_reset(buf);
	for (size_t i = 0; i < shape->n; i++) {
		grid_put_cut(buf, shape->names[i].text, shape, grid_kin(&shape->names[i])->step);
		madkit_buf_char(buf, 0);
	}
	if (buf->error)
		return false;
	text = buf->data;
	for (size_t i = 0; i < shape->n; i++, text += strlen(text) + 1) {
		shape->names[i].cut = text;
		sorted[i] = &shape->names[i];
	}
	qsort(sorted, shape->n, sizeof(struct grid_name *), grid_cut_compare);
	return true;
}

/* Makes names that look alike kin. Returns false if none do. */
static bool grid_join_kin(const struct grid_shape *shape, struct grid_name **sorted)
{
	bool alike = false;

	for (size_t i = 1; i < shape->n; i++) {
		struct grid_name *a = grid_kin(sorted[i - 1]), *b = grid_kin(sorted[i]);

		if (strcmp(sorted[i - 1]->cut, sorted[i]->cut) != 0)
			continue;
		b->kin = a;
		a->step = a->step > b->step ? a->step : b->step;
		a->alike = alike = true;
	}
	return alike;
}

/* Chooses the place of each cut, in the middle if possible, so that no two names look alike. Names that do so anywhere
 * are kin, which are all cut at one place. Returns false if there is none for this width, or memory ran out. */
static bool grid_place_cuts(struct grid_shape *shape, struct madkit_buf *buf, struct grid_name **sorted)
{
	for (size_t i = 0; i < shape->n; i++)
		shape->names[i] = (struct grid_name){ .text = shape->names[i].text, .kin = &shape->names[i] };
	/* a round moves a cut or joins kin; beyond as many rounds, a greater width is found sooner */
	for (size_t round = 0; round <= 2 * shape->name; round++) {
		if (!grid_cut_all(shape, buf, sorted))
			return false;
		if (!grid_join_kin(shape, sorted))
			return true;
		for (size_t i = 0; i < shape->n; i++) {
			struct grid_name *name = &shape->names[i];

			if (name->alike && grid_kin(name) == name &&
			    grid_head(shape, ++name->step) == SIZE_MAX)
				return false;
			name->alike = false;
		}
	}
	return false;
}

/* Cuts names to the least width, from that given on, at which no two names look alike. Without memory for
 * that, they are not cut. */
static void grid_cut_names(const struct madkit_grid *g, struct grid_shape *shape)
{
	struct grid_name **sorted = NULL;
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	if (grid_list_names(g, shape))
		sorted = calloc(shape->n + 1, sizeof(struct grid_name *));
	while (shape->name < g->longest_name && !(sorted && grid_place_cuts(shape, &buf, sorted)))
		shape->name++;
	if (shape->name == g->longest_name)
		shape->n = 0;
	madkit_buf_free(&buf);
	free(sorted);
}

/* Checks if the last column has notes that may be on separate lines. */
static bool grid_has_notes(const struct madkit_grid *g, const struct grid_shape *shape)
{
	return shape->limit && g->columns[g->n - 1].flags & MADKIT_GRID_NOTE;
}

/* Returns the width of a line, without a note. */
static size_t grid_line_width(const struct madkit_grid *g, const struct grid_shape *shape)
{
	size_t all = (g->n - 1 - grid_has_notes(g, shape)) * g->gap;

	for (size_t i = 0; i < g->n; i++)
		all += shape->width[i];
	return all;
}

/* Initialises the widths of the columns for names of a width. wrap: titles have several lines. Returns the width of a
 * line. */
static size_t grid_measure(const struct madkit_grid *g, size_t name, bool wrap, struct grid_shape *shape)
{
	shape->name = name;
	shape->titles = 1;
	for (size_t i = 0; i < g->n; i++) {
		const struct grid_column *c = &g->columns[i];
		const size_t title = wrap ? grid_longest_word(c->title) : grid_width(c->title);
		size_t width = c->flags & MADKIT_GRID_NAME && c->width > name ? name : c->width;
		size_t lines;

		width = width > title ? width : title;
		/* notes that do not fit are below their rows */
		if (i + 1 == g->n && grid_has_notes(g, shape))
			width = 0;
		shape->width[i] = width;
		lines = wrap ? grid_title_lines(c->title, width) : 1;
		shape->titles = lines > shape->titles ? lines : shape->titles;
	}
	return grid_line_width(g, shape);
}

/* Makes lines of at most the width of the terminal: cuts names, as far as they remain different, and wraps titles. */
static void grid_fit(const struct madkit_grid *g, struct grid_shape *shape)
{
	const size_t least = g->longest_name < NAME_LEAST ? g->longest_name : NAME_LEAST;
	const size_t columns = g->terminal.columns;
	size_t width;
	bool wrap, fits;

	*shape = (struct grid_shape){ .limit = columns };
	width = grid_measure(g, g->longest_name, false, shape);
	if (!columns || width <= columns)
		return;
	/* names are cut in vain if other columns are too wide: then titles are wrapped first */
	wrap = grid_measure(g, least, false, shape) > columns;
	do {
		size_t name = g->longest_name;

		while (grid_measure(g, name, wrap, shape) > shape->limit && name > least)
			name--;
		free(shape->names);
		shape->names = NULL;
		shape->n = 0;
		if (name < g->longest_name)
			grid_cut_names(g, shape);
		width = grid_measure(g, shape->name, wrap, shape);
		fits = width <= shape->limit;
		/* a row that is too long has several lines, and names are as long as these permit */
		shape->limit = (width + columns - 1) / columns * columns;
	} while (!fits);
}

/* ---- lines ------------------------------------------------------------------------ */

static void grid_put_blanks(struct madkit_buf *buf, size_t n)
{
	while (n--)
		madkit_buf_char(buf, ' ');
}

/* Appends a cell of a column after the blanks that are due, so that none are at the end of a line. */
static void grid_put_cell(const struct madkit_grid *g, size_t i, const struct grid_shape *shape,
			  const char *text, size_t len, size_t *blanks, struct madkit_buf *buf)
{
	const bool right = g->columns[i].flags & MADKIT_GRID_RIGHT;
	size_t own = madkit_text_columns(text, len), begin;

	*blanks += right && shape->width[i] > own ? shape->width[i] - own : 0;
	if (own) {
		grid_put_blanks(buf, *blanks);
		*blanks = 0;
	}
	begin = buf->len;
	if (g->columns[i].flags & MADKIT_GRID_NAME && own > shape->name) {
		grid_put_name(buf, text, shape);
		/* a wide character at the cut makes it shorter */
		own = buf->error ? 0 : madkit_text_columns(buf->data + begin, buf->len - begin);
	} else {
		madkit_buf_add(buf, text, len);
	}
	*blanks += g->gap + (!right && shape->width[i] > own ? shape->width[i] - own : 0);
}

/* Checks if the text of the last column fits into its line, unless it is not one of notes. */
static bool grid_note_fits(const struct madkit_grid *g, const struct grid_shape *shape, const char *text)
{
	return !grid_has_notes(g, shape) ||
	       grid_line_width(g, shape) + g->gap + grid_width(text) <= shape->limit;
}

/* Appends the titles, of which those with fewer lines than others are at the bottom. */
static void grid_put_titles(const struct madkit_grid *g, const struct grid_shape *shape,
			    struct madkit_buf *buf)
{
	for (size_t line = 0; line < shape->titles; line++) {
		size_t blanks = 0;

		for (size_t i = 0; i < g->n; i++) {
			const char *title = g->columns[i].title;
			const size_t lines = shape->titles > 1 ? grid_title_lines(title, shape->width[i]) : 1;
			size_t skip = line + lines < shape->titles ? 0 : line + lines - shape->titles, n;

			while (skip--)
				title += grid_title_line(title, shape->width[i]);
			n = line + lines < shape->titles ? 0 :
			    shape->titles > 1            ? grid_title_line(title, shape->width[i]) :
							   strlen(title);
			if (i + 1 == g->n && !grid_note_fits(g, shape, title))
				continue;
			grid_put_cell(g, i, shape, title, n, &blanks, buf);
		}
		madkit_buf_char(buf, '\n');
	}
}

/* Appends a row. Returns the cells of the next one. */
static const char *grid_put_row(const struct madkit_grid *g, const struct grid_shape *shape, const char *cell,
				struct madkit_buf *buf)
{
	size_t blanks = 0;

	for (size_t i = 0; i < g->n; i++) {
		const size_t len = strlen(cell);

		if (i + 1 == g->n && len && !grid_note_fits(g, shape, cell)) {
			madkit_buf_char(buf, '\n');
			blanks = NOTE_INDENT;
		}
		grid_put_cell(g, i, shape, cell, len, &blanks, buf);
		cell += len + 1;
	}
	madkit_buf_char(buf, '\n');
	return cell;
}

void madkit_grid_write(struct madkit_grid *g, struct madkit_buf *buf)
{
	const char *cell = g->cells.data;
	struct grid_shape shape;

	if (!g->rows)
		return;
	grid_fit(g, &shape);
	if (!g->titled)
		grid_put_titles(g, &shape, buf);
	for (size_t i = 0; i < g->rows; i++)
		cell = grid_put_row(g, &shape, cell, buf);
	free(shape.names);
	g->titled = true;
	madkit_buf_reset(&g->cells);
	g->rows = g->cell = g->row = 0;
}
