/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What arrives: into a buffer, to the send that it answers, to a handler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/rmpp.h"
#include "transport/filter.h"

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

/* Replaces *r with a larger buffer, of max bytes at most, for the message that does not fit. */
static int receive_grow(struct recv **r, size_t needed, size_t max)
{
	size_t size = needed;
	struct recv *larger;

	/* a transport that does not know, or asks for what it has, gets more */
	if (size <= (*r)->size)
		size = (*r)->size > max / 2 ? max : (*r)->size * 2;
	if (size > max || size <= (*r)->size)
		return -ENOSPC;
	larger = recv_new(size);
	if (!larger)
		return -ENOMEM;
	free(*r);
	*r = larger;
	return 0;
}

/* Receives the next message of the device into *r, which may be NULL and is replaced if it is too
 * small. 0; -EAGAIN there is none; -ENOSPC it has more than max bytes, (*r)->pub.len if that is
 * known; -ENOMEM; what the transport returned. */
static int receive_next(struct madkit_port *port, struct recv **r, size_t max, uint32_t *id)
{
	const struct transport_ops *ops = port->transport->ops;
	int ret;

	for (;;) {
		if (!*r && !(*r = recv_new(port->receive_initial)))
			return -ENOMEM;
		memset(&(*r)->pub, 0, sizeof((*r)->pub));
		(*r)->pub.rtt_ns = -1;
		*id = 0;
		ret = ops->receive(port->transport, id, &(*r)->pub.from, (*r)->mad, (*r)->size,
				   &(*r)->pub.len, &(*r)->pub.status);
		if (ret != -ENOSPC)
			break;
		ret = receive_grow(r, (*r)->pub.len, max);
		if (ret)
			return ret;
	}
	if (!ret) {
		(*r)->pub.time_ns = ops->now(port->transport);
		ops->realtime(port->transport, &(*r)->pub.time);
	}
	return ret;
}

static struct madkit_agent *agent_find(const struct madkit_port *port, uint32_t id)
{
	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		struct madkit_agent *agent = list_entry(l, struct madkit_agent, link);

		if (agent->id == id)
			return agent;
	}
	return NULL;
}

/* The frame becomes the handler's own; nothing else refers to it then. */
static struct madkit_recv *receive_hand_over(struct recv *r)
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

static struct send_tid *find_response(const struct madkit_agent *agent, const struct madkit_header *h,
				      const struct madkit_addr *from)
{
	struct send_tid *t;
	size_t step = 0;

	while ((t = send_tid_next(agent->port, h->tid, &step)))
		if (t->send->agent == agent && match_response(t->send, h, from))
			break;
	return t;
}

/* A response or a returned request shows the whole TID that a try had on the wire. */
static void receive_note_tid(struct send_tid *t, uint64_t tid)
{
	struct send *s = t->send;

	s->agent->tid_high = (uint32_t)(tid >> 32);
	rmpp_release(s->agent);
	if (t == &s->tid)
		s->pub.tid = tid;
}

struct send_tid *receive_find(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			      const struct madkit_addr *from)
{
	struct madkit_header h;

	return madkit_header_get(mad, len, &h) || !madkit_mad_is_response(mad, len) ?
		       NULL :
		       find_response(agent, &h, from);
}

static void receive_response(struct madkit_agent *agent, struct send *s, struct madkit_recv *recv,
			     int64_t rtt_ns)
{
	struct madkit_port *port = agent->port;

	recv->send = &s->pub;
	recv->rtt_ns = rtt_ns;
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
static void returned(struct madkit_port *port, struct madkit_agent *agent, const struct madkit_header *h,
		     int status)
{
	struct send_tid *t;
	size_t step = 0;

	while ((t = send_tid_next(port, h->tid, &step))) {
		struct send *s = t->send;
		bool latest = t == &s->tid;

		if (s->agent != agent || t->is_free || !match_returned(s, h) ||
		    (latest && s->state != SEND_FLIGHT))
			continue;
		if (!latest) {
			/* our own deadline has ended that try before */
			t->is_free = true;
			port->counters.timeouts += status == ETIMEDOUT;
			return;
		}
		receive_note_tid(t, h->tid);
		if (status == ETIMEDOUT) {
			port->counters.timeouts += s->expects;
			send_returned(s);
		} else {
			send_finish(s, status > 0 && status < 4096 ? -status : -EIO);
		}
		return;
	}
	/* of a send that has ended, or that expected no response */
	port->counters.unmatched++;
}

bool receive_message(struct madkit_agent *agent, struct recv *r)
{
	struct madkit_port *port = agent->port;
	bool response = madkit_mad_is_response(r->mad, r->pub.len);
	struct madkit_header h;
	struct send_tid *t = NULL;
	struct send *s;
	int64_t rtt_ns = -1;

	madkit_header_get(r->mad, r->pub.len, &h);
	if (response) {
		t = find_response(agent, &h, &r->pub.from);
		/* segments of a user-space transfer are passed on as they are, as the
		 * kernel does */
		if (!t && (madkit_agent_kernel_rmpp(agent) || agent->receiver ||
			   !madkit_mad_has_rmpp(r->mad, r->pub.len))) {
			port->counters.unmatched++;
			return false;
		}
	}
	s = t ? t->send : NULL;
	if (s && !s->expects) {
		/* unasked for, but proof that it was received */
		port->counters.unmatched++;
		send_finish(s, 0);
		return false;
	}
	if (t)
		rtt_ns = send_answered(t, r->pub.time_ns);
	if (t && (h.status & MADKIT_STATUS_BUSY) && send_busy(t))
		return false;
	if (s)
		receive_response(agent, s, receive_hand_over(r), rtt_ns);
	else
		hand_to(agent, receive_hand_over(r));
	return true;
}

/* A handler may want other buffers of the port: this one is not the port's while
 * handlers run. */
static void receive_dispatch(struct madkit_port *port, struct madkit_agent *agent, struct recv *r)
{
	port->spare = NULL;
	if (!receive_message(agent, r))
		port->spare = r;
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

static void arrived(struct madkit_port *port, uint32_t id)
{
	struct recv *r = port->spare;
	struct madkit_agent *agent = agent_find(port, id);
	struct madkit_header h;
	struct send_tid *t;
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
			hand_to(agent, receive_hand_over(r));
			return;
		}
		returned(port, agent, &h, r->pub.status);
		return;
	}
	port->counters.received++;
	t = response ? find_response(agent, &h, &r->pub.from) : NULL;
	if (t) {
		receive_note_tid(t, h.tid);
		snoop_completed(t->send, 0); /* the latest try's */
		t->send->pub.tid = h.tid;
	}
	snoop_received(agent, t ? t->send : NULL, &r->pub, r->mad);
	if (!response && !is_registered_for(agent, r)) {
		port->counters.unknown_agent++;
		return;
	}
	if (agent->receiver && madkit_mad_has_rmpp(r->mad, r->pub.len))
		rmpp_arrived(agent, r);
	else
		receive_dispatch(port, agent, r);
}

/* ---- messages that were held ----------------------------------------------------- */

/* As many as the kernel keeps for an open file: after them nothing is left of what it had. */
enum { HELD_MOST = 200001 };

static void receive_hold(struct madkit_port *port, struct recv *r, uint32_t id)
{
	struct recv *small = realloc(r, sizeof(*r) + r->pub.len);

	if (small) {
		r = small;
		r->size = r->pub.len;
	}
	r->id = id;
	r->next = NULL;
	*port->held_end = r;
	port->held_end = &r->next;
}

int receive_drop_departed(struct madkit_port *port)
{
	struct recv *r = NULL;
	unsigned int n = 0, empty = 0;
	uint32_t id;
	int ret = 0;

	/* a transport may say once that nothing is left without having looked */
	while (port->departed && n < HELD_MOST && empty < 2) {
		ret = receive_next(port, &r, MESSAGE_MAX, &id);
		if (ret == -EAGAIN) {
			empty++;
			continue;
		}
		if (ret)
			break;
		n++;
		if (r->pub.len <= r->size && agent_find(port, id)) {
			receive_hold(port, r, id);
			r = NULL;
		} else if (r->pub.len > r->size) {
			port->counters.malformed++;
		} else {
			port->counters.unknown_agent++;
		}
	}
	free(r);
	if (empty == 2 || n == HELD_MOST)
		port->departed = false;
	/* a device that fails says so to the registration and to receive_all() */
	return ret == -ENOMEM ? ret : 0;
}

void receive_drop_held(struct madkit_port *port, uint32_t id)
{
	struct recv **place = &port->held;

	while (*place) {
		struct recv *r = *place;

		if (r->id != id) {
			place = &r->next;
			continue;
		}
		*place = r->next;
		port->counters.unknown_agent++;
		free(r);
	}
	port->held_end = place;
}

/* The first held message becomes the spare buffer. -EAGAIN: there is none. */
static int receive_held(struct madkit_port *port, uint32_t *id)
{
	struct recv *r = port->held;

	if (!r)
		return -EAGAIN;
	if (r->pub.len > port->receive_max) {
		port->receive_needed = r->pub.len;
		return -ENOSPC;
	}
	port->held = r->next;
	if (!port->held)
		port->held_end = &port->held;
	*id = r->id;
	free(port->spare);
	port->spare = r;
	return 0;
}

void receive_free(struct madkit_port *port)
{
	while (port->held) {
		struct recv *r = port->held;

		port->held = r->next;
		free(r);
	}
	free(port->spare);
}

int receive_all(struct madkit_port *port, int most, int *err)
{
	int n = 0;

	port->receive_needed = 0;
	while (n < most && !port->dead && !port->stalled) {
		struct recv *r;
		uint32_t id = 0;
		int ret = receive_held(port, &id);

		if (ret == -EAGAIN) {
			ret = receive_next(port, &port->spare, port->receive_max, &id);
			if (ret == -EAGAIN)
				break;
			r = port->spare;
			if (ret == -ENOSPC)
				port->receive_needed = r->pub.len ? r->pub.len : r->size + 1;
		}
		if (ret) {
			*err = ret;
			break;
		}
		r = port->spare;
		n++;
		if (r->pub.len > r->size) {
			port->counters.malformed++;
			continue;
		}
		arrived(port, id);
		/* a held one has a buffer of its own length */
		if (port->spare && port->spare->size < port->receive_initial) {
			free(port->spare);
			port->spare = NULL;
		}
	}
	return n;
}
