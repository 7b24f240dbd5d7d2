/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One request and its answer: a loop around the port. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "agent/internal.h"

static int wait_until(struct madkit_port *port, uint64_t deadline_ns)
{
	uint64_t now = madkit_port_now(port), ms;

	if (deadline_ns == UINT64_MAX)
		return madkit_port_wait(port, -1);
	ms = deadline_ns <= now ? 0 : (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return madkit_port_wait(port, ms > INT_MAX ? INT_MAX : (int)ms);
}

/* Ends it now, without a handler. */
static void end(struct send *s, int status)
{
	struct madkit_port *port = s->agent->port;

	port_enter(port);
	send_detach(s, status);
	send_complete(s);
	port_leave(port);
}

int madkit_request(struct madkit_agent *agent, struct madkit_send *send,
		   uint64_t deadline_ns, struct madkit_reply *reply)
{
	struct madkit_port *port = agent->port;
	struct send *s = send_of(send);
	struct send_sync *sync = &s->sync;
	int ret, signal = 0;

	memset(reply, 0, sizeof(*reply));
	if (port->depth)
		return -EBUSY;
	ret = madkit_agent_post(agent, send);
	if (ret)
		return ret;
	sync->waiting = true;
	reply->kernel_resends = s->kernel_resends;
	while (!sync->done) {
		ret = madkit_port_process(port);
		if (sync->done)
			break;
		if (ret < 0 || signal) {
			end(s, -ECANCELED);
			madkit_recv_free(sync->recv);
			return ret < 0 ? ret : signal;
		}
		if (madkit_port_now(port) >= deadline_ns) {
			end(s, -ETIMEDOUT);
			break;
		}
		ret = wait_until(port, deadline_ns);
		/* what has come with the signal still counts */
		if (ret == -EINTR)
			signal = ret;
	}
	reply->recv = sync->recv;
	reply->status = sync->status;
	reply->attempts = send->attempts;
	if (sync->recv)
		reply->rtt_ns = sync->recv->time_ns - send->sent_ns;
	return 0;
}
