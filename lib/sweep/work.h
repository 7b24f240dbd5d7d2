/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has to be requested: bits of each port, and nodes in turn. */
#ifndef SWEEP_WORK_H
#define SWEEP_WORK_H

#include "sweep/state.h"

void work_add(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind);
/* In this phase, whatever the state of the node. */
void work_add_phase(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node, unsigned int port,
		    enum sweep_kind kind);
/* Deletes requests of a port that have not been sent. */
void work_delete(struct madkit_sweep *s, uint32_t node, unsigned int port, enum sweep_kind kind);
/* Moves the requests of these kinds (bits) to the last phase. */
void work_defer(struct madkit_sweep *s, uint32_t node, unsigned int kinds);
/* Takes the next request of the next node. Of a request to the node, work_done() has to be called later. */
bool work_take(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way, struct sweep_place *at,
	       enum sweep_kind *kind);
void work_done(struct madkit_sweep *s, uint32_t node);
bool work_left(const struct madkit_sweep *s, enum sweep_phase phase, enum sweep_way way);
/* Puts the node on the lists on which it has to be. Its state has changed. */
void work_arrange(struct madkit_sweep *s, struct sweep_entry *e);

#endif
