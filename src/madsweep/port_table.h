/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of a sweep as text: one row per port, with both ends of its link. */
#ifndef SRC_PORT_TABLE_H
#define SRC_PORT_TABLE_H

#include <madkit/madkit.h>

struct port_column {
	const char *title;
	unsigned int flags; /* enum madkit_grid_flags */
};

/* Returns a grid with n columns for a terminal, or NULL if memory ran out. */
struct madkit_grid *port_grid_new(const struct port_column *columns, size_t n,
				  const struct madkit_terminal *terminal);

/* Returns a grid with the columns of port_table_add(), or NULL if memory ran out. */
struct madkit_grid *port_table_new(const struct madkit_terminal *terminal);

enum { PORT_NOTE_MAX = 192, PORT_LINK_MAX = 32 };

/* The text of the last column. */
struct port_note {
	char buf[PORT_NOTE_MAX];
	const char *text; /* buf or another one; NULL: none */
	enum madkit_color color;
	bool link; /* about the rate of the link */
};

/* Adds a row. Returns 0 or -ENOMEM. */
int port_table_add(struct madkit_grid *table, const struct madkit_record *port, const struct port_note *note);

/* Adds a cell with a text in a colour. Returns 0, or -ENOMEM if the row is lost. */
int port_put_text(struct madkit_grid *table, const char *text, enum madkit_color color);

/* Add a cell with a field of the port: a number, or a name, or the GUID of a node without a known name. Return 0, or
 * -ENOMEM if the row is lost. */
int port_put_number(struct madkit_grid *table, const struct madkit_record *port, const char *name);
int port_put_name(struct madkit_grid *table, const struct madkit_record *port, const char *name,
		  const char *guid_name);

/* Writes the width and speed of a port, "4x HDR", or "-" if they are not known. */
void port_link_text(const struct madkit_record *port, char text[PORT_LINK_MAX]);

/* Notes why the link of a port is below its best: "slow: 4x EDR is possible (25 Gb/s of 100)"; nothing if it is not
 * known to be limited. */
void port_link_note(const struct madkit_record *port, const struct madkit_sweep_link *link,
		    struct port_note *note);

/* Writes " (leaf1 port 3: Active, 1x EDR)". */
void port_describe(const struct madkit_record *port, char *text, size_t size);

#endif
