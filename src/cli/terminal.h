/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The properties of the terminal at standard output: columns, colours, characters; and questions on the terminal of the
 * process. */
#ifndef SRC_TERMINAL_H
#define SRC_TERMINAL_H

#include <madkit/grid.h>
#include "cli.h"

/* Returns how results are shown on standard output: without limits and escapes unless it is a terminal. Its columns are
 * those of COLUMNS, else of the terminal. Problems have colours by --color; else NO_COLOR, CLICOLOR_FORCE and CLICOLOR=0
 * decide, in this order; else they have on a terminal. Characters beyond ASCII are escaped if the codeset of the locale is
 * not UTF-8. */
struct madkit_terminal terminal_get(enum cli_color color);

/* Appends a text in a colour. */
void terminal_put(struct madkit_buf *buf, const char *text, enum madkit_color color,
		  const struct madkit_terminal *terminal);

/* Asks a question, which ends with "[y/N] ". Returns EXIT_DONE for yes; EXIT_NOTHING for no; EXIT_USAGE if the process has
 * no terminal; EXIT_TIMEOUT or 128 + N if the deadline or a signal came before an answer. Everything but EXIT_DONE and
 * EXIT_NOTHING has been reported. */
int terminal_confirm(const char *question);

#endif
