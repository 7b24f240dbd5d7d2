/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pending requests: bits of each port, and nodes that take turns. */
#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include "sweep/state.h"

void work_add(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind);
/* Adds a request in this phase, even if the node is suspect. A request to a silent node is dropped. */
void work_add_phase(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node, unsigned int port,
		    enum sweep_kind kind);
/* Deletes a request of a port that has not been sent. */
void work_delete(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind);
/* Moves pending requests of these kinds (bits) to the last phase. */
void work_defer(struct madkit_sweep *s, uint32_t node, unsigned int kinds);
/* Takes the next request of the next node. For a request to the node, call work_done() when it ends. */
bool work_take(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way, struct sweep_place *at,
	       enum sweep_kind *kind);
void work_done(struct madkit_sweep *s, uint32_t node);
bool work_left(const struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way);
/* Updates the lists of a node after its state has changed. */
void work_arrange(struct madkit_sweep *s, struct sweep_entry *e);

#endif
