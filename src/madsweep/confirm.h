/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks for confirmation of an action that cannot be undone. */
#ifndef SRC_CONFIRM_H
#define SRC_CONFIRM_H

/* Asks the question on the terminal. Returns EXIT_DONE for yes; EXIT_NOTHING for no; EXIT_USAGE if the
 * process has no terminal, after a message that names the option to use instead; EXIT_TIMEOUT or 128 + N if the
 * deadline or a signal came before an answer. */
int confirm_on_terminal(const char *question, const char *option);

#endif
