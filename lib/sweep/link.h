/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rates of a port that a sweep has found, and what limits those of its link. */
#ifndef SWEEP_LINK_H
#define SWEEP_LINK_H

#include <madkit/sweep.h>
#include "topology/port_info.h"

/* All are 0 if the port has not answered PortInfo, and for port 0 of a switch, which has no link. FDR10 is only known of
 * ports whose link runs at QDR or FDR10. */
void link_rates_get(const struct madkit_sweep_node *node, unsigned int port, struct link_rates *rates);

/* What keeps the link of two ports below the best that both support, as the first of them sees it. */
void link_judge(const struct link_rates *port, const struct link_rates *peer, struct madkit_sweep_link *link);

#endif
