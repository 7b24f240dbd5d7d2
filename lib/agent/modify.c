/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a poster may still say about a send that is under way. */
#include <errno.h>
#include "agent/rmpp.h"

int madkit_agent_cancel(struct madkit_agent *agent, struct madkit_send *send)
{
	struct send *s = send_of(send);

	if (!send)
		return -EINVAL;
	if (s->state == SEND_IDLE || s->state == SEND_DONE || s->agent != agent)
		return -ENOENT;
	send_finish(s, -ECANCELED);
	return 0;
}

int madkit_agent_modify(struct madkit_agent *agent, struct madkit_send *send, uint32_t timeout_ms)
{
	struct send *s = send_of(send);

	if (!timeout_ms || !send)
		return madkit_agent_cancel(agent, send);
	if (s->state == SEND_IDLE || s->state == SEND_DONE || s->agent != agent)
		return -ENOENT;
	if (!s->expects || !send_timeout_valid(timeout_ms))
		return -EINVAL;
	send->timeout_ms = timeout_ms;
	if (s->state == SEND_TRANSFER)
		rmpp_modify(s, madkit_port_now(agent->port));
	else if (s->state == SEND_FLIGHT && rmpp_is_transfer(s))
		send_await(s); /* the device does not time it */
	else
		send_shorten(s);
	return 0;
}
