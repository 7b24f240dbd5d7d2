/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SRC_PRIVILEGES_H
#define SRC_PRIVILEGES_H

#include "cli.h"

/*
 * Drops the capabilities of this process, and refuses new ones to programs that it would execute, before it reads what
 * others send. It is called when devices and files have been opened and agents registered: opening needs CAP_DAC_OVERRIDE
 * if the owner is another user, and finding the holders of a method CAP_SYS_PTRACE. Not before COMMAND is run, which
 * inherits the capabilities.
 *
 * What is still needed is kept: CAP_NET_RAW and CAP_IPC_LOCK for a queue pair that a redirection may need;
 * CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH for a node name map, and the former to remove the trace instance of --snoop.
 * For -r, nothing is kept.
 */
void privileges_drop(const struct cli_options *options);

#endif
