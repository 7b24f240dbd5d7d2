/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Virtual lanes of packets: the SL-to-VL mapping for each pair of ports. */
#ifndef SIM_FABRIC_LANES_H
#define SIM_FABRIC_LANES_H

#include "sim/fabric/internal.h"

/* Returns the map from port in (0 for a CA or router) to port out, or NULL if no map was ever set. */
static inline uint8_t *lanes_map(const struct node *node, unsigned int in, unsigned int out)
{
	return node->sl2vl ? node->sl2vl + (in * (node->nports + 1u) + out) * FABRIC_LANES_BYTES : NULL;
}

/* The initial map: SL n uses VL n; SL 15 uses VL0, because VL15 is for management. */
static inline unsigned int lanes_first(unsigned int sl)
{
	return sl % FABRIC_VLS;
}

static inline void lanes_put_first(uint8_t *map)
{
	for (unsigned int sl = 0; sl < 16; sl++)
		element_put(MADKIT_SL_TO_VL_MAPPING_TABLE_SL_TO_VL, sl, map, lanes_first(sl));
}

/* Returns true if the SL of the packet has no operational VL from port in to port out (of a CA or router, the
 * same port). */
bool lanes_has_none(const struct node *node, const struct port *in, const struct port *out,
		    const struct packet *p);

static inline bool lanes_drop(const struct node *node, const struct port *in, const struct port *out,
			      const struct packet *p)
{
	/* Until a manager sets a map, SL 0 uses VL0, which always exists. */
	return (node->sl2vl || p->head.sl) && !packet_is_smp(p) && lanes_has_none(node, in, out, p);
}

#endif
