/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the simulation of a topology: for a command, or until a signal stops it. */
#ifndef SRC_MADSIM_SERVE_H
#define SRC_MADSIM_SERVE_H

#include "madsim_options.h"
#include "topology/topology.h"

/* Serves as the options --socket, --node, --sm, --seed and so on specify. If command is NULL, serves until a
 * signal, the deadline or the control word quit. Returns the exit status; errors have been reported. */
int serve(const struct madsim_options *o, const struct topology *t, char **command);

#endif
