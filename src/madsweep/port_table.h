/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of a sweep as text: one row per port, with both ends of its link. */
#ifndef SRC_PORT_TABLE_H
#define SRC_PORT_TABLE_H

#include <madkit/madkit.h>

struct port_column {
	const char *title;
	unsigned int flags; /* enum madkit_grid_flags */
};

/* Returns a grid with n columns, or NULL if memory ran out. */
struct madkit_grid *port_grid_new(const struct port_column *columns, size_t n);

/* Returns a grid with the columns of port_table_add(), or NULL if memory ran out. */
struct madkit_grid *port_table_new(void);

/* Adds a row. note: text for the last column, or NULL. Returns 0 or -ENOMEM. */
int port_table_add(struct madkit_grid *table, const struct madkit_record *port, const char *note);

/* Add a cell with a field of the port: a number, or a name, or the GUID of a node without a known name. Return 0, or
 * -ENOMEM if the row is lost. */
int port_put_number(struct madkit_grid *table, const struct madkit_record *port, const char *name);
int port_put_name(struct madkit_grid *table, const struct madkit_record *port, const char *name,
		  const char *guid_name);

enum { PORT_NOTE_MAX = 96, PORT_LINK_MAX = 32 };

/* Writes the width and speed of a port, "4x HDR", or "-" if they are not known. */
void port_link_text(const struct madkit_record *port, char text[PORT_LINK_MAX]);

/* Describes what keeps the link below its best: "slow: 4x EDR is possible". Returns buf, or NULL if nothing
 * is known to limit it. */
const char *port_link_note(const struct madkit_sweep_link *link, char buf[PORT_NOTE_MAX]);

/* Writes " (leaf1 port 3: Active, 1x EDR)". */
void port_describe(const struct madkit_record *port, char *text, size_t size);

#endif
