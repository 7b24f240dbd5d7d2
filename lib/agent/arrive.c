/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/arrive.h"
#include "agent/flight.h"
#include "agent/handler.h"
#include "agent/match.h"
#include "agent/rmpp.h"
#include "agent/snoop.h"
#include "transport/filter.h"

/* A response or a returned request shows the whole TID that a try had on the wire. */
static void arrive_note_tid(struct tid *t, uint64_t tid)
{
	struct send *s = t->send;

	s->agent->tid_high = (uint32_t)(tid >> 32);
	snoop_release(s->agent);
	if (t == &s->tid)
		s->pub.tid = tid;
}

/* A send that came back: its response is missing. */
static void arrive_returned(struct madkit_agent *agent, const struct madkit_header *h, int status)
{
	struct madkit_port *port = agent->port;
	struct tid *t = match_returned(agent, h);
	struct send *s;

	if (!t) {
		/* of a send that has ended, or that expected no response */
		port->counters.unmatched++;
		return;
	}
	s = t->send;
	if (t != &s->tid) {
		/* our own deadline has ended that try before */
		t->is_free = true;
		port->counters.timeouts += status == ETIMEDOUT;
		return;
	}
	arrive_note_tid(t, h->tid);
	if (status == ETIMEDOUT) {
		port->counters.timeouts += s->expects;
		flight_act(s, send_returned(s, madkit_port_now(port)));
	} else {
		flight_act(s, send_done(status > 0 && status < 4096 ? -status : -EIO));
	}
}

static void arrive_response(struct send *s, struct recv *r, int64_t rtt_ns)
{
	const struct madkit_addr *to = &s->pub.to;

	r->pub.send = &s->pub;
	r->pub.rtt_ns = rtt_ns;
	if (to->direct) {
		/* umad tells only the permissive LID */
		r->pub.from.direct = true;
		r->pub.from.hops = to->hops;
		memcpy(r->pub.from.path, to->path, sizeof(to->path));
		r->pub.from.dr_slid = to->dr_slid;
		r->pub.from.dr_dlid = to->dr_dlid;
	}
	flight_detach(s, 0);
	handler_answered(s, r);
}

/* A whole message for the agent, to the send that it answers or to a handler. True:
 * r is no longer the caller's. */
static bool arrive_message(struct madkit_agent *agent, struct recv *r)
{
	struct madkit_port *port = agent->port;
	struct madkit_header h;
	struct tid *t = NULL;
	int64_t rtt_ns;

	madkit_header_get(r->mad, r->pub.len, &h);
	if (madkit_mad_is_response(r->mad, r->pub.len)) {
		t = match_response(agent, &h, &r->pub.from);
		/* segments of a user-space transfer are passed on as they are, as the
		 * kernel does */
		if (!t && (madkit_agent_kernel_rmpp(agent) || agent->receiver ||
			   !madkit_mad_has_rmpp(r->mad, r->pub.len))) {
			port->counters.unmatched++;
			return false;
		}
	}
	if (!t) {
		handler_received(agent, r);
		return true;
	}
	if (!t->send->expects) {
		/* unasked for, but proof that it was received */
		port->counters.unmatched++;
		flight_act(t->send, send_done(0));
		return false;
	}
	rtt_ns = send_answered(t, r->pub.time_ns);
	if (h.status & MADKIT_STATUS_BUSY) {
		struct send_step step = send_busy(t, madkit_port_now(port));

		port->counters.busy += step.what == STEP_WAIT;
		if (step.what != STEP_DONE) {
			flight_act(t->send, step);
			return false;
		}
	}
	arrive_response(t->send, r, rtt_ns);
	return true;
}

/* The messages that have become whole. Handlers may unregister the agent. */
static void arrive_messages(struct madkit_agent *agent)
{
	struct recv *r;

	while (!agent->gone && (r = rmpp_message(agent)))
		if (!arrive_message(agent, r))
			madkit_recv_free(&r->pub);
}

/* Whether a request is for this agent. The kernel has compared the same, but perhaps with an
 * agent that had this number before. */
static bool is_registered_for(const struct madkit_agent *agent, const struct recv *r)
{
	const struct madkit_agent_attr *attr = &agent->attr;

	if (!attr->mgmt_class)
		return true;
	return agent->port->transport->ops->unfiltered ? attr->mgmt_class == r->mad[MADKIT_MAD_CLASS] :
							 filter_takes(attr, r->mad, r->pub.len);
}

/* The MAD in the spare buffer. A handler may want other buffers of the port: this one is not the port's while
 * handlers run. */
static void arrive_one(struct madkit_port *port)
{
	struct recv *r = port->spare;
	struct madkit_agent *agent = agent_find(port, r->id);
	struct madkit_header h;
	struct tid *t;
	bool response;

	if (!agent) {
		port->counters.unknown_agent++;
		return;
	}
	if (madkit_header_get(r->mad, r->pub.len, &h)) {
		port->counters.malformed++;
		return;
	}
	response = madkit_mad_is_response(r->mad, r->pub.len);
	if (r->pub.status) {
		/* A response whose transfer failed was not awaited: its sender
		 * learns it as of a MAD that came. */
		if (response && madkit_agent_kernel_rmpp(agent)) {
			port->spare = NULL;
			handler_received(agent, r);
			return;
		}
		arrive_returned(agent, &h, r->pub.status);
		return;
	}
	port->counters.received++;
	t = response ? match_response(agent, &h, &r->pub.from) : NULL;
	if (t) {
		arrive_note_tid(t, h.tid);
		snoop_completed(t->send, 0); /* the latest try's */
		t->send->pub.tid = h.tid;
	}
	snoop_received(agent, t ? t->send : NULL, &r->pub, r->mad);
	if (!response && !is_registered_for(agent, r)) {
		port->counters.unknown_agent++;
		return;
	}
	if (agent->receiver && madkit_mad_has_rmpp(r->mad, r->pub.len)) {
		rmpp_arrived(agent, r);
		arrive_messages(agent);
		return;
	}
	port->spare = NULL;
	if (!arrive_message(agent, r))
		port->spare = r;
}

int arrive_all(struct madkit_port *port, int most, int *err)
{
	int n = 0;

	port->receive_needed = 0;
	while (n < most && !port->dead && !port->stalled) {
		int ret = recv_next(port);

		if (ret == -EAGAIN)
			break;
		if (ret) {
			*err = ret;
			break;
		}
		n++;
		if (port->spare->pub.len > port->spare->size) {
			port->counters.malformed++;
			continue;
		}
		arrive_one(port);
		/* a held one has a buffer of its own length */
		if (port->spare && port->spare->size < port->receive_initial) {
			free(port->spare);
			port->spare = NULL;
		}
	}
	return n;
}

int arrive_expire(struct madkit_port *port, uint64_t now)
{
	struct madkit_agent *agent;
	int n = 0;

	/* handlers may unregister any of them */
	while (!port->stalled && (agent = rmpp_expire(port, now))) {
		arrive_messages(agent);
		n++;
	}
	return n;
}
