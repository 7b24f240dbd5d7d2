/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters, and the performance management agent that tells them (IBA volume 1,
 * chapter 16.1). */
#ifndef SIM_FABRIC_PMA_H
#define SIM_FABRIC_PMA_H

#include "sim/fabric/internal.h"

enum pma_counter {
	PMA_SYMBOL_ERROR,
	PMA_LINK_RECOVERY,
	PMA_LINK_DOWNED,
	PMA_RCV_ERRORS,
	PMA_REMOTE_PHYSICAL,
	PMA_RELAY_ERRORS,
	PMA_XMIT_DISCARDS,
	PMA_XMIT_CONSTRAINT,
	PMA_RCV_CONSTRAINT,
	PMA_LOCAL_INTEGRITY,
	PMA_OVERRUN,
	PMA_VL15_DROPPED,
	PMA_XMIT_DATA,
	PMA_RCV_DATA,
	PMA_XMIT_PKTS,
	PMA_RCV_PKTS,
	PMA_XMIT_WAIT,
	PMA_XMIT_UNICAST,
	PMA_RCV_UNICAST,
	PMA_XMIT_MULTICAST,
	PMA_RCV_MULTICAST,
	PMA_COUNTERS
};

/* Counts on, up to all ones. */
void pma_count(struct port *port, enum pma_counter which, uint64_t n);
/* A packet has left the port; has come in. */
void pma_transmitted(struct port *port, const struct packet *p);
void pma_received(struct port *port, const struct packet *p);

/* Whether mad, which came to the end port, was a request for the agent; it holds the
 * response then. */
bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad);

#endif
