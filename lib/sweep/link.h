/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rates of a port that a sweep has found, and what limits those of its link. */
#ifndef SWEEP_LINK_H
#define SWEEP_LINK_H

#include <madkit/sweep.h>
#include "topology/port_info.h"

/* Whether PortInfo shows a link at an extended speed. */
bool link_is_extended(const uint8_t *info);

/* What the speeds of a port depend on, beside its own PortInfo: bits. 0: nothing. */
enum {
	LINK_NEEDS_BASE = 1 << 0,     /* PortInfo of port 0 of the switch, which has not been answered */
	LINK_NEEDS_WIDE = 1 << 1,     /* PortInfo with bit 31 of the modifier */
	LINK_NEEDS_EXTENDED = 1 << 2, /* MLNXExtendedPortInfo, which distinguishes FDR10 from QDR */
};
unsigned int link_needs(const struct madkit_sweep_node *node, unsigned int port);

/* All speeds are 0 if what they depend on was not read. All are 0 if the port has not answered PortInfo, and for port 0
 * of a switch, which has no link. FDR10 is not known of a port whose link has an extended speed. */
void link_rates_get(const struct madkit_sweep_node *node, unsigned int port, struct link_rates *rates);

/* What keeps the link of two ports below the best that both support, as the first of them sees it. */
void link_judge(const struct link_rates *port, const struct link_rates *peer, struct madkit_sweep_link *link);

#endif
