/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words for a served simulation. */
#ifndef SRC_MADSIM_CLIENT_H
#define SRC_MADSIM_CLIENT_H

#include "cli/output.h"

/* Sends the words to the madsim at path, and prints its reply. Returns the exit status; errors have been
 * reported. */
int client_control(const char *path, const struct cli_words *w, struct output *out);

#endif
