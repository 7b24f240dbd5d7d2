/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SRC_PRIVILEGES_H
#define SRC_PRIVILEGES_H

#include "cli.h"

/*
 * Drops the capabilities of this process, and denies new ones to programs that it would execute, before it
 * reads input from others. Call it when devices and files have been opened and agents registered: opening
 * needs CAP_DAC_OVERRIDE if the owner is another user, and finding the holders of a method needs
 * CAP_SYS_PTRACE. Do not call it before COMMAND is run, because COMMAND inherits the capabilities.
 *
 * These are kept if they are still needed: CAP_NET_RAW and CAP_IPC_LOCK for a queue pair that a redirection
 * may need; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH for a node name map; CAP_DAC_OVERRIDE to remove the
 * trace instance of --snoop. For -r, nothing is kept.
 */
void privileges_drop(const struct cli_options *options);

#endif
