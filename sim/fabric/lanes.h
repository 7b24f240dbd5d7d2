/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Virtual lanes of packets: the SL-to-VL mapping of each pair of ports. */
#ifndef SIM_FABRIC_LANES_H
#define SIM_FABRIC_LANES_H

#include "sim/fabric/internal.h"

enum { LANES_MAP_BYTES = 8 };

/* The map from port in (of an adapter: 0) to port out; NULL: as it was at first. */
static inline uint8_t *lanes_map(const struct node *node, unsigned int in, unsigned int out)
{
	return node->sl2vl ? node->sl2vl + (in * (node->nports + 1u) + out) * LANES_MAP_BYTES : NULL;
}

/* Until it is set, SL n goes over VL n; SL 15 goes over VL 0, as VL15 is for management. */
static inline unsigned int lanes_first(unsigned int sl)
{
	return sl % FABRIC_VLS;
}

/* Whether the SL of the packet has no operational VL from a port of the node to another (of an adapter, in is out). */
bool lanes_has_none(const struct node *node, const struct port *in, const struct port *out,
		    const struct packet *p);

static inline bool lanes_drop(const struct node *node, const struct port *in, const struct port *out,
			      const struct packet *p)
{
	/* as long as no manager has set a map, SL 0 has VL 0 */
	return (node->sl2vl || p->head.sl) && !packet_is_smp(p) && lanes_has_none(node, in, out, p);
}

#endif
