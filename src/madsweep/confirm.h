/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A question before something is done that cannot be undone. */
#ifndef SRC_CONFIRM_H
#define SRC_CONFIRM_H

/* Asks on the terminal. EXIT_DONE: yes; EXIT_NOTHING: no; EXIT_USAGE: there is no terminal, and the option that answers
 * is named; EXIT_TIMEOUT or 128 + N: no answer came in time. */
int confirm_on_terminal(const char *question, const char *option);

#endif
