/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Partitions: P_Keys of end ports, and enforcement at external ports of switches. */
#ifndef SIM_FABRIC_PARTITION_H
#define SIM_FABRIC_PARTITION_H

#include "sim/fabric/internal.h"

/* Returns true if both P_Keys are of the same valid partition. */
static inline bool partition_is(uint64_t a, uint64_t b)
{
	return (a & 0x7fff) && (a & 0x7fff) == (b & 0x7fff);
}

/* Checks a packet at the external port of a switch that enforces partitions in this direction
 * (ENFORCE_INBOUND or ENFORCE_OUTBOUND). If the port's table does not allow its P_Key, counts and drops the
 * packet and sends trap 259. Returns true if the packet was dropped. */
bool partition_drop(struct fabric *f, struct packet *p, struct port *port, unsigned int direction);

static inline bool partition_dropped(struct fabric *f, struct packet *p, struct port *port,
				     unsigned int direction)
{
	return (port->enforce & direction) && !packet_is_smp(p) && partition_drop(f, p, port, direction);
}

#endif
