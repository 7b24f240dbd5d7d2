/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/grid.h>

enum { NAME_LEAST = 10 }; /* minimum number of characters of a name that is cut */
#define DOTS "..."

struct grid_column {
	char *title;
	unsigned int flags;
	size_t width; /* characters of the longest cell so far */
};

/* How the lines are written. */
struct grid_shape {
	size_t name, head;                 /* characters of a name, and how many of them precede the cut */
	size_t width[MADKIT_GRID_COLUMNS]; /* characters of each column */
	size_t titles;                     /* lines of titles */
};

struct madkit_grid {
	struct grid_column columns[MADKIT_GRID_COLUMNS];
	size_t n, gap;
	struct madkit_buf cells; /* each ends with a NUL */
	size_t rows;
	bool titled;
	/* the row being added */
	size_t at;           /* column of the next cell */
	size_t cell, row;    /* where they begin in cells */
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

void madkit_grid_clear(struct madkit_grid *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->columns[i].title);
	madkit_buf_reset(&g->cells);
	g->n = g->rows = g->at = g->cell = g->row = g->longest_name = 0;
	g->titled = false;
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

/* Returns the length of the sequence of a terminal at the beginning of a text. */
static size_t grid_sequence(const char *text)
{
	return text[0] == '\033' && text[1] == '[' ? strcspn(text, "m") + 1 : 0;
}

/* Returns the number of characters that a terminal shows. */
static size_t grid_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		text += grid_sequence(text);
		if (!*text)
			break;
		n += ((unsigned char)*text & 0xc0) != 0x80;
	}
	return n;
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

int madkit_grid_end_cell(struct madkit_grid *g)
{
	struct grid_column *c = &g->columns[g->at];
	int error;

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

/* Returns the number of bytes of the first n characters of a text. */
static size_t grid_name_bytes(const char *text, size_t n)
{
	size_t bytes = 0;

	while (text[bytes] && (n || ((unsigned char)text[bytes] & 0xc0) == 0x80)) {
		n -= ((unsigned char)text[bytes] & 0xc0) != 0x80;
		bytes++;
	}
	return bytes;
}

/* Appends a name of at most shape->name characters. */
static void grid_put_name(struct madkit_buf *buf, const char *text, const struct grid_shape *shape)
{
	const size_t own = grid_width(text);

	if (own <= shape->name) {
		madkit_buf_str(buf, text);
		return;
	}
	madkit_buf_add(buf, text, grid_name_bytes(text, shape->head));
	madkit_buf_str(buf, DOTS);
	madkit_buf_str(buf, text + grid_name_bytes(text, own - (shape->name - strlen(DOTS) - shape->head)));
}

static int grid_name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the names of the grid, each once, in order. Returns NULL if memory ran out. */
static const char **grid_names(const struct madkit_grid *g, size_t *n)
{
	const char **names = calloc(g->rows * g->n + 1, sizeof(*names)), *cell = g->cells.data;
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; names && i < g->rows * g->n; i++, cell += strlen(cell) + 1)
		if (g->columns[i % g->n].flags & MADKIT_GRID_NAME)
			names[all++] = cell;
	if (!names)
		return NULL;
	qsort(names, all, sizeof(*names), grid_name_compare);
	for (size_t i = 0; i < all; i++)
		if (!*n || strcmp(names[*n - 1], names[i]) != 0)
			names[(*n)++] = names[i];
	return names;
}

/* Checks if names that are cut are different. cuts: room for n names. */
static bool grid_names_differ(const char *const *names, size_t n, const struct grid_shape *shape,
			      struct madkit_buf *buf, const char **cuts)
{
	const char *text;
	bool differ = true;

	madkit_buf_reset(buf);
	for (size_t i = 0; i < n; i++) {
		grid_put_name(buf, names[i], shape);
		madkit_buf_char(buf, 0);
	}
	if (buf->error)
		return false;
	text = buf->data;
	for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
		cuts[i] = text;
	qsort(cuts, n, sizeof(*cuts), grid_name_compare);
	for (size_t i = 1; i < n && differ; i++)
		differ = strcmp(cuts[i - 1], cuts[i]) != 0;
	return differ;
}

/* Chooses the place of the cut, in the middle if possible, so that no two names look alike. Returns false if
 * there is none for this width. */
static bool grid_cut_place(const char *const *names, size_t n, struct grid_shape *shape,
			   struct madkit_buf *buf, const char **cuts)
{
	const size_t kept = shape->name - strlen(DOTS), middle = kept / 2;

	for (size_t i = 0; i <= 2 * (kept - middle); i++) {
		const size_t aside = (i + 1) / 2;

		if (aside > (i % 2 ? middle : kept - middle))
			continue;
		shape->head = i % 2 ? middle - aside : middle + aside;
		if (grid_names_differ(names, n, shape, buf, cuts))
			return true;
	}
	return false;
}

/* Cuts names to the least width, from that given on, at which no two names look alike. Without memory for
 * that, they are not cut. */
static void grid_cut_names(const struct madkit_grid *g, struct grid_shape *shape)
{
	size_t n = 0;
	const char **names = grid_names(g, &n), **cuts = calloc(n + 1, sizeof(*cuts));
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	while (shape->name < g->longest_name &&
	       !(names && cuts && grid_cut_place(names, n, shape, &buf, cuts)))
		shape->name++;
	madkit_buf_free(&buf);
	free(names);
	free(cuts);
}

static size_t grid_line_width(const struct madkit_grid *g, const struct grid_shape *shape)
{
	size_t all = (g->n - 1) * g->gap;

	for (size_t i = 0; i < g->n; i++)
		all += shape->width[i];
	return all;
}

/* Initialises the widths of the columns. wrap: titles have several lines. */
static void grid_measure(const struct madkit_grid *g, bool wrap, struct grid_shape *shape)
{
	shape->titles = 1;
	for (size_t i = 0; i < g->n; i++) {
		const struct grid_column *c = &g->columns[i];
		const size_t title = wrap ? grid_longest_word(c->title) : grid_width(c->title);
		size_t width = c->flags & MADKIT_GRID_NAME && c->width > shape->name ? shape->name : c->width;
		size_t lines;

		width = width > title ? width : title;
		shape->width[i] = width;
		lines = wrap ? grid_title_lines(c->title, width) : 1;
		shape->titles = lines > shape->titles ? lines : shape->titles;
	}
}

/* Makes lines of at most limit characters: cuts names, as far as they remain different, and wraps titles. */
static void grid_fit(const struct madkit_grid *g, size_t limit, struct grid_shape *shape)
{
	bool wrap = false;

	*shape = (struct grid_shape){ .name = g->longest_name };
	grid_measure(g, false, shape);
	if (!limit || grid_line_width(g, shape) <= limit)
		return;
	/* names are cut in vain if other columns are too wide: then titles are wrapped first */
	shape->name = NAME_LEAST;
	grid_measure(g, false, shape);
	wrap = grid_line_width(g, shape) > limit;
	shape->name = g->longest_name;
	grid_measure(g, wrap, shape);
	while (grid_line_width(g, shape) > limit && shape->name > NAME_LEAST) {
		shape->name--;
		grid_measure(g, wrap, shape);
	}
	if (shape->name < g->longest_name)
		grid_cut_names(g, shape);
	grid_measure(g, wrap, shape);
}

/* ---- lines ------------------------------------------------------------------------ */

static void grid_put_blanks(struct madkit_buf *buf, size_t n)
{
	while (n--)
		madkit_buf_char(buf, ' ');
}

/* Appends a cell of a column after the blanks that are due, so that none are at the end of a line. */
static void grid_put_cell(const struct madkit_grid *g, size_t i, const struct grid_shape *shape,
			  const char *text, size_t own, size_t *blanks, struct madkit_buf *buf)
{
	const size_t pad = shape->width[i] > own ? shape->width[i] - own : 0;
	const bool right = g->columns[i].flags & MADKIT_GRID_RIGHT;

	*blanks += right ? pad : 0;
	if (*text && own) {
		grid_put_blanks(buf, *blanks);
		*blanks = 0;
	}
	*blanks += g->gap + (right ? 0 : pad);
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
			grid_put_cell(g, i, shape, title, n, &blanks, buf);
			madkit_buf_add(buf, title, n);
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
		size_t own = grid_width(cell);

		if (g->columns[i].flags & MADKIT_GRID_NAME) {
			own = own > shape->name ? shape->name : own;
			grid_put_cell(g, i, shape, cell, own, &blanks, buf);
			grid_put_name(buf, cell, shape);
		} else {
			grid_put_cell(g, i, shape, cell, own, &blanks, buf);
			madkit_buf_str(buf, cell);
		}
		cell += strlen(cell) + 1;
	}
	madkit_buf_char(buf, '\n');
	return cell;
}

void madkit_grid_write(struct madkit_grid *g, size_t limit, struct madkit_buf *buf)
{
	const char *cell = g->cells.data;
	struct grid_shape shape;

	if (!g->rows)
		return;
	grid_fit(g, limit, &shape);
	if (!g->titled)
		grid_put_titles(g, &shape, buf);
	for (size_t i = 0; i < g->rows; i++)
		cell = grid_put_row(g, &shape, cell, buf);
	g->titled = true;
	madkit_buf_reset(&g->cells);
	g->rows = g->cell = g->row = 0;
}
