/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a LID or a port GUID identifies one end port: see "what identifies an end port" in madkit/sweep.h. */
#ifndef SWEEP_IDENTITY_H
#define SWEEP_IDENTITY_H

#include "sweep/nodes.h"

/* The LIDs of an end port, by its PortInfo. False: it has none, or it was not read. */
bool identity_lids(const struct madkit_sweep_port *port, struct madkit_sweep_lids *lids);
/* The end port of a port: of a switch, its port 0. */
static inline unsigned int identity_end(const struct sweep_entry *e, unsigned int port)
{
	return sweep_is_switch(e) ? 0 : port;
}
/* Sets struct madkit_sweep_port.shared of all end ports. 0 or -ENOMEM. */
int identity_judge(struct madkit_sweep *s);

#endif
