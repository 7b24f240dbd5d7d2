/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsweep --topology: the subnet in the format of ibnetdiscover. */
#ifndef SRC_TOPOLOGY_FILE_H
#define SRC_TOPOLOGY_FILE_H

#include "madsweep_options.h"
#include "request/exchange.h"

/* Checks the options for --topology, and reports an error. Returns EXIT_DONE or EXIT_USAGE. */
int topology_file_check(const struct madsweep_options *options);

/* Writes the file to standard output. Returns EXIT_DONE, or an exit status after a report if there is no
 * file. *lacks is set to EXIT_MALFORMED if nodes, links or GUIDs are omitted, which is reported; the comments
 * of the file have the details. */
int topology_file_write(struct exchange *x, const struct madkit_sweep *sweep, int *lacks);

#endif
