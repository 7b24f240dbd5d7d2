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
	/* how many times the response to one request may begin anew with other contents: a
	 * responder sends one response for each copy of the request that it received */
	RESTARTS_MAX = 16,
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

/* A limit that a smaller one asks for, but not below least. */
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
	return madkit_rmpp_receiver_new(&heap, &options, &agent->receiver);
}

/* ---- packets ------------------------------------------------------------------------ */

/* A packet of a request, sent with a transaction ID whose upper half is not known yet. */
struct rmpp_held {
	struct rmpp_held *next;
	struct madkit_addr to;
	struct timespec time;
	size_t len;
	uint8_t mad[MADKIT_FRAME_BYTES];
};

static void rmpp_hold(struct madkit_agent *agent, const struct madkit_addr *to, const uint8_t *mad,
		      size_t len, const struct timespec *time)
{
	struct rmpp_held *one = calloc(1, sizeof(*one)), **end = &agent->held;

	if (!one) {
		snoop_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, to, mad, len, time);
		return;
	}
	one->to = *to;
	one->time = *time;
	one->len = len;
	memcpy(one->mad, mad, len);
	while (*end)
		end = &(*end)->next;
	*end = one;
}

void rmpp_release(struct madkit_agent *agent)
{
	struct rmpp_held *one;

	while ((one = agent->held)) {
		agent->held = one->next;
		if (agent->tid_high)
			put_be32(one->mad + MADKIT_MAD_TID, agent->tid_high);
		snoop_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, &one->to, one->mad, one->len, &one->time);
		free(one);
	}
}

static int send_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *packet, size_t len,
		       struct send_time *sent)
{
	struct madkit_port *port = agent->port;
	uint8_t *mad = packet + TRANSPORT_HEADROOM;
	bool request;
	int ret = send_to_device(agent, to, mad, len, 0, 0, sent);

	if (ret)
		return ret;
	port->counters.sent++;
	if (list_empty(port->watchers))
		return 0;
	request = !(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE);
	if (agent->tid_high && request)
		put_be32(mad + MADKIT_MAD_TID, agent->tid_high);
	snoop_packet(agent, MADKIT_SNOOP_POSTED_SENDS, to, mad, len, &sent->time);
	/* the first response shows the ID; the window is one segment until then */
	if (request && !agent->tid_high)
		rmpp_hold(agent, to, mad, len, &sent->time);
	else
		snoop_packet(agent, MADKIT_SNOOP_SEND_COMPLETIONS, to, mad, len, &sent->time);
	return 0;
}

static bool is_first_segment(const uint8_t *mad)
{
	return madkit_rmpp_get_type(mad) == MADKIT_RMPP_DATA &&
	       madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST;
}

/* A packet that the transport has no room for is treated as one that the wire loses. The
 * message counts as sent as often as its first segment is. */
static int pump_sender(struct send *s)
{
	_Alignas(16) uint8_t packet[TRANSPORT_HEADROOM + MADKIT_FRAME_BYTES];
	struct madkit_port *port = s->agent->port;
	struct send_time sent;
	int ret = 0;

	while ((!ret || ret == -EAGAIN) && !port->stalled &&
	       madkit_rmpp_sender_packet(s->rmpp, packet + TRANSPORT_HEADROOM, madkit_port_now(port))) {
		ret = send_packet(s->agent, &s->rmpp->to, packet, s->rmpp->segments.mad_bytes, &sent);
		if (!ret && is_first_segment(packet + TRANSPORT_HEADROOM))
			send_sent(s, &sent);
	}
	return ret == -EAGAIN ? 0 : ret;
}

static void pump_receiver(struct madkit_agent *agent)
{
	_Alignas(16) uint8_t packet[TRANSPORT_HEADROOM + MADKIT_FRAME_BYTES];
	struct send_time sent;
	struct madkit_addr to;
	size_t len;

	while (!agent->port->stalled &&
	       madkit_rmpp_receiver_packet(agent->receiver, packet + TRANSPORT_HEADROOM, &len, &to))
		send_packet(agent, &to, packet, len, &sent);
}

/* ---- sends -------------------------------------------------------------------------- */

bool rmpp_is_transfer(const struct send *s)
{
	return s->agent->receiver && madkit_mad_has_rmpp(s->mad, s->wire_len);
}

/* The send of a transfer that failed, unless a later try of it is outstanding. */
static struct send *latest_of(const struct send_tid *t)
{
	return t && t == &t->send->tid ? t->send : NULL;
}

/* Of a transfer that did not come to its end. */
static void fail(struct send *s, struct madkit_rmpp_outcome outcome)
{
	int status = -EPROTO;

	if (outcome.state == MADKIT_RMPP_STATE_STOPPED || outcome.state == MADKIT_RMPP_STATE_ABORTED)
		status = -ECONNABORTED;
	else if (outcome.status == MADKIT_RMPP_STATUS_TIME || outcome.status == MADKIT_RMPP_STATUS_RETRIES)
		status = -ETIMEDOUT;
	else if (outcome.status == MADKIT_RMPP_STATUS_RESOURCES)
		status = -ENOBUFS;
	s->pub.rmpp = outcome;
	send_finish(s, status);
}

/* What is to be sent is, and what became of it is known. */
static void proceed(struct send *s)
{
	struct madkit_rmpp_outcome outcome;
	int ret = pump_sender(s);

	if (ret) {
		send_finish(s, ret);
		return;
	}
	/* in flight: the response began before the last acknowledgement of the request */
	if (s->state != SEND_TRANSFER && s->state != SEND_FLIGHT)
		return;
	outcome = madkit_rmpp_sender_outcome(s->rmpp);
	if (outcome.state != MADKIT_RMPP_STATE_ACTIVE && outcome.state != MADKIT_RMPP_STATE_COMPLETE)
		fail(s, outcome);
	else if (s->state == SEND_FLIGHT)
		return;
	else if (outcome.state == MADKIT_RMPP_STATE_ACTIVE)
		heap_set(&s->agent->port->deadlines, &s->link, madkit_rmpp_sender_deadline(s->rmpp));
	else if (s->expects)
		send_await(s);
	else
		send_finish(s, 0);
}

/* How long an acknowledgement is awaited: not longer if the response is awaited without limit. */
static uint64_t rmpp_ack_ns(const struct send *s)
{
	uint32_t ms = s->pub.ack_ms ? s->pub.ack_ms : s->pub.timeout_ms;

	return NS_PER_MS * (ms && ms != MADKIT_FOREVER ? ms : RESPONSE_MS);
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
	options.response_ns = rmpp_ack_ns(s);
	options.retries = pub->retries;
	options.double_sided = s->expects;
	if (!madkit_mad_is_response(s->mad, pub->len))
		options.tid_mask = (UINT64_C(1) << WIRE_TID_BITS) - 1;
	ret = madkit_rmpp_sender_start(s->rmpp, s->mad, len, &pub->to, &options, now);
	if (ret)
		return ret;
	s->rmpp->total_deadline =
		now + NS_PER_MS * (TOTAL_MS + s->rmpp->segments.count * (uint64_t)SEGMENT_MS);
	s->state = SEND_TRANSFER;
	proceed(s);
	return 0;
}

void rmpp_modify(struct send *s, uint64_t now)
{
	struct madkit_rmpp_sender *sender = s->rmpp;

	sender->response_ns = rmpp_ack_ns(s);
	if (sender->response_deadline != MADKIT_RMPP_NEVER)
		sender->response_deadline = now + sender->response_ns;
	heap_set(&s->agent->port->deadlines, &s->link, madkit_rmpp_sender_deadline(sender));
}

void rmpp_due(struct send *s, uint64_t now)
{
	madkit_rmpp_sender_expire(s->rmpp, now);
	proceed(s);
}

void rmpp_end(struct send *s, int status)
{
	/* A response is the proof that the request arrived, even if its last acknowledgement is late. An ABORT
	 * would end the responder's transfer, whose transaction ID is the same. */
	bool stopped = s->rmpp && status;

	if (stopped && madkit_rmpp_sender_outcome(s->rmpp).state != MADKIT_RMPP_STATE_COMPLETE)
		s->pub.unacknowledged = s->rmpp->window_first;
	if (stopped && !s->agent->port->dead &&
	    !madkit_rmpp_sender_stop(s->rmpp, MADKIT_RMPP_STATUS_UNSPECIFIED))
		pump_sender(s);
	rmpp_release(s->agent);
	free(s->rmpp);
	s->rmpp = NULL;
}

/* ---- what arrives ------------------------------------------------------------------- */

/*
 * Whether the response begins anew, which does not end the request: the responder received
 * several copies of the request, tries with one TID among them, and responds to each.
 */
static bool rmpp_restarts(struct send *s, struct madkit_rmpp_outcome outcome)
{
	return outcome.state == MADKIT_RMPP_STATE_SUPERSEDED && s->restarts++ < RESTARTS_MAX;
}

static void agent_rmpp_deliver(struct madkit_agent *agent)
{
	struct madkit_port *port = agent->port;
	struct madkit_rmpp_message m;

	while (!agent->gone && madkit_rmpp_receiver_message(agent->receiver, &m)) {
		struct send_tid *t;
		struct recv *r;
		struct send *s;

		if (m.outcome.state != MADKIT_RMPP_STATE_COMPLETE) {
			port->counters.aborted++;
			t = receive_find(agent, m.header, sizeof(m.header), &m.from);
			madkit_rmpp_message_free(&heap, &m);
			if ((s = latest_of(t)) && !rmpp_restarts(s, m.outcome))
				fail(s, m.outcome);
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
		if (!receive_message(agent, r))
			madkit_recv_free(&r->pub);
	}
}

/* Segments of a response to nothing that is asked any more are not answered. */
static bool is_wanted(const struct madkit_agent *agent, const struct recv *r, const struct send_tid *t)
{
	return t || !madkit_mad_is_response(r->mad, r->pub.len) ||
	       madkit_rmpp_receiver_has(agent->receiver, &r->pub.from, r->mad);
}

static bool sender_takes(struct madkit_agent *agent, const struct recv *r, uint64_t now)
{
	uint64_t tid = get_be64(r->mad + MADKIT_MAD_TID);
	struct send_tid *t;
	size_t step = 0;

	while ((t = send_tid_next(agent->port, tid, &step))) {
		struct send *s = t->send;

		/* it may answer from another of its LIDs: the sender is told its own */
		if (s->agent != agent || !s->rmpp || t != &s->tid ||
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

/* The timeout of a request counts anew from each new segment of its response, but not from repeated
 * segments, and not beyond the time that a whole response may take: it may begin anew many times. */
static void rmpp_await_more(struct send *s, uint64_t now)
{
	if (s->response_end_ns == UINT64_MAX)
		s->response_end_ns = later(now, TOTAL_MS * NS_PER_MS);
	send_await(s);
}

void rmpp_response_late(struct send *s)
{
	fail(s, (struct madkit_rmpp_outcome){ .state = MADKIT_RMPP_STATE_GAVE_UP,
					      .status = MADKIT_RMPP_STATUS_TIME });
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
	struct send_tid *t;
	struct send *s;

	if (sender_takes(agent, r, arrival.now)) {
		/* the end of a request is the end of the response that has begun */
		if (packet_ends(r->mad) && !madkit_rmpp_receiver_take(agent->receiver, &arrival))
			agent_rmpp_deliver(agent);
		return;
	}
	t = receive_find(agent, r->mad, r->pub.len, &r->pub.from);
	if (!is_wanted(agent, r, t)) {
		port->counters.unmatched++;
		return;
	}
	madkit_rmpp_receiver_get_counters(agent->receiver, &before);
	if (!madkit_rmpp_receiver_take(agent->receiver, &arrival)) {
		madkit_rmpp_receiver_get_counters(agent->receiver, &after);
		s = latest_of(t);
		if (t && t->send->expects && after.segments > before.segments &&
		    (t->send->state == SEND_FLIGHT || t->send->state == SEND_TRANSFER))
			rmpp_await_more(t->send, arrival.now);
		else if (s && after.refused > before.refused)
			fail(s, (struct madkit_rmpp_outcome){
					.state = MADKIT_RMPP_STATE_GAVE_UP,
					.status = MADKIT_RMPP_STATUS_RESOURCES,
				});
		else if (s && after.faulty > before.faulty)
			fail(s, (struct madkit_rmpp_outcome){
					.state = MADKIT_RMPP_STATE_GAVE_UP,
					.status = after.fault,
				});
		pump_receiver(agent);
		agent_rmpp_deliver(agent);
	} else if ((s = latest_of(t)) && (type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT)) {
		uint8_t fault = packet_fault(r->mad);

		fail(s, (struct madkit_rmpp_outcome){
				.state = type == MADKIT_RMPP_STOP ? MADKIT_RMPP_STATE_STOPPED :
								    MADKIT_RMPP_STATE_ABORTED,
				.status = fault ? fault : packet_end_status(r->mad),
				.received = madkit_rmpp_get_status(r->mad),
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
		uint64_t deadline = agent->receiver ? madkit_rmpp_receiver_deadline(agent->receiver) :
						      UINT64_MAX;

		if (deadline < first)
			first = deadline;
	}
	return first;
}

static struct madkit_agent *agent_rmpp_due(const struct madkit_port *port, uint64_t now)
{
	for (struct list *l = port->agents.next; l != &port->agents; l = l->next) {
		struct madkit_agent *agent = list_entry(l, struct madkit_agent, link);

		if (agent->receiver && madkit_rmpp_receiver_deadline(agent->receiver) <= now)
			return agent;
	}
	return NULL;
}

int rmpp_expire(struct madkit_port *port, uint64_t now)
{
	struct madkit_agent *agent;
	int n = 0;

	/* handlers may unregister any of them */
	while (!port->stalled && (agent = agent_rmpp_due(port, now))) {
		madkit_rmpp_receiver_expire(agent->receiver, now);
		pump_receiver(agent);
		agent_rmpp_deliver(agent);
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
	rmpp_release(agent);
}
