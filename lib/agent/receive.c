/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What arrives: into a buffer, to the send that it answers, to a handler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/rmpp.h"

/* Of a buffer that was grown for a long message and then holds a short one. */
enum { SHRINK_ABOVE = 64 * 1024 };

static struct recv *recv_new(size_t size)
{
	struct recv *r = malloc(sizeof(*r) + size);

	if (r) {
		memset(&r->pub, 0, sizeof(r->pub));
		r->size = size;
	}
	return r;
}

void madkit_recv_free(struct madkit_recv *recv)
{
	free(recv);
}

/* A larger buffer for the message that does not fit. */
static int grow(struct madkit_port *port, size_t needed)
{
	struct recv *r = port->spare;
	size_t size = needed;

	/* a transport that does not know, or asks for what it has, gets more */
	if (size <= r->size)
		size = r->size > port->receive_max / 2 ? port->receive_max :
							 r->size * 2;
	if (size > port->receive_max || size <= r->size) {
		port->receive_needed = needed ? needed : r->size + 1;
		return -ENOSPC;
	}
	r = recv_new(size);
	if (!r)
		return -ENOMEM;
	free(port->spare);
	port->spare = r;
	return 0;
}

static struct madkit_agent *agent_find(const struct madkit_port *port, uint32_t id)
{
	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		struct madkit_agent *agent =
			list_entry(l, struct madkit_agent, link);

		if (agent->id == id)
			return agent;
	}
	return NULL;
}

/* The frame becomes the handler's own; nothing else refers to it then. */
static struct madkit_recv *give(struct recv *r)
{
	if (r->size > SHRINK_ABOVE && r->pub.len < r->size / 4) {
		struct recv *small = realloc(r, sizeof(*r) + r->pub.len);

		if (small) {
			r = small;
			r->size = r->pub.len;
		}
	}
	r->pub.mad = r->mad;
	return &r->pub;
}

static void hand_to(struct madkit_agent *agent, struct madkit_recv *recv)
{
	if (agent->attr.recv_handler)
		agent->attr.recv_handler(agent, recv);
	else
		madkit_recv_free(recv);
}

static struct send *find_response(const struct madkit_agent *agent,
				  const struct madkit_header *h,
				  const struct madkit_addr *from)
{
	struct inflight_link *link = inflight_find(&agent->port->inflight,
						   (uint32_t)h->tid);

	for (; link; link = inflight_find_next(link)) {
		struct send *s = list_entry(link, struct send, link);

		if (s->agent == agent && match_response(s, h, from))
			return s;
	}
	return NULL;
}

/* What has come tells the ID that a send had on the wire. */
static void found(struct send *s, uint64_t tid)
{
	s->pub.tid = tid;
	s->agent->tid_high = (uint32_t)(tid >> 32);
	snoop_completed(s);
}

struct send *receive_find(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			  const struct madkit_addr *from)
{
	struct madkit_header h;

	return madkit_header_get(mad, len, &h) || !madkit_mad_is_response(mad, len) ?
	       NULL : find_response(agent, &h, from);
}

static void answered(struct madkit_agent *agent, struct send *s, struct madkit_recv *recv)
{
	struct madkit_port *port = agent->port;

	recv->send = &s->pub;
	if (s->pub.to.direct) {
		/* umad tells only the permissive LID */
		const struct madkit_addr *to = &s->pub.to;

		recv->from.direct = true;
		recv->from.hops = to->hops;
		memcpy(recv->from.path, to->path, sizeof(to->path));
		recv->from.dr_slid = to->dr_slid;
		recv->from.dr_dlid = to->dr_dlid;
	}
	send_detach(s, 0);
	port->answering = s;
	if (s->sync.waiting)
		s->sync.recv = recv;
	else
		hand_to(agent, recv);
	/* the handler may have unregistered the agent, and s ended with it */
	if (port->answering == s)
		send_complete(s);
	port->answering = NULL;
}

/* A send that came back: its response is missing. */
static void returned(struct madkit_port *port, struct madkit_agent *agent,
		     const struct madkit_header *h, int status)
{
	struct inflight_link *link = inflight_find(&port->inflight,
						   (uint32_t)h->tid);

	for (; link; link = inflight_find_next(link)) {
		struct send *s = list_entry(link, struct send, link);

		if (s->agent != agent || !match_returned(s, h))
			continue;
		found(s, h->tid);
		if (status == ETIMEDOUT) {
			port->counters.timeouts += s->expects;
			send_returned(s);
		} else {
			send_finish(s, status > 0 && status < 4096 ? -status : -EIO);
		}
		return;
	}
	/* of a try that was given up, cancelled, or wanted no response */
	port->counters.unmatched++;
}

bool receive_message(struct madkit_agent *agent, struct recv *r)
{
	struct madkit_port *port = agent->port;
	bool response = madkit_mad_is_response(r->mad, r->pub.len);
	struct madkit_header h;
	struct send *s = NULL;

	madkit_header_get(r->mad, r->pub.len, &h);
	if (response) {
		s = find_response(agent, &h, &r->pub.from);
		/* segments of a user-space transfer come as they are, as the
		 * kernel hands them out */
		if (!s && (madkit_agent_kernel_rmpp(agent) || agent->receiver ||
			   !madkit_mad_has_rmpp(r->mad, r->pub.len))) {
			port->counters.unmatched++;
			return false;
		}
	} else if (agent->attr.mgmt_class && agent->attr.mgmt_class != h.mgmt_class) {
		/* left over from an agent that had this number before */
		port->counters.unknown_agent++;
		return false;
	}
	if (s && !s->expects) {
		/* unasked for, but proof that it was received */
		port->counters.unmatched++;
		send_finish(s, 0);
		return false;
	}
	if (s && (h.status & MADKIT_STATUS_BUSY) && send_busy(s))
		return false;
	if (s)
		answered(agent, s, give(r));
	else
		hand_to(agent, give(r));
	return true;
}

/* A handler may want other buffers of the port: this one is not the port's while
 * handlers run. */
static void offer(struct madkit_port *port, struct madkit_agent *agent, struct recv *r)
{
	port->spare = NULL;
	if (!receive_message(agent, r))
		port->spare = r;
}

static void arrived(struct madkit_port *port, uint32_t id)
{
	struct recv *r = port->spare;
	struct madkit_agent *agent = agent_find(port, id);
	struct madkit_header h;
	struct send *s = NULL;
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
			hand_to(agent, give(r));
			return;
		}
		returned(port, agent, &h, r->pub.status);
		return;
	}
	port->counters.received++;
	if (response) {
		s = find_response(agent, &h, &r->pub.from);
		if (s)
			found(s, h.tid);
	}
	if (port->snoop.handler)
		snoop_call(port, MADKIT_SNOOP_RECVS, &r->pub.from, r->mad,
			   r->pub.len, &r->pub.time);
	if (agent->receiver && madkit_mad_has_rmpp(r->mad, r->pub.len))
		rmpp_arrived(agent, r);
	else
		offer(port, agent, r);
}

int receive_all(struct madkit_port *port, int most, int *err)
{
	const struct transport_ops *ops = port->transport->ops;
	int n = 0;

	port->receive_needed = 0;
	while (n < most && !port->dead) {
		struct recv *r = port->spare;
		uint32_t id = 0;
		int ret;

		if (!r) {
			r = port->spare = recv_new(port->receive_initial);
			if (!r) {
				*err = -ENOMEM;
				break;
			}
		}
		memset(&r->pub, 0, sizeof(r->pub));
		ret = ops->receive(port->transport, &id, &r->pub.from, r->mad,
				   r->size, &r->pub.len, &r->pub.status);
		if (ret == -EAGAIN)
			break;
		if (ret == -ENOSPC) {
			ret = grow(port, r->pub.len);
			if (!ret)
				continue;
		}
		if (ret) {
			*err = ret;
			break;
		}
		n++;
		if (r->pub.len > r->size) {
			port->counters.malformed++;
			continue;
		}
		r->pub.time_ns = ops->now(port->transport);
		ops->realtime(port->transport, &r->pub.time);
		arrived(port, id);
	}
	return n;
}
