/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The local ports through which subnets are swept. */
#ifndef SRC_RAILS_H
#define SRC_RAILS_H

#include "cli/cli.h"

struct rails {
	char **specs; /* NULL: the default port */
	size_t n;
};

/* Lists the devices of the options; "all" means the InfiniBand ports of this machine that have a link and
 * QP0. Returns EXIT_DONE, or another exit status after a report. The caller frees the list in either case. */
int rails_list(const struct cli_options *options, struct rails *list);
/* Lists the devices that options, environment or configuration name; else all InfiniBand ports of this machine, also those
 * without a link. As rails_list(). */
int rails_list_host(const struct cli_options *options, struct rails *list);
void rails_free(struct rails *list);

/* Checks if the sweep has found the port with this GUID, and the same LID if both LIDs are known. */
bool rails_reached(const struct madkit_sweep *sweep, const struct madkit_port_info *info);

#endif
