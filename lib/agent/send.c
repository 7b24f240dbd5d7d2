/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of a send once it is posted: waiting for room, in flight, backing off, done. */
#include <errno.h>
#include "agent/rmpp.h"
#include "util/bits.h"

enum {
	/* how long a send waits for a device that says "not now" */
	QUEUED_MS = 1000,
	/* how much later than its time the kernel may report a timeout before
	 * our own deadline does: this, and an eighth of the time */
	GRACE_MS = 50,
	GRACE_PART = 8,
	/* of a busy responder: first an eighth of the timeout, then doubled */
	BACKOFF_PART = 8,
	/* kernel RMPP waits two seconds for an ACK before it sends a window
	 * again (drivers/infiniband/core/mad_rmpp.c) */
	RMPP_ACK_MS = 2000,
	RMPP_SEGMENT_MS = 20,
	RMPP_SEGMENT_BYTES = 192,
	/* of a long message without a response: see LINGER below */
	LINGER_MS = 100,
	LINGER_TRIES = RMPP_ACK_MS / LINGER_MS,
};

/*
 * LINGER. A long message that wants no response would end here as soon as the
 * kernel has it, and whoever closed the port then would end the transfer too:
 * umad does not tell when all is acknowledged. But with a timeout it comes back
 * that time after the last ACK, as one that nobody answered. The timeout is
 * also how long the kernel waits for an ACK; so it gets many short tries in
 * place of each of two seconds. Coming back sooner than all of them are over
 * means that the message has arrived.
 */

/* Whether a LID-routed part precedes the directed one. */
static bool combined(const struct madkit_addr *to)
{
	return to->lid && to->lid != MADKIT_LID_PERMISSIVE;
}

void send_permissive(struct madkit_addr *to)
{
	if (to->direct && !combined(to))
		to->lid = MADKIT_LID_PERMISSIVE;
}

static void write_tid(struct madkit_port *port, struct send *s)
{
	uint8_t *p = s->mad + MADKIT_MAD_TID;
	uint32_t tid;

	if (!s->own_tid) {
		s->pub.tid = get_be64(p);
		return;
	}
	do
		tid = port->next_tid++;
	while (!tid || inflight_find(&port->inflight, tid));
	put_be64(p, tid);
	s->pub.tid = tid;
}

/* How long a try may last before we no longer trust the transport to tell. */
static uint64_t try_ns(const struct send *s)
{
	const uint64_t most = INT64_MAX / NS_PER_MS / 2;
	uint64_t tries = s->kernel_resends || s->lingers ?
			 (uint64_t)s->pub.retries + 1 : 1;
	uint64_t ms = s->pub.timeout_ms, transfer = 0;

	if (madkit_agent_kernel_rmpp(s->agent) && s->wire_len > MADKIT_MAD_BYTES) {
		ms += RMPP_ACK_MS;
		transfer = s->wire_len / RMPP_SEGMENT_BYTES * RMPP_SEGMENT_MS;
	}
	/* 146 years are for ever */
	ms = tries <= most / ms ? tries * ms + transfer : most;
	ms += ms / GRACE_PART + GRACE_MS;
	return ms < most ? ms * NS_PER_MS : most * NS_PER_MS;
}

void send_shorten(struct send *s)
{
	struct inflight *inflight = &s->agent->port->inflight;
	uint64_t now = madkit_port_now(s->agent->port), deadline;

	/* the kernel's tries all have to be over; else nobody else tells, so that
	 * there is nothing to be patient with */
	deadline = now + (s->kernel_resends ? try_ns(s) : s->pub.timeout_ms * NS_PER_MS);
	if (deadline < s->link.deadline)
		inflight_set_deadline(inflight, &s->link, deadline);
}

static int hand_over(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	const struct transport_ops *ops = port->transport->ops;
	struct madkit_addr to = s->pub.to;
	uint32_t timeout_ms = s->expects ? s->pub.timeout_ms : 0, retries = 0;
	int ret;

	if (madkit_agent_kernel_rmpp(s->agent))
		retries = s->pub.retries;
	/* with less it sends again the first segment alone */
	if (s->kernel_resends && s->wire_len > MADKIT_MAD_BYTES && timeout_ms <= RMPP_ACK_MS)
		timeout_ms = RMPP_ACK_MS + 1;
	if (s->lingers) {
		timeout_ms = LINGER_MS;
		retries = retries < UINT32_MAX / LINGER_TRIES - 1 ?
			  (retries + 1) * LINGER_TRIES - 1 : UINT32_MAX;
	}
	send_permissive(&to);
	ret = ops->send(port->transport, s->agent->id, &to, s->mad, s->wire_len,
			timeout_ms, retries);
	if (!ret)
		snoop_posted(s);
	return ret;
}

static void wait_for_room(struct madkit_port *port, struct send *s, uint64_t now)
{
	uint64_t ms = s->pub.timeout_ms > QUEUED_MS ? s->pub.timeout_ms : QUEUED_MS;

	s->state = SEND_QUEUED;
	list_add(&port->waiting, &s->queue);
	inflight_set_deadline(&port->inflight, &s->link, now + ms * NS_PER_MS);
}

/* What the poster may read of it. */
static void told(struct send *s, uint64_t now)
{
	s->agent->port->counters.resent += s->pub.attempts > 0;
	if (!s->pub.attempts++)
		s->pub.posted_ns = now;
	s->pub.sent_ns = now;
}

void send_await(struct send *s)
{
	struct madkit_port *port = s->agent->port;

	s->state = SEND_FLIGHT;
	inflight_set_deadline(&port->inflight, &s->link,
			      madkit_port_now(port) + try_ns(s));
}

/* False where the transport takes nothing now. */
static bool transmit_now(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint64_t now = madkit_port_now(port);
	int ret;

	write_tid(port, s);
	if (rmpp_is_transfer(s)) {
		list_del(&s->queue);
		told(s, now);
		ret = rmpp_start(s, now);
		if (ret)
			send_finish(s, ret);
		return true;
	}
	ret = hand_over(s);
	if (ret == -EAGAIN) {
		if (s->state != SEND_QUEUED)
			wait_for_room(port, s, now);
		port->waiting_ns = now + NS_PER_MS;
		return false;
	}
	list_del(&s->queue);
	if (ret) {
		send_finish(s, ret);
		return true;
	}
	port->counters.sent++;
	told(s, now);
	if (!s->expects && !s->lingers) {
		send_finish(s, 0);
		return true;
	}
	inflight_hash(&port->inflight, &s->link, (uint32_t)s->pub.tid);
	/* the transport may have blocked: the time runs from here */
	send_await(s);
	return true;
}

void send_transmit(struct send *s)
{
	struct madkit_port *port = s->agent->port;

	/* what waits for room goes first */
	if (list_empty(&port->waiting))
		transmit_now(s);
	else
		wait_for_room(port, s, madkit_port_now(port));
}

int send_flush(struct madkit_port *port)
{
	int n = 0;

	while (!list_empty(&port->waiting)) {
		if (!transmit_now(list_entry(port->waiting.next, struct send, queue)))
			break;
		n++;
	}
	return n;
}

void send_detach(struct send *s, int status)
{
	struct inflight *inflight = &s->agent->port->inflight;

	snoop_completed(s);
	rmpp_end(s);
	inflight_unhash(inflight, &s->link);
	inflight_clear_deadline(inflight, &s->link);
	list_del(&s->queue);
	s->state = SEND_DONE;
	s->status = status;
}

void send_finish(struct send *s, int status)
{
	send_detach(s, status);
	list_add(&s->agent->port->done, &s->queue);
}

void send_complete(struct send *s)
{
	struct madkit_agent *agent = s->agent;
	struct madkit_port *port = agent->port;

	list_del(&s->queue);
	list_del(&s->of_agent);
	agent->outstanding--;
	port->posted--;
	s->state = SEND_IDLE;
	if (port->answering == s)
		port->answering = NULL;
	if (s->sync.waiting) {
		s->sync.waiting = false;
		s->sync.done = true;
		s->sync.status = s->status;
	} else if (agent->attr.send_handler) {
		agent->attr.send_handler(agent, &s->pub, s->status);
	}
}

/* A try has ended without a response: again, or the end. */
static void try_over(struct send *s)
{
	struct inflight *inflight = &s->agent->port->inflight;

	if (s->kernel_resends || !s->tries_left) {
		send_finish(s, -ETIMEDOUT);
		return;
	}
	snoop_completed(s);
	s->tries_left--;
	inflight_unhash(inflight, &s->link);
	inflight_clear_deadline(inflight, &s->link);
	send_transmit(s);
}

void send_returned(struct send *s)
{
	uint64_t ns = madkit_port_now(s->agent->port) - s->pub.sent_ns;
	uint64_t all = ((uint64_t)s->pub.retries + 1) * RMPP_ACK_MS * NS_PER_MS;

	/* the kernel's clock ticks: each try may be a little shorter */
	if (s->lingers && ns < all - all / 8)
		send_finish(s, 0);
	else
		try_over(s);
}

bool send_busy(struct send *s)
{
	struct madkit_port *port = s->agent->port;
	uint64_t most = s->pub.timeout_ms * NS_PER_MS, ns = most / BACKOFF_PART;

	if (!s->tries_left)
		return false;
	s->tries_left--;
	for (uint32_t i = 0; i < s->backoffs && ns < most; i++)
		ns *= 2;
	s->backoffs++;
	port->counters.busy++;
	inflight_unhash(&port->inflight, &s->link);
	s->state = SEND_BACKOFF;
	inflight_set_deadline(&port->inflight, &s->link,
			      madkit_port_now(port) + (ns < most ? ns : most));
	return true;
}

int send_expire(struct madkit_port *port, uint64_t now)
{
	struct inflight_link *link;
	int n = 0;

	while ((link = inflight_first(&port->inflight)) && link->deadline <= now) {
		struct send *s = list_entry(link, struct send, link);

		n++;
		switch (s->state) {
		case SEND_QUEUED:
			send_finish(s, -EAGAIN);
			break;
		case SEND_TRANSFER:
			rmpp_due(s, now);
			break;
		case SEND_BACKOFF:
			inflight_clear_deadline(&port->inflight, link);
			send_transmit(s);
			break;
		default:
			port->counters.expired++;
			try_over(s);
			break;
		}
	}
	return n;
}
