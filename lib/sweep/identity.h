/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decides whether a LID or a port GUID identifies one end port: see "what identifies an end port" in
 * madkit/sweep.h. */
#ifndef SWEEP_IDENTITY_H
#define SWEEP_IDENTITY_H

#include "sweep/nodes.h"

/* Sets the LIDs of an end port from its PortInfo. Returns false if it has none, or PortInfo was not read. */
bool identity_lids(const struct madkit_sweep_port *port, struct madkit_sweep_lids *lids);
/* Checks if two end ports are planes of one port: ports of one node with one GUID. */
bool identity_is_plane(const struct madkit_sweep *s, struct sweep_place a, struct sweep_place b);
/* Returns the end port of a port: port 0 of a switch, otherwise the port itself. */
static inline unsigned int identity_end(const struct sweep_entry *e, unsigned int port)
{
	return sweep_is_switch(e) ? 0 : port;
}
/* Sets struct madkit_sweep_port.shared of all end ports. Returns 0 or -ENOMEM. */
int identity_judge(struct madkit_sweep *s);

#endif
