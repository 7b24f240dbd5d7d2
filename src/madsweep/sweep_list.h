/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ports of a sweep as results: a table for people, lines of JSON, or chosen fields. */
#ifndef SRC_SWEEP_LIST_H
#define SRC_SWEEP_LIST_H

#include "sweeping.h"

/* Shows the ports of the scope. EXIT_DONE, or another exit status after reporting the reason. */
int sweeping_show(struct sweeping *s);

/* In JSON, nodes that do not respond are lines, too. */
void sweeping_show_all_silent(struct sweeping *s);

#endif
