/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include "agent/flight.h"

/* Queues the send. flight_flush() tries it again. The limit of the rate may delay it by the time of all others. */
static void flight_wait_for_room(struct send *s, uint64_t now)
{
	struct madkit_port *port = s->agent->port;

	if (s->state == SEND_QUEUED)
		return;
	list_add(&port->waiting, &s->queue);
	flight_act(s, send_queue(s, now + port->tids.sends * port->pace.each_ns));
}

static int flight_hand_over(struct send *s, struct send_time *sent)
{
	struct madkit_port *port = s->agent->port;
	struct madkit_addr to = send_destination(s);
	struct send_try try = send_ask(s, madkit_port_now(port));
	int ret = port_send(port, s->agent->id, &to, s->mad, s->wire_len, &try, sent);

	if (!ret) {
		send_taken(s, &try, sent);
		snoop_posted(s);
	}
	return ret;
}

/* Passes the send to the transport. Returns false if the transport accepts nothing at present. */
static bool flight_transmit(struct send *s)
{
	struct madkit_agent *agent = s->agent;
	struct madkit_port *port = agent->port;
	uint64_t now = madkit_port_now(port);
	struct send_time sent;
	int ret;

	if (now >= s->end_ns && (s->pub.attempts || s->state == SEND_QUEUED)) {
		flight_act(s, send_done(-ETIMEDOUT));
		return true;
	}
	/* a device that blocks whenever it has no room keeps flight_expire() from ending the send */
	if (s->state == SEND_QUEUED && s->link.due <= now) {
		flight_act(s, send_due(s, now));
		return true;
	}
	if (port->stalled) {
		flight_wait_for_room(s, now);
		port->waiting_ns = 0;
		return false;
	}
	send_begin(s, &port->tids, agent->tid_high);
	if (s->is_transfer) {
		list_del(&s->queue);
		flight_act(s, transfer_start(s, now));
		return true;
	}
	ret = flight_hand_over(s, &sent);
	if (ret == -EINVAL && send_renew(s, &port->tids, agent->tid_high))
		ret = flight_hand_over(s, &sent);
	if (ret == -EAGAIN) {
		flight_wait_for_room(s, now);
		return false;
	}
	list_del(&s->queue);
	if (ret) {
		flight_act(s, send_done(ret));
		return true;
	}
	port->counters.sent++;
	port->counters.resent += s->pub.attempts > 0;
	send_count(s, &port->tids, &sent);
	/* the transport may have blocked: start the timeout now */
	flight_act(s, send_await(s, madkit_port_now(port)));
	return true;
}

void flight_act(struct send *s, struct send_step step)
{
	struct madkit_port *port = s->agent->port;

	switch (step.what) {
	case STEP_NONE:
		break;
	case STEP_WAIT:
		heap_set(&port->deadlines, &s->link, step.until);
		break;
	case STEP_TRANSMIT:
		snoop_completed(s, -ETIMEDOUT);
		heap_remove(&port->deadlines, &s->link);
		/* Queued sends go first. A response does not wait for requests that the limit of the rate delays: others
		 * decide how many they are. */
		if (list_empty(&port->waiting) || send_answers(s))
			flight_transmit(s);
		else
			flight_wait_for_room(s, madkit_port_now(port));
		break;
	case STEP_DONE:
		flight_detach(s, step.status);
		list_add(&port->done, &s->queue);
		break;
	}
}

void flight_detach(struct send *s, int status)
{
	struct madkit_port *port = s->agent->port;

	snoop_completed(s, status);
	transfer_end(s, status);
	tid_forget(&port->tids, &s->tid);
	heap_remove(&port->deadlines, &s->link);
	list_del(&s->queue);
	s->state = SEND_DONE;
	s->status = status;
}

int flight_flush(struct madkit_port *port)
{
	int n = 0;

	while (!list_empty(&port->waiting)) {
		if (!port->left) {
			port_defer(port);
			break;
		}
		if (!flight_transmit(list_entry(port->waiting.next, struct send, queue)))
			break;
		n++;
	}
	return n;
}

int flight_resume(struct madkit_port *port)
{
	int n = 0;

	while (port_may_send(port) && !list_empty(&port->unfinished)) {
		struct send *s = list_entry(port->unfinished.next, struct send, unfinished);

		flight_act(s, transfer_proceed(s));
		n++;
	}
	return n;
}

int flight_expire(struct madkit_port *port, uint64_t now)
{
	struct heap_link *link;
	int n = 0;

	while (!port->stalled && port->left && (link = heap_first(&port->deadlines)) && link->due <= now) {
		struct send *s = list_entry(link, struct send, link);
		bool transfer = s->state == SEND_TRANSFER && now < s->end_ns;

		port->counters.expired += s->state == SEND_FLIGHT;
		flight_act(s, transfer ? transfer_due(s, now) : send_due(s, now));
		n++;
	}
	return n;
}
