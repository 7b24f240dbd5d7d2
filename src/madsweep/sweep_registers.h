/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows which nodes have no registers, in the summary. registers NULL: nothing is shown. */
#ifndef SRC_SWEEP_REGISTERS_H
#define SRC_SWEEP_REGISTERS_H

#include <madkit/registers.h>
#include "cli/cli.h"

/* Names the types of devices that were left out. */
void sweep_registers_tell_left_out(const struct madkit_registers *registers);
/* If nodes are silent, says that they may have another V_Key. */
void sweep_registers_hint(const struct madkit_registers *registers, uint32_t nodes);
/* Says how many nodes refused registers, with which statuses. */
void sweep_registers_tell_refused(const struct madkit_registers *registers, uint32_t nodes);
/* Writes the object "registers" of the summary. */
void sweep_registers_write(const struct madkit_registers *registers, uint32_t nodes, struct madkit_writer *w);

#endif
