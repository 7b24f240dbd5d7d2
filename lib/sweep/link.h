/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rates of a port that a sweep has found, and the limits of its link. */
#ifndef SWEEP_LINK_H
#define SWEEP_LINK_H

#include <madkit/sweep.h>
#include "topology/port_info.h"

/* Checks if PortInfo shows a link at an extended speed. */
bool link_is_extended(const uint8_t *info);

/* The attributes on which the speeds of a port depend, other than its own PortInfo, as bits. 0: none. */
enum {
	LINK_NEEDS_BASE = 1 << 0,     /* PortInfo of port 0 of the switch, which has not responded */
	LINK_NEEDS_WIDE = 1 << 1,     /* PortInfo with bit 31 of the modifier */
	LINK_NEEDS_EXTENDED = 1 << 2, /* MLNXExtendedPortInfo, which distinguishes FDR10 from QDR */
};
unsigned int link_needs(const struct madkit_sweep_node *node, unsigned int port);

/* Sets all speeds to 0 if an attribute on which they depend was not read. Sets everything to 0 if the port
 * has not responded to PortInfo, and for port 0 of a switch, which has no link. If the link has an extended
 * speed, FDR10 is not known. */
void link_rates_get(const struct madkit_sweep_node *node, unsigned int port, struct link_rates *rates);

/* Finds what keeps the link of two ports below the best rate that both support, as seen from the first
 * port. */
void link_judge(const struct link_rates *port, const struct link_rates *peer, struct madkit_sweep_link *link);

#endif
