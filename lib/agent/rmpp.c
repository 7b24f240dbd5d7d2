/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of the library's RMPP that arrive for an agent: reassembles messages, and queues the replies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/flight.h"
#include "rmpp/packet.h"
#include "util/bits.h"

enum {
	/* how many times the response to one request may start again with other contents: a responder sends
	 * one response for each copy of the request that it received */
	RESTARTS_MAX = 16,
	/* minimum of the memory limits of transfers, however short messages may be */
	PEER_BYTES = 16 << 20,
	ALL_BYTES = 32 << 20,
};

static struct recv *recv_of(void *bytes)
{
	return (struct recv *)(void *)((char *)bytes - offsetof(struct recv, mad));
}

/* The receiver allocates messages within a struct recv, so that a whole message can be passed on without a
 * copy. */
static void *agent_rmpp_resize(void *context, void *old, size_t old_size, size_t size)
{
	struct recv *r = old ? recv_of(old) : NULL;

	(void)context;
	(void)old_size;
	if (!size) {
		free(r);
		return NULL;
	}
	if (size > SIZE_MAX - sizeof(*r))
		return NULL;
	r = realloc(r, sizeof(*r) + size);
	return r ? r->mad : NULL;
}

static const struct madkit_rmpp_heap heap = { .resize = agent_rmpp_resize };

/* Lowers a limit to most, but not below least. */
static void agent_rmpp_limit(size_t *value, size_t most, size_t least)
{
	if (most < least)
		most = least;
	if (*value > most)
		*value = most;
}

int rmpp_open(struct madkit_agent *agent)
{
	struct madkit_rmpp_receiver_options options;

	madkit_rmpp_receiver_options_init(&options);
	agent_rmpp_limit(&options.max_message, agent->port->receive_max, 0);
	agent_rmpp_limit(&options.max_peer, options.max_message * 2, PEER_BYTES);
	agent_rmpp_limit(&options.max_all, options.max_message * 4, ALL_BYTES);
	agent->packet = malloc(sizeof(*agent->packet));
	if (!agent->packet)
		return -ENOMEM;
	agent->packet->len = 0;
	return madkit_rmpp_receiver_new(&heap, &options, &agent->receiver);
}

/* Checks if there is a packet to send. */
static bool rmpp_next(struct madkit_agent *agent)
{
	struct packet *p = agent->packet;

	return p->len || madkit_rmpp_receiver_packet(agent->receiver, p->mad, &p->len, &p->to);
}

/* Sends the packets that may be sent now, and leaves the others to rmpp_flush(). */
static void rmpp_pump(struct madkit_agent *agent)
{
	struct send_time sent;

	agent->unfinished = false;
	while (port_may_send(agent->port)) {
		if (!rmpp_next(agent))
			return;
		if (transfer_packet(agent, agent->packet, &sent) == -EAGAIN)
			break;
	}
	port_defer(agent->port);
	agent->unfinished = true;
}

int rmpp_flush(struct madkit_port *port)
{
	int n = 0;

	list_each(struct madkit_agent, agent, &port->agents, link) {
		if (agent->unfinished && port_may_send(port)) {
			rmpp_pump(agent);
			n++;
		}
	}
	return n;
}

/* Returns the send of a transfer that failed, unless a later try of it is outstanding. */
static struct send *rmpp_latest(const struct tid *t)
{
	return t && t == &t->send->tid ? t->send : NULL;
}

/* ---- what arrives ------------------------------------------------------------------- */

/*
 * Checks if the response starts again, which does not end the request: the responder received several copies
 * of the request, such as tries with the same TID, and responds to each.
 */
static bool rmpp_restarts(struct send *s, struct madkit_rmpp_outcome outcome)
{
	return outcome.state == MADKIT_RMPP_STATE_SUPERSEDED && s->restarts++ < RESTARTS_MAX;
}

/* Checks if a packet is wanted. Segments of a response are ignored if their request has ended. */
static bool rmpp_is_wanted(const struct madkit_agent *agent, const struct recv *r, const struct tid *t)
{
	return t || !madkit_mad_is_response(r->mad, r->pub.len) ||
	       madkit_rmpp_receiver_has(agent->receiver, &r->pub.from, r->mad);
}

/* Passes an RMPP packet to the send of this agent whose transfer it belongs to. Returns false if there is
 * none. */
static bool rmpp_answers_transfer(struct madkit_agent *agent, const struct recv *r, uint64_t now)
{
	uint64_t tid = get_be64(r->mad + MADKIT_MAD_TID);
	struct send_step next;
	struct tid *t;
	size_t step = 0;

	while ((t = tid_next(&agent->port->tids, tid, &step))) {
		struct send *s = t->send;

		if (s->agent == agent && t == &s->tid && match_source(&s->pub.to, &r->pub.from) &&
		    transfer_take(s, r->mad, r->pub.len, now, &next)) {
			flight_act(s, next);
			return true;
		}
	}
	return false;
}

/* Restarts the timeout of a request for each new segment of its response, but not for repeated segments, and
 * not beyond the time that a whole response may take: it may start again many times. */
static void rmpp_await_more(struct send *s, uint64_t now)
{
	if (s->response_end_ns == UINT64_MAX)
		s->response_end_ns = later(now, TRANSFER_TOTAL_MS * NS_PER_MS);
	flight_act(s, send_await(s, now));
}

static void rmpp_fail(struct send *s, uint8_t state, uint8_t status, uint8_t received)
{
	flight_act(s, send_fail(s, (struct madkit_rmpp_outcome){
					   .state = state, .status = status, .received = received }));
}

void rmpp_arrived(struct madkit_agent *agent, const struct recv *r)
{
	struct madkit_port *port = agent->port;
	uint8_t type = madkit_rmpp_get_type(r->mad);
	struct madkit_rmpp_arrival arrival = {
		.from = &r->pub.from,
		.mad = r->mad,
		.len = r->pub.len,
		.now = madkit_port_now(port),
	};
	struct madkit_rmpp_receiver_counters before, after;
	struct tid *t;
	struct send *s;

	if (rmpp_answers_transfer(agent, r, arrival.now)) {
		/* a STOP or ABORT of a request also ends a response that has begun */
		if (packet_ends(r->mad))
			madkit_rmpp_receiver_take(agent->receiver, &arrival);
		return;
	}
	t = match_response(agent, r->mad, r->pub.len, &r->pub.from);
	if (!rmpp_is_wanted(agent, r, t)) {
		port->counters.unmatched++;
		return;
	}
	s = rmpp_latest(t);
	madkit_rmpp_receiver_get_counters(agent->receiver, &before);
	if (!madkit_rmpp_receiver_take(agent->receiver, &arrival)) {
		madkit_rmpp_receiver_get_counters(agent->receiver, &after);
		if (t && t->send->expects && after.segments > before.segments &&
		    (t->send->state == SEND_FLIGHT || t->send->state == SEND_TRANSFER))
			rmpp_await_more(t->send, arrival.now);
		else if (s && after.refused > before.refused)
			rmpp_fail(s, MADKIT_RMPP_STATE_GAVE_UP, MADKIT_RMPP_STATUS_RESOURCES, 0);
		else if (s && after.faulty > before.faulty)
			rmpp_fail(s, MADKIT_RMPP_STATE_GAVE_UP, after.fault, 0);
		rmpp_pump(agent);
	} else if (s && (type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT)) {
		uint8_t fault = packet_fault(r->mad);

		rmpp_fail(s, type == MADKIT_RMPP_STOP ? MADKIT_RMPP_STATE_STOPPED : MADKIT_RMPP_STATE_ABORTED,
			  fault ? fault : packet_end_status(r->mad), madkit_rmpp_get_status(r->mad));
	} else {
		port->counters.unmatched++;
	}
}

struct recv *rmpp_message(struct madkit_agent *agent)
{
	struct madkit_port *port = agent->port;
	struct madkit_rmpp_message m;

	while (madkit_rmpp_receiver_message(agent->receiver, &m)) {
		struct send *s;
		struct recv *r;

		if (m.outcome.state != MADKIT_RMPP_STATE_COMPLETE) {
			port->counters.aborted++;
			s = rmpp_latest(match_response(agent, m.header, sizeof(m.header), &m.from));
			madkit_rmpp_message_free(&heap, &m);
			if (s && !rmpp_restarts(s, m.outcome))
				flight_act(s, send_fail(s, m.outcome));
			continue;
		}
		r = recv_of(m.bytes);
		memset(&r->pub, 0, sizeof(r->pub));
		r->pub.rtt_ns = -1;
		r->pub.from = m.from;
		r->pub.len = m.len;
		r->size = m.size;
		r->pub.time_ns = madkit_port_now(port);
		madkit_port_realtime(port, &r->pub.time);
		return r;
	}
	return NULL;
}

/* ---- time ---------------------------------------------------------------------------- */

static uint64_t rmpp_agent_deadline(const struct madkit_agent *agent)
{
	return agent->receiver ? madkit_rmpp_receiver_deadline(agent->receiver) : UINT64_MAX;
}

uint64_t rmpp_deadline(const struct madkit_port *port)
{
	uint64_t first = UINT64_MAX;

	list_each(struct madkit_agent, agent, &port->agents, link) {
		if (rmpp_agent_deadline(agent) < first)
			first = rmpp_agent_deadline(agent);
		if (agent->unfinished && port->waiting_ns < first)
			first = port->waiting_ns;
	}
	return first;
}

struct madkit_agent *rmpp_expire(struct madkit_port *port, uint64_t now)
{
	list_each(struct madkit_agent, agent, &port->agents, link) {
		if (rmpp_agent_deadline(agent) <= now) {
			madkit_rmpp_receiver_expire(agent->receiver, now);
			rmpp_pump(agent);
			return agent;
		}
	}
	return NULL;
}

void rmpp_close(struct madkit_agent *agent)
{
	struct madkit_rmpp_message m;
	struct send_time sent;

	if (agent->receiver)
		madkit_rmpp_receiver_stop(agent->receiver, MADKIT_RMPP_STATUS_UNSPECIFIED);
	while (agent->receiver && !agent->port->dead && rmpp_next(agent))
		if (transfer_packet(agent, agent->packet, &sent) == -EAGAIN)
			break;
	free(agent->packet);
	agent->packet = NULL;
	if (!agent->receiver)
		return;
	while (madkit_rmpp_receiver_message(agent->receiver, &m))
		madkit_rmpp_message_free(&heap, &m);
	madkit_rmpp_receiver_free(agent->receiver);
	agent->receiver = NULL;
	snoop_release(agent);
}
