/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "agent/internal.h"

void madkit_agent_snoop(struct madkit_port *port, int flags,
			madkit_snoop_handler handler, void *context)
{
	port->snoop.flags = flags;
	port->snoop.handler = handler;
	port->snoop.context = context;
}

void snoop_call(struct madkit_port *port, int direction,
		const struct madkit_addr *addr, const uint8_t *mad, size_t len,
		const struct timespec *time)
{
	if (port->snoop.handler && port->snoop.flags & direction)
		port->snoop.handler(port->snoop.context, direction, addr, mad,
				    len, time);
}
