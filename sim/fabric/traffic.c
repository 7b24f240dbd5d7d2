/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data traffic: no packets are simulated, only their effect on counters. */
#include <errno.h>
#include "sim/fabric/counters.h"

uint64_t fabric_data_rate(const struct port *port)
{
	unsigned int speed = port_speed(port);
	unsigned int lanes =
		topology_lanes((unsigned int)field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info));
	uint64_t lane = topology_lane_rate(speed) * UINT64_C(100000000);

	if (field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) != PORT_ACTIVE)
		return 0;
	if (speed <= TOPOLOGY_QDR)
		return lanes * lane * 8 / 10;
	/* A lane of FDR has 14.0625 Gb/s on the cable; the names of the other speeds are their data rates. */
	return lanes * (speed == TOPOLOGY_FDR ? UINT64_C(14062500000) * 64 / 66 : lane);
}

int fabric_traffic(struct fabric *f, uint32_t node, unsigned int number, const struct fabric_traffic *t)
{
	struct port *port = node_port(f, &f->nodes[node], number), *peer;

	if (port->peer == TOPOLOGY_NONE)
		return -EINVAL;
	peer = &f->ports[port->peer];
	if (t->rate && (!fabric_data_rate(port) || !fabric_data_rate(peer)))
		return -ENOTCONN;
	if (t->rate > fabric_data_rate(port))
		return -ERANGE;
	if (!counters_traffic(f, port, true, t) && !counters_traffic(f, peer, false, t))
		return 0;
	counters_traffic(f, port, true, &(struct fabric_traffic){ .rate = 0 });
	counters_traffic(f, peer, false, &(struct fabric_traffic){ .rate = 0 });
	return -ENOMEM;
}
