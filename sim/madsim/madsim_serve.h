/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A topology that comes to life: for a command, or until it is stopped. */
#ifndef SRC_MADSIM_SERVE_H
#define SRC_MADSIM_SERVE_H

#include "cli/cli.h"
#include "topology/topology.h"

/* By the options --socket, --node, --sm, --seed and so on. command NULL: serves until a signal
 * comes. An exit status, told already. */
int serve(const struct cli_options *o, const struct topology *t, char **command);

#endif
