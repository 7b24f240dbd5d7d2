/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words to a simulation that is served. */
#ifndef SRC_MADSIM_CLIENT_H
#define SRC_MADSIM_CLIENT_H

#include "cli/output.h"

/* Has the madsim at path do what the words say, and shows what it answers. An exit status,
 * told already. */
int client_control(const char *path, const struct cli_words *w, struct output *out);

#endif
