/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of a sweep as results: a table in text, lines of JSON, or the fields of --fields. */
#ifndef SRC_SWEEP_LIST_H
#define SRC_SWEEP_LIST_H

#include "sweeping.h"

/* Shows the ports of the scope. Returns EXIT_DONE, or another exit status after a report. */
int sweeping_show(struct sweeping *s);

/* Writes the nodes and links of the scope as a graph for Graphviz. Returns as sweeping_show(). */
int sweeping_draw(struct sweeping *s);

/* In JSON, shows a line for each node that does not respond. */
void sweeping_show_all_silent(struct sweeping *s);

#endif
