/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks for confirmation of an action that cannot be undone. */
#ifndef SRC_CONFIRM_H
#define SRC_CONFIRM_H

/* Asks the question on the terminal. Returns EXIT_DONE for yes; EXIT_NOTHING for no; EXIT_USAGE if there
 * is no terminal, after naming the option that confirms; EXIT_TIMEOUT or 128 + N if no answer was typed in
 * time. */
int confirm_on_terminal(const char *question, const char *option);

#endif
