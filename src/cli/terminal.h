/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The properties of the terminal at standard output: columns, colours, characters; and questions on the terminal of the
 * process. */
#ifndef SRC_TERMINAL_H
#define SRC_TERMINAL_H

#include "cli.h"

#define TERMINAL_RED    "\033[31m"
#define TERMINAL_YELLOW "\033[33m"
#define TERMINAL_PLAIN  "\033[0m"

/* Returns the columns of the terminal, at least 80; 0: standard output is not a terminal, so lines have no limit. */
size_t terminal_columns(void);

/* Checks if problems are shown in colour: by --color; else NO_COLOR, CLICOLOR_FORCE and CLICOLOR=0, in this order; else on
 * a terminal. */
bool terminal_colors(enum cli_color color);

/* Returns the number of characters of a text in UTF-8. */
size_t terminal_width(const char *text, size_t len);

/* Asks a question, which ends with "[y/N] ". Returns EXIT_DONE for yes; EXIT_NOTHING for no; EXIT_USAGE if the process has
 * no terminal; EXIT_TIMEOUT or 128 + N if the deadline or a signal came before an answer. Everything but EXIT_DONE and
 * EXIT_NOTHING has been reported. */
int terminal_confirm(const char *question);

#endif
