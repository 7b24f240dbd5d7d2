/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/rmpp.h>
#include "agent/rmpp.h"
#include "rmpp/packet.h"
#include "util/bits.h"

enum {
	/* the kernel puts a number of its own into the upper half of a request's TID */
	WIRE_TID_BITS = 32,
	RESPONSE_MS = 1000,
	TOTAL_MS = 40000,
	SEGMENT_MS = 20,
	/* so much may come in transfers, however short messages are to be */
	PEER_BYTES = 16 << 20,
	ALL_BYTES = 32 << 20,
};

static struct recv *recv_of(void *bytes)
{
	return (struct recv *)(void *)((char *)bytes - offsetof(struct recv, mad));
}

/* What the receiver allocates lies in a struct recv, so that a message that has become
 * whole is handed over where it is. */
static void *resize(void *context, void *old, size_t old_size, size_t size)
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

static const struct madkit_rmpp_heap heap = { .resize = resize };

/* A limit that a smaller one asks for, but not below least. */
static void limit(size_t *value, size_t most, size_t least)
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
	limit(&options.max_message, agent->port->receive_max, 0);
	limit(&options.max_peer, options.max_message * 2, PEER_BYTES);
	limit(&options.max_all, options.max_message * 4, ALL_BYTES);
	return madkit_rmpp_receiver_new(&heap, &options, &agent->receiver);
}

/* ---- packets ------------------------------------------------------------------------ */

static int send_packet(struct madkit_agent *agent, const struct madkit_addr *to,
		       uint8_t *packet, size_t len)
{
	struct madkit_port *port = agent->port;
	const struct transport_ops *ops = port->transport->ops;
	uint8_t *mad = packet + TRANSPORT_HEADROOM;
	struct timespec time;
	int ret = ops->send(port->transport, agent->id, to, mad, len, 0, 0);

	if (ret)
		return ret;
	port->counters.sent++;
	if (!port->snoop.handler)
		return 0;
	if (agent->tid_high && !(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE))
		put_be32(mad + MADKIT_MAD_TID, agent->tid_high);
	ops->realtime(port->transport, &time);
	snoop_call(port, MADKIT_SNOOP_POSTED_SENDS, to, mad, len, &time);
	snoop_call(port, MADKIT_SNOOP_SEND_COMPLETIONS, to, mad, len, &time);
	return 0;
}

/* What the transport has no room for is as lost as on the wire. */
static int pump_sender(struct send *s)
{
	_Alignas(16) uint8_t packet[TRANSPORT_HEADROOM + MADKIT_FRAME_BYTES];
	struct madkit_port *port = s->agent->port;
	int ret = 0;

	while ((!ret || ret == -EAGAIN) &&
	       madkit_rmpp_sender_packet(s->rmpp, packet + TRANSPORT_HEADROOM,
					 madkit_port_now(port)))
		ret = send_packet(s->agent, &s->rmpp->to, packet,
				  s->rmpp->segments.mad_bytes);
	return ret == -EAGAIN ? 0 : ret;
}

static void pump_receiver(struct madkit_agent *agent)
{
	_Alignas(16) uint8_t packet[TRANSPORT_HEADROOM + MADKIT_FRAME_BYTES];
	struct madkit_addr to;
	size_t len;

	while (madkit_rmpp_receiver_packet(agent->receiver, packet + TRANSPORT_HEADROOM,
					   &len, &to))
		send_packet(agent, &to, packet, len);
}

/* ---- sends -------------------------------------------------------------------------- */

bool rmpp_is_transfer(const struct send *s)
{
	return s->agent->receiver && madkit_mad_has_rmpp(s->mad, s->wire_len);
}

/* Of a transfer that did not come to its end. */
static void fail(struct send *s, struct madkit_rmpp_outcome outcome)
{
	int status = -EPROTO;

	if (outcome.state != MADKIT_RMPP_STATE_GAVE_UP)
		status = -ECONNABORTED;
	else if (outcome.status == MADKIT_RMPP_STATUS_TIME ||
		 outcome.status == MADKIT_RMPP_STATUS_RETRIES)
		status = -ETIMEDOUT;
	else if (outcome.status == MADKIT_RMPP_STATUS_RESOURCES)
		status = -ENOBUFS;
	s->pub.rmpp = outcome;
	send_finish(s, status);
}

/* What is to be sent is, and what became of it is known. */
static void proceed(struct send *s)
{
	struct inflight *inflight = &s->agent->port->inflight;
	struct madkit_rmpp_outcome outcome;
	int ret = pump_sender(s);

	if (ret) {
		send_finish(s, ret);
		return;
	}
	if (s->state != SEND_TRANSFER)
		return;
	outcome = madkit_rmpp_sender_outcome(s->rmpp);
	if (outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		inflight_set_deadline(inflight, &s->link,
				      madkit_rmpp_sender_deadline(s->rmpp));
	else if (outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		fail(s, outcome);
	else if (s->expects)
		send_await(s);
	else
		send_finish(s, 0);
}

int rmpp_start(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender_options options;
	struct madkit_send *pub = &s->pub;
	/* what is short of its headers is padded as any MAD is */
	size_t least = madkit_class_data_offset(s->mad[MADKIT_MAD_CLASS]);
	size_t len = pub->len > least ? pub->len : least;
	int ret;

	if (!s->rmpp)
		s->rmpp = malloc(sizeof(*s->rmpp));
	if (!s->rmpp)
		return -ENOMEM;
	madkit_rmpp_sender_options_init(&options);
	options.response_ns = (pub->timeout_ms ? pub->timeout_ms : RESPONSE_MS) * NS_PER_MS;
	options.retries = pub->retries;
	options.double_sided = s->expects;
	if (!madkit_mad_is_response(s->mad, pub->len))
		options.tid_mask = (UINT64_C(1) << WIRE_TID_BITS) - 1;
	ret = madkit_rmpp_sender_start(s->rmpp, s->mad, len, &pub->to, &options, now);
	if (ret)
		return ret;
	s->rmpp->total_deadline = now + NS_PER_MS *
		(TOTAL_MS + s->rmpp->segments.count * (uint64_t)SEGMENT_MS);
	s->state = SEND_TRANSFER;
	inflight_hash(&s->agent->port->inflight, &s->link, (uint32_t)pub->tid);
	proceed(s);
	return 0;
}

void rmpp_due(struct send *s, uint64_t now)
{
	madkit_rmpp_sender_expire(s->rmpp, now);
	proceed(s);
}

void rmpp_end(struct send *s)
{
	if (s->rmpp && !s->agent->port->dead &&
	    !madkit_rmpp_sender_stop(s->rmpp, MADKIT_RMPP_STATUS_UNSPECIFIED))
		pump_sender(s);
	free(s->rmpp);
	s->rmpp = NULL;
}

/* ---- what arrives ------------------------------------------------------------------- */

static void deliver(struct madkit_agent *agent)
{
	struct madkit_port *port = agent->port;
	struct madkit_rmpp_message m;

	while (!agent->gone && madkit_rmpp_receiver_message(agent->receiver, &m)) {
		struct recv *r;
		struct send *s;

		if (m.outcome.state != MADKIT_RMPP_STATE_COMPLETE) {
			port->counters.aborted++;
			s = receive_find(agent, m.header, sizeof(m.header), &m.from);
			madkit_rmpp_message_free(&heap, &m);
			if (s)
				fail(s, m.outcome);
			continue;
		}
		r = recv_of(m.bytes);
		memset(&r->pub, 0, sizeof(r->pub));
		r->pub.from = m.from;
		r->pub.len = m.len;
		r->size = m.size;
		r->pub.time_ns = madkit_port_now(port);
		madkit_port_realtime(port, &r->pub.time);
		if (!receive_message(agent, r))
			madkit_recv_free(&r->pub);
	}
}

/* Segments of a response to nothing that is asked any more are not answered. */
static bool is_wanted(const struct madkit_agent *agent, const struct recv *r,
		      const struct send *s)
{
	return s || !madkit_mad_is_response(r->mad, r->pub.len) ||
	       madkit_rmpp_receiver_has(agent->receiver, &r->pub.from, r->mad);
}

static bool sender_takes(struct madkit_agent *agent, const struct recv *r, uint64_t now)
{
	uint64_t tid = get_be64(r->mad + MADKIT_MAD_TID);
	struct inflight_link *link = inflight_find(&agent->port->inflight, (uint32_t)tid);

	for (; link; link = inflight_find_next(link)) {
		struct send *s = list_entry(link, struct send, link);

		/* it may answer from another of its LIDs: the sender is told its own */
		if (s->agent != agent || !s->rmpp ||
		    !match_source(&s->pub.to, &r->pub.from) ||
		    madkit_rmpp_sender_take(s->rmpp, &s->rmpp->to, r->mad, r->pub.len, now))
			continue;
		if (s->own_tid) {
			s->pub.tid = tid;
			agent->tid_high = (uint32_t)(tid >> 32);
		}
		proceed(s);
		return true;
	}
	return false;
}

void rmpp_arrived(struct madkit_agent *agent, const struct recv *r)
{
	struct madkit_port *port = agent->port;
	uint8_t type = madkit_rmpp_get_type(r->mad);
	struct madkit_rmpp_arrival arrival = {
		.from = &r->pub.from, .mad = r->mad, .len = r->pub.len,
		.now = madkit_port_now(port),
	};
	struct madkit_rmpp_receiver_counters before, after;
	struct send *s;

	if (sender_takes(agent, r, arrival.now))
		return;
	s = receive_find(agent, r->mad, r->pub.len, &r->pub.from);
	if (!is_wanted(agent, r, s)) {
		port->counters.unmatched++;
		return;
	}
	madkit_rmpp_receiver_get_counters(agent->receiver, &before);
	if (!madkit_rmpp_receiver_take(agent->receiver, &arrival)) {
		madkit_rmpp_receiver_get_counters(agent->receiver, &after);
		/* its time runs anew from each segment, and from nothing else: what is
		 * no progress would keep it waiting for ever */
		if (s && s->expects && after.segments > before.segments)
			send_await(s);
		else if (s && after.refused > before.refused)
			fail(s, (struct madkit_rmpp_outcome){
				.state = MADKIT_RMPP_STATE_GAVE_UP,
				.status = MADKIT_RMPP_STATUS_RESOURCES,
			});
		pump_receiver(agent);
		deliver(agent);
	} else if (s && (type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT)) {
		uint8_t fault = packet_fault(r->mad);

		fail(s, (struct madkit_rmpp_outcome){
			.state = type == MADKIT_RMPP_STOP ? MADKIT_RMPP_STATE_STOPPED :
							    MADKIT_RMPP_STATE_ABORTED,
			.status = fault ? fault : packet_end_status(r->mad),
		});
	} else {
		port->counters.unmatched++;
	}
}

/* ---- time ---------------------------------------------------------------------------- */

uint64_t rmpp_deadline(const struct madkit_port *port)
{
	uint64_t first = UINT64_MAX;

	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		const struct madkit_agent *agent = list_entry(l, struct madkit_agent, link);
		uint64_t deadline = agent->receiver ?
			madkit_rmpp_receiver_deadline(agent->receiver) : UINT64_MAX;

		if (deadline < first)
			first = deadline;
	}
	return first;
}

static struct madkit_agent *due(const struct madkit_port *port, uint64_t now)
{
	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		struct madkit_agent *agent = list_entry(l, struct madkit_agent, link);

		if (agent->receiver &&
		    madkit_rmpp_receiver_deadline(agent->receiver) <= now)
			return agent;
	}
	return NULL;
}

int rmpp_expire(struct madkit_port *port, uint64_t now)
{
	struct madkit_agent *agent;
	int n = 0;

	/* handlers may unregister any of them */
	while ((agent = due(port, now))) {
		madkit_rmpp_receiver_expire(agent->receiver, now);
		pump_receiver(agent);
		deliver(agent);
		n++;
	}
	return n;
}

void rmpp_close(struct madkit_agent *agent)
{
	struct madkit_rmpp_message m;

	if (!agent->receiver)
		return;
	madkit_rmpp_receiver_stop(agent->receiver, MADKIT_RMPP_STATUS_UNSPECIFIED);
	if (!agent->port->dead)
		pump_receiver(agent);
	while (madkit_rmpp_receiver_message(agent->receiver, &m))
		madkit_rmpp_message_free(&heap, &m);
	madkit_rmpp_receiver_free(agent->receiver);
	agent->receiver = NULL;
}
