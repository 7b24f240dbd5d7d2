/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The performance management agent (IBA volume 1, chapter 16.1). */
#ifndef SIM_FABRIC_PMA_H
#define SIM_FABRIC_PMA_H

#include "sim/fabric/counters.h"

/* Returns the size of a packet in units of four octets, from the LRH to the ICRC: 8 + 12 + 8 + 256 + 4, and
 * 40 for a GRH. */
static inline uint64_t pma_units(const struct packet *p)
{
	return (8 + 12 + 8 + sizeof(p->mad) + 4 + (p->head.grh ? 40 : 0)) / 4;
}

/* Count a packet that has left the port, or has arrived. */
static inline void pma_transmitted(struct port *port, const struct packet *p)
{
	pma_count(port, PMA_XMIT_DATA, pma_units(p));
	pma_count(port, PMA_XMIT_PKTS, 1);
	pma_count(port, lid_is_multicast(p->head.dlid) ? PMA_XMIT_MULTICAST : PMA_XMIT_UNICAST, 1);
	if (p->head.sl)
		counters_sl(port, true, p->head.sl, pma_units(p));
}

static inline void pma_received(struct port *port, const struct packet *p)
{
	pma_count(port, PMA_RCV_DATA, pma_units(p));
	pma_count(port, PMA_RCV_PKTS, 1);
	pma_count(port, lid_is_multicast(p->head.dlid) ? PMA_RCV_MULTICAST : PMA_RCV_UNICAST, 1);
	if (p->head.sl)
		counters_sl(port, false, p->head.sl, pma_units(p));
}

/* Writes the counters of a port as an attribute has them, into data that is zero. */
void pma_read(struct fabric *f, const struct port *port, uint16_t attribute, uint8_t *data);

#endif
