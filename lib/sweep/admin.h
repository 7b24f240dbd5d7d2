/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of a sweep to the subnet administrator (SA). */
#ifndef SWEEP_ADMIN_H
#define SWEEP_ADMIN_H

#include "sweep/state.h"

/* Returns 0; -EHOSTUNREACH if the port has no subnet manager; -ENOMEM; or an error of madkit_port_sa_addr()
 * or madkit_agent_register(). */
int admin_open(struct madkit_sweep *s);
/* Posts the request for the next table or block, or ends the sweep. Returns 0; -ENOMEM; or an error of
 * madkit_dispatcher_post(). */
int admin_fill(struct madkit_sweep *s);
/* Processes a table or block that has arrived. Returns 0; -ENOMEM; or an error of the device. */
int admin_collect(struct madkit_sweep *s);
/* Adds the tries of the outstanding request to *sent and *resent. */
void admin_count(const struct madkit_sweep *s, uint64_t *sent, uint64_t *resent);
/* The request must not be outstanding. */
void admin_free(struct madkit_sweep *s);

#endif
