/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "agent/internal.h"
#include "util/bits.h"

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

static struct madkit_addr wire_address(const struct send *s)
{
	struct madkit_addr to = s->pub.to;

	send_permissive(&to);
	return to;
}

void snoop_posted(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	struct madkit_addr to;

	if (!port->snoop.handler)
		return;
	to = wire_address(s);
	port->transport->ops->realtime(port->transport, &s->posted_at);
	s->posted = true;
	snoop_call(port, MADKIT_SNOOP_POSTED_SENDS, &to, s->mad, s->wire_len,
		   &s->posted_at);
}

void snoop_completed(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint64_t given = get_be64(s->mad + MADKIT_MAD_TID), tid = s->pub.tid;
	struct madkit_addr to;

	if (!s->posted)
		return;
	s->posted = false;
	to = wire_address(s);
	if (s->agent->tid_high && !madkit_mad_is_response(s->mad, s->wire_len))
		tid = (uint64_t)s->agent->tid_high << 32 | (uint32_t)tid;
	/* the buffer is its poster's, and resends begin from it */
	put_be64(s->mad + MADKIT_MAD_TID, tid);
	snoop_call(port, MADKIT_SNOOP_SEND_COMPLETIONS, &to, s->mad, s->wire_len,
		   &s->posted_at);
	put_be64(s->mad + MADKIT_MAD_TID, given);
}
