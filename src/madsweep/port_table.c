/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "port_table.h"

enum column { NODE, PORT, LID, STATE, LINK, PEER, PEER_PORT, NOTE, COLUMNS };

enum { NAME_LEAST = 10 }; /* minimum number of characters of a name that is cut */
#define DOTS "..."

static const struct {
	const char *title;
	bool right;
} columns[COLUMNS] = {
	[NODE] = { "NODE", false },     [PORT] = { "PORT", true },  [LID] = { "LID", true },
	[STATE] = { "STATE", false },   [LINK] = { "LINK", false }, [PEER] = { "PEER", false },
	[PEER_PORT] = { "PORT", true }, [NOTE] = { "NOTE", false },
};

struct port_table {
	struct madkit_buf cells; /* each ends with a NUL */
	size_t rows;
	size_t width[COLUMNS]; /* characters of the longest cell */
};

struct port_table *port_table_new(void)
{
	struct port_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	madkit_buf_init(&t->cells, 0);
	for (int i = 0; i < COLUMNS; i++)
		t->width[i] = strlen(columns[i].title);
	return t;
}

void port_table_free(struct port_table *t)
{
	if (t)
		madkit_buf_free(&t->cells);
	free(t);
}

/* ---- cells ------------------------------------------------------------------------ */

static size_t port_cell_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Ends the cell that begins at this offset of the buffer. */
static void port_cell_end(struct port_table *t, enum column column, size_t begin)
{
	size_t width;

	madkit_buf_char(&t->cells, 0);
	if (t->cells.error)
		return;
	width = port_cell_width(t->cells.data + begin);
	t->width[column] = width > t->width[column] ? width : t->width[column];
}

static void port_cell_number(struct port_table *t, enum column column, const struct madkit_record *port,
			     const char *name)
{
	const size_t begin = t->cells.len;
	uint64_t value;

	if (!madkit_record_value(port, name, &value))
		madkit_buf_printf(&t->cells, "%" PRIu64, value);
	else
		madkit_buf_str(&t->cells, "-");
	port_cell_end(t, column, begin);
}

/* Returns the name of a value of a field, or NULL if it has none. */
static const char *port_value_word(const char *name, uint64_t value)
{
	struct madkit_place place;

	if (madkit_place_find(madkit_sweep_attribute()->layout, name, strlen(name), &place, NULL))
		return NULL;
	return madkit_value_name(place.field->values, value);
}

/* Returns the name of the value of an enumeration, or NULL if the value is null. */
static const char *port_word(const struct madkit_record *port, const char *name)
{
	uint64_t value;

	return madkit_record_value(port, name, &value) ? NULL : port_value_word(name, value);
}

/* Adds a cell with a name, or with the GUID if the name is not known. */
static void port_cell_name(struct port_table *t, enum column column, const struct madkit_record *port,
			   const char *name, const char *guid_name)
{
	const size_t begin = t->cells.len;
	struct madkit_place place;
	const char *text = "";
	uint64_t guid;
	size_t len = 0;

	if (!madkit_place_find(port->layout, name, strlen(name), &place, NULL)) {
		text = (const char *)port->data + (place.base + place.field->offset) / 8;
		len = strnlen(text, place.field->width / 8);
	}
	if (len)
		madkit_text_escape(&t->cells, text, len);
	else if (!madkit_record_value(port, guid_name, &guid))
		madkit_buf_printf(&t->cells, "0x%016" PRIx64, guid);
	else
		madkit_buf_str(&t->cells, "-");
	port_cell_end(t, column, begin);
}

static void port_cell_text(struct port_table *t, enum column column, const char *text)
{
	const size_t begin = t->cells.len;

	madkit_buf_str(&t->cells, text);
	port_cell_end(t, column, begin);
}

int port_table_add(struct port_table *t, const struct madkit_record *port, const char *note)
{
	const char *state = port_word(port, "state"), *phys = port_word(port, "phys");
	const char *width = port_word(port, "width"), *speed = port_word(port, "speed");
	char link[32] = "-";

	/* for a port that is down, show the physical state: Polling, Disabled */
	if (state && !strcmp(state, "Down") && phys)
		state = phys;
	if (width || speed)
		snprintf(link, sizeof(link), "%s %s", width ? width : "?", speed ? speed : "?");
	port_cell_name(t, NODE, port, "node.name", "node.guid");
	port_cell_number(t, PORT, port, "number");
	port_cell_number(t, LID, port, "lid");
	port_cell_text(t, STATE, state ? state : "-");
	port_cell_text(t, LINK, link);
	port_cell_name(t, PEER, port, "peer.node.name", "peer.node.guid");
	port_cell_number(t, PEER_PORT, port, "peer.number");
	port_cell_text(t, NOTE, note ? note : "");
	t->rows++;
	return t->cells.error;
}

/* Appends "TEXT: 4x EDR END". */
static size_t port_add_note(char buf[PORT_NOTE_MAX], size_t len, const char *text, uint32_t width,
			    uint32_t speed, const char *end)
{
	const char *w = port_value_word("width", width), *s = port_value_word("speed", speed);

	return len + (size_t)snprintf(buf + len, PORT_NOTE_MAX - len, "%s%s: %s%s%s %s", len ? "; " : "",
				      text, w ? w : "", w && s ? " " : "", s ? s : "", end);
}

const char *port_link_note(const struct madkit_sweep_link *link, char buf[PORT_NOTE_MAX])
{
	size_t len = 0;

	/* the row of the other end has its own note */
	if (link->limits & MADKIT_SWEEP_LINK_MISCONFIGURED)
		len = port_add_note(buf, len, "misconfigured", link->width_best, link->speed_best,
				    "is not enabled");
	else if (link->limits & MADKIT_SWEEP_LINK_LIMITED)
		len = port_add_note(buf, len, "limited by peer", link->width_best, link->speed_best,
				    "is not enabled there");
	if (link->limits & MADKIT_SWEEP_LINK_SLOW)
		len = port_add_note(buf, len, "slow", link->width_enabled, link->speed_enabled,
				    "is possible");
	return len ? buf : NULL;
}

void port_describe(const struct madkit_record *port, char *text, size_t size)
{
	const char *state = port_word(port, "state"), *width = port_word(port, "width");
	const char *speed = port_word(port, "speed");
	uint64_t guid = 0, number = 0;

	madkit_record_value(port, "node.guid", &guid);
	madkit_record_value(port, "number", &number);
	/* the name is the first field */
	snprintf(text, size, " (%.64s 0x%016" PRIx64 " port %" PRIu64 ": %s%s%s%s%s)",
		 (const char *)port->data, guid, number, state ? state : "state unknown", width ? ", " : "",
		 width ? width : "", width && speed ? " " : "", width && speed ? speed : "");
}

/* ---- lines ------------------------------------------------------------------------ */

/* Returns the number of bytes of the first n characters of a text. */
static size_t port_bytes(const char *text, size_t n)
{
	size_t bytes = 0;

	while (text[bytes] && (n || ((unsigned char)text[bytes] & 0xc0) == 0x80)) {
		n -= ((unsigned char)text[bytes] & 0xc0) != 0x80;
		bytes++;
	}
	return bytes;
}

/* How names are cut: of kept characters, head are from their beginning, and the others from their end. */
struct port_cut {
	size_t width, head;
};

/* Appends a name of at most cut->width characters. */
static void port_put_cut(struct madkit_buf *buf, const char *text, const struct port_cut *cut)
{
	const size_t own = port_cell_width(text);

	if (own <= cut->width) {
		madkit_buf_str(buf, text);
		return;
	}
	madkit_buf_add(buf, text, port_bytes(text, cut->head));
	madkit_buf_str(buf, DOTS);
	madkit_buf_str(buf, text + port_bytes(text, own - (cut->width - strlen(DOTS) - cut->head)));
}

static int port_name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the names of the table, each once, in order. Returns NULL if memory ran out. */
static const char **port_table_names(const struct port_table *t, size_t *n)
{
	const char **names = calloc(2 * t->rows + 1, sizeof(*names)), *cell = t->cells.data;
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; names && i < t->rows * COLUMNS; i++, cell += strlen(cell) + 1)
		if (i % COLUMNS == NODE || i % COLUMNS == PEER)
			names[all++] = cell;
	if (!names)
		return NULL;
	qsort(names, all, sizeof(*names), port_name_compare);
	for (size_t i = 0; i < all; i++)
		if (!*n || strcmp(names[*n - 1], names[i]) != 0)
			names[(*n)++] = names[i];
	return names;
}

/* Checks if names that are cut are different. cuts: room for n names. */
static bool port_names_differ(const char *const *names, size_t n, const struct port_cut *cut,
			      struct madkit_buf *buf, const char **cuts)
{
	const char *text;
	bool differ = true;

	madkit_buf_reset(buf);
	for (size_t i = 0; i < n; i++) {
		port_put_cut(buf, names[i], cut);
		madkit_buf_char(buf, 0);
	}
	if (buf->error)
		return false;
	text = buf->data;
	for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
		cuts[i] = text;
	qsort(cuts, n, sizeof(*cuts), port_name_compare);
	for (size_t i = 1; i < n && differ; i++)
		differ = strcmp(cuts[i - 1], cuts[i]) != 0;
	return differ;
}

/* Chooses the place of the cut, in the middle if possible, so that no two names look alike. Returns false if
 * there is none for this width. */
static bool port_cut_place(const char *const *names, size_t n, struct port_cut *cut, struct madkit_buf *buf,
			   const char **cuts)
{
	const size_t kept = cut->width - strlen(DOTS), middle = kept / 2;

	for (size_t i = 0; i <= 2 * (kept - middle); i++) {
		const size_t aside = (i + 1) / 2;

		if (aside > (i % 2 ? middle : kept - middle))
			continue;
		cut->head = i % 2 ? middle - aside : middle + aside;
		if (port_names_differ(names, n, cut, buf, cuts))
			return true;
	}
	return false;
}

/* Cuts names to the least width, from that given on, at which no two names look alike. Without memory for
 * that, they are not cut. */
static void port_table_cut(const struct port_table *t, struct port_cut *cut)
{
	const size_t longest = t->width[NODE] > t->width[PEER] ? t->width[NODE] : t->width[PEER];
	size_t n = 0;
	const char **names = port_table_names(t, &n), **cuts = calloc(n + 1, sizeof(*cuts));
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	while (cut->width < longest && !(names && cuts && port_cut_place(names, n, cut, &buf, cuts)))
		cut->width++;
	madkit_buf_free(&buf);
	free(names);
	free(cuts);
}

/* Shortens names until a line fits, as far as they remain different. */
static void port_table_fit(const struct port_table *t, size_t width[COLUMNS], struct port_cut *cut,
			   size_t limit)
{
	const size_t longest = width[NODE] > width[PEER] ? width[NODE] : width[PEER];
	size_t all = COLUMNS - 1;

	for (int i = 0; i < COLUMNS; i++)
		all += width[i];
	for (cut->width = longest; limit && all > limit && cut->width > NAME_LEAST; cut->width--)
		all -= (size_t)(width[NODE] >= cut->width) + (width[PEER] >= cut->width);
	if (cut->width < longest)
		port_table_cut(t, cut);
	width[NODE] = t->width[NODE] < cut->width ? t->width[NODE] : cut->width;
	width[PEER] = t->width[PEER] < cut->width ? t->width[PEER] : cut->width;
}

/* Appends a cell. cut: NULL if it is not a name. */
static void port_table_put(struct madkit_buf *buf, const char *text, size_t width, const struct port_cut *cut,
			   bool right, bool last)
{
	const size_t own = port_cell_width(text);
	const size_t blanks = own < width ? width - own : 0;

	for (size_t i = 0; right && i < blanks; i++)
		madkit_buf_char(buf, ' ');
	if (cut)
		port_put_cut(buf, text, cut);
	else
		madkit_buf_str(buf, text);
	for (size_t i = 0; !right && !last && i < blanks; i++)
		madkit_buf_char(buf, ' ');
}

void port_table_write(const struct port_table *t, size_t limit, struct madkit_buf *buf)
{
	const char *cell = t->cells.data;
	size_t width[COLUMNS];
	struct port_cut cut;

	if (!t->rows || t->cells.error)
		return;
	memcpy(width, t->width, sizeof(width));
	port_table_fit(t, width, &cut, limit);
	for (size_t row = 0; row <= t->rows; row++) {
		for (int i = 0; i < COLUMNS; i++) {
			const char *text = row ? cell : columns[i].title;

			/* no blanks at the end of a line */
			if (i == NOTE && !*text) {
				cell += row ? 1 : 0;
				continue;
			}
			if (i)
				madkit_buf_char(buf, ' ');
			port_table_put(buf, text, width[i], row && (i == NODE || i == PEER) ? &cut : NULL,
				       columns[i].right, i == NOTE);
			cell += row ? strlen(text) + 1 : 0;
		}
		madkit_buf_char(buf, '\n');
	}
}
