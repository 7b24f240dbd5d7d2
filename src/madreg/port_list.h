/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madreg --list: the ports of this machine and their device nodes. */
#ifndef SRC_PORT_LIST_H
#define SRC_PORT_LIST_H

#include "cli/output.h"

/* Shows the ports that the options select: all without -C, -P and --device. Returns an exit status. */
int port_list(const struct cli_options *options, struct output *out);

#endif
