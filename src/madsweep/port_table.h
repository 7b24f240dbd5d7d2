/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of a sweep as text: one row per port, with both ends of its link. */
#ifndef SRC_PORT_TABLE_H
#define SRC_PORT_TABLE_H

#include <madkit/madkit.h>

struct port_table;

/* Returns NULL if memory ran out. */
struct port_table *port_table_new(void);
void port_table_free(struct port_table *table);

/* Adds a row. note: text for the last column, or NULL. Returns 0 or -ENOMEM. */
int port_table_add(struct port_table *table, const struct madkit_record *port, const char *note);

enum { PORT_NOTE_MAX = 96 };

/* Describes what keeps the link below its best: "slow: 4x EDR is possible". Returns buf, or NULL if nothing
 * is known to limit it. */
const char *port_link_note(const struct madkit_sweep_link *link, char buf[PORT_NOTE_MAX]);

/* Writes " (leaf1 port 3: Active, 1x EDR)". */
void port_describe(const struct madkit_record *port, char *text, size_t size);

/* Appends all rows, below titles. Names are cut if a line has more than columns characters; 0: no limit. */
void port_table_write(const struct port_table *table, size_t columns, struct madkit_buf *buf);

#endif
