/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks of the tables of a node or port: forwarding, P_Keys, SL to VL. Each block is requested once, when it is first
 * needed, and kept. */
#ifndef SWEEP_BLOCK_H
#define SWEEP_BLOCK_H

#include "sweep/state.h"

/* Returns a block, or NULL if out of memory. If its state is MADKIT_SWEEP_UNKNOWN, it is requested: call
 * madkit_sweep_step(). at: a port of a CA or router, which has its own tables, or port 0 of a switch. */
const struct sweep_block *block_get(struct madkit_sweep *s, struct sweep_place at, uint16_t attribute,
				    uint32_t modifier);
/* Requests whether a switch routes adaptively (struct sweep_entry.adapts). Returns false while that is
 * pending; true: it is known, or cannot be read. */
bool block_adaptive(struct madkit_sweep *s, uint32_t node);
/* Requests the unanswered blocks of the node again. */
void block_repeat(struct madkit_sweep *s, uint32_t node);
void block_free(struct madkit_sweep *s);

/* Takes the next block of a node, to post it in this phase. */
struct sweep_block *block_take(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node);
/* Call this when the request for a block has ended: it is the next block of its node again, until
 * block_end(). */
void block_return(struct madkit_sweep *s, struct sweep_block *block);
/* Sets the final state of the next block of a node. data: MADKIT_SWEEP_INFO_BYTES if the state is
 * MADKIT_SWEEP_ANSWERED, otherwise NULL. */
void block_end(struct madkit_sweep *s, uint32_t node, enum madkit_sweep_state state, const uint8_t *data);

#endif
