/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks of forwarding tables. Each is requested once, when it is first needed, and kept. */
#ifndef SWEEP_BLOCK_H
#define SWEEP_BLOCK_H

#include "sweep/state.h"

/* A block of a node. If its state is MADKIT_SWEEP_UNKNOWN, it is requested: call madkit_sweep_step(). NULL: out of
 * memory. */
const struct sweep_block *block_get(struct madkit_sweep *s, uint32_t node, uint16_t attribute,
				    uint32_t modifier);
/* Whether it is known if a switch routes adaptively (struct sweep_entry.adapts). Else it is requested. */
bool block_adaptive(struct madkit_sweep *s, uint32_t node);
/* Requests blocks of the node without a response again. */
void block_repeat(struct madkit_sweep *s, uint32_t node);
void block_free(struct madkit_sweep *s);

/* Takes the next block of a node, to be posted in this phase. */
struct sweep_block *block_take(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node);
/* The request for a block has ended. The block is the next one of its node again, until block_end(). */
void block_return(struct madkit_sweep *s, struct sweep_block *block);
/* The state of the next block of a node is final. data: MADKIT_SWEEP_INFO_BYTES if it is MADKIT_SWEEP_ANSWERED. */
void block_end(struct madkit_sweep *s, uint32_t node, enum madkit_sweep_state state, const uint8_t *data);

#endif
