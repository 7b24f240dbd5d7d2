/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls the handlers of agents after sends, arrivals and timeouts, and the waiters that replace them. */
#include <stdlib.h>
#include <madkit/registry.h>
#include "agent/flight.h"

void handler_enter(struct madkit_port *port)
{
	if (port->depth++)
		return;
	port->full = false;
	port->left = TURN_ARRIVALS;
}

void handler_leave(struct madkit_port *port)
{
	if (--port->depth)
		return;
	port->stalled = false;
	while (!list_empty(&port->gone)) {
		struct madkit_agent *agent = list_entry(port->gone.next, struct madkit_agent, link);

		list_del(&agent->link);
		free(agent);
	}
}

void handler_sent(struct send *s)
{
	struct madkit_agent *agent = s->agent;
	struct madkit_port *port = agent->port;

	list_del(&s->queue);
	list_del(&s->of_agent);
	agent->outstanding--;
	port->tids.sends--;
	s->state = SEND_IDLE;
	/* the upper half may be known by now, from the transport or from another send of the agent */
	if (s->pub.tid && !(s->pub.tid >> 32) && !madkit_mad_is_response(s->mad, s->wire_len))
		s->pub.tid |= (uint64_t)agent->tid_high << 32;
	if (port->answering == s)
		port->answering = NULL;
	if (s->sync.waiting) {
		struct madkit_reply *reply = &s->sync.reply;

		s->sync.waiting = false;
		reply->status = s->status;
		reply->attempts = s->pub.attempts;
		reply->kernel_resends = s->pub.kernel_resends;
		reply->rtt_ns = reply->recv ? reply->recv->rtt_ns : -1;
		if (s->sync.ended)
			s->sync.ended(s->sync.owner);
	} else if (agent->attr.send_handler) {
		agent->attr.send_handler(agent, &s->pub, s->status);
	}
}

void handler_received(struct madkit_agent *agent, struct recv *r)
{
	struct madkit_recv *recv = recv_hand_over(r);

	if (agent->attr.recv_handler)
		agent->attr.recv_handler(agent, recv);
	else
		madkit_recv_free(recv);
}

static void handler_reply(struct send *s, struct madkit_recv *recv)
{
	s->sync.reply.recv = recv;
	s->sync.reply.mismatch = madkit_response_check(s->mad, s->wire_len, recv->mad, recv->len, NULL);
}

void handler_answered(struct send *s, struct recv *r)
{
	struct madkit_port *port = s->agent->port;

	port->answering = s;
	if (s->sync.waiting)
		handler_reply(s, recv_hand_over(r));
	else
		handler_received(s->agent, r);
	/* the handler may have unregistered the agent, which ends s */
	if (port->answering == s)
		handler_sent(s);
	port->answering = NULL;
}

int handler_call_done(struct madkit_port *port)
{
	struct list now;
	int n = 0;

	list_init(&now);
	list_move_all(&now, &port->done);
	while (!list_empty(&now)) {
		handler_sent(list_entry(now.next, struct send, queue));
		n++;
	}
	return n;
}
